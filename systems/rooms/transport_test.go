package rooms

import (
	"context"
	"errors"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// mortal is a transport that can fail.
type mortal struct {
	netsys.Wire
	err atomic.Pointer[error]
}

func (m *mortal) Err() error {
	if err := m.err.Load(); err != nil {
		return *err
	}
	return nil
}

// A process with a transport that has failed is not ready, gives no seats, and ends with the reason.
func TestTransportFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network, died := netsys.NewNetwork(), errors.New("no more sockets")
		wire := &mortal{Wire: network.Node(netip.AddrPort{})}
		s, err := New(Config{Kinds: []Kind{fields(2)}}, network.Node(netip.AddrPort{}), wire)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		began := time.Now()
		go func() { ended <- s.Run(ctx) }()
		time.Sleep(time.Second)
		seats := Here(s)
		if _, err := seats.Join(ctx, Wish{Kind: "field", Players: []Player{{ID: 1}}}); err != nil || seats.Ready() != nil {
			t.Fatal(err, seats.Ready())
		}
		wire.err.Store(&died)
		if err := seats.Ready(); !errors.Is(err, ErrUnavailable) || !errors.Is(err, died) {
			t.Errorf("Ready: %v", err)
		}
		if _, err := seats.Join(ctx, Wish{Kind: "field", Players: []Player{{ID: 2}}}); !errors.Is(err, ErrUnavailable) {
			t.Errorf("Join: %v", err)
		}
		if err := <-ended; !errors.Is(err, died) || time.Since(began) > 2*time.Second {
			t.Errorf("Run ended after %v with %v", time.Since(began), err)
		}
	})
}
