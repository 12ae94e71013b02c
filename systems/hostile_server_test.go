package systems

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys"
)

// forger is a server's place taken by the test: it feeds a client messages.
type forger struct {
	*game
	c       *Client
	log     *journal
	encoder codec.Encoder
	zip     *codec.Compressor
}

func newForger(t *testing.T) *forger {
	f := &forger{game: newGame(t, plaza, ServerConfig{Join: spawnPawn}), log: &journal{}, zip: codec.NewCompressor()}
	f.c = f.join(ClientConfig{Gather: gatherPush(), Logger: f.log.logger()}, netsys.Link{})
	f.connect()
	f.run(10)
	f.frozen = true
	return f
}

func (f *forger) feed(b []byte) {
	(*clientHandler)(f.c).Received(f.now, f.c.session, netsys.Packet{At: f.now, Newest: true, Data: b})
}

// snapshot is a message of entities, the n-th send from where the server stopped.
func (f *forger) snapshot(n int, own []byte, ents ...codec.Entity) []byte {
	h := snapshotHeader{send: uint16(f.c.newestSend) + uint16(n), tick: f.c.newestTick + 3*uint32(n), input: uint16(f.c.own.input), own: len(own)}
	b := append(appendSnapshotHeader(nil, &h), own...)
	return f.zip.Append(b, f.encoder.Append(nil, f.c.layout, ents))
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

// A server that keeps telling of new entities finds a limit.
func TestClientBoundsItsWorld(t *testing.T) {
	f := newForger(t)
	id := uint32(100)
	for n := 1; f.c.Err() == nil; n++ {
		if n > 100 {
			t.Fatalf("%d entities, and no end", len(f.c.replicas))
		}
		ents := make([]codec.Entity, 2000)
		for k := range ents {
			ents[k] = codec.Entity{ID: id, Op: codec.OpFull, Mask: placeBit, Cur: []int32{1, 2}}
			if id++; n%2 == 0 {
				ents[k] = codec.Entity{ID: id, Op: codec.OpGone} // the dead count too
			}
		}
		f.feed(f.snapshot(1, nil, ents...))
		f.step()
	}
	if !errors.Is(f.c.Err(), ErrMessage) || len(f.c.replicas) != maxReplicas {
		t.Errorf("%v with %d entities", f.c.Err(), len(f.c.replicas))
	}
	checkClient(t, f.c)
}

// News of a death that overtakes the news of the life is not forgotten.
func TestDeathOvertakesBirth(t *testing.T) {
	f := newForger(t)
	born := f.snapshot(1, nil, codec.Entity{ID: 500, Op: codec.OpFull, Mask: placeBit, Cur: []int32{1, 2}})
	died := f.snapshot(2, nil, codec.Entity{ID: 500, Op: codec.OpGone})
	f.feed(died)
	f.step()
	f.feed(born)
	f.run(5)
	if _, there := f.c.World().ByNetID(500); there {
		t.Error("a dead entity walks")
	}
	if f.c.byID[500] == nil {
		t.Error("the dead is forgotten before its last packet can have come")
	}
	for n := range maxRecords + 2 {
		f.feed(f.snapshot(1, nil, codec.Entity{ID: 501, Op: codec.OpFull, Mask: placeBit, Cur: []int32{int32(n), 2}}))
		f.step()
	}
	if f.c.byID[500] != nil {
		t.Error("the dead is never forgotten")
	}
	checkClient(t, f.c)
}

// Own state in several packets of one tick is all taken in; the same tick again
// and again is not.
func TestOwnStateInParts(t *testing.T) {
	f := newForger(t)
	if f.c.own.input == 0 {
		f.t.Fatal("no own state yet")
	}
	part := func(n int) []byte {
		b := codec.AppendUvarint(nil, uint64(1000+n))
		return append(codec.AppendUvarint(b, shotsBit), 7, 0) // shots: nobody's, so nothing comes of it
	}
	first := f.snapshot(1, part(0))
	second := f.snapshot(1, part(1))
	f.feed(first)
	f.feed(second)
	if want := len(part(0)) + len(part(1)); len(f.c.own.raw) != want {
		t.Errorf("%d bytes of own state, not %d", len(f.c.own.raw), want)
	}
	old := f.snapshot(-1, part(2))
	f.feed(old)
	for range maxOwn {
		f.feed(f.snapshot(0, part(3)))
	}
	if n := len(f.c.own.raw); n > maxOwn || n < maxOwn-100 {
		t.Errorf("%d bytes of own state, the limit is %d", n, maxOwn)
	}
	checkClient(t, f.c)
}

// Sequences at the end of their range end nothing else.
func TestInputsUpToTheEndOfTheirRange(t *testing.T) {
	f := newForger(t)
	for n := range 140_000 {
		own := append(codec.AppendUvarint(codec.AppendUvarint(nil, 1000), shotsBit), 7, 0)
		b := f.snapshot(1, own)
		// As far ahead as 16 bits can say.
		input := uint16(f.c.log.newest) + 32_767
		b[8], b[9] = byte(input), byte(input>>8)
		f.feed(b)
		if f.c.receive(nil); f.c.Err() != nil {
			t.Fatalf("jump %d: %v", n, f.c.Err())
		}
		f.c.reconcile(f.c.World())
	}
	if f.c.log.newest < 1<<32-1<<16 {
		t.Errorf("only up to input %d", f.c.log.newest)
	}
}
