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
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// The accounts add up to the bytes that were sent, whatever coder made the blocks and
// however many clients each went to, joins, budgets and own state included.
func TestAccountsAddUp(t *testing.T) {
	for _, test := range []struct {
		name   string
		config ServerConfig
	}{
		{"any coder", ServerConfig{}},
		{"zstd only", ServerConfig{Coders: delta.ZstdOnly}},
		{"little room", ServerConfig{Budget: 200}},
		{"trained", ServerConfig{Trained: learned(t, 1)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSchool(t, 2, test.config)
			var clients []ClientConfig
			for range 4 {
				clients = append(clients, ClientConfig{Gather: gatherPush()})
			}
			clients[0].Trained = test.config.Trained
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
					t.Errorf("%s: %v, its fields %v, %v", c.Name, c.TrafficBytes, fields, encoded)
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
			if test.config.Budget == 0 && place.Sent < 1.5*place.Encoded {
				t.Errorf("four clients were sent %f bytes of places, %f were encoded", place.Sent, place.Encoded)
			}
		})
	}
}

// What the fields of one block take is off by no more than a tenth of a bit at each of
// its values: all together they take no more than the block, but for the eight bytes
// with which the coder ends it.
func TestFieldsTakeWhatBlocksTake(t *testing.T) {
	s := newSchool(t, 1, ServerConfig{})
	a, m := s.meter()
	m.all = true
	s.teach(60)
	var sum, rest int64
	for n := range 100 {
		s.teach(3)
		before := slices.Clone(a.lots[1].fields)
		took := int64(0)
		_, _, size, costs := m.append(a, nil, s.server.codecs.model, s.delta(1))
		if costs < 0 {
			t.Fatal("a block was not measured")
		}
		for i := range before {
			took += a.lots[1].fields[i].encoded - before[i].encoded
		}
		if took > int64(size+8)*byteParts {
			t.Errorf("block %d of %d bytes: its fields take %.1f", n, size, float64(took)/byteParts)
		}
		sum += int64(size) * byteParts
		rest += int64(size)*byteParts - took
	}
	if sum == 0 || rest < 0 || 10*rest > 7*sum {
		t.Errorf("%d of %d belong to no field", rest, sum)
	}
}

// meter is a meter for the school and its accounts.
func (s *school) meter() (*accounts, *meter) {
	var a accounts
	a.init(s.server.codecs.layout, func(c int) int { return len(s.server.shape.replicated[c].Schema.Fields) })
	return &a, &meter{}
}

// delta is the newest state against one so many sends older.
func (s *school) delta(age uint32) (parts []delta.Part) {
	f, b := s.server.frames.At(s.server.sentAt), s.server.frames.At(s.server.sentAt-age)
	for g := range b.Groups {
		parts = append(parts, delta.Part{Cur: &f.Groups[g], Base: &b.Groups[g], Slots: wire.AllSlots})
	}
	return parts
}

// Measuring one delta of eight finds what measuring all of them does, whatever is in
// them.
func TestSamplesSpeakForAll(t *testing.T) {
	s := newSchool(t, 1, ServerConfig{})
	s.teach(60)
	each, all := s.meter()
	all.all = true
	some, one := s.meter()
	measured := 0
	const blocks = 2000
	for n := range blocks {
		s.teach(3)
		parts := s.delta(uint32(1 + n%4))
		if n%3 == 0 { // blocks of one group now and then
			parts = parts[n%len(parts):][:1]
		}
		all.append(each, nil, s.server.codecs.model, parts)
		if _, _, _, costs := one.append(some, nil, s.server.codecs.model, parts); costs >= 0 {
			measured++
		}
	}
	if measured < blocks/10 || measured > blocks/6 {
		t.Errorf("%d of %d blocks were measured", measured, blocks)
	}
	x, y := &each.lots[1], &some.lots[1]
	for i := range x.fields {
		want := float64(x.fields[i].encoded) * x.encoded.scale()
		got := float64(y.fields[i].encoded) * y.encoded.scale()
		if math.Abs(want-got) > 0.02*float64(x.encoded.all) {
			t.Errorf("field %d took %.0f bytes of %d, the samples say %.0f", i, want, x.encoded.all, got)
		}
	}
}

// Entities that have news are told of on request, those with most of it first.
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

// A component that stays on its own peer takes nothing, and is in the accounts all the same,
// as clients are told which entities have it.
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

// Asking for the accounts allocates nothing, once the memory is there.
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

// Blocks of 150 entities of which some have news: never measured, as often as deltas
// are, and always.
func BenchmarkAccounts(b *testing.B) {
	s := newSchool(b, 1, ServerConfig{})
	s.teach(60)
	parts := s.delta(6)
	var out []byte
	b.Run("off", func(b *testing.B) {
		var e delta.Encoder
		for b.Loop() {
			out, _ = e.Append(out[:0], s.server.codecs.model, parts)
		}
	})
	for _, all := range []bool{false, true} {
		name := "on"
		if all {
			name = "all"
		}
		a, m := s.meter()
		m.all = all
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				out, _, _, _ = m.append(a, out[:0], s.server.codecs.model, parts)
			}
		})
	}
}
