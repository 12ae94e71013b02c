package systems

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

// A server whose transport fails ends with the reason, also behind a conditioner.
func TestServeEndsWithItsTransport(t *testing.T) {
	for name, wrap := range map[string]func(w netsys.Wire) (netsys.Wire, error){
		"alone":       func(w netsys.Wire) (netsys.Wire, error) { return w, nil },
		"conditioned": func(w netsys.Wire) (netsys.Wire, error) { return netsys.Condition(w, netsys.ConditionerConfig{}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				below, died := &mortal{Wire: netsys.NewNetwork().Node(netip.AddrPort{})}, errors.New("no more sockets")
				wire, err := wrap(below)
				if err != nil {
					t.Fatal(err)
				}
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				began := time.Now()
				time.AfterFunc(2*time.Second, func() { below.err.Store(&died) })
				err = Serve(ctx, wire, plaza(), ServerConfig{})
				if took := time.Since(began); !errors.Is(err, ErrTransport) || !errors.Is(err, died) || took > 3*time.Second {
					t.Errorf("the server ended after %v with %v, want its transport's error after 2s", took, err)
				}
			})
		})
	}
}
