package inspect

import (
	"context"
	"slices"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// branch is a part of the sent bytes since the server started: snapshots, with components, with fields. Under models
// without snapshots it is the relayed bytes.
type branch struct {
	Name    string   `json:"name"`
	Sent    float64  `json:"sent"`
	Encoded float64  `json:"encoded,omitempty"` // each block once, for any number of clients that received it
	Parts   []branch `json:"parts,omitempty"`
}

// trafficAnswer is the response of /api/traffic.
type trafficAnswer struct {
	Tick       uint32          `json:"tick"`
	Seconds    float64         `json:"seconds"` // since the inspector was attached
	Updates    uint64          `json:"updates"`
	Inputs     uint64          `json:"inputBytes"`
	Applies    bool            `json:"applies"` // the server sends snapshots
	Snapshots  branch          `json:"snapshots"`
	Archetypes []archetypeLine `json:"archetypes"`
	Measured   bool            `json:"measured"` // archetypes have bytes
}

type archetypeLine struct {
	Components []string `json:"components"`
	Entities   int      `json:"entities"`
	Encoded    float64  `json:"encoded"`
}

func (x *Inspector) traffic(ctx context.Context, q query) (any, error) {
	a := trafficAnswer{Archetypes: []archetypeLine{}, Applies: !policy.TraitsOf(x.serverConfig.Model).RelaysInputs}
	var t systems.Traffic
	var st systems.ServerStats
	err := x.runInWakeup(ctx, func(s *systems.Server) {
		st = s.Stats()
		a.Seconds, a.Tick, a.Updates = x.timings.clock().Seconds(), s.Tick(), st.Updates
		s.Traffic(&t)
		if q.archetypes && a.Applies {
			a.Measured = x.lease.on
			x.lease.renew(s, x.timings.clock())
			for _, g := range s.TrafficByArchetype() {
				a.Archetypes = append(a.Archetypes, archetypeLine{g.Components, g.Entities, g.Bytes})
			}
		}
	})
	a.Inputs, a.Snapshots = t.Inputs, tree(&t)
	if !a.Applies {
		a.Snapshots = branch{Name: "relayed", Sent: float64(st.RelayBytes + st.StateBytes), Parts: []branch{
			{Name: "inputs of all", Sent: float64(st.RelayBytes)},
			{Name: "states for who joins", Sent: float64(st.StateBytes)},
		}}
	}
	slices.SortStableFunc(a.Archetypes, func(a, b archetypeLine) int {
		switch {
		case a.Encoded > b.Encoded:
			return -1
		case a.Encoded < b.Encoded:
			return 1
		}
		return b.Entities - a.Entities
	})
	return a, err
}

// tree returns the composition of snapshots: components in the order of registration, then the rest.
func tree(t *systems.Traffic) branch {
	all := branch{Name: "snapshots", Sent: float64(t.Bytes)}
	for i := range t.Components {
		c := &t.Components[i]
		b := branch{Name: c.Name, Sent: c.Sent, Encoded: c.Encoded}
		for _, f := range c.Fields {
			b.Parts = append(b.Parts, branch{Name: f.Path, Sent: f.Sent, Encoded: f.Encoded})
		}
		all.Parts = append(all.Parts, b)
	}
	all.Parts = append(all.Parts,
		branch{Name: "own state", Sent: float64(t.Own)},
		branch{Name: "presence", Sent: t.Presence.Sent, Encoded: t.Presence.Encoded},
		branch{Name: "headers", Sent: float64(t.Headers)},
		branch{Name: "block heads", Sent: float64(t.Heads)})
	return all
}

// reasonOf returns the name of reason i of an array of drops.
func reasonOf(name string, i int) string {
	if name == "DatagramDrops" {
		return netcode.DropReason(i).String()
	}
	return netsys.DropReason(i).String()
}
