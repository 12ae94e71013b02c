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

// Config configures a [Page]. The zero value shows this machine alone what there is, and lets nobody act.
type Config struct {
	// Token lets in who shows it, to look, as that of inspect.Config. Default (empty): this machine is let in without, and
	// nobody else.
	Token string
	// Operators are who may act. Default (nil): nobody.
	Operators []Operator
	// Broadcast tells all players of a room something, as the game does such things: see the example. It is called on
	// the goroutine of the request, and may use [rooms.Room.Do]. Its error is told to the operator. Default (nil): broadcasts are
	// refused.
	Broadcast func(r *rooms.Room, text string) error
	// Audit is the log. Default (nil): one of the page's own, which hears of actions, and not what rooms tell.
	Audit *Audit
	// PerMinute is how often a minute an operator may act, and how often an address may ask for an action without a valid
	// token, a sixth of it at once. Default (0): 60.
	PerMinute int
	// TrustedProxies are the addresses of proxies in front. From them X-Forwarded-For says which client asks: for PerMinute
	// and for the audit log. They need Token, because without it the page refuses forwarded requests. Default (nil): the
	// client is whoever connects.
	TrustedProxies []netip.Prefix
	// Queued returns how many players wait in the queue at this process, for /metrics: that of a web.Handler. Default (nil):
	// the metrics do not say.
	Queued func() int
	// Wait is how long a request waits for a room, as that of inspect.Config. Default (0): 2 s.
	Wait time.Duration
	// Logger is told who was refused to look, and of profiles. Default (nil): none.
	Logger *slog.Logger
}

// Operator is who may act.
type Operator struct {
	// Name stands in the audit log, 1 to 32 letters, digits, - and _.
	Name string
	// Token proves it: 16 to 256 letters, digits and the signs -._~ as a login service would make at random.
	Token string
}

// Format implements [fmt.Formatter] without telling the token.
func (o Operator) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "operator %.32q", o.Name) }

// LogValue implements [slog.LogValuer] without telling the token.
func (o Operator) LogValue() slog.Value { return slog.StringValue(o.Name) }

// Format implements [fmt.Formatter] without telling the tokens.
func (c Config) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "{Operators:%v PerMinute:%d Wait:%v}", c.Operators, c.PerMinute, c.Wait)
}

// ParseOperators reads operators from a text such as that of an environment variable: "ada=TOKEN bob=TOKEN". None are in
// an empty one. The error wraps [ErrConfig], and does not name the tokens.
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

// Validate reports what is wrong with c; it never changes it. The errors wrap [ErrConfig], and do not name the tokens.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, v ...any) {
		errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrConfig}, v...)...))
	}
	if err := c.look().Validate(); err != nil {
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

// look is the part of it that is package inspect's.
func (c Config) look() inspect.Config {
	return inspect.Config{Token: c.Token, Wait: c.Wait, Logger: c.Logger}
}

// filled is c with the documented defaults in place of zeros.
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
