package swarm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/internal/keyfile"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/internal/tokens"
)

// ExitUsage is the exit code for invalid flags.
const ExitUsage = 2

// Game describes a game for [Main].
type Game struct {
	// Name is the name of the command. About is its description for -h.
	Name, About string
	// Kind is the kind of the game's rooms. Default (""): no flags for rooms.
	Kind string
	// Flags declares the game's own flags. May be nil.
	Flags func(fs *flag.FlagSet)
	// Configure completes the configuration after the flags are parsed: Protocol and Input, and Client if channels,
	// messages or events need it.
	Configure func(c *Config)
}

// Main is the command of a load test. It parses args, runs a swarm with a table on stderr, prints the result on stdout and
// returns the exit code: 0, 1 after a failure, or [ExitUsage] after a message about invalid flags. With -json the last line
// of stdout is a [Report].
func Main(ctx context.Context, g Game, args []string, stdout, stderr io.Writer) int {
	c, err := g.parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\n", g.Name, err)
		return ExitUsage
	}
	r, err := Run(ctx, c.Config)
	if errors.Is(err, netsys.ErrInsecure) {
		err = fmt.Errorf("%w\nHere that is -key or -token; or -insecure-anyone-can-join, for a server that has it too", err)
	}
	if r != nil {
		if c.json {
			err = errors.Join(err, json.NewEncoder(stdout).Encode(r))
		} else {
			err = errors.Join(err, r.Print(stdout))
		}
	}
	if err == nil && r.Different > 0 {
		err = fmt.Errorf("thin clients decoded %d entities differently", r.Different)
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", g.Name, err)
		return 1
	}
	return 0
}

// command holds the parsed flags.
type command struct {
	Config
	json                      bool
	insecure                  bool
	key, public, token, login string
	rooms                     RoomsConfig
}

// register declares the flags.
func (c *command) register(fs *flag.FlagSet) {
	d := Config{}.filled()
	fs.StringVar(&c.Addr, "connect", "127.0.0.1:7777", "the `address` of the server, as host:port; with -transport ws a URL too")
	fs.StringVar(&c.Transport, "transport", d.Transport, "the `transport`: "+strings.Join(transports, ", "))
	fs.IntVar(&c.Clients, "clients", d.Clients, "players")
	fs.IntVar(&c.Thin, "thin", 0, "`number` of players that decode and verify every snapshot; the others are blind")
	fs.Float64Var(&c.Ramp, "ramp", d.Ramp, "clients per second that start to connect")
	fs.DurationVar(&c.Warmup, "warmup", d.Warmup, "time from the last connection to the start of the measurement; -1ns: none")
	fs.DurationVar(&c.Duration, "duration", d.Duration, "length of the measurement")
	fs.IntVar(&c.Sockets, "sockets", 1024, "largest number of sockets")
	fs.IntVar(&c.Threads, "threads", d.Threads, "goroutines that share the clients; each uses at most one processor")
	fs.Float64Var(&c.Busy, "busy", d.Busy, "share of its time, 0 to 1, from which a goroutine is too busy for trustworthy figures")
	fs.BoolVar(&c.json, "json", false, "print the result as a JSON object in the last line")
	fs.StringVar(&c.key, "key", "", "the secret of the server, for issuing tokens: 64 `hex` digits, or @FILE")
	fs.StringVar(&c.public, "public", "", "with -key: the server `addresses` in the tokens, separated by commas; default: the address of -connect")
	fs.StringVar(&c.token, "token", "", "source of tokens: a `file` per client or folders of such files, separated by commas,\nor the URL of a login service such as examples/tokens")
	fs.StringVar(&c.login, "login", "", "with -token URL: the login `name`; %d becomes the number of the client. The password\nis in the environment variable "+tokens.PasswordVariable)
	fs.BoolVar(&c.insecure, "insecure-anyone-can-join", false, "play on another machine without -key and -token: anyone can join under any name, read\nand forge packets; the server needs the same flag")
}

// parse parses the flags. Its errors name the allowed values. It returns [flag.ErrHelp] after printing the usage.
func (g *Game) parse(args []string, stderr io.Writer) (c *command, err error) {
	if g.Configure == nil {
		return nil, errors.New("swarm.Game.Configure is nil: it must say what the game's Protocol is")
	}
	c = &command{}
	fs := flag.NewFlagSet(g.Name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	c.register(fs)
	if g.Kind != "" {
		c.rooms.Kind = g.Kind
		c.rooms.register(fs)
	}
	if g.Flags != nil {
		g.Flags(fs)
	}
	err = fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		g.usage(fs, stderr)
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w; -h lists the allowed values", err)
	case fs.NArg() > 0:
		return nil, fmt.Errorf("%q: only flags are allowed", fs.Arg(0))
	}
	c.Progress = stderr
	if err := c.configureRooms(fs); err != nil {
		return nil, err
	}
	if c.Config.Token, err = c.source(); err != nil {
		return nil, err
	}
	g.Configure(&c.Config)
	if c.insecure {
		change := c.Client
		c.Client = func(n int, config *systems.ClientConfig) {
			if change != nil {
				change(n, config)
			}
			config.Session.InsecureAllowAnyAddress = true
		}
	}
	return c, c.Config.Validate()
}

// register declares the flags of rooms.
func (c *RoomsConfig) register(fs *flag.FlagSet) {
	fs.IntVar(&c.Rooms, "rooms", 0, "`number` of rooms to fill, instead of -connect and -clients: the first player creates each room, the others join it by HTTP")
	fs.IntVar(&c.Seats, "seats", defaultSeats, "with -rooms: players per room; players without a free seat are refused")
	fs.StringVar(&c.URL, "http", "http://127.0.0.1:7780", "with -rooms: the `URL` of the server, without /rooms")
}

// configureRooms makes the clients play in rooms if the flags request it.
func (c *command) configureRooms(fs *flag.FlagSet) (err error) {
	fs.Visit(func(f *flag.Flag) {
		switch {
		case c.rooms.Rooms == 0 && (f.Name == "seats" || f.Name == "http"):
			err = fmt.Errorf("-%s: allowed with -rooms only", f.Name)
		case c.rooms.Rooms != 0 && slices.Contains([]string{"connect", "clients", "key", "public", "token", "login"}, f.Name):
			err = fmt.Errorf("-rooms and -%s: use only one of them; rooms provide the address and the players", f.Name)
		}
	})
	if err != nil || c.rooms.Rooms == 0 {
		return err
	}
	c.Addr, c.Clients, c.Rooms = "", 0, &c.rooms
	return c.rooms.Validate()
}

// source returns the function for tokens, or nil in development mode.
func (c *command) source() (TokenFunc, error) {
	switch {
	case c.key != "" && c.token != "":
		return nil, errors.New("-key and -token: use only one of them")
	case c.login != "" && !tokens.IsService(c.token):
		return nil, errors.New("-login: allowed with a URL as -token only")
	case c.public != "" && c.key == "":
		return nil, errors.New("-public: allowed with -key only")
	case c.key != "":
		key, err := keyfile.Read(c.key)
		if err != nil {
			return nil, fmt.Errorf("-key: %w", err)
		}
		var servers []netip.AddrPort
		for _, text := range tokens.List(cmp.Or(c.public, c.Addr)) {
			addr, err := net.ResolveUDPAddr("udp", text)
			if err != nil {
				return nil, fmt.Errorf("-key: tokens name the server's address: %w; -public says it otherwise", err)
			}
			ap := addr.AddrPort()
			servers = append(servers, netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()))
		}
		return Issue(key, servers...), nil
	case tokens.IsService(c.token):
		if c.login == "" {
			return nil, errors.New("-token URL: -login must say by which name")
		}
		return Service(c.token, c.login), nil
	case c.token != "":
		from, err := Files(tokens.List(c.token)...)
		if err != nil {
			return nil, fmt.Errorf("-token: %w", err)
		}
		return from, nil
	}
	return nil, nil
}
