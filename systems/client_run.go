package systems

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// Close says goodbye to the server and closes the wire.
func (c *Client) Close(now time.Time) error { return c.link.endpoint.Close(now) }

// Run plays in real time until ctx ends, then leaves and returns nil; or until
// the session ends, and returns why. frame, which may be nil, is called after
// every step with the view up to date.
func (c *Client) Run(ctx context.Context, frame func(c *Client)) error {
	err := run(ctx, frames{c, frame}, func() error { return c.Close(time.Now()) })
	if c.link.err != nil && ctx.Err() == nil {
		return c.link.err
	}
	return err
}

// frames draws after every step.
type frames struct {
	*Client
	frame func(*Client)
}

func (f frames) Advance(now time.Time) int {
	n := f.Client.Advance(now)
	if n > 0 {
		f.Client.Frame(now)
		if f.frame != nil {
			f.frame(f.Client)
		}
	}
	return n
}

// Dial connects to a server over UDP and returns when it has let this client
// in. addr is "host:port"; "" means the addresses of ClientConfig.Token, in turn.
// It returns an error that wraps [ErrConfig], netsys.ErrInsecure, netsys.ErrSchema,
// netsys.ErrVersion, netsys.ErrServerFull, netcode.ErrTokenExpired or
// netsys.ErrTimeout when it does not, and ctx's error when that ends first.
func Dial(ctx context.Context, addr string, p *ecs.Protocol, cfg ClientConfig) (*Client, error) {
	var wire *netsys.UDP
	var err error
	if addr == "" && cfg.Token != nil {
		wire, err = netsys.ListenUDP(":0")
	} else {
		wire, err = netsys.DialUDP(ctx, addr)
	}
	if err != nil {
		return nil, fmt.Errorf("systems: Dial: %w", err)
	}
	c, err := NewClient(wire, wire.RemoteAddr(), p, cfg)
	if err != nil {
		return nil, errors.Join(err, wire.Close())
	}
	if err := c.connect(ctx); err != nil {
		return nil, errors.Join(err, c.Close(time.Now()))
	}
	return c, nil
}

func (c *Client) connect(ctx context.Context) error {
	const poll = 5 * time.Millisecond
	t := time.NewTicker(poll)
	defer t.Stop()
	for !c.Connected() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
		c.Advance(time.Now())
		if c.link.err != nil {
			return c.link.err
		}
	}
	return nil
}
