package game

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// bout is a world with two fighters, stepped by hand.
type bout struct {
	*ecs.World
	a, b ecs.Entity
}

// newBout puts the fighters so far apart.
func newBout(apart float32) *bout {
	m := &bout{World: ecs.NewWorld(Protocol(), ecs.Config{})}
	for i, e := range []*ecs.Entity{&m.a, &m.b} {
		join(m.World, uint32(i+1), &Login{})
		for f := range ecs.EachOf[fighter](m.World, uint32(i+1)) {
			*e = f
		}
		ecs.Get[components.Position](m.World, *e).X = Width/2 + apart*float32(2*i-1)/2
	}
	return m
}

// step runs n ticks with held inputs. A press of Strike counts in the first of them only.
func (m *bout) step(n int, a, b Input) {
	*ecs.Get[Input](m.World, m.a), *ecs.Get[Input](m.World, m.b) = a, b
	systemstest.Step(m.World, n)
}

func (m *bout) is(e ecs.Entity) Fighter { return *ecs.Get[Fighter](m.World, e) }

func (m *bout) x(e ecs.Entity) float32 { return ecs.Get[components.Position](m.World, e).X }

var (
	strikes = Input{Strike: true}
	guards  = Input{Guard: true}
	idle    = Input{}
)

// A blow lands when it has been wound up, in reach, and once.
func TestBlow(t *testing.T) {
	m := newBout(Reach - 10)
	x := m.x(m.b)
	m.step(7, strikes, idle)
	if m.is(m.b).Lives != Lives {
		t.Error("it lands while it is wound up")
	}
	if m.step(3, idle, idle); m.is(m.b).Lives != Lives-1 || m.is(m.b).Phase != Staggered || m.is(m.a).Hits != 1 || m.x(m.b) != x+recoil {
		t.Errorf("it does not land: %+v at %v", m.is(m.b), m.x(m.b))
	}
	if m.step(40, idle, idle); m.is(m.b).Lives != Lives-1 || m.is(m.a).Phase != Ready || m.is(m.b).Phase != Ready {
		t.Errorf("later: %+v, %+v", m.is(m.a), m.is(m.b))
	}
	m = newBout(Reach + 10)
	if m.step(20, strikes, idle); m.is(m.b).Lives != Lives {
		t.Error("it lands out of reach")
	}
}

// Of two blows in the same tick both land, of two a tick apart the first alone.
func TestOrder(t *testing.T) {
	m := newBout(Reach - 10)
	if m.step(20, strikes, strikes); m.is(m.a).Lives != Lives-1 || m.is(m.b).Lives != Lives-1 {
		t.Errorf("in the same tick: %+v, %+v", m.is(m.a), m.is(m.b))
	}
	m = newBout(Reach - 10)
	m.step(1, idle, strikes)
	if m.step(20, strikes, idle); m.is(m.a).Lives != Lives-1 || m.is(m.b).Lives != Lives {
		t.Errorf("a tick apart: %+v, %+v", m.is(m.a), m.is(m.b))
	}
}

// A guarding fighter is not hit, and the attacker takes longer to recover.
func TestGuard(t *testing.T) {
	m := newBout(Reach - 10)
	if m.step(8, strikes, guards); m.is(m.b).Lives != Lives || m.is(m.a).Phase != Recovery || m.is(m.a).Left != ticks(m.World, blocked) {
		t.Errorf("%+v, %+v", m.is(m.a), m.is(m.b))
	}
}

// Fighters are in each other's way, and turn to each other.
func TestWay(t *testing.T) {
	m := newBout(200)
	m.step(60, Input{Move: 1}, Input{Move: -1})
	if gap := m.x(m.b) - m.x(m.a); gap < Wide-0.01 || gap > Wide+10 || !m.is(m.a).Right || m.is(m.b).Right {
		t.Errorf("they are %v apart: %+v, %+v", gap, m.is(m.a), m.is(m.b))
	}
}

// The third blow ends the round; then both are up again, and the winner has won.
func TestRound(t *testing.T) {
	m := newBout(Reach - 10)
	for range Lives {
		ecs.Get[components.Position](m.World, m.b).X = m.x(m.a) + Wide
		m.step(35, strikes, idle)
	}
	if m.is(m.b).Phase != Fallen {
		t.Fatalf("%+v", m.is(m.b))
	}
	if m.step(20, strikes, idle); m.is(m.a).Hits != Lives {
		t.Errorf("who has fallen is hit: %+v", m.is(m.a))
	}
	m.step(60, idle, idle)
	if m.is(m.a).Wins != 1 || m.is(m.b).Wins != 0 || m.is(m.b).Lives != Lives || m.x(m.b) != corner(1) || ecs.Single[Ring](m.World).Rounds != 1 {
		t.Errorf("%+v, %+v, %+v", m.is(m.a), m.is(m.b), ecs.Single[Ring](m.World))
	}
}

// The third player watches, and so does a player who asks for it. A free corner is filled again.
func TestJoin(t *testing.T) {
	w := ecs.NewWorld(Protocol(), ecs.Config{})
	for client, login := range []Login{{}, {Watch: true}, {}, {}} {
		join(w, uint32(client+1), &login)
	}
	both, n := fighters(w)
	if n != 2 || ecs.Single[Ring](w).Watching != 2 || both[0].Pos.X != corner(0) || both[1].Pos.X != corner(1) || both[1].Is.Right {
		t.Errorf("%d fight, %d watch", n, ecs.Single[Ring](w).Watching)
	}
	for e := range ecs.EachOf[fighter](w, 2) {
		t.Errorf("a spectator has %v", e)
	}
	leave(w, 2)
	leave(w, 1) // the player in line fights
	if both, n = fighters(w); n != 2 || ecs.Single[Ring](w).Watching != 0 || both[0].Owner.Client != 4 {
		t.Errorf("then %d fight, %d watch", n, ecs.Single[Ring](w).Watching)
	}
	leave(w, 4)
	for e := range ecs.EachOf[fighter](w, 4) {
		w.Despawn(e)
		break
	}
	join(w, 5, &Login{})
	if both, n = fighters(w); n != 2 || ecs.Single[Ring](w).Watching != 0 || both[1].Pos.X != corner(0) {
		t.Errorf("at last %d fight, %d watch", n, ecs.Single[Ring](w).Watching)
	}
}

// People take the places of bots, and give them back. A name stays with its player.
func TestBotsMakeRoom(t *testing.T) {
	w := ecs.NewWorld(Protocol(), ecs.Config{})
	owners := func() (all [2]uint32) {
		both, n := fighters(w)
		for i, f := range both[:n] {
			all[i] = f.Owner.Client
		}
		return all
	}
	join(w, 1, &Login{Bot: true})
	join(w, 2, &Login{Bot: true})
	for client, want := range [][2]uint32{{3, 2}, {3, 4}, {3, 4}} {
		if join(w, uint32(client+3), &Login{}); owners() != want {
			t.Errorf("when %d has come %v fight", client+3, owners())
		}
	}
	both, _ := fighters(w)
	both[1].Who.Name.Set("Ada")
	if leave(w, 4); owners() != [2]uint32{3, 5} || both[1].Who.Name.Len() != 0 { // 5 was in line
		t.Errorf("after 4 has left %v fight, %q", owners(), both[1].Who.Name)
	}
	if leave(w, 5); owners() != [2]uint32{3, 1} {
		t.Errorf("then %v fight", owners())
	}
	leave(w, 2)
	if leave(w, 3); ring(w).Bots.Len() != 0 || ecs.Single[Ring](w).Watching != 0 || owners()[0] != 3 {
		t.Errorf("in the end %v fight, and there is %+v", owners(), ecs.Single[Ring](w))
	}
}
