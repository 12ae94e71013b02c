package web

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/internal/hostname"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
)

const (
	defaultPerAddress = 600
	defaultPerPlayer  = 60
	mostPerMinute     = 1 << 20
	defaultWait       = 25 * time.Second
	mostWait          = time.Minute
)

// ErrConfig is wrapped by the errors of [New] and [Config.Validate].
var ErrConfig = errors.New("web: configuration")

// Action is what a player is about to do, for [Config].Check.
type Action string

// The actions.
const (
	Join   Action = "join" // or make a room with these options, where there is none
	Create Action = "create"
	Queue  Action = "queue"
)

// Config configures a [Handler]. The zero value serves this machine alone.
type Config struct {
	// Authenticate says who asks: an id that is not 0, a party if the game knows one, and data for the room's game. An
	// error is answered with 401 and its text, which tells how to log in. A [rooms.Unavailable] is answered with 503 and
	// Retry-After: return it while the login service does not answer. Authenticate is called after limits of the address,
	// may wait, and may be called from any goroutine. Default (nil): connections from this machine alone are answered, for
	// whom they say they are: the header "Player: 17", or a player who is drawn.
	Authenticate func(r *http.Request) (rooms.Player, error)
	// Check may refuse what a player asks for, such as names that nobody should see in the list: its error is answered
	// with 403 and its text. Default (nil): all options are good.
	Check func(a Action, who rooms.Player, kind string, o rooms.Options) error
	// Properties says what a player in the queue is, given what it says itself; its error is answered with 403. Default
	// (nil): what it says. Give one where skill matters: players say what suits them.
	Properties func(who rooms.Player, said rooms.Options) (rooms.Options, error)
	// Match says who gets into which room. Default (nil): match.Rules{}.Match.
	Match match.Func
	// Hosts are names under which the server is reached, without ports, besides localhost and addresses.
	Hosts []string
	// TrustedProxies are the addresses of proxies in front: what they say in X-Forwarded-For counts, and without Hosts
	// they answer for the names that they pass on. They need Authenticate.
	TrustedProxies []netip.Prefix
	// PerAddress is how many requests a minute this handler answers from one IPv4 address, or one IPv6 network of 64 bits, a tenth
	// of them at once: where several processes answer, each counts for itself. Default (0): 600.
	PerAddress int
	// PerPlayer is how many seats a minute one player may ask for, a sixth of them at once; a room that it creates counts
	// for five. Default (0): 60.
	PerPlayer int
	// Wait is how long a request waits in the queue, whole seconds up to a minute; requests may ask for less. Default (0):
	// 25 s.
	Wait time.Duration
	// Logger receives what a player cannot be told: errors of the game, wrong groups of Match. Default (nil): none.
	Logger *slog.Logger
	// Now is the time of day. Default (nil): time.Now.
	Now func() time.Time
}

// Validate returns an error that wraps [ErrConfig] and says what is missing or out of range.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, v ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, v...)...))
	}
	if err := (hostname.Guard{Hosts: c.Hosts}).Validate(); err != nil {
		bad("Hosts: %w", err)
	}
	if slices.ContainsFunc(c.TrustedProxies, func(p netip.Prefix) bool { return !p.IsValid() }) {
		bad("TrustedProxies: %v has one that is not valid", c.TrustedProxies)
	}
	if c.Authenticate == nil && (len(c.TrustedProxies) > 0 || len(c.Hosts) > 0) {
		bad("TrustedProxies or Hosts without Authenticate: without it only this machine is served, under its own names")
	}
	for name, n := range map[string]int{"PerAddress": c.PerAddress, "PerPlayer": c.PerPlayer} {
		if n < 0 || n > mostPerMinute {
			bad("%s %d is not in 1..%d (0: the default)", name, n, mostPerMinute)
		}
	}
	if c.Wait < 0 || c.Wait > mostWait || c.Wait%time.Second != 0 {
		bad("Wait %v is not in whole seconds up to %v", c.Wait, mostWait)
	}
	return errors.Join(errs...)
}

// filled is c with the documented defaults in place of zeros.
func (c Config) filled() Config {
	c.PerAddress, c.PerPlayer = cmp.Or(c.PerAddress, defaultPerAddress), cmp.Or(c.PerPlayer, defaultPerPlayer)
	c.Wait = cmp.Or(c.Wait, defaultWait)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// guard says under which names the handler answers.
func (c *Config) guard() hostname.Guard {
	return hostname.Guard{Hosts: c.Hosts, Proxies: c.TrustedProxies}
}
