package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
)

// fighter is the row of fighters.
type fighter struct {
	Owner *components.Owner
	Pos   *components.Position
	Is    *Fighter
	Who   *names.Named
	In    *Input
}

// fighters returns the fighters in the order of NetIDs, and their number.
func fighters(w *ecs.World) (f [2]fighter, n int) {
	for e := range ecs.EachInOrder[fighter](w) {
		f[n] = fighter{ecs.Get[components.Owner](w, e), ecs.Get[components.Position](w, e), ecs.Get[Fighter](w, e), ecs.Get[names.Named](w, e), ecs.Get[Input](w, e)}
		n++
	}
	return f, n
}

// ring returns the singleton to write to.
func ring(w *ecs.World) (r *Ring) {
	for _, x := range ecs.Each[struct{ Ring *Ring }](w) {
		r = x.Ring
	}
	return r
}

// join admits a client. It fights in a free corner, replaces a bot, or watches. A player who wants to fight waits in line.
func join(w *ecs.World, client uint32, login *Login) {
	both, n := fighters(w)
	r := ring(w)
	for _, f := range both[:n] {
		if n == 2 && f.Is.Bot && !login.Bot && !login.Watch {
			r.Bots.Append(f.Owner.Client)
			f.pass(client, false)
			return
		}
	}
	if login.Watch || n == 2 {
		r.Watching++
		if !login.Watch && !login.Bot {
			r.Line.Append(client) // without effect if the line is full
		}
		return
	}
	at := corner(0)
	if n == 1 && both[0].Pos.X < Width/2 {
		at = corner(1)
	}
	w.Spawn(components.Owner{Client: client}, components.Position{X: at}, Fighter{Bot: login.Bot, Lives: Lives, Right: at < Width/2}, names.Named{}, Input{})
}

// leave removes a client. Its fighter goes to the first player in line, back to a bot that it replaced, or is despawned.
func leave(w *ecs.World, client uint32) {
	both, n := fighters(w)
	r := ring(w)
	for _, f := range both[:n] {
		if f.Owner.Client != client {
			continue
		}
		if r.Line.Len() > 0 {
			f.pass(r.Line.Get(0), false)
			f.Is.Wins = 0
			r.Line.Remove(0)
			r.Watching--
			return
		}
		if r.Bots.Len() > 0 {
			f.pass(r.Bots.Get(0), true)
			r.Bots.Remove(0)
		}
		return
	}
	for i, bot := range r.Bots.All() {
		if *bot == client {
			r.Bots.Remove(i)
			return
		}
	}
	for i, waiting := range r.Line.All() {
		if *waiting == client {
			r.Line.Remove(i)
			break
		}
	}
	r.Watching--
}

// pass gives the fighter to another client, which may have another name.
func (f fighter) pass(client uint32, bot bool) {
	f.Owner.Client, f.Is.Bot, *f.Who = client, bot, names.Named{}
}

// corner returns the start position of a fighter.
func corner(i int) float32 { return Width/2 + float32(2*i-1)*Width/4 }

func walk(p *components.Position, by float32) { p.X = min(max(p.X+by, Wide/2), Width-Wide/2) }

// begin starts a phase of a fighter.
func (f *Fighter) begin(w *ecs.World, p Phase, seconds float64) {
	f.Phase, f.Left, f.Guard = p, ticks(w, seconds), false
}

func ticks(w *ecs.World, seconds float64) uint8 { return uint8(seconds*float64(w.TickRate()) + 0.5) }

// act moves both fighters by their phases and inputs.
func act(w *ecs.World) {
	both, n := fighters(w)
	for _, f := range both[:n] {
		f.Is.Guard = f.Is.Phase == Ready && f.In.Guard
		switch {
		case f.Is.Phase != Ready:
			f.Is.next(w)
		case f.In.Guard:
		case f.In.Strike:
			f.Is.begin(w, Windup, windup)
		default:
			walk(f.Pos, float32(f.In.Move)*speed*w.Step())
		}
	}
	a, b := both[0], both[1]
	if n < 2 {
		return
	} else if b.Pos.X < a.Pos.X {
		a, b = b, a
	}
	if overlap := Wide - (b.Pos.X - a.Pos.X); overlap > 0 { // they overlap: push them apart
		walk(a.Pos, -overlap/2)
		walk(b.Pos, overlap/2)
	}
	a.Is.Right = a.Is.Right || a.Is.Phase == Ready // a fighter turns only when it is ready
	b.Is.Right = b.Is.Right && b.Is.Phase != Ready
}

// next counts down the phase, or starts the following one. A fallen fighter lies until the next round.
func (f *Fighter) next(w *ecs.World) {
	switch f.Left--; {
	case f.Left > 0:
	case f.Phase == Windup:
		f.begin(w, Strike, strike)
	case f.Phase == Strike:
		f.begin(w, Recovery, recovery)
	case f.Phase != Fallen:
		f.Phase = Ready
	}
}

// hit applies the blows of this tick. It first determines the blows that land for both fighters, and then applies them. Two
// blows in the same tick both land. If they are a tick apart, only the first lands, because it staggers the other fighter.
func hit(w *ecs.World) {
	both, n := fighters(w)
	var lands, parried [2]bool
	for i, a := range both[:n] {
		if v := both[1-i]; n == 2 && a.Is.Phase == Strike && a.Is.Left == ticks(w, strike) && v.Is.Phase != Fallen {
			way := v.Pos.X - a.Pos.X
			lands[i] = max(way, -way) <= Reach && (way > 0) == a.Is.Right
			parried[i] = v.Is.Guard && v.Is.Right != a.Is.Right
		}
	}
	for i, a := range both {
		v := both[1-i]
		switch {
		case !lands[i]:
		case parried[i]:
			a.Is.begin(w, Recovery, blocked)
		default:
			a.Is.Hits++
			v.Is.begin(w, Staggered, staggered)
			if v.Is.Lives--; v.Is.Lives == 0 {
				v.Is.begin(w, Fallen, fallen)
			}
			if walk(v.Pos, recoil); !a.Is.Right {
				walk(v.Pos, -2*recoil)
			}
		}
	}
}

// round starts the next round when a fighter has been down for long enough.
func round(w *ecs.World) {
	both, n := fighters(w)
	over := false
	for _, f := range both[:n] {
		over = over || f.Is.Phase == Fallen && f.Is.Left == 0
	}
	for i, f := range both[:n] {
		if over {
			won := uint8(min(f.Is.Lives, 1))
			*f.Is = Fighter{Bot: f.Is.Bot, Lives: Lives, Right: i == 0, Wins: f.Is.Wins + won, Hits: f.Is.Hits}
			f.Pos.X = corner(i)
		}
	}
	if over {
		ring(w).Rounds++
	}
}
