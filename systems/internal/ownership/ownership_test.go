package ownership

import (
	"errors"
	"log/slog"
	"slices"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// cursor is a client-owned component.
type cursor struct {
	X float32 `net:"0..500 step 0.25"`
}

// pair is a server and a client that owns an entity, with the messages between them.
type pair struct {
	server *Server
	values *Values
	client Client
	queue  notice.Queue
	logged notice.Once
	ticks  uint64
	seq    uint16
	there  ecs.Entity // on the server
	here   ecs.Entity // on the client
}

func newPair(accept func(v cursor) error) *pair {
	p := testgame.Stage(func(p *ecs.Protocol) { ecs.Replicate[cursor](p, ecs.ClientOwned) })
	x, list := &pair{}, Components(p)
	w, view := ecs.NewWorld(p, ecs.Config{}), ecs.NewWorld(p, ecs.Config{})
	x.server = NewServer(w, list, Config{Logger: slog.New(slog.DiscardHandler), Accept: func(_ *ecs.World, _ uint32, _ ecs.Entity, _ *ecs.Component, v unsafe.Pointer) error {
		return accept(*(*cursor)(v))
	}})
	x.values = x.server.Join(1, &x.queue, &x.logged)
	x.there = w.Spawn(components.Owner{Client: 1}, cursor{})
	x.here = view.Spawn(components.Owner{Client: 1}, cursor{})
	x.client = NewClient(view, 1, &x.ticks, list)
	x.client.KeepsRaw(uint32(view.NetID(x.here)), x.here, list[0], unsafe.Pointer(ecs.Get[cursor](view, x.here)))
	return x
}

// write writes a value on the client and runs a tick on both ends.
func (x *pair) write(t *testing.T, v float32) {
	t.Helper()
	ecs.Get[cursor](x.client.world, x.here).X = v
	x.ticks++
	x.seq++
	if b := x.client.AppendPrefix(nil, x.seq); len(b) > 0 {
		rest, err := x.server.ReadPrefix(x.values, netsys.Packet{Seq: x.seq, Newest: true, Data: append(b, wire.KindInput)})
		if err != nil || len(rest.Data) != 1 {
			t.Fatalf("%v, %d bytes are left", err, len(rest.Data))
		}
		x.client.Acked(x.seq)
	}
	x.server.Decide()
	x.server.QueueNotices(uint32(x.ticks))
}

// now returns the value on the server and on the client.
func (x *pair) now() (there, here float32) {
	return ecs.Get[cursor](x.server.world, x.there).X, ecs.Get[cursor](x.client.world, x.here).X
}

// Accepted values of a client are written to the server's world. Refused values are not, and the client restores the server's
// value once it is notified. A client with a grant may write, and the owner may not.
func TestValuesStandWhereTheGameAcceptsThem(t *testing.T) {
	x := newPair(func(v cursor) error {
		if v.X > 100 {
			return errors.New("too far")
		}
		return nil
	})
	x.write(t, 40)
	if there, _ := x.now(); there != 40 || x.values.Stats.Taken != 1 || x.queue.Waiting() != 0 {
		t.Fatalf("the server has %v; %+v", there, x.values.Stats)
	}
	x.write(t, 200)
	if there, here := x.now(); there != 40 || here != 200 || x.values.Stats.Refused != 1 || x.queue.Waiting() != 1 {
		t.Fatalf("the server has %v, the client %v; %+v", there, here, x.values.Stats)
	}
	id := uint32(x.server.world.NetID(x.there))
	x.client.Revert(&wire.Notice{Kind: wire.NoticeChange, ID: id, Seq: x.seq}, slices.Clone(x.client.quantize(x.client.coder.Components[0], unsafe.Pointer(&cursor{X: 40}))))
	if _, here := x.now(); here != 40 {
		t.Fatalf("the client has %v", here)
	}

	Give(x.server.world, x.there, 2)
	x.write(t, 50)
	if there, _ := x.now(); there != 40 || x.values.Stats.Unowned == 0 || ecs.Resource[Grants](x.server.world).Len() != 1 {
		t.Errorf("another has it, and the server has %v; %+v", there, x.values.Stats)
	}
	if err := x.client.ApplyGrant(&wire.Notice{Kind: wire.NoticeRevoked, ID: id}, x.here); err != nil || x.client.MayWrite(x.here) || x.client.Mask(x.here) != 0 {
		t.Errorf("it thinks that it may write: %v", err)
	}
	if _, here := x.now(); here != 40 {
		t.Errorf("what was the server's is %v", here)
	}
	x.server.world.Despawn(x.there)
	x.server.Decide()
	if x.values.Len() != 0 || ecs.Resource[Grants](x.server.world).Len() != 0 {
		t.Error("what is gone is remembered")
	}
}

// A returning client starts without values of its earlier session, and its counters continue.
func TestValuesEndWithTheirClient(t *testing.T) {
	x := newPair(func(cursor) error { return nil })
	x.write(t, 40)
	x.server.Leave(x.values)
	ecs.Get[cursor](x.server.world, x.there).X = 3
	x.server.Restore()
	if there, _ := x.now(); there != 3 {
		t.Errorf("who left writes %v", there)
	}
	if v := x.server.Join(1, &x.queue, &x.logged); v.Len() != 0 || v.Stats != (Stats{}) || x.server.Stats().Taken != 1 {
		t.Errorf("it begins with %d values, %+v, of all %+v", v.Len(), v.Stats, x.server.Stats())
	}
}
