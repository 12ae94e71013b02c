package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// ErrConfig is wrapped by all errors about a configuration, and by the error of [Inspector.Serve] for an address that
// other machines can reach without a token.
var ErrConfig = errors.New("inspect: configuration")

// Config configures an [Inspector]. The zero value allows requests from this machine only.
type Config struct {
	// Token grants access from any address. Use 16 to 256 random letters, digits and the signs -._~. Default (empty):
	// only requests from this machine are allowed, without a token.
	Token string
	// Wait is how long a request waits for the end of a wake-up, up to a minute. Default (0): 2 s.
	Wait time.Duration
	// Logger receives refused requests, once for each reason, and every profile that is taken. Default (nil): no
	// logging.
	Logger *slog.Logger
}

const (
	leastToken  = 16
	mostToken   = 256
	defaultWait = 2 * time.Second
	mostWait    = time.Minute
)

// Validate returns an error that wraps [ErrConfig] if c is not valid. The error does not contain the token.
func (c Config) Validate() error {
	if n := len(c.Token); n > 0 && (n < leastToken || n > mostToken) {
		return fmt.Errorf("%w: Token has %d bytes; %d to %d are allowed, or none", ErrConfig, n, leastToken, mostToken)
	}
	for i := range len(c.Token) {
		if !plain(c.Token[i]) {
			return fmt.Errorf("%w: Token: letters, digits and the signs -._~ are allowed", ErrConfig)
		}
	}
	if c.Wait < 0 || c.Wait > mostWait {
		return fmt.Errorf("%w: Wait %v: up to %v is allowed (0: %v)", ErrConfig, c.Wait, mostWait, defaultWait)
	}
	return nil
}

// plain reports whether a byte needs no escaping in a URL.
func plain(b byte) bool {
	switch {
	case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9':
		return true
	}
	return b == '-' || b == '.' || b == '_' || b == '~'
}

// filled returns c with defaults in place of zeros.
func (c Config) filled() Config {
	c.Wait = cmp.Or(c.Wait, defaultWait)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}
