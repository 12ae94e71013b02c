package mirror

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A fuzzed script is a series of steps: 255 places what was received, any other byte is
// followed by a length of two bytes and a datagram.
const places = 0xff

// A mirror that receives arbitrary bytes does not panic, keeps its memory within its limits, and has a valid world, with and
// without co-simulated entities.
func FuzzReceive(f *testing.F) {
	script := scriptOfSends(f)
	f.Add(script)
	f.Add(append(slices.Clip(script), places))
	f.Add(scriptOfSets(f))
	f.Fuzz(func(t *testing.T, script []byte) {
		m := newForger(t)
		m.config.Host = whim{all: len(script)%2 == 1}
		for script = script[:min(len(script), 1<<13)]; len(script) > 0; {
			if script[0] == places || len(script) < 3 {
				script = script[1:]
				m.Retain(float64(m.Newest.Tick), m.Newest.Tick)
				m.Place()
				continue
			}
			n := min(int(binary.LittleEndian.Uint16(script[1:])), len(script)-3)
			if _, err := m.Receive(script[3:3+n], 7); err != nil && !errors.Is(err, wire.ErrMessage) && !errors.Is(err, codec.ErrBaseline) {
				t.Fatal(err)
			}
			script = script[3+n:]
		}
		m.Place()
		m.check()
		m.world.Hash()
		entities := 0
		for tab := range m.world.Netcode().Tables {
			entities += len(tab.Entities)
			for _, comp := range m.shape.replicated {
				if p := tab.Column(comp); p != nil && comp.Words > 0 {
					if row, field := comp.Schema.FirstClamped(p, len(tab.Entities)); row >= 0 {
						t.Errorf("entity %d has a %s.%s out of its range", tab.NetIDs[row], comp.Name, comp.Schema.Fields[field].Path)
					}
				}
			}
		}
		if entities > len(m.Entities.list) {
			t.Errorf("%d entities of %d", entities, len(m.Entities.list))
		}
	})
}

// whim is a Host that simulates all entities or only own ones, and has one in three placed again.
type whim struct {
	host
	all bool
}

func (h whim) Admits(_ *Replica, _ *State, own bool, _ uint64) (simulated, ready bool) {
	return own || h.all, true
}

func (h whim) Placed(r *Replica, _ bool, _ uint64, _ bool) (again bool) { return r.ID%3 == 0 }

func (whim) Replaced(*Replica)       {}
func (h whim) Shows(r *Replica) bool { return r.ID%5 == 0 && r.Newest%4 != 0 }

// scriptOfSends returns the datagrams of a correct server: full states and deltas, entities that spawn, move and despawn, and
// owner state.
func scriptOfSends(f *testing.F) (script []byte) {
	m := newForger(f)
	add := func(b []byte) {
		m.feed(b)
		script = binary.LittleEndian.AppendUint16(append(script, 0), uint16(len(b)))
		script = append(append(script, b...), places)
		m.Place()
	}
	add(m.snapshot(1, told{state: dots(10, 8)}, shotsOf(10, 0)))
	next := dots(10, 8)
	next.Record(2)[0] += 40
	add(m.setOfSend(m.Newest.Send+1, 1, wire.Set{}, next, dots(10, 8)))
	add(m.snapshot(1, told{state: dots(113, 1), gone: []wire.GoneEntity{{ID: 12, Hidden: true}}}))
	add(m.snapshot(0, told{own: true, state: &delta.Group{}}))
	for range 3 {
		add(m.snapshot(1, told{state: dots(90, 2)}))
	}
	if m.refused > 0 {
		f.Fatalf("%d of an honest server's datagrams are refused", m.refused)
	}
	return script
}
