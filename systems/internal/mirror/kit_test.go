package mirror

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Bits of the replicated components: Owner, SpawnKey, Place, Shots, Tint.
const (
	ownerBit = 1 << 0
	keyBit   = 1 << 1
	placeBit = 1 << 2
	shotsBit = 1 << 3
)

// host is a Host that simulates own entities only.
type host struct{}

func (host) Admits(_ *Replica, _ *State, own bool, _ uint64) (simulated, ready bool) {
	return own, true
}
func (host) Shaped(*Replica, Change)                          {}
func (host) Placed(*Replica, bool, uint64, bool) (again bool) { return false }
func (host) Replaced(*Replica)                                {}
func (host) Shows(*Replica) bool                              { return false }

// forger replaces the server and feeds datagrams to a mirror.
type forger struct {
	*Mirror
	t       testing.TB
	world   *ecs.World
	models  [2]*delta.Model // of the world, and of own state
	encoder delta.Encoder
	refused int
}

const (
	tickRate = 60
	every    = 3 // ticks a send
)

// newForger returns a forger whose mirror has joined, with an empty world and owner state of an entity that does not exist.
func newForger(t testing.TB) *forger {
	f := openForger(t)
	f.feed(f.joining(1, shotsOf(900, 9), told{piece: 0, state: &delta.Group{}}))
	if f.Place(); f.refused > 0 {
		t.Fatal("refused at once")
	}
	if _, loaded := f.Loaded(); !loaded {
		t.Fatal("not joined")
	}
	return f
}

// openForger returns a forger whose mirror has not joined.
func openForger(t testing.TB) *forger {
	p := testgame.Grounds()
	w := ecs.NewWorld(p, ecs.Config{Seed: 1, TickRate: tickRate, Client: true})
	tables := wire.Tables(p)
	f := &forger{Mirror: New(p.Replicated(), wire.Predicted(p), wire.Private(p)), t: t, world: w}
	f.models[0] = delta.NewModel(delta.NewLayout(tables, every, tickRate/every), nil)
	f.models[1] = delta.NewModel(delta.NewRawLayout(tables, every, tickRate/every), nil)
	f.Open(Config{World: w, Host: host{}, Client: 1, Tick: 3 * every, SendEvery: every, Model: f.models[0], RawModel: f.models[1], Predicts: true})
	return f
}

// joining returns a datagram of the next send. The mirror joins with its state, which has the given number of pieces.
func (f *forger) joining(pieces uint32, all ...told) []byte {
	return f.datagram(wire.SnapshotHeader{Send: uint16(f.Newest.Send) + 1, Input: 1, Join: true, Pieces: pieces, Control: true}, all...)
}

// told is the contents of a forged block without a baseline: entities of the world, or owner state.
type told struct {
	own   bool
	piece uint32 // in datagrams of a join
	state *delta.Group
	gone  []wire.GoneEntity
}

// snapshot returns a datagram with blocks, n sends after the newest one.
func (f *forger) snapshot(n int, all ...told) []byte {
	return f.datagram(wire.SnapshotHeader{Send: uint16(f.Newest.Send) + uint16(n), Input: uint16(f.Own.Newest.Input)}, all...)
}

func (f *forger) datagram(h wire.SnapshotHeader, all ...told) []byte {
	b := wire.AppendSnapshotHeader(nil, &h)
	for i, x := range all {
		head := wire.BlockHead{Own: x.own, Piece: h.Join && !x.own, Number: x.piece}
		s := wire.Set{Gone: x.gone, News: make([]wire.NewEntity, bits.OnesCount64(x.state.Alive))}
		b = append(b, f.setBlock(head, s, x.state, nil, i+1 == len(all))...)
	}
	return b
}

func (f *forger) setBlock(h wire.BlockHead, s wire.Set, cur, base *delta.Group, last bool) []byte {
	var body []byte
	if h.Set = s.Any(); h.Set {
		body = s.Append(nil)
	}
	model := f.models[0]
	if h.Own {
		model = f.models[1]
	}
	if cur.Known != 0 {
		body, h.Coder = f.encoder.Append(body, model, []delta.Part{{Cur: cur, Base: base, Slots: cur.Known}})
	}
	return append(h.Append(nil, 0, len(body), last), body...)
}

// feed passes a datagram to the mirror.
func (f *forger) feed(b []byte) {
	if _, err := f.Receive(b, 0); err != nil {
		f.refused++
	}
}

// dots returns the states of n entities with a place. Ids count up from id.
func dots(id uint32, n int) *delta.Group {
	g := &delta.Group{}
	for k := range n {
		copy(g.Put(k, id+uint32(k), placeBit, 2), []int32{1, 2})
	}
	return g
}

// shotsOf returns owner state of an entity.
func shotsOf(id uint32, slot int) told {
	g := &delta.Group{}
	g.Put(slot, id, shotsBit, 1)[0] = 7
	return told{own: true, state: g}
}

// check checks the invariants of a mirror after arbitrary datagrams.
func (f *forger) check() {
	f.t.Helper()
	if len(f.Store.World.Groups) > wire.MaxGroups || len(f.Store.Own.Groups) > wire.MaxOwnGroups || len(f.Entities.list) != len(f.Entities.byID) {
		f.t.Errorf("%d groups, %d own ones, %d entities, %d by id", len(f.Store.World.Groups), len(f.Store.Own.Groups), len(f.Entities.list), len(f.Entities.byID))
	}
	used := 0
	count := func(st *State) {
		if st != nil {
			used += StateSize + 4*cap(st.Words)
		}
	}
	for _, x := range slices.Concat(f.Store.World.Groups, f.Store.Own.Groups) {
		if x.Open != nil {
			f.t.Error("a datagram was left half read")
		}
		for _, st := range x.Ring {
			count(st)
		}
	}
	for _, st := range f.Store.Memory.Free {
		count(st)
	}
	if used != f.Store.Memory.Used || used > MaxMemory {
		f.t.Errorf("%d bytes of states, counted %d", used, f.Store.Memory.Used)
	}
	if len(f.Entities.tombstones.why) > MaxGone || len(f.Entities.tombstones.ring) > MaxGone {
		f.t.Errorf("%d entities that are gone", len(f.Entities.tombstones.why))
	}
}
