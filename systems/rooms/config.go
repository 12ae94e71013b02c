package rooms

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"slices"
	"strings"
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
	defaultSave     = 5 * time.Second
	defaultSaves    = 3
	maxFleet        = 64
	maxPromise      = 10 * time.Minute
	maxEndpoint     = 256
	nameCharacters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	// clocksDiffer is how far the clock of a process that issues tokens may be ahead.
	clocksDiffer = 5 * time.Second
)

// Endpoints has the public addresses of a process in the forms that browsers need; "" is none.
type Endpoints struct {
	// UDP is a host and a port, such as 203.0.113.7:7777 or play.example:7777.
	UDP string `json:"udp"`
	// WS is a URL of WebSockets, such as wss://play.example/ws. A page that came by https needs wss.
	WS string `json:"ws"`
	// WebTransport is a URL, such as https://play.example:7778/.
	WebTransport string `json:"webtransport"`
}

// Validate returns an error that wraps [ErrConfig] and names the endpoints that are invalid. Each has at most 256 bytes.
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

// endpoints returns the default endpoints.
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
	// Kinds are the kinds of rooms, with different names.
	Kinds []Kind
	// Process is the name of this process, 1 to 32 letters, digits, - and _. Default (""): drawn.
	Process string
	// Key is the secret of the connect tokens, the same in all processes of a fleet. Default (zero): drawn, so that only this
	// process can issue tokens. New refuses netsys.DevelopmentKey, which everybody knows.
	Key netcode.Key
	// ProtocolID identifies the game and its version in tokens. Default (0): netsys.DefaultProtocolID.
	ProtocolID uint64
	// Addresses are the public addresses of this process, for tokens, at most netcode.MaxServers. Default (nil): the addresses
	// of the transports.
	Addresses []netip.AddrPort
	// Endpoints are the public endpoints of this process, for players who ask by HTTP. Default (zero): UDP is the first of
	// Addresses; WS is the WebSocket address of a transport, if it is on loopback.
	Endpoints Endpoints
	// MaxRooms is the largest number of rooms. Default (0): 1,024.
	MaxRooms int
	// MaxPromised is the largest number of promised seats of one player in this process. A further promise frees the oldest
	// promised seat and invalidates its token. Default (0): 3; negative: no limit.
	MaxPromised int
	// MaxUnused is the largest number of unused rooms in this process that were created for one player. A room is unused while
	// it is empty and no other player has a promised seat. A further room ends the oldest one, unless its Kind.Linger is
	// negative. Default (0): 1; negative: no limit.
	MaxUnused int
	// Promise is how long a reservation holds, in whole seconds up to 10 minutes. A seat whose token was not used by then is
	// free again. The server refuses tokens with a longer lifetime. Default (0): 15 s.
	Promise time.Duration
	// Stuck is how long a tick may take before the room is reported as stuck and gives no new seats. Default (0): 2 s.
	Stuck time.Duration
	// Store keeps saves of the rooms. A process that claims a room, or continues it, begins with its last save: the world, and
	// the seats, bans, options, Begin and Lock of the room. Saves are authenticated with Key, which must be set. When a store
	// fails, rooms go on, and [RoomUnsaved] reports it. A room whose save this process cannot use is not continued, and the save
	// stays: see [ErrSave], [RoomUnloaded], and LoadLossy of Kind.Server. Default (nil): rooms are not saved.
	Store Store
	// SaveInterval is how often each room is saved. Default (0): 5 s.
	SaveInterval time.Duration
	// Saves is how many saves of a room an [Archive] has: the newest one of each of the last processes that have continued the
	// room. Default (0): 3.
	Saves int
	// OldKeys are further keys under which the saves in Store are accepted: set the former key here when Key changes, until all
	// rooms are saved under the new one. Default (nil): none. No connect token is accepted under them.
	OldKeys []netcode.Key
	// Fleet is the name of the fleet, the same in all its processes, of at most 64 bytes. It is in each save, and saves of a fleet
	// with another name are not used. Set it where several fleets could write to one Store. Default (""): none, which uses saves
	// without a name only.
	Fleet string
	// Flights is a folder to which rooms write what happened in their last ticks: when their game panics, when worlds differ, and
	// by [Room.WriteFlight]. The name of a file has the kind and the id of the room. See systems.Flight, which Kind.Server or
	// Kind.Set may set, without File and Written. Hooks and [Room.Do] that change the world are not repeated in a rerun. Default
	// (""): no flights.
	Flights string
	// Now returns the time of day. Default (nil): time.Now. In virtual time, it returns the argument of [Server.Advance].
	Now func() time.Time
	// Random fills keys, ids and tokens. Default (nil): crypto/rand. A seeded source makes a run repeatable.
	Random func([]byte)
	// Logger receives the creation and end of rooms, the stacks of failed and stuck rooms, and what rooms log, with their kind
	// and id. Default (nil): none.
	Logger *slog.Logger
	// Told receives the notices for an operator. It is called from any goroutine, must not wait and must not call the server.
	// Default (nil): none.
	Told func(n Notice)
}

// Format implements [fmt.Formatter] without printing the key.
func (c Config) Format(f fmt.State, verb rune) {
	type printed Config // without this method
	fmt.Fprintf(f, fmt.FormatString(f, verb), printed(c))
}

// Validate returns an error that wraps [ErrConfig] and names the fields that are missing or out of range.
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
	} else if strings.Trim(c.Process, nameCharacters) != "" {
		bad("Process %q is not a name: write letters, digits, - and _", c.Process)
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
	if c.Store != nil && c.Key == (netcode.Key{}) {
		bad("Key is zero: saves in the Store are authenticated with it; give the key that all processes have")
	}
	if c.SaveInterval < 0 {
		bad("SaveInterval %v is negative", c.SaveInterval)
	}
	if c.Saves < 0 {
		bad("Saves %d is negative", c.Saves)
	}
	if len(c.Fleet) > maxFleet {
		bad("Fleet has %d bytes, at most %d", len(c.Fleet), maxFleet)
	}
	for i, key := range c.OldKeys {
		if key == (netcode.Key{}) || key == netsys.DevelopmentKey() {
			bad("OldKeys[%d] is zero or the development key: leave it out", i)
		}
	}
	return errors.Join(errs...)
}

// filled returns c with the documented defaults in place of zeros.
func (c Config) filled() Config {
	c.MaxRooms = cmp.Or(c.MaxRooms, defaultMaxRooms)
	c.MaxPromised, c.MaxUnused = cmp.Or(c.MaxPromised, defaultPromised), cmp.Or(c.MaxUnused, defaultUnused)
	c.Promise, c.Stuck = cmp.Or(c.Promise, defaultPromise), cmp.Or(c.Stuck, defaultStuck)
	c.SaveInterval, c.Saves = cmp.Or(c.SaveInterval, defaultSave), cmp.Or(c.Saves, defaultSaves)
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
