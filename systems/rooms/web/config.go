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

// Action is the kind of a request, for [Config].Check.
type Action string

// The actions.
const (
	Join     Action = "join" // or create a room with these options if there is none
	Create   Action = "create"
	Queue    Action = "queue"
	Spectate Action = "spectate" // watch a room that has these options
)

// Config configures a [Handler]. The zero value serves this machine only.
type Config struct {
	// Authenticate returns the player of a request: an id that is not 0, a party if the game knows one, and data for the room's
	// game. An error is answered with 401 and its text, which should tell how to log in. A [rooms.Unavailable] is answered with
	// 503 and Retry-After: return it while the login service does not answer. Authenticate is called after the limit of the
	// address was checked, from any goroutine, and may wait. Default (nil): only connections from this machine are served. The
	// header "Player: 17" names the player; without it, an id is drawn.
	Authenticate func(r *http.Request) (rooms.Player, error)
	// Check may refuse options, such as offensive room names, and players who must not watch: the second account of a player
	// sees what an interest hides from the first. Its error is answered with 403 and its text. Default (nil): all options and
	// spectators are accepted.
	Check func(a Action, who rooms.Player, kind string, o rooms.Options) error
	// Properties returns the properties of a player in the queue, given those that the player claims. Its error is answered with
	// 403. Default (nil): those that the player claims. Set it if skill matters.
	Properties func(who rooms.Player, said rooms.Options) (rooms.Options, error)
	// Match decides which players get into which room. Default (nil): match.Rules{}.Match.
	Match match.Func
	// Hosts are the host names of the server, without ports, in addition to localhost and addresses.
	Hosts []string
	// Embed lists the sites that may show the page of the game in a frame: the same list as Embed of the page. The handler
	// answers requests of such a page. The entry "null" lets a page in a sandboxed frame ask for seats. Any site can make such
	// a frame, so the handler then answers every page in the browsers that it admits: of this machine only, or with Authenticate,
	// of players whose credentials the page sends itself. Cookies are not sent. Default (nil): none.
	Embed []string
	// TrustedProxies are the addresses of proxies in front. The handler trusts their X-Forwarded-For, and, without Hosts, the host
	// names that they pass on. They require Authenticate.
	TrustedProxies []netip.Prefix
	// PerAddress is how many requests per minute this handler answers from one IPv4 address or one IPv6 /64 network, a tenth of
	// them at once. Default (0): 600.
	PerAddress int
	// PerPlayer is how many seats per minute one player may ask for, a sixth of them at once. Creating a room counts as five.
	// Default (0): 60.
	PerPlayer int
	// Wait is how long a request waits in the queue, in whole seconds up to a minute. Requests may ask for less. Default (0): 25 s.
	Wait time.Duration
	// Logger receives errors of the game and invalid groups of Match. Default (nil): none.
	Logger *slog.Logger
	// Now returns the time of day. Default (nil): time.Now.
	Now func() time.Time
}

// Validate returns an error that wraps [ErrConfig] and names the fields that are missing or out of range.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, v ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, v...)...))
	}
	if err := (hostname.Guard{Hosts: c.Hosts}).Validate(); err != nil {
		bad("Hosts: %w", err)
	}
	if err := hostname.Embed(c.Embed).Validate(); err != nil {
		bad("Embed: %w", err)
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

// filled returns c with the documented defaults in place of zeros.
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

// guard returns the guard of host names.
func (c *Config) guard() hostname.Guard {
	return hostname.Guard{Hosts: c.Hosts, Proxies: c.TrustedProxies}
}
