package systems

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// forger replaces the server and feeds messages to a client.
type forger struct {
	*game
	c       *Client
	log     *journal
	encoder delta.Encoder
	own     *delta.Model // of own state
}

func newForger(t *testing.T) *forger {
	f := &forger{game: newGame(t, peopled, ServerConfig{}), log: &journal{}}
	f.c = f.join(ClientConfig{Gather: gatherPush(), Logger: f.log.logger()}, netsys.Link{})
	f.connect()
	f.run(10)
	f.frozen = true
	tables, s := wire.Tables(f.c.protocol), f.server
	f.own = delta.NewModel(delta.NewRawLayout(tables, int(f.c.shape.sendEvery), s.config.Snapshots.SendRate), nil)
	return f
}

func (f *forger) feed(b []byte) {
	(*clientHandler)(f.c).Received(f.now, f.c.link.session, netsys.Packet{At: f.now, Newest: true, Data: b})
}

// snapshot returns a message with owner state. Its send is n sends after the last one of the server.
func (f *forger) snapshot(n int, told ...*delta.Group) []byte {
	return f.snapshotAfter(n, uint16(f.c.mirror.Own.Newest.Input), told...)
}

func (f *forger) snapshotAfter(n int, input uint16, told ...*delta.Group) []byte {
	b := wire.AppendSnapshotHeader(nil, &wire.SnapshotHeader{Send: uint16(f.c.mirror.Newest.Send) + uint16(n), Input: input})
	for i, x := range told {
		h := wire.BlockHead{Own: true, Set: true}
		body := (&wire.Set{News: []wire.NewEntity{{}}}).Append(nil)
		body, h.Coder = f.encoder.Append(body, f.own, []delta.Part{{Cur: x, Slots: x.Known}})
		b = append(h.Append(b, 0, len(body), i+1 == len(told)), body...)
	}
	return b
}

// shotsBit is the bit of shots among what is replicated in the plaza: Owner, SpawnKey, place, shots.
const shotsBit = 1 << 3

// shotsOf returns owner state of an entity that does not exist, so that it has no effect.
func (f *forger) shotsOf(id uint32, slot int) *delta.Group {
	g := &delta.Group{}
	g.Put(slot, id, shotsBit, 1)[0] = 7
	return g
}

// A client leaves a server that sends nonsense. It logs the first malformed message, counts all, and its world does not
// change.
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

// A missing baseline is not an error of the server: the client requests full states.
func TestMissingBaselineIsNotMalformed(t *testing.T) {
	f := newForger(t)
	before := f.c.Stats().Renewals
	b := f.snapshot(1)
	f.feed(append((&wire.BlockHead{Age: f.c.mirror.Newest.Send}).Append(b, 0, 1, true), 1))
	if s := f.c.Stats(); s.Renewals != before+1 || s.MalformedMessages != 0 || f.c.Err() != nil {
		t.Errorf("%d renewals, %d malformed: %v", s.Renewals-before, s.MalformedMessages, f.c.Err())
	}
}

// A server that sends more state than a client stores ends the session.
func TestClientBoundsItsMemory(t *testing.T) {
	f := newForger(t)
	f.c.mirror.Store.Memory.Used += mirror.MaxMemory // as if
	f.feed(f.snapshot(1, f.shotsOf(1000, 0)))
	if !errors.Is(f.c.Err(), ErrMessage) || !errors.Is(f.c.Err(), mirror.ErrMemory) {
		t.Errorf("%v", f.c.Err())
	}
}

// Input sequences at the end of their range cause no error.
func TestInputsUpToTheEndOfTheirRange(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	for n := range 140_000 {
		// As far ahead as 16 bits can say.
		f.feed(f.snapshotAfter(1, uint16(f.c.inputs.Log.Newest)+32_767, f.shotsOf(1000, 0)))
		if f.c.receive(nil); f.c.Err() != nil {
			t.Fatalf("jump %d: %v", n, f.c.Err())
		}
		f.c.reconciler.Run(f.c.World())
	}
	if f.c.inputs.Log.Newest < 1<<32-1<<16 {
		t.Errorf("only up to input %d", f.c.inputs.Log.Newest)
	}
}
