package systems

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/ownership"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// changesOf returns the bytes of changes of cursors before an input.
func changesOf(i *intruder, seq uint16, ids []components.NetID, v cursor) []byte {
	coder := wire.NewChangeCoder(ownership.Components(i.game.server.protocol))
	t := coder.Components[0].Schema
	words := make([]int32, t.Words)
	t.Quantize(words, t.Words, unsafe.Pointer(&v), 1)
	coder.Start(nil)
	for _, id := range ids {
		coder.Change(uint32(id), 0, words)
	}
	return append(coder.End(0, len(ids)), i.input(seq, push{DX: 1})...)
}

// A client that writes entities of others, invents entities and components, or sends wrong lengths changes only its own
// values. Its messages are counted and bounded.
func TestNetcodeA1_ForeignValuesOfStrangers(t *testing.T) {
	asked := 0
	g := gallery(t, 1, netsys.Link{}, ServerConfig{Players: Players{Accept: func(*ecs.World, Change) error { asked++; return nil }}}, nil)
	i := g.intrude()
	g.run(10)
	w := g.server.World()
	victim, own := w.NetID(painterOf(w, g.clients[0].ID())), w.NetID(painterOf(w, i.id))
	untouched := w.Spawn(place{}, tint{}) // has no cursor
	bare := w.NetID(untouched)
	i.send(changesOf(i, 1, []components.NetID{victim, bare, 4_000_000_000, own}, cursor{X: 9}))
	i.tick()
	i.tick()
	p := g.server.sessions.peers.All()[1]
	if got := p.owned.Stats; got.Unowned != 2 || got.Taken != 1 || asked != 1 || p.Malformed != 0 {
		t.Fatalf("%+v, asked %d times", got, asked)
	}
	if cursorOf(w, i.id).X != 9 || cursorOf(w, g.clients[0].ID()).X != 1 {
		t.Fatal("not its own changed, or its own did not")
	}
	if p.inputs.Stats().Rejected > 0 || !p.inputs.Received() {
		t.Error("the inputs behind changes were not read")
	}

	// An old packet brings nothing new, and the same value is not judged again.
	handler := (*serverHandler)(g.server)
	handler.Received(g.now, p.Session, netsys.Packet{Seq: p.owned.Newest() - 7, Data: changesOf(i, 2, []components.NetID{own}, cursor{X: 3})})
	handler.Received(g.now, p.Session, netsys.Packet{Seq: p.owned.Newest() + 1, Newest: true, Data: changesOf(i, 3, []components.NetID{own}, cursor{X: 9})})
	g.step()
	if cursorOf(w, i.id).X != 9 || asked != 1 {
		t.Errorf("%v after an old packet, asked %d times", cursorOf(w, i.id), asked)
	}

	// Many values in one wake-up are one question to the game.
	for n := range 200 {
		i.send(changesOf(i, uint16(4+n), []components.NetID{own}, cursor{X: float32(n)}))
	}
	i.tick()
	i.tick()
	if asked > 3 {
		t.Errorf("asked %d times in two wake-ups", asked)
	}

	// More components than are kept.
	var mine []components.NetID
	for range ownership.MaxValues + 40 {
		mine = append(mine, w.NetID(w.Spawn(components.Owner{Client: i.id}, cursor{})))
	}
	for len(mine) > 0 {
		n := min(len(mine), wire.MaxChanges)
		i.send(changesOf(i, 300, mine[:n], cursor{X: 5}))
		mine = mine[n:]
	}
	i.tick()
	i.tick()
	if got := p.owned.Stats.Flooded; got != 41 || p.owned.Len() != ownership.MaxValues {
		t.Errorf("%d values too many, %d are kept", got, p.owned.Len())
	}

	before := w.Hash()
	good := changesOf(i, 400, []components.NetID{own, own}, cursor{X: 100})
	bad := [][]byte{
		{wire.KindChanges}, {wire.KindChanges | 1<<wire.KindBits}, {wire.KindChanges | 31<<wire.KindBits, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		good[:4], {wire.KindChanges | 1<<wire.KindBits, 0, 0, 0, 0, 0, 0, 0},
	}
	for _, b := range bad {
		i.send(b)
	}
	i.tick()
	i.tick()
	if p.Malformed != len(bad) || i.reason != nil {
		t.Errorf("%d messages were malformed, %d counted", len(bad), p.Malformed)
	}
	for st := range g.server.Clients {
		if st.ID == i.id && (st.Malformed != uint64(len(bad)) || st.Changes.Flooded != 41) {
			t.Errorf("%+v", st)
		}
	}
	_ = before
	g.mustConverge()
}

// Decoded notices can be encoded again with the same meaning, and a client processes any of them without harm.
func FuzzNotices(f *testing.F) {
	list := ownership.Components(canvas())
	b := codec.AppendUvarint([]byte{wire.KindNotices}, 1)
	for _, n := range []wire.Notice{
		{Kind: wire.NoticeInput, Tick: 9, Input: 7, Reason: "no magic"}, {Kind: wire.NoticeFast, Tick: 10, Inputs: 70},
		{Kind: wire.NoticeGranted, Tick: 3, ID: 2}, {Kind: wire.NoticeRevoked, Tick: 3, ID: 2}, {Kind: wire.NoticeGone, Tick: 3, ID: 2},
	} {
		b = n.Append(b, nil, nil)
	}
	n := wire.Notice{Kind: wire.NoticeChange, Tick: 9, ID: 2, Seq: 700, Reason: "no"}
	f.Add(n.Append(b, []int32{40, 50}, list[0].Schema))
	f.Fuzz(func(t *testing.T, b []byte) {
		g := gallery(t, 1, netsys.Link{}, ServerConfig{}, nil)
		c := g.clients[0]
		draw(c, c.ID(), cursor{X: 20})
		g.step()
		(*clientHandler)(c).Received(g.now, c.link.session, netsys.Packet{At: g.now, Newest: true, Data: b})
		g.run(3)
		if err := c.Err(); err != nil && !errors.Is(err, ErrMessage) {
			t.Fatal(err)
		}
		checkClient(t, c)
	})
}
