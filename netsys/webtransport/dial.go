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

// defaultPatience is the default of DialConfig.Patience.
const defaultPatience = time.Second

// DialConfig configures a client's transport.
type DialConfig struct {
	// Hashes are the SHA-256 hashes of trusted certificates, for a development server with a self-signed certificate.
	// Browsers require ECDSA certificates that are valid for at most 14 days.
	Hashes [][sha256.Size]byte
	// WebSocket is the URL of the fallback, such as wss://game.example/play. Default (""): no fallback.
	WebSocket string
	// Patience is how long WebTransport may take to connect before the fallback is tried. Default (0): 1 s.
	Patience time.Duration
	// Wire configures limits, redialing, and the stand-in address of the server. Its Connect must be nil.
	Wire websocket.DialConfig
}

// Validate returns an error that lists negative fields and fields that must not be set.
func (c DialConfig) Validate() error {
	var errs []error
	if c.Patience < 0 {
		errs = append(errs, fmt.Errorf("webtransport: DialConfig.Patience %v is negative", c.Patience))
	}
	if c.Wire.Connect != nil {
		errs = append(errs, errors.New("webtransport: DialConfig.Wire.Connect is set: leave it nil, Dial sets it"))
	}
	return errors.Join(append(errs, c.Wire.Validate())...)
}

// Dial connects to a URL such as https://127.0.0.1:7779/, and blocks until the connection is open or ctx ends. After the
// first fallback to WebSocket, the transport stays with WebSocket. In a browser, do not block the goroutine of the page's
// events with it.
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
