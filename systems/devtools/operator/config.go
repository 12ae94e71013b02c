package operator

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/devtools/inspect"
	"github.com/tactusgo/tactus/systems/rooms"
)

// ErrConfig is wrapped by the errors of [New], [Config.Validate] and [ParseOperators].
var ErrConfig = errors.New("operator: configuration")

const (
	mostOperators    = 64
	mostName         = 32
	defaultPerMinute = 60
	mostPerMinute    = 6000
)

// Config configures a [Page]. With the zero value, only this machine sees the page, and no actions are possible.
type Config struct {
	// Token grants read access, as in inspect.Config. Default (empty): requests from this machine need no token, and others
	// are refused.
	Token string
	// Operators may perform actions. Default (nil): actions are refused.
	Operators []Operator
	// Broadcast sends a text to all players of a room, in the way of the game: see the example. The goroutine of the
	// request calls it; it may use [rooms.Room.Do]. The operator sees its error. Default (nil): broadcasts are refused.
	Broadcast func(r *rooms.Room, text string) error
	// Audit is the log. Default (nil): the page's own log, which contains actions but no reports of rooms.
	Audit *Audit
	// PerMinute limits the actions per operator and minute, and the requests without a valid token per address and minute.
	// A sixth of it may come at once. Default (0): 60.
	PerMinute int
	// TrustedProxies are the addresses of proxies in front of the page. Their X-Forwarded-For identifies the client, for
	// PerMinute and the audit log. TrustedProxies require Token, because without a token the page refuses forwarded
	// requests. Default (nil): the client is the sender of the connection.
	TrustedProxies []netip.Prefix
	// Queued returns the number of players in the queue of this process, for /metrics; use that of a web.Handler. Default
	// (nil): the metrics omit the queue.
	Queued func() int
	// Wait is how long a request waits for a room, as in inspect.Config. Default (0): 2 s.
	Wait time.Duration
	// Logger logs refused readers and profiles. Default (nil): none.
	Logger *slog.Logger
}

// Operator is a person who may perform actions.
type Operator struct {
	// Name appears in the audit log: 1 to 32 letters, digits, - and _.
	Name string
	// Token authenticates the operator: 16 to 256 letters, digits and the characters -._~ that a login service would choose
	// at random.
	Token string
}

// Format implements [fmt.Formatter] without printing the token.
func (o Operator) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "operator %.32q", o.Name) }

// LogValue implements [slog.LogValuer] without logging the token.
func (o Operator) LogValue() slog.Value { return slog.StringValue(o.Name) }

// Format implements [fmt.Formatter] without printing the tokens.
func (c Config) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "{Operators:%v PerMinute:%d Wait:%v}", c.Operators, c.PerMinute, c.Wait)
}

// ParseOperators parses operators from a text such as an environment variable: "ada=TOKEN bob=TOKEN". An empty text
// contains no operators. The error wraps [ErrConfig] and contains no tokens.
func ParseOperators(text string) (all []Operator, err error) {
	for n, one := range strings.Fields(text) {
		name, token, ok := strings.Cut(one, "=")
		if !ok {
			return nil, fmt.Errorf("%w: operator %d: want NAME=TOKEN", ErrConfig, n+1)
		}
		all = append(all, Operator{name, token})
	}
	return all, Config{Operators: all}.Validate()
}

// Validate returns an error for an invalid configuration. The errors wrap [ErrConfig] and contain no tokens.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, v ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, v...)...))
	}
	if err := c.inspectConfig().Validate(); err != nil {
		bad("%w", err)
	}
	if len(c.Operators) > mostOperators {
		bad("%d Operators; at most %d are allowed", len(c.Operators), mostOperators)
	}
	names, tokens := make(map[string]bool), map[string]bool{c.Token: true}
	for i, o := range c.Operators {
		switch {
		case len(o.Name) < 1 || len(o.Name) > mostName || strings.ContainsFunc(o.Name, notInName):
			bad("Operators[%d]: a Name is 1 to %d letters, digits, - and _", i, mostName)
		case names[o.Name]:
			bad("Operators[%d]: another one has the name %s", i, o.Name)
		case o.Token == "":
			bad("Operators[%d]: %s has no Token", i, o.Name)
		case tokens[o.Token]:
			bad("Operators[%d]: the Token of %s is somebody else's, or the one to look: give each another one", i, o.Name)
		default:
			if err := (inspect.Config{Token: o.Token}).Validate(); err != nil {
				bad("Operators[%d]: %s: %w", i, o.Name, err)
			}
		}
		names[o.Name], tokens[o.Token] = true, true
	}
	if slices.ContainsFunc(c.TrustedProxies, func(p netip.Prefix) bool { return !p.IsValid() }) {
		bad("TrustedProxies: %v has one that is not valid", c.TrustedProxies)
	}
	if c.Token == "" && len(c.TrustedProxies) > 0 {
		bad("TrustedProxies without Token: a page without a token refuses forwarded requests, so give it a Token")
	}
	if c.PerMinute < 0 || c.PerMinute > mostPerMinute {
		bad("PerMinute %d is not in 1..%d (0: %d)", c.PerMinute, mostPerMinute, defaultPerMinute)
	}
	return errors.Join(errs...)
}

func notInName(r rune) bool {
	return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_')
}

// inspectConfig returns the configuration for package inspect.
func (c Config) inspectConfig() inspect.Config {
	return inspect.Config{Token: c.Token, Wait: c.Wait, Logger: c.Logger}
}

// filled returns c with zeros replaced by their defaults.
func (c Config) filled() Config {
	c.PerMinute = cmp.Or(c.PerMinute, defaultPerMinute)
	if c.Audit == nil {
		c.Audit = NewAudit(nil)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}
