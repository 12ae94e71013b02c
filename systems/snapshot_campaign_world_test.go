package systems

import (
	"math"
	"math/rand/v2"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// The harbour is the plaza with entities of all kinds in it. What a component holds
// says whether it was torn, or went where it should not.

// hull moves in the plane, in lines.
type hull struct {
	X      float32          `net:"-512..512 step 0.00390625 axis x lines 0.0625"`
	Y      float32          `net:"-512..512 step 0.00390625 axis y lines 0.0625"`
	Course float32          `net:"radians 0.01 along lines 0.02"`
	Aboard components.NetID `net:"ref parent"`
}

// crate tumbles in space.
type crate struct {
	X, Y, Z float32
	Turn    [4]float32
	Rise    float32
	On      components.NetID
}

// crateFields are the tags of a crate.
var crateFields = map[string]string{
	"X": "-256..256 step 0.01 axis x", "Y": "-256..256 step 0.01 axis y", "Z": "-256..256 step 0.01 axis z",
	"Turn": "quat 9", "Rise": "-60..60 step 0.01 rate z", "On": "ref parent",
}

// stock is an element of a list.
type stock struct {
	Kind  uint8  `net:"enum 5"`
	Count uint16 `net:"0..999"`
}

// manifest has fields of all other kinds.
type manifest struct {
	Name   components.Text[[12]byte]
	Hold   components.List[stock, [3]stock]
	State  uint8      `net:"enum 3"`
	Flags  uint16     `net:"flags 9"`
	Wind   [2]float32 `net:"unit 8"`
	Tide   int32      `net:"-8..8 step 0.0625 fixed 16 linear"`
	Lamp   uint16     `net:"0..65535 step 64 angle linear"`
	Number int64      `net:"raw"`
	Open   bool
}

// seal is the same number twice, and echo is the number of the seal beside it.
type seal struct {
	A uint16 `net:"0..65535"`
	B uint16 `net:"raw"`
}

type echo struct {
	A uint16 `net:"0..65535 linear"`
}

func sealed(a uint16) seal { return seal{a, a*40503 + 12345} }

// lit has no fields.
type lit struct{}

// chest and aim are for the owner of an entity alone, whose number they hold.
type chest struct {
	For  uint32 `net:"raw"`
	Gold uint32 `net:"raw"`
}

type aim struct {
	For uint32 `net:"raw"`
	At  uint16 `net:"0..65535"`
}

func chestOf(client uint32, n uint32) chest { return chest{client, n ^ client*2654435761} }

func harbour() *ecs.Protocol {
	p := plaza()
	ecs.Replicate[hull](p, ecs.Interpolated)
	ecs.ReplicateFields[crate](p, ecs.Interpolated, crateFields)
	ecs.Replicate[manifest](p, 0)
	ecs.Replicate[seal](p, 0)
	ecs.Replicate[echo](p, 0)
	ecs.Replicate[lit](p, 0)
	ecs.Replicate[chest](p, ecs.OwnerOnly)
	ecs.Replicate[aim](p, ecs.OwnerOnly|ecs.Predicted)
	return p
}

// thing is an entity of the harbour as the match moves it.
type thing struct {
	e          ecs.Entity
	id         uint32
	moves      int // how: one of the constants below
	vx, vy, vz float32
	turn       float32
}

const (
	still   = iota
	steady  // in lines, which bend now and then
	turning // all the time
	erratic // anywhere at any time
	ways
)

// seascape is a server's world and what happens to it.
type seascape struct {
	w       *ecs.World
	r       *rand.Rand
	live    []thing
	dead    []uint32
	most    int     // entities at one time
	churn   float64 // chance of a spawn and of a despawn in a tick
	reshape float64 // chance that a component comes or goes in a tick
	changes float64 // share of entities whose state changes in a tick
	owners  int     // one in so many entities is a client's
	joined  uint32  // clients so far
}

// owner is a client, often one that is gone.
func (s *seascape) owner() uint32 { return uint32(s.r.IntN(int(s.joined) + 1)) }

func (s *seascape) hull() hull {
	return hull{X: float32(s.r.IntN(800) - 400), Y: float32(s.r.IntN(800) - 400), Course: s.r.Float32()*6 - 3, Aboard: s.other()}
}

func (s *seascape) crate() crate {
	return crate{X: float32(s.r.IntN(400) - 200), Y: float32(s.r.IntN(400) - 200), Turn: [4]float32{0, 0, 0, 1}, On: s.other()}
}

// other is an entity that there is or was, or none.
func (s *seascape) other() components.NetID {
	switch {
	case len(s.live) > 0 && s.r.IntN(2) == 0:
		return components.NetID(s.live[s.r.IntN(len(s.live))].id)
	case len(s.dead) > 0 && s.r.IntN(4) == 0:
		return components.NetID(s.dead[s.r.IntN(len(s.dead))])
	}
	return 0
}

func (s *seascape) manifest() (m manifest) {
	m.Name.Set([]string{"", "Ada", "Ägir", "twelve bytes", "quite a bit longer"}[s.r.IntN(5)])
	for range s.r.IntN(4) {
		m.Hold.Append(stock{uint8(s.r.IntN(5)), uint16(s.r.IntN(1000))})
	}
	m.State, m.Flags, m.Open = uint8(s.r.IntN(3)), uint16(s.r.IntN(512)), s.r.IntN(2) == 0
	a := s.r.Float64() * 2 * math.Pi
	m.Wind = [2]float32{float32(math.Cos(a)), float32(math.Sin(a))}
	m.Tide, m.Lamp, m.Number = int32(s.r.IntN(16<<16)-8<<16), uint16(s.r.Uint32()), int64(s.r.Uint64())
	return m
}

// spawn adds an entity of one of the common kinds or of any.
func (s *seascape) spawn() {
	a := uint16(s.r.Uint32())
	values := []any{sealed(a), echo{a}}
	switch s.r.IntN(6) {
	case 0, 1:
		values = append(values, s.hull())
	case 2:
		values = append(values, s.crate())
	case 3:
		values = append(values, s.manifest(), lit{})
	case 4:
		values = append(values, place{X: float32(s.r.IntN(900) - 450)}, tint{uint8(s.r.IntN(200))})
	default:
		for _, v := range []any{s.hull(), s.crate(), s.manifest(), place{}, shots{uint16(s.r.IntN(99))}, tint{7}, lit{}} {
			if s.r.IntN(3) == 0 {
				values = append(values, v)
			}
		}
	}
	if s.r.IntN(s.owners) == 0 {
		who := s.owner()
		values = append(values, components.Owner{Client: who}, chestOf(who, s.r.Uint32()), push{})
		if s.r.IntN(2) == 0 {
			values = append(values, place{Y: float32(s.r.IntN(400))}, shots{}, aim{who, a})
			values = unique(values)
		}
	}
	s.add(s.w.Spawn(values...))
}

// unique leaves out values of a type that was there before.
func unique(values []any) (all []any) {
	places, counts := 0, 0
	for _, v := range values {
		switch v.(type) {
		case place:
			if places++; places > 1 {
				continue
			}
		case shots:
			if counts++; counts > 1 {
				continue
			}
		}
		all = append(all, v)
	}
	return all
}

func (s *seascape) add(e ecs.Entity) {
	way := s.r.IntN(ways)
	s.live = append(s.live, thing{
		e: e, id: uint32(s.w.NetID(e)), moves: way,
		vx: s.r.Float32() - 0.5, vy: s.r.Float32() - 0.5, vz: s.r.Float32() - 0.5, turn: s.r.Float32()*0.1 - 0.05,
	})
}

func (s *seascape) despawn(i int) {
	s.w.Despawn(s.live[i].e)
	s.dead = append(s.dead, s.live[i].id)
	s.live[i] = s.live[len(s.live)-1]
	s.live = s.live[:len(s.live)-1]
}

// hand gives an entity to a client, or to nobody, with what is for the owner alone.
func (s *seascape) hand(e ecs.Entity, who uint32) {
	ecs.Add(s.w, e, components.Owner{Client: who})
	if p := ecs.Get[chest](s.w, e); p != nil {
		*p = chestOf(who, s.r.Uint32())
	}
	if a := ecs.Get[aim](s.w, e); a != nil {
		a.For = who
	}
}

// disown takes the owner from an entity, with what is for the owner alone.
func (s *seascape) disown(e ecs.Entity) {
	s.hand(e, 0)
	ecs.Remove[components.Owner](s.w, e)
}
