package webtransport

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/netsys/websocket"
)

// defaultPatience is how long WebTransport may take before WebSocket is tried.
const defaultPatience = time.Second

// DialConfig configures a wire of a client.
type DialConfig struct {
	// Hashes are the SHA-256 of certificates that are trusted, in place of those that an authority has signed: of a development
	// server. Browsers take them for certificates of ECDSA that are valid for 14 days at most.
	Hashes [][sha256.Size]byte
	// WebSocket is a URL to go to where WebTransport does not pass, such as wss://game.example/play. "" means nowhere.
	WebSocket string
	// Patience is how long WebTransport may take to connect before WebSocket is tried. Default (0): 1 s.
	Patience time.Duration
	// Wire is for bounds, redialing, and the address that stands for the server. Its Connect must be nil.
	Wire websocket.DialConfig
}

// Validate returns an error for what is negative, or not to be set.
func (c DialConfig) Validate() error {
	var errs []error
	if c.Patience < 0 {
		errs = append(errs, fmt.Errorf("webtransport: DialConfig.Patience %v is negative", c.Patience))
	}
	if c.Wire.Connect != nil {
		errs = append(errs, errors.New("webtransport: DialConfig.Wire.Connect is set: that is what this package is for"))
	}
	return errors.Join(append(errs, c.Wire.Validate())...)
}

// Dial connects to a URL such as https://127.0.0.1:7779/, and blocks until that is done or ctx ends. Once WebSocket was
// needed, the wire stays with it. A page in a browser must not block the goroutine that its events come on.
func (c DialConfig) Dial(ctx context.Context, url string) (*websocket.Wire, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Patience == 0 {
		c.Patience = defaultPatience
	}
	wire := c.Wire
	var fell atomic.Bool
	wire.Connect = func(ctx context.Context, url string) (websocket.Link, error) {
		if fell.Load() {
			return websocket.Connect(ctx, c.WebSocket)
		}
		first, stop := ctx, func() {}
		if c.WebSocket != "" {
			first, stop = context.WithTimeout(ctx, c.Patience)
		}
		link, err := connect(first, url, c.Hashes)
		stop()
		if err == nil || c.WebSocket == "" || ctx.Err() != nil {
			return link, err
		}
		link, second := websocket.Connect(ctx, c.WebSocket)
		if second != nil {
			return nil, errors.Join(fmt.Errorf("webtransport: %w", err), second)
		}
		fell.Store(true)
		return link, nil
	}
	return wire.Dial(ctx, url)
}
