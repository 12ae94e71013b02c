package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Verdict is what came of a player's newest shot where that is decided: whom it hit in the
// world as its player saw it, and where that one really was by then. Nobody else is told.
// It is for looking at, and small: where a few snapshots in a row are lost, so is the
// verdict on a shot.
type Verdict struct {
	Whom  components.NetID `net:"ref"`      // 0: nobody
	Tick  uint32           `net:"raw"`      // of the server, after which the world is as it was judged; 0: no shot yet
	Ago   uint16           `net:"0..65535"` // from what the player saw to Tick, in 64ths of a tick; 0 where that is the present
	Shot  uint8            `net:"0..255"`   // its number: Fighter.Shots
	Clamp uint8            `net:"0..255"`   // a [lagcomp.Clamp]: whether the player's claim was believed
	Down  bool             // it was more than Whom could take
	From  Spot
	Then  Spot // of Whom as its player saw it; where there is nobody, where the shot ended
	Now   Spot // of Whom at Tick; Then where it is gone
}

// Spot is a place to look at, in eighths of a unit.
type Spot struct {
	X, Y int16 `net:"-32768..32767"`
}

// spotOf rounds a place.
func spotOf(p components.Position) Spot {
	eighths := func(v float32) int16 { return int16(min(max(math.Round(float64(v)*8), math.MinInt16), math.MaxInt16)) }
	return Spot{eighths(p.X), eighths(p.Y)}
}

// Place is where the spot is, in units.
func (s Spot) Place() (x, y float64) { return float64(s.X) / 8, float64(s.Y) / 8 }

// judge looks at a shot as its player saw it.
func judge(w *ecs.World, view lagcomp.View, shooter ecs.Entity, from components.Position, aim uint16) Verdict {
	v := Verdict{Clamp: uint8(view.Clamp()), Tick: w.Tick() + 1, From: spotOf(from)}
	if older, _ := view.States(); older != 0 {
		v.Ago = uint16(min(max(64*(float64(v.Tick)-view.Tick()), 0), math.MaxUint16))
	}
	e, then, found := Aimed(view, shooter, from, aim)
	if !found {
		sin, cos := math.Sincos(float64(aim) * (2 * math.Pi / 65536))
		v.Then = spotOf(components.Position{X: from.X + float32(Range*cos), Y: from.Y + float32(Range*sin)})
		v.Now = v.Then
		return v
	}
	v.Whom, v.Then, v.Now = view.NetID(e), spotOf(then), spotOf(then)
	if now := ecs.Get[components.Position](w, e); w.Alive(e) && now != nil {
		v.Now = spotOf(*now)
	}
	return v
}
