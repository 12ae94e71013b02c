package systems

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// forger is a server's place taken by the test: it feeds a client messages.
type forger struct {
	*game
	c       *Client
	log     *journal
	encoder delta.Encoder
	model   *delta.Model
	own     *delta.Model // of own state
}

func newForger(t *testing.T) *forger {
	f := &forger{game: newGame(t, plaza, ServerConfig{Join: spawnPawn}), log: &journal{}}
	f.c = f.join(ClientConfig{Gather: gatherPush(), Logger: f.log.logger()}, netsys.Link{})
	f.connect()
	f.run(10)
	f.frozen = true
	tables, s := wire.Tables(f.c.protocol), f.server
	f.model = delta.NewModel(delta.NewLayout(tables, int(f.c.shape.sendEvery), s.config.SendRate), nil)
	f.own = delta.NewModel(delta.NewRawLayout(tables, int(f.c.shape.sendEvery), s.config.SendRate), nil)
	return f
}

func (f *forger) feed(b []byte) {
	(*clientHandler)(f.c).Received(f.now, f.c.link.session, netsys.Packet{At: f.now, Newest: true, Data: b})
}

// told is what a forged block says of a group.
type toldGroup struct {
	own   bool
	group uint32
	state *delta.Group
}

// snapshot is a message of blocks, the n-th send from where the server stopped.
func (f *forger) snapshot(n int, told ...toldGroup) []byte {
	return f.snapshotAfter(n, uint16(f.c.mirror.Own.Newest.Input), told...)
}

func (f *forger) snapshotAfter(n int, input uint16, told ...toldGroup) []byte {
	b := wire.AppendSnapshotHeader(nil, &wire.SnapshotHeader{Send: uint16(f.c.mirror.Newest.Send) + uint16(n), Input: input})
	for i, x := range told {
		h := wire.BlockHead{Own: x.own, First: x.group, Count: 1, Slots: x.state.Known}
		m := f.model
		if x.own {
			m = f.own
		}
		var body []byte
		body, h.Coder = f.encoder.Append(nil, m, []delta.Part{{Cur: x.state, Slots: h.Slots}})
		b = append(h.Append(b, 0, len(body), i+1 == len(told)), body...)
	}
	return b
}

// dots is a group in which each slot has an entity with a place, from an id on.
func (f *forger) dots(id uint32, slots uint64) *delta.Group {
	g := &delta.Group{}
	for m := slots; m != 0; m &= m - 1 {
		copy(g.Put(trailing(m), id+uint32(trailing(m)), placeBit, 2), []int32{1, 2})
	}
	return g
}

// shotsOf is own state of an entity that nobody has, so that nothing comes of it.
func (f *forger) shotsOf(id uint32, slot int) toldGroup {
	g := &delta.Group{}
	g.Put(slot, id, shotsBit, 1)[0] = 7
	return toldGroup{own: true, state: g}
}

// A server that talks nonsense is left: the first is logged, all are counted, and
// the world stays as it was.
func TestClientLeavesANonsensicalServer(t *testing.T) {
	f := newForger(t)
	before := f.c.World().Hash()
	for n := range 2 * MaxMalformed {
		if err := f.c.Err(); (err != nil) != (n >= MaxMalformed) {
			t.Fatalf("after %d messages: %v", n, err)
		}
		f.feed([]byte{byte(n), 1, 2})
	}
	if !errors.Is(f.c.Err(), ErrMessage) || f.c.Stats().MalformedMessages != MaxMalformed {
		t.Errorf("%v after %d messages", f.c.Err(), f.c.Stats().MalformedMessages)
	}
	if f.log.count(slog.LevelWarn) != 1 || f.c.World().Hash() != before || f.c.Connected() {
		t.Errorf("%d warnings, connected: %v", f.log.count(slog.LevelWarn), f.c.Connected())
	}
	f.run(10) // and can be asked after
	checkClient(t, f.c)
}

// What is replicated in the plaza: Owner, SpawnKey, place, shots.
const (
	placeBit = 1 << 2
	shotsBit = 1 << 3
)

// A server that keeps telling of new entities finds a limit, and so does one that
// never lets go of old states.
func TestClientBoundsItsWorld(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	id := uint32(100)
	sends := 10
	if race.Enabled {
		sends = 2
	}
	for n := range sends {
		for g := range uint32(wire.MaxGroups) {
			next := 0
			if g == 0 {
				next = 1
			}
			f.feed(f.snapshot(next, toldGroup{group: g, state: f.dots(id, wire.AllSlots)}))
			id += 64
		}
		f.step()
		if f.c.Err() != nil {
			t.Fatalf("send %d: %v", n, f.c.Err())
		}
	}
	if f.c.mirror.Store.Memory.Used > mirror.MaxMemory || len(f.c.mirror.Store.World) != wire.MaxGroups {
		t.Errorf("%d bytes in %d groups", f.c.mirror.Store.Memory.Used, len(f.c.mirror.Store.World))
	}
	entities := 0
	for tab := range f.c.World().Netcode().Tables {
		entities += len(tab.Entities)
	}
	if entities > wire.MaxGroups*64 {
		t.Errorf("%d entities", entities)
	}
	f.feed(f.snapshot(1, toldGroup{group: wire.MaxGroups, state: f.dots(1, 1)}))
	f.feed(f.snapshot(1, toldGroup{own: true, group: wire.MaxOwnGroups, state: f.shotsOf(1, 1).state}))
	if n := f.c.Stats().MalformedMessages; n != 2 {
		t.Errorf("%d messages refused, 2 told of groups that nobody can have", n)
	}
	checkClient(t, f.c)
}

// An entity without a number is nobody's: a message that tells of one is refused whole, and the world stays as it was.
func TestClientRefusesEntitiesWithoutNumber(t *testing.T) {
	f := newForger(t)
	before := f.c.World().Hash()
	f.feed(f.snapshot(1, toldGroup{group: 3, state: f.dots(100, 1)}, toldGroup{group: 4, state: f.dots(0, 1)}))
	if n := f.c.Stats().MalformedMessages; n != 1 || f.c.World().Hash() != before {
		t.Errorf("%d messages refused, and the world is another: %v", n, f.c.World().Hash() != before)
	}
	checkClient(t, f.c)
}

// A state of more than a client keeps ends the session.
func TestClientBoundsItsMemory(t *testing.T) {
	f := newForger(t)
	f.c.mirror.Store.Memory.Used += mirror.MaxMemory // as if
	f.feed(f.snapshot(1, toldGroup{group: 3, state: f.dots(100, 1)}))
	if !errors.Is(f.c.Err(), ErrMessage) || !errors.Is(f.c.Err(), mirror.ErrMemory) {
		t.Errorf("%v", f.c.Err())
	}
}

// News of a death that overtakes the news of the life is not forgotten, and a slot
// that is used again keeps its new entity.
func TestDeathOvertakesBirth(t *testing.T) {
	f := newForger(t)
	none := &delta.Group{}
	none.Clear(7, false)
	born := f.snapshot(1, toldGroup{group: 2, state: f.dots(500, 1<<7)})
	died := f.snapshot(2, toldGroup{group: 2, state: none})
	next := f.snapshot(3, toldGroup{group: 2, state: f.dots(600, 1<<7)})
	f.feed(died)
	f.step()
	f.feed(born)
	f.run(5)
	if _, there := f.c.World().ByNetID(507); there {
		t.Error("a dead entity walks")
	}
	f.feed(next)
	f.feed(died)
	f.feed(born)
	f.run(5)
	if _, there := f.c.World().ByNetID(507); there {
		t.Error("a dead entity walks")
	}
	if _, there := f.c.World().ByNetID(607); !there || f.c.Presence(607) != Present {
		t.Error("a slot that is used again has lost its entity")
	}
	gone := f.snapshot(1, toldGroup{group: 2, state: none})
	f.feed(gone)
	f.run(5)
	if p := f.c.Presence(607); p != Stale {
		t.Errorf("what may have moved to another group is %v", p)
	}
	for range mirror.MissSends + 1 {
		f.feed(f.snapshot(1, toldGroup{group: 3, state: f.dots(700, 1)}))
		f.step()
	}
	if p := f.c.Presence(607); p != Destroyed {
		t.Errorf("what is gone is %v", p)
	}
	for n := range mirror.MissSends + 60 {
		f.feed(f.snapshot(1, toldGroup{group: 3, state: f.dots(700+64*uint32(n%2), 1)}))
		f.step()
	}
	if f.c.mirror.Entities.Of(607) != nil || f.c.Presence(607) != Destroyed {
		t.Error("the dead is never forgotten, or its death is")
	}
	checkClient(t, f.c)
}

// Own state in several packets of one tick is all taken in; the same slot of the
// same tick again is not.
func TestOwnStateInParts(t *testing.T) {
	f := newForger(t)
	if f.c.mirror.Own.Newest.Input == 0 {
		f.t.Fatal("no own state yet")
	}
	named := func() (ids []uint32) {
		f.c.mirror.Own.EachEntity(f.c.mirror.Own.Newest.Send, func(id uint32) { ids = append(ids, id) })
		return ids
	}
	first := f.snapshot(1, f.shotsOf(1000, 0))
	second := f.snapshot(1, f.shotsOf(1001, 1))
	old := f.snapshot(0, f.shotsOf(1002, 2))
	f.feed(first)
	f.feed(second)
	f.feed(old)
	f.feed(f.snapshot(0, f.shotsOf(1003, 1)))
	if got := named(); len(got) != 2 || got[0] != 1000 || got[1] != 1001 {
		t.Errorf("own state is of %v", got)
	}
	bad := f.shotsOf(1004, 3)
	bad.state.Masks[3] = 1 // Owner is nobody's to predict
	f.feed(f.snapshot(1, bad))
	nan := &delta.Group{}
	copy(nan.Put(4, 1005, placeBit, 2), []int32{0x7fc00000, 0})
	f.feed(f.snapshot(1, toldGroup{own: true, state: nan}))
	if n := f.c.Stats().MalformedMessages; n != 2 || len(named()) != 2 {
		t.Errorf("%d messages refused, own state is of %v", n, named())
	}
	checkClient(t, f.c)
}

// Sequences at the end of their range end nothing else.
func TestInputsUpToTheEndOfTheirRange(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	for n := range 140_000 {
		// As far ahead as 16 bits can say.
		f.feed(f.snapshotAfter(1, uint16(f.c.predictor.log.Newest)+32_767, f.shotsOf(1000, 0)))
		if f.c.receive(nil); f.c.Err() != nil {
			t.Fatalf("jump %d: %v", n, f.c.Err())
		}
		f.c.reconcile(f.c.World())
	}
	if f.c.predictor.log.Newest < 1<<32-1<<16 {
		t.Errorf("only up to input %d", f.c.predictor.log.Newest)
	}
}
