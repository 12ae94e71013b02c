package serverapply

import (
	"errors"
	"log/slog"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// session is one that loses nothing.
type session struct{ netsys.Session }

func (session) Stats() netsys.Stats { return netsys.Stats{} }

// server is a world, its tick, and the notices to its client.
type server struct {
	world   *ecs.World
	tick    uint32
	config  Config
	notices notice.Queue
	logged  notice.Once
}

func newServer(change func(*Config)) *server {
	p := testgame.Stage(ecs.Input[numbered])
	s := &server{world: ecs.NewWorld(p, ecs.Config{}), tick: 1}
	s.config = Config{
		Protocol: p, TickRate: 60, Batch: 1, Logger: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Unix(0, 0) }, Tick: func() uint32 { return s.tick },
	}
	if change != nil {
		change(&s.config)
	}
	return s
}

// packet returns the packet with which a client sends the inputs up to the newest.
func packet(t *schema.Table, newest uint16, count int) netsys.Packet {
	m := wire.Input{Newest: newest, Count: count}
	for i := range count {
		m.Words = append(m.Words, int32(newest)-int32(count-1-i))
	}
	return netsys.Packet{Newest: true, Seq: newest, Data: wire.NewInputCoder(t).Append(nil, &m, 0, nil)}
}

// A client with a reused number has no state of the earlier session, and a departed client has no inputs.
func TestWhoComesBackHoldsNothing(t *testing.T) {
	s := newServer(nil)
	in := NewIntake(s.world, s.config)
	sys := New(in, timeline.Listeners{})
	e := s.world.Spawn(components.Owner{Client: 3}, numbered{})
	held := func() numbered { return *ecs.Get[numbered](s.world, e) }
	play := func(from uint16) *Client {
		c := in.Add(3, session{}, &s.notices, &s.logged)
		if from > 0 {
			_ = sys.Join(3, "", true, uint32(from))
		}
		for n := from + 1; n <= from+20; n++ {
			if _, err := sys.Receive(0, c, packet(c.in.table, n, min(int(n), 8))); err != nil {
				t.Fatal(err)
			}
			s.world.Netcode().SetTick(s.tick)
			sys.Run(s.world)
			s.tick++
		}
		return c
	}
	first := play(0)
	if st := first.Stats(); st.Consumed < 15 || held().N != uint16(first.Consumed()) {
		t.Fatalf("after %+v it holds %+v", st, held())
	}
	sys.Remove(first)
	if sys.inputOf(3) != nil || sys.clients.Len()+len(sys.byID) != 0 {
		t.Error("it holds what its client did")
	}
	at := first.Consumed()
	again := in.Add(3, session{}, &s.notices, &s.logged)
	_ = sys.Join(3, "", true, at)
	if again.Consumed() != at || again.Stats() != (Stats{}) || *(*numbered)(sys.inputOf(3)) != (numbered{}) || again.Received() {
		t.Errorf("it begins at %d, holding %+v, with %+v", again.Consumed(), *(*numbered)(sys.inputOf(3)), again.Stats())
	}
	sys.Remove(again)
	if sys.Stats() != first.Stats() {
		t.Errorf("of all %+v, of the first %+v", sys.Stats(), first.Stats())
	}
	second := play(uint16(at))
	if second.Stats().Resyncs != 0 || held().N != uint16(second.Consumed()) || second.Consumed() <= at {
		t.Errorf("after %d it has consumed %d, and holds %+v", at, second.Consumed(), held())
	}
}

// A refused input is consumed and reported. For a player without a client the same input is refused.
func TestRefusedInputsAreConsumed(t *testing.T) {
	s := newServer(func(c *Config) {
		c.Refuse = func(_ *ecs.World, _ uint32, in unsafe.Pointer) error {
			if (*numbered)(in).N%5 == 0 {
				return errors.New("not this one")
			}
			return nil
		}
	})
	in := NewIntake(s.world, s.config)
	sys := New(in, timeline.Listeners{})
	e := s.world.Spawn(components.Owner{Client: 3}, numbered{})
	c := in.Add(3, session{}, &s.notices, &s.logged)
	for n := uint16(1); n <= 40; n++ {
		if _, err := sys.Receive(0, c, packet(c.in.table, n, min(int(n), 8))); err != nil {
			t.Fatal(err)
		}
		s.world.Netcode().SetTick(s.tick)
		sys.Run(s.world)
		s.tick++
		if held := *ecs.Get[numbered](s.world, e); held.N%5 == 0 && held.N > 0 {
			t.Fatalf("it holds %+v", held)
		}
	}
	if st := c.Stats(); st.Refused < 6 || st.Consumed < 35 || s.notices.Untold() != st.Refused { // there is no session
		t.Errorf("%+v, of which %d were notified", st, s.notices.Untold())
	}
	words := make([]int32, c.in.table.Words)
	if !in.Refuse(9, 1, 1, words) {
		t.Error("0 was not refused of who has no client")
	}
}
