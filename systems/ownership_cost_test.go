package systems

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/policy"
)

// A client-owned cursor that moves in every tick allocates nothing and adds few bytes to the input packets. A cursor at rest
// costs nothing.
func TestAuthorityCosts(t *testing.T) {
	g := gallery(t, 3, netsys.Link{Latency: 50 * time.Millisecond, Loss: 0.05}, ServerConfig{}, nil)
	up := func(ticks int, move bool) (bytes, packets float64) {
		c := g.clients[0]
		before := c.Stats()
		for n := range ticks {
			if move {
				draw(c, c.ID(), cursor{X: float32(n % 500), Y: 7})
			}
			g.step()
		}
		after := c.Stats()
		extra := after.Session.PayloadOut - before.Session.PayloadOut - (after.InputBytes - before.InputBytes)
		return float64(extra) / float64(ticks), float64(after.Session.DatagramsOut-before.Session.DatagramsOut) / float64(ticks)
	}
	up(3600, true) // until rings are full
	moving, packets := up(600, true)
	up(60, false)
	standing, _ := up(600, false)
	t.Logf("%.2f bytes a tick while the cursor moves, in %.2f packets; %.2f while it stands", moving, packets, standing)
	if moving > 6 || packets > 1.05 || standing > 0 {
		t.Errorf("%.2f bytes a tick and %.2f packets while it moves, %.2f bytes while it stands", moving, packets, standing)
	}
	if !race.Enabled {
		w := g.clients[0].World()
		mine := painterOf(w, g.clients[0].ID())
		n := testing.AllocsPerRun(1, func() {
			for k := range 600 {
				*ecs.Get[cursor](w, mine) = cursor{X: float32(k % 500), Y: 9}
				g.step()
			}
		})
		if n > 0 {
			t.Errorf("%.0f allocations in 600 ticks", n)
		}
	}
	g.mustConverge()
}

// If the changed components do not fit into a packet, they take turns, and all arrive.
func TestManyComponentsTakeTurns(t *testing.T) {
	g := gallery(t, 1, badLink, ServerConfig{}, nil)
	c, w := g.clients[0], g.server.World()
	for range 120 {
		w.Spawn(components.Owner{Client: c.ID()}, place{}, push{}, cursor{})
	}
	mine := func(w *ecs.World) (n int) {
		for range ecs.All[struct{ C cursor }](w) {
			n++
		}
		return n
	}
	g.until("all are there", func() bool { return mine(c.World()) == 121 })
	before := c.Stats().Session.PayloadOut
	n := float32(0)
	for _, r := range ecs.Each[struct{ C *cursor }](c.World()) {
		r.C.X = n
		n++
	}
	g.step()
	if got := c.Stats().Session.PayloadOut - before; got > 2*wire.ChangeRoom {
		t.Errorf("%d bytes in a tick", got)
	}
	g.run(4 * 60)
	sum := float32(0)
	for _, r := range ecs.All[struct{ C cursor }](w) {
		sum += r.C.X
	}
	if sum != n*(n-1)/2 {
		t.Errorf("the sum is %v, want %v", sum, n*(n-1)/2)
	}
	g.mustConverge()
}

// A client that returns after an outage can write again, and learns which components it may no longer write.
func TestAuthorityOfWhoComesBack(t *testing.T) {
	s := ServerConfig{Players: Players{ReconnectWindow: time.Minute}, Session: ServerSession{Timeout: time.Second}}
	g := newGame(t, joining(canvas, spawnPainter), s)
	c := g.join(ClientConfig{Session: ClientSession{ClientID: 5, Timeout: time.Second}, Gather: gatherPush()}, netsys.Link{})
	g.connect()
	g.run(30)
	id := c.ID()
	draw(c, id, cursor{X: 33})
	g.run(30)
	w := g.server.World()
	if err := g.links[0].SetLinks(netsys.Link{Loss: 1}, netsys.Link{Loss: 1}); err != nil {
		t.Fatal(err)
	}
	g.run(120)
	second := w.Spawn(components.Owner{Client: id}, place{}, push{}, cursor{X: 4, Y: 4})
	Revoke(w, second)
	k := g.join(ClientConfig{Session: ClientSession{ClientID: 5}, Gather: gatherPush()}, netsys.Link{})
	g.until("it is back", func() bool { return k.Connected() && !painterOf(k.World(), id).IsZero() })
	g.run(60)
	if k.ID() != id {
		t.Fatalf("client %d came back as %d", id, k.ID())
	}
	rows := 0
	for e, r := range ecs.All[struct{ C cursor }](k.World()) {
		rows++
		if got, want := k.MayWrite(e), r.C.X == 33; got != want {
			t.Errorf("%v: authority %v", r.C, got)
		}
		*ecs.Get[cursor](k.World(), e) = cursor{X: r.C.X + 1}
	}
	g.run(60)
	if got := *ecs.Get[cursor](w, second); rows != 2 || got != (cursor{X: 4, Y: 4}) {
		t.Errorf("%d components; what was revoked is %v", rows, got)
	}
	for _, r := range ecs.All[struct{ C cursor }](w) {
		if r.C.X != 34 && r.C.X != 4 {
			t.Errorf("%v stands on the server", r.C)
		}
	}
}

// A server that rewinds keeps the values that clients wrote meanwhile.
func TestAuthorityOfAServerThatRewinds(t *testing.T) {
	g := gallery(t, 2, badLink, ServerConfig{Seed: 3, Model: policy.ServerRewind{}}, nil)
	for n := range 600 {
		for _, c := range g.clients {
			draw(c, c.ID(), cursor{X: float32(n % 300), Y: 9})
		}
		g.step()
		for _, c := range g.clients {
			if got := cursorOf(g.server.World(), c.ID()); n > 120 && got.Y != 9 {
				t.Fatalf("tick %d: the server has %v", n, got)
			}
		}
	}
	if g.server.Stats().ResimulatedTicks == 0 {
		t.Error("it never went back")
	}
	g.mustConverge()
	for _, c := range g.clients {
		if got := cursorOf(g.server.World(), c.ID()); got != (cursor{X: 299, Y: 9}) {
			t.Errorf("the server has %v", got)
		}
	}
}

// Players.Refuse refuses relayed inputs too, and the client is notified.
func TestRefusedInputsThatAreRelayed(t *testing.T) {
	for _, preset := range []policy.Model{policy.Rollback{}, policy.ServerRewind{}} {
		var told []Refusal
		g := newGame(t, peopled, ServerConfig{Seed: 4, Players: Players{Refuse: noShots()}, Model: preset})
		n := 0
		g.join(ClientConfig{OnRefused: func(r Refusal) { told = append(told, r) }, Gather: Gather(func(_ *Client, in *push) {
			n++
			in.Fire = n > 120 && n%60 == 0
		})}, netsys.Link{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05})
		g.connect()
		g.run(900)
		for e := range ecs.All[ownerRow](g.server.World()) {
			if n := ecs.Get[shots](g.server.World(), e).Count; n != 0 {
				t.Errorf("%v: %d shots in spite of it", preset, n)
			}
		}
		if len(told) < 10 || told[0].Cause != RefusedInput || told[0].Reason != errMagic.Error() {
			t.Errorf("%v: told %+v", preset, told)
		}
		if err := g.clients[0].Err(); err != nil {
			t.Errorf("%v: %v", preset, err)
		}
	}
}
