package campaign

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// The changes that the server makes to the world depend only on the world and its tick. So any peer can repeat them.

// tideRow is an entity that the server may do something to.
type tideRow struct {
	Owner    *components.Owner `ecs:"optional"`
	Cannon   *cannon           `ecs:"optional"`
	Hull     *hull             `ecs:"optional"`
	Manifest *manifest         `ecs:"optional"`
	Seal     *seal
	Echo     *echo    `ecs:"optional"`
	Purse    *purse   `ecs:"optional"`
	Aim      *aim     `ecs:"optional"`
	Flotsam  *flotsam `ecs:"optional"`
	Spot     *spot    `ecs:"optional"`
	Side     *side    `ecs:"optional"`
	Tow      *tow     `ecs:"optional"`
}

// thing is an entity of a tick, by a copy of its owner.
type thing struct {
	e ecs.Entity
	tideRow
}

// surge is the server's changes of the world in one tick.
type surge struct {
	*draw
	w      *ecs.World
	r      ecs.Rand
	things []thing
	gone   map[ecs.Entity]bool
}

// tide is a system of Authority that moves, spawns and despawns entities, and changes owners.
func (d *draw) tide(w *ecs.World) {
	tick := w.Tick()
	if d.rests(tick) {
		return
	}
	x := surge{draw: d, w: w, r: ecs.NewRand(w.Seed(), uint64(tick)), gone: map[ecs.Entity]bool{}}
	rafts := 0
	for e, row := range ecs.EachInOrder[tideRow](w) {
		x.things = append(x.things, thing{e, row})
		if row.Flotsam != nil {
			rafts++
		}
	}
	for _, t := range ecs.Each[struct{ Tides *tides }](w) {
		t.Tides.Turn = tick / 8
		t.Tides.Mark = t.Tides.Turn * 2654435761
	}
	for i := range x.things {
		x.move(&x.things[i])
	}
	x.whims()
	if x.chance(d.churn) && rafts < d.most {
		x.spawn()
	}
	if x.chance(d.churn) && rafts > d.most/2 {
		x.despawn()
	}
	if x.chance(d.storms / 100) { // all at once
		if x.r.IntN(2) == 0 {
			for range 2 * rafts {
				x.despawn()
			}
		} else {
			for ; rafts < d.most; rafts++ {
				x.spawn()
			}
		}
	}
	switch { // never both to one
	case x.chance(d.reshape):
		x.toggle()
	case x.chance(d.handover):
		x.hand()
	case x.chance(d.carry):
		x.tow()
	}
}

func (x *surge) chance(share float64) bool { return x.r.Float64() < share }

// any returns a random thing, or nil if there is none.
func (x *surge) any(flotsam bool) *thing {
	for range 8 {
		if len(x.things) == 0 {
			return nil
		}
		t := &x.things[x.r.IntN(len(x.things))]
		if !x.gone[t.e] && (!flotsam || t.Flotsam != nil) {
			return t
		}
	}
	return nil
}

// move moves and changes a thing.
func (x *surge) move(t *thing) {
	if h := t.Hull; h != nil {
		at := float64(x.w.Tick())/64 + float64(x.w.NetID(t.e))
		if x.w.Tick()/64%4 != 0 {
			at = math.Floor(at) // steady for a while
		}
		sin, cos := math.Sincos(at)
		h.X = min(max(h.X+float32(cos)/2, -500), 500)
		h.Y = min(max(h.Y+float32(sin)/2, -500), 500)
		h.Course = float32(math.Mod(at, 2*math.Pi) * 180 / math.Pi)
	}
	if !x.chance(x.changes) {
		return
	}
	a := t.Seal.A + uint16(x.r.IntN(40)) - 10
	if *t.Seal = sealed(a); t.Echo != nil {
		t.Echo.A = a
	}
	if t.Manifest != nil {
		*t.Manifest = x.manifest()
	}
	if t.Side != nil && x.r.IntN(8) == 0 {
		t.Side.N = uint8(x.r.IntN(4))
	}
	if t.Purse != nil {
		t.Purse.Gold = t.Purse.For * 2654435761
	}
	if t.Hull != nil && x.r.IntN(4) == 0 {
		t.Hull.Aboard = x.w.NetID(x.things[x.r.IntN(len(x.things))].e)
	}
}

// whims are changes that a client cannot predict unless it simulates everything: guns jam, and shells last longer or shorter.
func (x *surge) whims() {
	if !x.whimsy {
		return
	}
	for e, r := range ecs.Each[struct{ Cannon *cannon }](x.w) {
		if draw := x.w.Rand(e); draw.IntN(150) == 0 {
			r.Cannon.Stunned = 20
		}
	}
	for e, r := range ecs.Each[struct{ Shell *shell }](x.w) {
		switch draw := x.w.Rand(e); draw.IntN(200) {
		case 0:
			r.Shell.Left += 20
		case 1:
			r.Shell.Left = 1
		}
	}
}

// tumble moves crates.
func (d *draw) tumble(w *ecs.World) {
	if d.rests(w.Tick()) {
		return
	}
	sin, cos := math.Sincos(float64(w.Tick()) / 16)
	for _, r := range ecs.Each[struct{ Crate *crate }](w) {
		c := r.Crate
		c.Rise = float32(sin) * 60
		c.X, c.Z = float32(cos)*250, min(max(c.Z+float32(sin), -250), 250)
		c.Turn = [4]float32{float32(cos), float32(sin)}
	}
}

// owner returns a random client, often an absent one, or 0.
func (x *surge) owner() uint32 {
	switch n := x.r.IntN(8); {
	case n == 0:
		return 0
	case n == 1:
		return 1000 + uint32(x.r.IntN(3)) // nobody there
	}
	return 1 + uint32(x.r.IntN(x.clients+4))
}

func (x *surge) hull() hull {
	return hull{X: float32(x.r.IntN(800) - 400), Y: float32(x.r.IntN(800) - 400), Course: x.r.Float32() * 360}
}

func (x *surge) manifest() (m manifest) {
	m.Name.Set([]string{"", "Ada", "Ägir", "twelve bytes", "quite a bit longer"}[x.r.IntN(5)])
	for range x.r.IntN(4) {
		m.Hold.Append(stock{uint8(x.r.IntN(5)), uint16(x.r.IntN(1000))})
	}
	m.State, m.Flags, m.Open = uint8(x.r.IntN(3)), uint16(x.r.IntN(512)), x.r.IntN(2) == 0
	a := x.r.Float64() * 2 * math.Pi
	m.Wind = [2]float32{float32(math.Cos(a)), float32(math.Sin(a))}
	m.Tide, m.Lamp, m.Number = float32(x.r.IntN(16<<16)-8<<16)/(1<<16), uint16(x.r.Uint64()), int64(x.r.Uint64())
	return m
}

// spawn adds an entity of one of the common kinds or of any.
func (x *surge) spawn() {
	kind, a := uint8(x.r.IntN(6)), uint16(x.r.Uint64())
	values := []any{flotsam{kind}, sealed(a), echo{a}}
	switch kind {
	case 0, 1:
		values = append(values, x.hull())
	case 2:
		values = append(values, x.manifest(), lit{})
	case 3: // a boat: whoever owns it steers it
		values = append(values, spot{X: float32(x.r.IntN(600) - 300), Y: 50}, order{}, components.Owner{Client: x.owner()})
	case 4: // a ball
		values = append(values, spot{X: float32(x.r.IntN(40) - 20), Y: float32(x.r.IntN(2))}, roll{})
	default:
		if values = append(values, spot{}); x.r.IntN(2) == 0 {
			values = append(values, x.manifest())
		}
		if x.r.IntN(2) == 0 {
			values = append(values, x.hull())
		}
		if x.flood {
			values = append(values, crate{Y: float32(x.r.IntN(200)), Turn: [4]float32{0, 1}, On: components.NetID(x.r.IntN(100))})
		}
		if x.r.IntN(3) == 0 {
			who := x.owner()
			values = append(values, components.Owner{Client: who}, purse{who, who * 2654435761}, aim{})
		}
	}
	if x.r.IntN(2) == 0 {
		values = append(values, side{uint8(x.r.IntN(4))})
	}
	x.w.Spawn(values...)
}

func (x *surge) despawn() {
	if t := x.any(true); t != nil {
		x.w.Despawn(t.e)
		x.gone[t.e] = true
	}
}

// toggle adds a component to a piece of flotsam, or removes it.
func (x *surge) toggle() {
	t := x.any(true)
	if t == nil {
		return
	}
	switch x.r.IntN(9) {
	case 0:
		toggle(x.w, t.e, spot{X: float32(x.r.IntN(400))})
	case 1:
		toggle(x.w, t.e, order{})
	case 2:
		toggle(x.w, t.e, x.hull())
	case 3:
		toggle(x.w, t.e, x.manifest())
	case 4:
		toggle(x.w, t.e, lit{})
	case 5:
		toggle(x.w, t.e, echo{t.Seal.A})
	case 6:
		toggle(x.w, t.e, roll{X: 0.25})
	case 7:
		toggle(x.w, t.e, side{uint8(x.r.IntN(4))})
	default:
		if t.Owner != nil {
			toggle(x.w, t.e, purse{t.Owner.Client, t.Owner.Client * 2654435761})
		}
	}
}

// toggle removes a component from an entity, or adds it.
func toggle[T any](w *ecs.World, e ecs.Entity, v T) {
	if ecs.Has[T](w, e) {
		ecs.Remove[T](w, e)
	} else {
		ecs.Add(w, e, v)
	}
}

// tow attaches a thing to another one, or detaches it. Half of them carry each other, and one in four are guns, of
// different players.
func (x *surge) tow() {
	a, b := x.any(false), x.any(false)
	if x.r.IntN(4) == 0 {
		a, b = x.gun(), x.gun()
	}
	if a == nil || b == nil || a.Spot == nil {
		return
	}
	by := func(t *thing) tow {
		return tow{By: x.w.NetID(t.e), X: float32(x.r.IntN(9) - 4), Y: float32(x.r.IntN(3) - 1)}
	}
	switch {
	case a.Tow != nil && x.r.IntN(2) == 0:
		ecs.Remove[tow](x.w, a.e)
	case a.Tow != nil:
		*a.Tow = by(b)
	default:
		ecs.Add(x.w, a.e, by(b))
	}
	if x.r.IntN(2) == 0 && b.Spot != nil && b.Tow == nil && b != a {
		ecs.Add(x.w, b.e, by(a))
	}
}

// gun returns a random gun, or nil if there is none.
func (x *surge) gun() *thing {
	if len(x.things) == 0 {
		return nil
	}
	first := x.r.IntN(len(x.things))
	for i := range x.things {
		if t := &x.things[(first+i)%len(x.things)]; t.Cannon != nil {
			return t
		}
	}
	return nil
}

// hand gives a thing to a client, present or absent, or to nobody, and updates its owner-only components.
func (x *surge) hand() {
	t := x.any(x.r.IntN(3) > 0)
	if t == nil {
		return
	}
	who := x.owner()
	if t.Purse != nil {
		*t.Purse = purse{who, who * 2654435761}
	}
	if t.Owner != nil && x.r.IntN(6) == 0 && t.Cannon == nil {
		ecs.Remove[components.Owner](x.w, t.e)
		if t.Purse != nil {
			ecs.Remove[purse](x.w, t.e)
		}
		return
	}
	ecs.Add(x.w, t.e, components.Owner{Client: who})
}
