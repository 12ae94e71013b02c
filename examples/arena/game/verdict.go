package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Verdict is the server's result of a player's newest shot: the entity that it hit in the world as the player saw it, and
// the position of this entity in the present. Only the player receives it. It is for display: if several snapshots in a
// row are lost, the verdict on a shot is lost too.
type Verdict struct {
	Whom  components.NetID `net:"ref"`      // the entity that was hit; 0: none
	Tick  uint32           `net:"raw"`      // server tick at whose end the shot was decided; 0: no shot yet
	Ago   uint16           `net:"0..65535"` // time from the view that the player saw to Tick, in 64ths of a tick; 0 if the view was the present
	Shot  uint8            `net:"0..255"`   // number of the shot: Fighter.Shots
	Clamp uint8            `net:"0..255"`   // a [lagcomp.Clamp]: whether the server accepted the player's claim
	Down  bool             // the shot brought Whom down
	From  Spot             // position of the shooter
	Then  Spot             // position of Whom as the player saw it; the end of the shot if it hit nothing
	Now   Spot             // position of Whom at Tick; Then if Whom no longer exists
}

// Spot is a position for display, in eighths of a unit.
type Spot struct {
	X, Y int16 `net:"-32768..32767"`
}

// toSpot rounds a position to eighths of a unit.
func toSpot(p components.Position) Spot {
	eighths := func(v float32) int16 { return int16(min(max(math.Round(float64(v)*8), math.MinInt16), math.MaxInt16)) }
	return Spot{eighths(p.X), eighths(p.Y)}
}

// Place returns the position of the spot, in units.
func (s Spot) Place() (x, y float64) { return float64(s.X) / 8, float64(s.Y) / 8 }

// evaluateShot returns the result of a shot in the view that its player saw.
func evaluateShot(w *ecs.World, view lagcomp.View, shooter ecs.Entity, from components.Position, aim uint16) Verdict {
	v := Verdict{Clamp: uint8(view.Clamp()), Tick: w.Tick() + 1, From: toSpot(from)}
	if older, _ := view.States(); older != 0 {
		v.Ago = uint16(min(max(64*(float64(v.Tick)-view.Tick()), 0), math.MaxUint16))
	}
	e, then, found := Aimed(view, shooter, from, aim)
	if !found {
		sin, cos := math.Sincos(float64(aim) * (2 * math.Pi / 65536))
		far := reach(from, cos, sin)
		v.Then = toSpot(components.Position{X: from.X + float32(far*cos), Y: from.Y + float32(far*sin)})
		v.Now = v.Then
		return v
	}
	v.Whom, v.Then, v.Now = view.NetID(e), toSpot(then), toSpot(then)
	if now := ecs.Get[components.Position](w, e); w.Alive(e) && now != nil {
		v.Now = toSpot(*now)
	}
	return v
}
