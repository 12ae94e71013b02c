package systems

import (
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// departure is a game of two in which the second client leaves.
type departure struct {
	*game
	gone  *Client
	left  []uint32
	there bool // its pawn, when Leave was called
}

// newDeparture creates the match. If keep is true, the entities of a departed player stay in the world without an owner.
func newDeparture(t *testing.T, keep bool) *departure {
	d := &departure{}
	protocol := func() *ecs.Protocol {
		p := peopled()
		p.Leave(func(w *ecs.World, client uint32) {
			d.left = append(d.left, client)
			_, d.there = d.pawnOf(t, client)
			for e, r := range ecs.All[ownerRow](w) {
				if keep && r.Owner.Client == client {
					ecs.Remove[components.Owner](w, e)
				}
			}
		})
		return p
	}
	d.game = newGame(t, protocol, ServerConfig{Session: ServerSession{Timeout: 2 * time.Second}})
	run := Gather(func(_ *Client, in *push) { in.DX, in.Fire = 1, true })
	d.join(ClientConfig{Gather: run}, netsys.Link{})
	d.gone = d.join(ClientConfig{Gather: run}, netsys.Link{})
	d.connect()
	d.run(60)
	return d
}

// vanish stops the client without closing its session.
func (d *departure) vanish() { d.clients = d.clients[:1] }

// orphans returns the pawns without an owner, and their inputs.
func (d *departure) orphans() (all []place, in []push) {
	for e, r := range ecs.Each[pawn](d.server.World()) {
		if !ecs.Has[components.Owner](d.server.World(), e) {
			all, in = append(all, *r.At), append(in, *r.In)
		}
	}
	return all, in
}

// A client that vanishes leaves after the timeout. Its entities are then despawned, except for those that the protocol's Leave
// function keeps.
func TestVanishedClientTimesOut(t *testing.T) {
	for _, keep := range []bool{false, true} {
		d := newDeparture(t, keep)
		id := d.gone.ID()
		d.vanish()
		d.run(110)
		if len(d.left) != 0 {
			t.Fatal("gone before its time was up")
		}
		d.run(20)
		if len(d.left) != 1 || d.left[0] != id || !d.there {
			t.Fatalf("left: %v, the pawn was there: %v", d.left, d.there)
		}
		_, there := d.pawnOf(t, id)
		if all, _ := d.orphans(); there || (len(all) == 1) != keep {
			t.Errorf("keep %v: the pawn is there: %v, nobody's are %v", keep, there, all)
		}
		d.mustConverge()
	}
}

// Entities that a departed client leaves in the world continue with neutral input. No later client gets its number.
func TestKeptEntitiesGoOnNeutral(t *testing.T) {
	d := newDeparture(t, true)
	id := d.gone.ID()
	if err := d.gone.Close(d.now); err != nil {
		t.Fatal(err)
	}
	d.vanish()
	d.run(2)
	if len(d.left) != 1 {
		t.Fatal("a goodbye was not heard")
	}
	at, _ := d.orphans()
	d.run(60)
	later, in := d.orphans()
	if len(at) != 1 || len(later) != 1 || later[0] != at[0] || in[0] != (push{}) {
		t.Errorf("nobody's pawns went from %v to %v, with inputs %+v", at, later, in)
	}
	for range 3 {
		k := d.join(ClientConfig{}, netsys.Link{})
		d.connect()
		if k.ID() <= id {
			t.Errorf("number %d was given after %d", k.ID(), id)
		}
	}
	d.mustConverge()
}

func TestGoodbyeDespawnsAtOnce(t *testing.T) {
	d := newDeparture(t, false)
	id := d.gone.ID()
	if err := d.gone.Close(d.now); err != nil {
		t.Fatal(err)
	}
	d.step()
	if _, there := d.pawnOf(t, id); there || len(d.left) != 1 || !d.there {
		t.Errorf("left: %v; the pawn was there then: %v, is there: %v", d.left, d.there, there)
	}
	d.run(5)
	if err := d.gone.Err(); !errors.Is(err, netsys.ErrClosed) {
		t.Errorf("who left says %v", err)
	}
	d.vanish()
	d.mustConverge()
	if st := d.server.Stats(); st.Inputs.Consumed == 0 || st.BytesIn == 0 {
		t.Errorf("what it did is forgotten: %+v", st)
	}
}

// A silent server ends the session with ErrTimeout, a closing one with ErrClosed. The client's world can be read afterwards.
func TestServerGoes(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{})
	c := g.join(ClientConfig{Session: ClientSession{Timeout: time.Second}}, netsys.Link{})
	k := g.join(ClientConfig{Session: ClientSession{Timeout: time.Second}}, netsys.Link{})
	g.connect()
	g.run(30)
	g.frozen = true
	g.run(50)
	if c.Err() != nil {
		t.Fatalf("gone before the timeout: %v", c.Err())
	}
	g.run(20)
	for _, c := range []*Client{c, k} {
		if !errors.Is(c.Err(), netsys.ErrTimeout) || c.Connected() || c.World() == nil {
			t.Errorf("a server that vanished: %v", c.Err())
		}
	}
	g = newGame(t, peopled, ServerConfig{})
	c = g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	g.run(5)
	if err := g.server.Close(g.now); err != nil {
		t.Fatal(err)
	}
	g.frozen = true
	g.run(3)
	var closed *netsys.CloseError
	if !errors.Is(c.Err(), netsys.ErrClosed) || !errors.As(c.Err(), &closed) || closed.Reason != netsys.ReasonServerClosing {
		t.Errorf("a server that closed: %v", c.Err())
	}
	if n := c.Advance(g.now.Add(time.Second)); n != 0 {
		t.Errorf("%d ticks after the end", n)
	}
}

// A client gives up after its configured Timeout if the server never answers, but at the latest after 20 s.
func TestNobodyAnswers(t *testing.T) {
	for timeout, after := range map[time.Duration]int{time.Second: 60, 10 * time.Minute: 1200} {
		g := newGame(t, plaza, ServerConfig{})
		g.frozen = true
		c := g.join(ClientConfig{Session: ClientSession{Timeout: timeout}}, netsys.Link{})
		g.run(after - 10)
		if c.Err() != nil {
			t.Fatalf("timeout %v: given up early: %v", timeout, c.Err())
		}
		g.run(20)
		if !errors.Is(c.Err(), netsys.ErrTimeout) {
			t.Errorf("timeout %v: after %d ticks: %v", timeout, after+10, c.Err())
		}
	}
}

// The snapshot sender keeps no departed client in memory.
func TestTellerLetsGoOfClients(t *testing.T) {
	d := newDeparture(t, false)
	teller := d.server.model.sender.(*snapshotSender)
	if cap(teller.receivers) == 0 {
		t.Fatal("nobody was told of anything")
	}
	for i, p := range teller.receivers[:cap(teller.receivers)] {
		if p != nil || i < cap(teller.links) && teller.links[:cap(teller.links)][i] != nil {
			t.Errorf("place %d keeps client %v after a send", i, p)
		}
	}
}
