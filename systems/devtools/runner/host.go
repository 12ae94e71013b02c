package runner

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
)

// Host serves a world with bots in this process, for a window of the same program that plays without another server. It
// returns the server's address, at a free port of 127.0.0.1, and a function that stops the match and waits for its end.
// The end of ctx stops the match too.
//
// A zero field of o means the world's default. Use -1 for 0 in fields such as NPCs or Loss. Clients -1 means no bots. The
// link conditions apply to the bots, which are thin clients if the model allows it. Host returns an error for invalid
// options and for sockets that cannot be opened.
func Host(ctx context.Context, game Game, o Options) (addr string, stop func(), err error) {
	if err := game.validate(); err != nil {
		return "", nil, err
	}
	alone := o.Clients < 0
	if alone {
		o.Clients = 1 // validate allows no 0
	}
	often, d := o.ServerEvery != 0 || game.Defaults.ServerEvery != 0, game.defaults()
	if o.setDefaults(&d); !often {
		o.applyPresetDefaults()
	}
	if err := o.validate(&game); err != nil {
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
	wire, err := game.Listen[o.Transport](net.JoinHostPort("127.0.0.1", "0"))
	if err != nil {
		return "", nil, errors.Join(err, end())
	}
	o.Duration, o.Warmup = endlessDuration, time.Second
	o.thin = o.canBeThin()
	addr = wire.LocalAddr().String()
	m, err := newOn(ctx, game, o, wire, addr, true)
	if err != nil {
		return "", nil, errors.Join(err, end())
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = m.playReal(ctx, nil) // clients notice the end themselves
		_ = end()
	}()
	return addr, func() { cancel(); <-done }, nil
}
