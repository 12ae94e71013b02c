package systems

import (
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
)

// Server.Model describes what the model does, under each preset.
func TestModelStatus(t *testing.T) {
	for _, p := range policy.Presets() {
		t.Run(p.String(), func(t *testing.T) {
			g := newGame(t, peopled, ServerConfig{Model: p})
			if m := g.server.Model(); m.Horizon != 0 {
				t.Errorf("before the first tick: %+v", m)
			}
			link := netsys.Link{Latency: 50 * time.Millisecond, Jitter: 10 * time.Millisecond}
			for range 2 {
				g.join(ClientConfig{Gather: gatherTurns()}, link)
			}
			g.connect()
			g.run(300)
			m, st := g.server.Model(), g.server.Stats()
			everywhere := policy.Is[policy.Rollback](p) || policy.Is[policy.Lockstep](p)
			stamped := everywhere || policy.Is[policy.ServerRewind](p)
			if m.Snapshots == everywhere || m.Stamped != stamped {
				t.Errorf("%+v", m)
			}
			if behind := g.server.Tick() - m.Horizon; m.Horizon == 0 || behind > 60 || !stamped && behind != 0 {
				t.Errorf("horizon %d at tick %d", m.Horizon, g.server.Tick())
			}
			if rewinds := policy.Is[policy.Rollback](p); (m.Passes > 100) != rewinds || (m.Longest > 2) != rewinds || rewinds && m.Last == 0 {
				t.Errorf("passes: %+v", m)
			}
			if (m.Window > 0) != (policy.Is[policy.Rollback](p) || policy.Is[policy.ServerRewind](p)) || m.Waits != 0 && !policy.Is[policy.Lockstep](p) {
				t.Errorf("%+v", m)
			}
			if (m.Lead > 0) != (policy.Is[policy.ServerRewind](p)) || len(m.WaitsFor) > 0 {
				t.Errorf("lead %d, waits for %v", m.Lead, m.WaitsFor)
			}
			if got := st.RelayBytes > 0 && st.StateBytes > 0 && m.Relay.Taken > 0; got != everywhere || (st.Snapshots.Bytes > 0) == everywhere {
				t.Errorf("%d bytes relayed, %d of states; %d inputs; %d of snapshots", st.RelayBytes, st.StateBytes, m.Relay.Taken, st.Snapshots.Bytes)
			}
			var rewrote uint64
			for c := range g.server.Clients {
				if rewrote += c.Inputs.Rewrote; c.Joining || c.Correcting || (c.Budget > 0) == everywhere {
					t.Errorf("%+v", c)
				}
			}
			if rewrote != st.Inputs.Rewrote || (rewrote > 100) != (policy.Is[policy.Rollback](p)) {
				t.Errorf("%d inputs rewrote, %d in all", rewrote, st.Inputs.Rewrote)
			}
		})
	}
}

// Under lockstep, Server.Model names the clients whose input is missing.
func TestModelStatusWaitsFor(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{Model: policy.Lockstep{}})
	for n := range 3 {
		g.joinPeer(uint64(n+1), netsys.Link{Latency: 20 * time.Millisecond})
	}
	g.connect()
	g.run(120)
	dead := netsys.Link{Loss: 1}
	if err := g.links[1].SetLinks(dead, dead); err != nil {
		t.Fatal(err)
	}
	g.run(30)
	if m := g.server.Model(); !slices.Equal(m.WaitsFor, []uint32{g.clients[1].ID()}) || m.Waits == 0 {
		t.Errorf("%+v", m)
	}
}
