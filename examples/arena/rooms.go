package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/operator"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/rooms"
	roomsweb "github.com/tactusgo/tactus/systems/rooms/web"
)

// kindName is the kind of the arena's rooms.
const kindName = "arena"

// many is the arena with rooms, and the values of its flags.
type many struct {
	http   string // address of the page and the HTTP interface
	typed  bool   // -http was given: use no other port
	web    string // folder of the client; empty: build it
	embed  []string
	seats  int
	npcs   int
	bots   int // per room
	most   int // maximum number of rooms
	preset string
	json   bool

	inspect   string // address of the operator's page, or empty
	operators []operator.Operator
	messages  *game.Messages
	crews     *crews // the bots, set by kind
}

// operatorsVariable is the environment variable with the names and tokens of operators. Command lines are visible to other
// users, so no flag sets it.
const operatorsVariable = "TACTUS_OPERATORS"

// wantsRooms reports whether the arguments contain -rooms.
func wantsRooms(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		return strings.HasPrefix(a, "-") && name == "rooms" && value != "false"
	})
}

// usualPage is the default address of the page.
const usualPage = "127.0.0.1:7780"

// parse reads the flags that go with -rooms.
func (m *many) parse(args []string, stderr io.Writer) error {
	fs := flag.NewFlagSet("arena -rooms", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Bool("rooms", true, "serve rooms and a lobby instead of one match")
	fs.StringVar(&m.http, "http", usualPage, "serve the lobby, and the HTTP interface under /rooms, at this `address` of this machine. Port 0 chooses a free port,\nand so does the default if its port is in use")
	fs.StringVar(&m.web, "web", "", "serve the client for browsers from this `folder`, with play.wasm and wasm_exec.js. Without this flag, the Go compiler\nbuilds the client from the checkout and keeps it for the next start")
	fs.Func("embed", "`sites` that may show the lobby in a frame, separated by commas, such as https://portal.example. The additional entry\n"+
		"null serves sandboxed frames; then any site can play here through the browsers of its visitors. Default: no site",
		func(s string) error {
			m.embed = strings.Split(s, ",")
			return roomsweb.Config{Embed: m.embed}.Validate()
		})
	fs.IntVar(&m.seats, "seats", 8, "seats in a room")
	fs.IntVar(&m.npcs, "npcs", 50, "server-controlled entities in a room")
	fs.IntVar(&m.bots, "bots", 0, "bots in a room, in addition to -seats: they join after the first player and leave after the last")
	fs.IntVar(&m.most, "max-rooms", 200, "maximum number of rooms")
	fs.StringVar(&m.preset, "preset", policy.LocalSync{}.String(), "another name of -model")
	fs.StringVar(&m.preset, "model", policy.LocalSync{}.String(), "netcode model: "+strings.Join(presets(), ", ")+"; see package systems/policy")
	fs.StringVar(&m.inspect, "inspect", "", "serve the operator page at this `address` of this machine, such as 127.0.0.1:7781: rooms, players, ticks. Operators\nin the environment variable "+operatorsVariable+", as NAME=TOKEN NAME=TOKEN, may lock, drain, end, kick and ban")
	fs.BoolVar(&m.json, "json", false, "print only one line: a JSON object with the addresses")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stderr, "usage: arena -rooms [flags]\n\nRooms of the arena, all in this process: a lobby to create, find and join them in a browser, and the same by HTTP and\n"+
			"JSON, which http://ADDRESS/rooms/openapi.json describes. It serves only this machine, because players do not log in.\n"+
			"go run ./examples/swarm -rooms N fills N rooms.\n\n")
		fs.SetOutput(stderr)
		fs.PrintDefaults()
		return err
	case err != nil:
		return fmt.Errorf("%w; -rooms -h lists the flags", err)
	case fs.NArg() > 0:
		return fmt.Errorf("%q: only flags are allowed", fs.Arg(0))
	}
	fs.Visit(func(f *flag.Flag) { m.typed = m.typed || f.Name == "http" })
	m.messages = game.NewMessages()
	var err error
	if m.operators, err = operator.ParseOperators(os.Getenv(operatorsVariable)); err != nil {
		return fmt.Errorf("%s: %w", operatorsVariable, err)
	}
	return m.validate()
}

// presets returns the names of all netcode models.
func presets() (names []string) {
	for _, p := range policy.Presets() {
		names = append(names, p.String())
	}
	return names
}

// validate checks the flags. Its error names the allowed values.
func (m *many) validate() error {
	host, _, err := net.SplitHostPort(m.http)
	at, bad := netip.ParseAddr(host)
	switch {
	case err != nil:
		return fmt.Errorf("-http %s: write an address and a port, such as %s", m.http, usualPage)
	case host != "localhost" && (bad != nil || !at.IsLoopback()):
		return fmt.Errorf("-http %s: players do not log in, so only addresses of this machine are allowed, such as %s; a public game sets rooms/web.Config.Authenticate", m.http, usualPage)
	case m.seats < 1 || m.seats > 256:
		return fmt.Errorf("-seats %d: 1 to 256 are allowed", m.seats)
	case m.npcs < 0 || m.npcs > 10_000:
		return fmt.Errorf("-npcs %d: 0 to 10000 are allowed", m.npcs)
	case m.bots < 0 || m.bots > 64:
		return fmt.Errorf("-bots %d: 0 to 64 are allowed", m.bots)
	case m.most < 1 || m.most > 10_000:
		return fmt.Errorf("-max-rooms %d: 1 to 10000 are allowed", m.most)
	case !slices.Contains(presets(), m.preset):
		return fmt.Errorf("-model %s: allowed are %s", m.preset, strings.Join(presets(), ", "))
	}
	return nil
}

// spectators is how many people can watch a room.
const spectators = 16

// kind returns the kind of the arena's rooms: a match with guns.
func (m *many) kind() rooms.Kind {
	preset, _ := policy.ParsePreset(m.preset) // validate has checked it
	m.crews = &crews{each: m.bots, preset: preset, of: make(map[rooms.ID]*crew)}
	return rooms.Kind{
		Name: kindName, Protocol: game.CombatProtocol, Capacity: m.seats + m.bots,
		Server: systems.ServerConfig{Model: preset, Players: systems.Players{Spectators: spectators}},
		Set: func(_ *rooms.Room, c *systems.ServerConfig) error {
			game.Arm(c)
			m.messages.Serve(c)
			return nil
		},
		Hooks: rooms.Hooks{
			Created: func(_ *rooms.Room, w *ecs.World) error {
				game.PopulateCombat(w, m.seats, m.npcs)
				return nil
			},
			Joined: m.crews.joined, Left: m.crews.left, Ended: m.crews.ended,
		},
	}
}

// announced returns the world with a description of -rooms in its help.
func announced(w runner.Game) runner.Game {
	own := w.Flags
	w.About += "\n\n-rooms serves rooms, with a lobby in the browser, instead of one match: see arena -rooms -h."
	w.Flags = func(fs *flag.FlagSet) {
		if own != nil {
			own(fs)
		}
		fs.Bool("rooms", false, "serve rooms and a lobby instead of one match; it has other flags, see -rooms -h")
	}
	return w
}
