package crowd

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/devtools/swarm"
)

// Residents are players who play during the whole benchmark.
type Residents struct {
	swarms []*swarm.Swarm
}

// NewResidents returns a player per token, each connected to the process that the token names.
func NewResidents(ctx context.Context, all []*netcode.ConnectToken) (*Residents, error) {
	var order []netip.AddrPort
	of := make(map[netip.AddrPort][]*netcode.ConnectToken)
	for _, t := range all {
		at := t.Servers[0]
		if of[at] == nil {
			order = append(order, at)
		}
		of[at] = append(of[at], t)
	}
	r := &Residents{}
	for _, at := range order {
		s, err := swarm.New(ctx, swarm.Config{
			Protocol: Field, Addr: at.String(), Clients: len(of[at]), Ramp: float64(max(len(all), 500)),
			Token: func(_ context.Context, n int) (*netcode.ConnectToken, error) { return of[at][n], nil },
		})
		if err != nil {
			return nil, errors.Join(err, r.Close(time.Now()))
		}
		r.swarms = append(r.swarms, s)
	}
	return r, nil
}

// Step performs the due steps.
func (r *Residents) Step(now time.Time) {
	for _, s := range r.swarms {
		s.Step(now)
	}
}

// Settled reports whether every resident has connected or failed.
func (r *Residents) Settled() bool {
	for _, s := range r.swarms {
		if !s.Settled() {
			return false
		}
	}
	return true
}

// Measure starts a new measurement.
func (r *Residents) Measure(now time.Time) {
	for _, s := range r.swarms {
		s.Measure(now)
	}
}

// heard is the residents' view of the servers.
type heard struct {
	connected, gone int
	updates, busy   float64
	limit           string
	why             map[string]int
}

// Report returns the residents' figures since Measure.
func (r *Residents) Report(now time.Time) (h heard) {
	for _, s := range r.swarms {
		s.Look(now)
		x := s.Report()
		h.connected, h.gone = h.connected+x.Connected, h.gone+x.Refused+x.Lost
		h.updates += x.UpdatesPerS * float64(x.Connected)
		h.busy += x.Busy
		if h.limit == "" {
			h.limit = x.Limit
		}
		if h.why == nil {
			h.why = x.Reasons
		}
	}
	if h.connected > 0 {
		h.updates /= float64(h.connected)
	}
	return h
}

// Close ends all sessions.
func (r *Residents) Close(now time.Time) (err error) {
	for _, s := range r.swarms {
		err = errors.Join(err, s.Close(now))
	}
	return err
}
