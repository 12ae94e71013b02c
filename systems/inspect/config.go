package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// ErrConfig is wrapped by every error about a configuration, and by that of
// [Inspector.Serve] for an address that others can reach, without a token.
var ErrConfig = errors.New("inspect: configuration")

// Config configures an [Inspector]. The zero value answers this machine alone.
type Config struct {
	// Token lets in who shows it, from anywhere: 16 to 256 letters, digits and the signs
	// -._~ as a login service would make at random. Default (empty): this machine is let in
	// without, and nobody else.
	Token string
	// Wait is how long a request waits for the end of a wake-up, up to a minute. Default
	// (0): 2 s.
	Wait time.Duration
	// Logger is told of who was refused, once for each reason, and of profiles that are
	// taken. Default (nil): none.
	Logger *slog.Logger
}

const (
	leastToken  = 16
	mostToken   = 256
	defaultWait = 2 * time.Second
	mostWait    = time.Minute
)

// Validate reports what is wrong with c; it never changes it. The errors wrap
// [ErrConfig], and do not name the token.
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

// plain reports whether a byte stands for itself in an address.
func plain(b byte) bool {
	switch {
	case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9':
		return true
	}
	return b == '-' || b == '.' || b == '_' || b == '~'
}

// filled is c with the documented defaults in place of zeros.
func (c Config) filled() Config {
	c.Wait = cmp.Or(c.Wait, defaultWait)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}
