package runner

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
)

// Host serves a world with bots in this process, for a client of the same program to join: what a window does that
// is to play alone. It returns the server's address, at a free port of 127.0.0.1, and a function that ends it all and
// returns when that is done; so does the end of ctx, without the waiting.
//
// What is zero in o is the world's default; none of what -1 is possible for, such as NPCs or Loss, and Clients -1: a
// server without bots. The link is that of the bots. They are thin clients, which cost next to nothing, where the
// model has such. Errors are those of flags that are not allowed, and of sockets.
func Host(ctx context.Context, world World, o Options) (addr string, stop func(), err error) {
	if err := world.validate(); err != nil {
		return "", nil, err
	}
	alone := o.Clients < 0
	if alone {
		o.Clients = 1 // which is allowed
	}
	often, d := o.ServerEvery != 0 || world.Defaults.ServerEvery != 0, world.defaults()
	if o.fill(&d); !often {
		o.suit()
	}
	if err := o.validate(&world); err != nil {
		return "", nil, err
	}
	if alone {
		o.Clients = 0
	}
	if err := o.access.open(&o); err != nil {
		return "", nil, err
	}
	end, err := o.files.open(&o, io.Discard)
	if err != nil {
		return "", nil, err
	}
	wire, err := world.Listen[o.Transport](net.JoinHostPort("127.0.0.1", "0"))
	if err != nil {
		return "", nil, errors.Join(err, end())
	}
	o.Duration, o.Warmup = endless, time.Second
	o.thin = o.canBeThin()
	addr = wire.LocalAddr().String()
	m, err := newOn(ctx, world, o, wire, addr, true)
	if err != nil {
		return "", nil, errors.Join(err, end())
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = m.playReal(ctx, nil) // what ends is seen by who has joined
		_ = end()
	}()
	return addr, func() { cancel(); <-done }, nil
}
