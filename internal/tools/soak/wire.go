package main

import (
	"context"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// roaming is a client's wire that changes its socket, hence its address, and can be silent.
type roaming struct {
	netsys.Wire
	host   *host
	server netip.AddrPort
	quiet  bool // nothing passes
}

// dialTime is how long a connection may take.
const dialTime = 10 * time.Second

func (h *host) roam() (*roaming, error) {
	ctx, cancel := context.WithTimeout(context.Background(), dialTime)
	defer cancel()
	w, server, err := h.dial(ctx, h.addr.String())
	if err != nil {
		return nil, err
	}
	return &roaming{Wire: w, host: h, server: server}, nil
}

// move continues with another socket.
func (r *roaming) move() error {
	ctx, cancel := context.WithTimeout(context.Background(), dialTime)
	defer cancel()
	w, _, err := r.host.dial(ctx, r.host.addr.String())
	if err != nil {
		return err
	}
	old := r.Wire
	r.Wire = w
	return old.Close()
}

// Poll implements [netsys.Wire].
func (r *roaming) Poll(now time.Time, deliver func(netsys.Datagram)) {
	if r.quiet {
		deliver = func(netsys.Datagram) {}
	}
	r.Wire.Poll(now, deliver)
}

// Send implements [netsys.Wire].
func (r *roaming) Send(now time.Time, to netip.AddrPort, b []byte) error {
	if r.quiet {
		return nil
	}
	return r.Wire.Send(now, to, b)
}
