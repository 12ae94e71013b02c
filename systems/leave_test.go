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

func newDeparture(t *testing.T, policy LeavePolicy) *departure {
	d := &departure{}
	d.game = newGame(t, plaza, ServerConfig{
		Join: spawnPawn, LeavePolicy: policy, Timeout: 2 * time.Second,
		Leave: func(_ *ecs.World, client uint32) {
			d.left = append(d.left, client)
			_, d.there = d.pawnOf(t, client)
		},
	})
	run := Gather(func(_ *Client, in *push) { in.DX, in.Fire = 1, true })
	d.join(ClientConfig{Gather: run}, netsys.Link{})
	d.gone = d.join(ClientConfig{Gather: run}, netsys.Link{})
	d.connect()
	d.run(60)
	return d
}

// vanish stops the client without a word.
func (d *departure) vanish() { d.clients = d.clients[:1] }

// A client that vanishes is gone after the timeout, not before, and LeavePolicy
// takes effect.
func TestVanishedClientTimesOut(t *testing.T) {
	for _, policy := range []LeavePolicy{DespawnOwned, KeepOwned} {
		d := newDeparture(t, policy)
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
		if there != (policy == KeepOwned) {
			t.Errorf("policy %d: the pawn is there: %v", policy, there)
		}
		d.mustConverge()
	}
}

// What a gone client leaves in the world goes on with the neutral input, and
// stays its own: nobody who comes later gets its number.
func TestKeptEntitiesGoOnNeutral(t *testing.T) {
	d := newDeparture(t, KeepOwned)
	id := d.gone.ID()
	if err := d.gone.Close(d.now); err != nil {
		t.Fatal(err)
	}
	d.vanish()
	d.run(2)
	if len(d.left) != 1 {
		t.Fatal("a goodbye was not heard")
	}
	at, _ := d.pawnOf(t, id)
	d.run(60)
	if later, there := d.pawnOf(t, id); !there || later != at {
		t.Errorf("the pawn went from %v to %v (there: %v)", at, later, there)
	}
	in, simulated := push{DX: 1}, 0
	for e, r := range ecs.Each[pawn](d.server.World()) {
		if ecs.Get[components.Owner](d.server.World(), e).Client == id {
			in, simulated = *r.In, simulated+1
		}
	}
	if in != (push{}) || simulated != 1 {
		t.Errorf("its input is %+v, it is simulated: %d", in, simulated)
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
	d := newDeparture(t, DespawnOwned)
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

// A silent server ends the session with ErrTimeout, a closing one with ErrClosed;
// the client's world can be looked at afterwards.
func TestServerGoes(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{Join: spawnPawn})
	c := g.join(ClientConfig{Timeout: time.Second}, netsys.Link{})
	k := g.join(ClientConfig{Timeout: time.Second}, netsys.Link{})
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
	g = newGame(t, plaza, ServerConfig{Join: spawnPawn})
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

// A server that never answers is given up after Timeout, which is not the
// default of the session below.
func TestNobodyAnswers(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{})
	g.frozen = true
	c := g.join(ClientConfig{Timeout: time.Second}, netsys.Link{})
	g.run(50)
	if c.Err() != nil {
		t.Fatalf("given up early: %v", c.Err())
	}
	g.run(20)
	if !errors.Is(c.Err(), netsys.ErrTimeout) {
		t.Errorf("after more than a second: %v", c.Err())
	}
}

// A full server says so.
func TestFullServer(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{MaxClients: 1})
	g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	c := g.join(ClientConfig{}, netsys.Link{})
	g.run(30)
	if !errors.Is(c.Err(), netsys.ErrServerFull) {
		t.Errorf("%v", c.Err())
	}
}
