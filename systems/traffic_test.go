package systems

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
)

// The traffic counters add up to the sent bytes, for every coder, any number of clients per block, joins, budgets and owner
// state.
func TestAccountsAddUp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		config ServerConfig
	}{
		{"any coder", ServerConfig{}},
		{"zstd only", ServerConfig{Snapshots: Snapshots{Coders: delta.ZstdOnly}}},
		{"little room", ServerConfig{Snapshots: Snapshots{Budget: 200}}},
		{"trained", ServerConfig{Snapshots: Snapshots{Trained: learned(t, 1)}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSchool(t, 2, test.config)
			var clients []ClientConfig
			for range 4 {
				clients = append(clients, ClientConfig{Gather: gatherPush()})
			}
			clients[0].Session.Trained = test.config.Snapshots.Trained
			for _, c := range clients {
				s.join(c, netsys.Link{Latency: 50 * time.Millisecond, Loss: 0.1})
			}
			s.connect()
			s.teach(300)
			st := s.server.Stats()
			var x Traffic
			s.server.Traffic(&x)
			sum := float64(x.Headers+x.Heads+x.Own) + x.Presence.Sent
			for _, c := range x.Components {
				fields, encoded := 0.0, 0.0
				for _, f := range c.Fields {
					fields += f.Sent
					encoded += f.Encoded
				}
				if math.Abs(fields-c.Sent) > 1e-6 || math.Abs(encoded-c.Encoded) > 1e-6 {
					t.Errorf("%s: %v, its fields %v, %v", c.Name, c.Bytes, fields, encoded)
				}
				sum += c.Sent
			}
			if x.Bytes != st.Snapshots.Bytes || math.Abs(sum-float64(x.Bytes)) > 1e-3 {
				t.Errorf("%d bytes were sent, the accounts say %f:\n%+v", st.Snapshots.Bytes, sum, x)
			}
			if x.Inputs != st.InputBytes || x.Inputs == 0 {
				t.Errorf("%d bytes of inputs", x.Inputs)
			}
			place, shots, tint := x.Components[2], x.Components[3], x.Components[4]
			if place.Name != "place" || len(place.Fields) != 2 || place.Fields[0].Path != "X" {
				t.Errorf("%+v", place)
			}
			if place.Fields[0].Sent < 2*place.Fields[1].Sent || place.Sent < 2*tint.Sent || tint.Sent < shots.Sent {
				t.Errorf("X of places changed most, shots least: %+v, %+v, %+v", place, shots, tint)
			}
			if test.config.Snapshots.Budget == 0 && place.Sent < 1.5*place.Encoded {
				t.Errorf("four clients were sent %f bytes of places, %f were encoded", place.Sent, place.Encoded)
			}
		})
	}
}

// TopEntities lists entities with changes on request, the largest first.
func TestTopEntities(t *testing.T) {
	s := newSchool(t, 1, ServerConfig{})
	s.join(ClientConfig{}, netsys.Link{})
	s.connect()
	s.teach(60)
	if got := s.server.TopEntities(nil, 10); len(got) != 0 {
		t.Errorf("not switched on: %v", got)
	}
	s.server.AccountEntities(true)
	s.teach(600)
	got := s.server.TopEntities(nil, 10)
	if len(got) != 10 {
		t.Fatalf("%v", got)
	}
	for i, x := range got {
		e, ok := s.server.World().ByNetID(x.ID)
		if !ok || x.Bytes <= 0 || i > 0 && x.Bytes > got[i-1].Bytes {
			t.Errorf("%d: %+v", i, x)
		}
		if n := slices.Index(s.all, e); n < 0 || n >= 40 {
			t.Errorf("entity %d never had news", n)
		}
	}
	s.server.AccountEntities(false)
	s.teach(60)
	if got := s.server.TopEntities(nil, 10); len(got) != 0 {
		t.Errorf("switched off: %v", got)
	}
}

// A component that is not replicated takes no bytes but is listed, because clients receive which entities have it.
func TestTrafficOfLocalComponents(t *testing.T) {
	type fuse struct{ Left int32 }
	g := newGame(t, func() *ecs.Protocol {
		p := plazaParts("fuses/1")
		ecs.Local[fuse](p, ecs.Predicted)
		return p
	}, ServerConfig{})
	g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	g.server.World().Spawn(place{}, fuse{3})
	g.run(60)
	var x Traffic
	g.server.Traffic(&x)
	last := x.Components[len(x.Components)-1]
	if last.Name != "fuse" || len(last.Fields) > 0 || last.Sent > 0 {
		t.Errorf("%+v", last)
	}
}

// Reading the traffic counters allocates nothing once memory has grown.
func TestTrafficAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	s := newSchool(t, 1, ServerConfig{})
	s.join(ClientConfig{}, netsys.Link{})
	s.connect()
	s.teach(60)
	var x Traffic
	s.server.Traffic(&x)
	if n := testing.AllocsPerRun(10, func() { s.server.Traffic(&x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
