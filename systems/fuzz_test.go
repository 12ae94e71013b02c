package systems

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A fuzzed script is a series of steps: 255 lets a tick pass, any other byte is
// followed by a length of two bytes and a message.
const tickPasses = 0xff

// A client that receives arbitrary bytes as snapshots does not panic, keeps its memory within its limits, and has a valid
// world.
func FuzzReadSnapshot(f *testing.F) {
	f.Add(scriptOfAMatch(f, &Grid[place]{Cell: 5, Radius: 10}))
	match := scriptOfAMatch(f, nil)
	f.Add(match)
	f.Add(append(match, tickPasses)) // the same with others co-simulated
	f.Fuzz(func(t *testing.T, script []byte) {
		g := newGame(t, peopled, ServerConfig{})
		others := ScopeOwn
		if len(script)%2 == 1 {
			others = ScopeCoSimulated
		}
		scope := func(*ecs.World, ecs.Entity) Scope { return others }
		c := g.join(ClientConfig{Gather: gatherPush(), Prediction: Prediction{History: 64, Scope: scope}}, netsys.Link{})
		g.connect()
		g.frozen = true // from here on the script is the server
		script = script[:min(len(script), 1<<13)]
		for len(script) > 0 && c.Err() == nil {
			if script[0] == tickPasses || len(script) < 3 {
				script = script[1:]
				g.step()
				continue
			}
			n := min(int(binary.LittleEndian.Uint16(script[1:])), len(script)-3)
			(*clientHandler)(c).Received(g.now, c.link.session, netsys.Packet{At: g.now, Newest: true, Data: script[3 : 3+n]})
			script = script[3+n:]
		}
		g.run(3)
		if err := c.Err(); err != nil && !errors.Is(err, ErrMessage) {
			t.Fatal(err)
		}
		checkClient(t, c)
	})
}

// scriptOfAMatch returns the first messages to a client in a real match: full states, deltas, owner state, an added component
// and a despawned entity. It creates them in each run, so that they are valid after a change of the format.
func scriptOfAMatch(f *testing.F, of Interest) (script []byte) {
	g := newGame(f, peopled, ServerConfig{Snapshots: Snapshots{Interest: of}})
	g.overhear(func(_ uint32, b []byte) {
		if len(script) < 1<<11 {
			script = binary.LittleEndian.AppendUint16(append(script, 0), uint16(len(b)))
			script = append(append(script, b...), tickPasses, tickPasses)
		}
	})
	g.join(ClientConfig{Gather: gatherPush(), Session: ClientSession{Random: netsys.SeededRandom(4)}}, netsys.Link{})
	g.connect()
	w := g.server.World()
	stays, goes := w.Spawn(place{1, 2}, tint{3}), w.Spawn(place{3, 4}, components.Owner{Client: 9})
	for n := range 60 {
		ecs.Get[place](w, stays).X++
		switch n {
		case 20:
			ecs.Add(w, stays, shots{5})
		case 30:
			w.Despawn(goes)
		}
		g.step()
	}
	return script
}

// checkClient checks the invariants of a client after arbitrary messages.
func checkClient(t *testing.T, c *Client) {
	t.Helper()
	unknown := 0
	for _, r := range c.mirror.Entities.All() {
		if c.mirror.Entities.Of(r.ID) != r {
			unknown++
		}
	}
	if len(c.mirror.Store.World.Groups) > wire.MaxGroups || len(c.mirror.Store.Own.Groups) > wire.MaxOwnGroups || unknown > 0 {
		t.Errorf("%d groups, %d own ones, %d of %d entities unknown by id", len(c.mirror.Store.World.Groups), len(c.mirror.Store.Own.Groups), unknown, len(c.mirror.Entities.All()))
	}
	used := 0
	count := func(st *mirror.State) {
		if st != nil {
			used += mirror.StateSize + 4*cap(st.Words)
		}
	}
	for _, x := range append(slices.Clone(c.mirror.Store.World.Groups), c.mirror.Store.Own.Groups...) {
		if x.Open != nil {
			t.Error("a packet was left half read")
		}
		for _, st := range x.Ring {
			count(st)
		}
	}
	for _, st := range c.mirror.Store.Memory.Free {
		count(st)
	}
	if used != c.mirror.Store.Memory.Used || used > mirror.MaxMemory {
		t.Errorf("%d bytes of states, counted %d", used, c.mirror.Store.Memory.Used)
	}
	if n := len(c.mirror.Entities.Gone()); n > mirror.MaxGone {
		t.Errorf("%d entities that are gone", n)
	}
	for _, w := range []*ecs.World{c.World(), c.View()} {
		w.Hash()
		n := 0
		for tab := range w.Netcode().Tables {
			n += len(tab.Entities)
			for _, comp := range c.shape.replicated {
				if p := tab.Column(comp); p != nil && comp.Words > 0 {
					if row, field := comp.Schema.FirstClamped(p, len(tab.Entities)); row >= 0 {
						t.Errorf("entity %d has a %s.%s out of its range", tab.NetIDs[row], comp.Name, comp.Schema.Fields[field].Path)
					}
				}
			}
		}
		if n > len(c.mirror.Entities.All()) {
			t.Errorf("%d entities of %d", n, len(c.mirror.Entities.All()))
		}
	}
}

// A client processes any notice without harm.
func FuzzNotices(f *testing.F) {
	for _, n := range []wire.Notice{
		{Kind: wire.NoticeInput, Tick: 9, Input: 7, Reason: "no magic"}, {Kind: wire.NoticeFast, Tick: 10, Inputs: 70},
		{Kind: wire.NoticeCommand, Tick: 3, Input: 1, Reason: "no"},
	} {
		f.Add(n.Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		g := newGame(t, peopled, ServerConfig{})
		c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
		g.connect()
		(*clientHandler)(c).Message(g.now, c.link.session, channel.Control, b)
		g.run(3)
		if err := c.Err(); err != nil && !errors.Is(err, ErrMessage) {
			t.Fatal(err)
		}
		checkClient(t, c)
	})
}
