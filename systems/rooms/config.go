package rooms

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	defaultMaxRooms = 1024
	defaultPromised = 3
	defaultUnused   = 1
	defaultPromise  = 15 * time.Second
	defaultStuck    = 2 * time.Second
	maxPromise      = 10 * time.Minute
	maxEndpoint     = 256
	// clocksDiffer is by how much the clock of who issues tokens may be ahead.
	clocksDiffer = 5 * time.Second
)

// Endpoints are where players reach a process, with the names that a browser needs; "" is none.
type Endpoints struct {
	// UDP is a host and a port, such as 203.0.113.7:7777 or play.example:7777.
	UDP string `json:"udp"`
	// WS is a URL of WebSockets, such as wss://play.example/ws. A page that came by https needs wss.
	WS string `json:"ws"`
	// WebTransport is a URL, such as https://play.example:7778/.
	WebTransport string `json:"webtransport"`
}

// Validate returns an error that wraps [ErrConfig] and says what is no endpoint. Each has 256 bytes at most.
func (e Endpoints) Validate() error {
	var errs []error
	if u, err := url.Parse("udp://" + e.UDP); e.UDP != "" && (err != nil || len(e.UDP) > maxEndpoint || u.Host != e.UDP || u.Port() == "" || u.Hostname() == "") {
		errs = append(errs, fmt.Errorf("%w: Endpoints.UDP %.40q: want a host and a port, such as 203.0.113.7:7777", ErrConfig, e.UDP))
	}
	web := func(what, text string, schemes ...string) {
		u, err := url.Parse(text)
		if text != "" && (err != nil || len(text) > maxEndpoint || u.Host == "" || !slices.Contains(schemes, u.Scheme)) {
			errs = append(errs, fmt.Errorf("%w: Endpoints.%s %.40q: want a URL that begins with %s://", ErrConfig, what, text, schemes[0]))
		}
	}
	web("WS", e.WS, "wss", "ws")
	web("WebTransport", e.WebTransport, "https")
	return errors.Join(errs...)
}

// endpoints are what is known of them where nothing is said.
func endpoints(addresses []netip.AddrPort, wires []netsys.Wire) (e Endpoints) {
	for _, at := range addresses {
		served := slices.ContainsFunc(wires, func(w netsys.Wire) bool {
			web, ok := w.(interface{ WebSocketAddr() netip.AddrPort })
			return ok && web.WebSocketAddr() == at
		})
		switch {
		case !served && e.UDP == "":
			e.UDP = at.String()
		case served && e.WS == "" && at.Addr().IsLoopback():
			e.WS = "ws://" + at.String()
		}
	}
	return e
}

// Config configures a [Server]. Kinds is needed.
type Config struct {
	// Kinds are the kinds of rooms that it makes, with different names.
	Kinds []Kind
	// Process is the name of this process in the directory, 1 to 32 letters, digits, - and _. Default (""): drawn.
	Process string
	// Key is the secret of the connect tokens. Processes of a fleet have the same. Default (zero): drawn at the start,
	// so that nobody but this process can issue tokens. New refuses netsys.DevelopmentKey, which everybody knows.
	Key netcode.Key
	// ProtocolID is the game and its version, as in the tokens. Default (0): netsys.DefaultProtocolID.
	ProtocolID uint64
	// Addresses are where players reach this process, as tokens name them, at most netcode.MaxServers. Default (nil):
	// where the wires listen.
	Addresses []netip.AddrPort
	// Endpoints are where players reach this process, as those are told who ask by HTTP. Default (zero): UDP is the first of
	// Addresses, and WS is where a wire serves WebSockets, if that is this machine alone.
	Endpoints Endpoints
	// Directory is where processes, rooms and players are looked up. Default (nil): one in memory, of this process.
	Directory Directory
	// MaxRooms is how many rooms there may be at once. Default (0): 1,024.
	MaxRooms int
	// MaxPromised is how many seats one player may be promised at once in this process. A further promise frees the oldest
	// one, whose token then lets nobody in. Default (0): 3; negative: no limit.
	MaxPromised int
	// MaxUnused is how many unused rooms that were made for one player there may be in this process: nobody is in them, and
	// nobody else is promised a seat. A further room ends the oldest one, unless its Kind.Linger is negative. Default (0): 1;
	// negative: no limit.
	MaxUnused int
	// Promise is for how long a reservation is good, in whole seconds up to 10 minutes; a seat whose token nobody used by
	// then is free again. No token with a longer life gets in. Default (0): 15 s.
	Promise time.Duration
	// Stuck is how long a tick may take before the room is told of as stuck, and refuses newcomers. Default (0): 2 s.
	Stuck time.Duration
	// Now is the time of day. Default (nil): time.Now. Give that of [Server.Advance] where time is virtual.
	Now func() time.Time
	// Random fills keys, ids and tokens. Default (nil): crypto/rand. A seeded source makes everything repeat.
	Random func([]byte)
	// Logger receives which rooms begin and end, and why; the stack of those that fail or are stuck; and what rooms log,
	// with their kind and id. Default (nil): none.
	Logger *slog.Logger
	// Told is told what an operator should see: see [Notice]. It is called from any goroutine, must not wait and must not
	// call the server. Default (nil): nobody.
	Told func(n Notice)
}

// Format implements [fmt.Formatter] without telling the key: where a verb does not fit, fmt asks no method of a field.
func (c Config) Format(f fmt.State, verb rune) {
	type printed Config // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(c))
}

// Validate returns an error that wraps [ErrConfig] and says what is missing or out of range.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, v ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, v...)...))
	}
	if len(c.Kinds) == 0 {
		bad("Kinds is empty: a server needs a kind of room")
	}
	names := make(map[string]bool)
	for _, k := range c.Kinds {
		if names[k.Name] {
			bad("two kinds have the name %q", k.Name)
		}
		names[k.Name] = true
		errs = append(errs, k.Validate())
	}
	if c.Key == netsys.DevelopmentKey() {
		bad("Key is the development key, which everybody has: leave it zero, and one is drawn")
	}
	if len(c.Process) > maxKey {
		bad("Process has %d bytes, at most %d", len(c.Process), maxKey)
	} else if c.Process != "" && CheckRecord(ProcessKey(c.Process), nil) != nil {
		bad("Process %q is no name for the directory: write letters, digits, - and _", c.Process)
	}
	if err := c.Endpoints.Validate(); err != nil {
		errs = append(errs, err)
	}
	if c.MaxRooms < 0 {
		bad("MaxRooms %d is negative", c.MaxRooms)
	}
	if c.Promise < 0 || c.Promise > maxPromise || c.Promise%time.Second != 0 {
		bad("Promise %v is not in whole seconds up to %v", c.Promise, maxPromise)
	}
	if c.Stuck < 0 {
		bad("Stuck %v is negative", c.Stuck)
	}
	return errors.Join(errs...)
}

// filled is c with the documented defaults in place of zeros.
func (c Config) filled() Config {
	c.MaxRooms = cmp.Or(c.MaxRooms, defaultMaxRooms)
	c.MaxPromised, c.MaxUnused = cmp.Or(c.MaxPromised, defaultPromised), cmp.Or(c.MaxUnused, defaultUnused)
	c.Promise, c.Stuck = cmp.Or(c.Promise, defaultPromise), cmp.Or(c.Stuck, defaultStuck)
	if c.Key == (netcode.Key{}) {
		c.Key = netcode.GenerateKey(c.Random)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Told == nil {
		c.Told = func(Notice) {}
	}
	return c
}
