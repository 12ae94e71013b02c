package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/recording"
)

// Most is the maximum number of clients.
const Most = 64

// TextSize is how long a text is, in bytes, with the zero byte at its end.
const TextSize = 1024

// lookup is how long the address of a name may take.
const lookup = 5 * time.Second

// Bits of Options.Flags.
const (
	BetweenTicks = 1 << iota // draw between ticks: host.Config.Partial
	Insecure                 // systems.ClientConfig.Session.InsecureAllowAnyAddress
	ThinClient               // systems.Thin; disables SmoothFrames
)

// Game is the game of the library.
type Game struct {
	// Protocol builds the game's protocol, once for each client. Required.
	Protocol func() *ecs.Protocol
	// Config returns the configuration of a new client. [Options] replaces its Client.Token, Client.ClientID,
	// Client.ConnectTimeout, Login, Partial and Machine. Default (nil): the zero Config.
	Config func() host.Config
}

// config returns the configuration of a new client.
func (g Game) config() host.Config {
	if g.Config == nil {
		return host.Config{}
	}
	return g.Config()
}

// Options are the options of a client.
type Options struct {
	// Server is "host:port"; "" means the addresses of Token.
	Server string
	// Token is a connect token, as netcode.ConnectToken.Append has it. Default (nil): development mode.
	Token []byte
	// Login is the login request, as bytes in memory. Default (nil): that of the game's Config.
	Login []byte
	// Player is who the player is, in development mode. Default (0): a random number.
	Player uint64
	// Flags are [BetweenTicks], [Insecure] and [ThinClient].
	Flags uint32
	// Connect is the timeout of connecting. Default (0): that of the game's Config.
	Connect time.Duration
	// Now is the first time, in nanoseconds since 1970. Default (0): the present.
	Now int64
	// Recording is a recording to play instead of connecting. Default (nil): none.
	Recording []byte
	// LastOf is the number of a client whose last seconds to play instead of connecting. Default (0): none.
	LastOf uint32
	// Keep is how long what the client receives is kept for LastOf. Default (0): not at all.
	Keep time.Duration
}

// Clients are clients of one game, by number. Any goroutine may call any method. Calls for one client run one after the
// other.
type Clients struct {
	game   Game
	dial   func(server string) (netsys.Wire, netip.AddrPort, error)
	base   time.Time // has a monotonic clock reading
	nobody *[TextSize]byte
	pins   runtime.Pinner // pins for nobody and lines
	once   sync.Once      // guards lines
	lines  []byte
	seats  [Most]seat
}

// seat is the place of a client. The number of a client has the seat in its low byte, from 1, and above it the turn.
type seat struct {
	mu     sync.Mutex
	turn   uint32 // number of clients that had the seat, with this one
	client *client
}

// client is a host and the memory that C reads.
type client struct {
	*host.Host
	view  *View
	text  *[TextSize]byte
	pins  runtime.Pinner // pins of memory with the lifetime of the client
	frame frame
}

// New returns the clients of a game; at first there are none.
func New(g Game) *Clients {
	c := &Clients{game: g, dial: dial, base: time.Now(), nobody: new([TextSize]byte)}
	Say(c.nobody[:], "clients: there is no such client: it is closed, or never was")
	c.pins.Pin(c.nobody)
	return c
}

// dial opens a socket to a server, or to whom a token names.
func dial(server string) (netsys.Wire, netip.AddrPort, error) {
	if server == "" {
		wire, err := netsys.ListenUDP(":0")
		return wire, netip.AddrPort{}, err
	}
	ctx, stop := context.WithTimeout(context.Background(), lookup)
	defer stop()
	wire, err := netsys.DialUDP(ctx, server)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return wire, wire.RemoteAddr(), nil
}

// Lines returns the address of the lines that bindings compare: host.Lines separated by \n, with a terminating zero byte.
// They stay pinned.
func (c *Clients) Lines() *byte {
	c.once.Do(func() {
		c.lines = append([]byte(strings.Join(host.Lines(c.game.Protocol(), c.game.config().Book), "\n")), 0)
		c.pins.Pin(&c.lines[0])
	})
	return &c.lines[0]
}

// Now returns the current time in nanoseconds since 1970. It never decreases, even if the machine's clock is set back.
func (c *Clients) Now() int64 { return c.number(time.Now()) }

func (c *Clients) number(t time.Time) int64 { return c.base.UnixNano() + int64(t.Sub(c.base)) }

// time converts a number to a time with a monotonic clock reading, which the arrival times of datagrams have too.
func (c *Clients) time(now int64) time.Time {
	switch {
	case now == 0:
		return time.Now()
	case now < 0:
		return time.Unix(0, now)
	}
	return c.base.Add(time.Duration(now - c.base.UnixNano()))
}

// Open creates a client, which starts to connect, and returns its number, from 1. host.ReasonOf returns the reason of an
// error.
func (c *Clients) Open(o Options) (uint32, error) {
	k := c.game.config()
	k.Machine, k.Partial, k.Keep = time.Now(), o.Flags&BetweenTicks != 0, o.Keep
	k.Client.Session.InsecureAllowAnyAddress = k.Client.Session.InsecureAllowAnyAddress || o.Flags&Insecure != 0
	if known := uint32(BetweenTicks | Insecure | ThinClient); o.Flags&^known != 0 {
		return 0, fmt.Errorf("clients: flags %d: there are %v, and what these add up to", o.Flags, []int{BetweenTicks, Insecure, ThinClient})
	}
	if o.Flags&ThinClient != 0 {
		k.Client.Schedule, k.Partial = systems.Thin, false
	}
	if o.Player != 0 {
		k.Client.Session.ClientID = o.Player
	}
	if o.Connect != 0 {
		k.Client.Session.ConnectTimeout = o.Connect
	}
	if o.Login != nil {
		k.Login = o.Login
	}
	if o.Token != nil {
		token, err := netcode.ParseToken(o.Token)
		if err != nil {
			return 0, err
		}
		k.Client.Session.Token = token
	}
	if o.Recording == nil && o.LastOf == 0 && o.Server == "" && k.Client.Session.Token == nil {
		return 0, errors.New(`clients: neither a server nor a token: say where to play, as "host:port"`)
	}
	p := c.game.Protocol()
	h, err := c.host(p, o, k)
	if err != nil {
		return 0, err
	}
	x := &client{Host: h, view: new(View), text: new([TextSize]byte)}
	x.view.Stats = h.Stats()
	x.view.StatsCount = uint32(len(host.StatNames()))
	x.frame.columns = len(p.Replicated())
	for i := range c.seats {
		if n := c.seats[i].take(x); n > 0 {
			return n<<8 | uint32(i+1), nil
		}
	}
	_ = h.Close()
	return 0, fmt.Errorf("clients: there are %d, and no more at a time: close those that have ended", Most)
}

// take gives a free seat to a client, and returns its turn. It returns 0 if the seat is taken.
func (s *seat) take(x *client) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil {
		return 0
	}
	s.turn, s.client = s.turn%(1<<24-1)+1, x
	for _, p := range []any{x.view, x.text, x.view.Stats} {
		x.pins.Pin(p)
	}
	return s.turn
}

// host makes a host, on a socket or with a recording.
func (c *Clients) host(p *ecs.Protocol, o Options, k host.Config) (*host.Host, error) {
	if o.Recording != nil || o.LastOf != 0 {
		r, err := c.recording(o)
		if err != nil {
			return nil, err
		}
		return host.NewReplay(p, r, c.time(o.Now), k)
	}
	wire, server, err := c.dial(o.Server)
	if err != nil {
		return nil, err
	}
	return host.New(p, wire, server, c.time(o.Now), k)
}

// recording opens what a client is to play.
func (c *Clients) recording(o Options) (r *recording.Reader, err error) {
	if o.Recording != nil {
		return recording.Open(bytes.NewReader(o.Recording), int64(len(o.Recording)))
	}
	err = fmt.Errorf("clients: there is no client %d whose last seconds could be played", o.LastOf)
	c.do(o.LastOf, func(x *client) error {
		r, err = x.Last()
		return nil
	})
	return r, err
}

// do calls f for the client with a number, and keeps the text of its error. Other calls for the client wait meanwhile.
func (c *Clients) do(n uint32, f func(x *client) error) Code {
	at := n&255 - 1
	if at >= Most {
		return NoClient
	}
	s := &c.seats[at]
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.client
	if x == nil || s.turn != n>>8 {
		return NoClient
	}
	err := f(x)
	if err != nil {
		Say(x.text[:], err.Error())
	}
	return CodeOf(err)
}

// Close leaves the server, and frees the number and all that was read of the client.
func (c *Clients) Close(n uint32) Code {
	return c.do(n, func(x *client) error {
		x.frame.drop()
		x.pins.Unpin()
		c.seats[n&255-1].client = nil
		return x.Host.Close()
	})
}

// Say writes a text and a terminating zero byte. It cuts the text between characters. to must have at least one byte.
func Say(to []byte, s string) {
	if n := len(to) - 1; len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	to[copy(to, s)] = 0
}

// Text returns the text of a client's newest error, or of [Clients.End]: TextSize bytes, pinned as long as the client exists.
func (c *Clients) Text(n uint32) *[TextSize]byte {
	text := c.nobody
	c.do(n, func(x *client) error {
		text = x.text
		return nil
	})
	return text
}
