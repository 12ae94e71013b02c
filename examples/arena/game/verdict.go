package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Verdict is what came of a shot where that is decided: whom it hit in the world as its
// player saw it, and where that one really was by then.
type Verdict struct {
	Shot  uint8            `net:"0..255"` // its number: Fighter.Shots
	Whom  components.NetID `net:"ref"`    // 0: nobody
	Down  bool             // it was more than Whom could take
	Clamp uint8            `net:"0..255"` // a [lagcomp.Clamp]: whether the player's claim was believed
	Tick  uint32           `net:"raw"`    // of the server, after which the world is as it was judged
	Ago   float32          `net:"raw"`    // ticks from what the player saw to Tick; 0 where that is the present
	From  components.Position
	Then  components.Position // of Whom as its player saw it; where there is nobody, where the shot ended
	Now   components.Position // of Whom at Tick; Then where it is gone
}

// Verdicts are what came of a player's newest shots; each stands at its number modulo
// their length. Nobody else is told.
type Verdicts struct {
	Newest components.List[Verdict, [4]Verdict]
}

// note puts a verdict in its place.
func (l *Verdicts) note(v Verdict) {
	for l.Newest.Len() < l.Newest.Cap() {
		l.Newest.Append(Verdict{})
	}
	*l.Newest.At(int(v.Shot) % l.Newest.Cap()) = v
}

// Next returns the oldest verdict of a later tick; false when there is none yet. Verdicts
// that have made room for newer ones are left out.
func (l *Verdicts) Next(after uint32) (v Verdict, ok bool) {
	for _, n := range l.Newest.All() {
		if n.Tick > after && (!ok || n.Tick < v.Tick) {
			v, ok = *n, true
		}
	}
	return v, ok
}

// judge looks at a shot as its player saw it.
func judge(w *ecs.World, view lagcomp.View, shooter ecs.Entity, from components.Position, aim uint16) Verdict {
	v := Verdict{From: from, Clamp: uint8(view.Clamp()), Tick: w.Tick() + 1}
	if older, _ := view.States(); older != 0 {
		v.Ago = float32(max(float64(v.Tick)-view.Tick(), 0))
	}
	e, then, found := Aimed(view, shooter, from, aim)
	if !found {
		sin, cos := math.Sincos(float64(aim) * (2 * math.Pi / 65536))
		v.Then = components.Position{X: from.X + float32(Range*cos), Y: from.Y + float32(Range*sin)}
		v.Now = v.Then
		return v
	}
	v.Whom, v.Then, v.Now = view.NetID(e), then, then
	if now := ecs.Get[components.Position](w, e); w.Alive(e) && now != nil {
		v.Now = *now
	}
	return v
}
