package vehicles

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

const (
	walking = 1  // units per tick
	driving = 3  // units per tick
	reach   = 40 // units at which a soldier can board a car
	radius  = 8  // of a target
)

// Input is the input of a player for one tick. The soldier and the car of the player both get it.
type Input struct {
	DX, DY int8          `net:"-1..1"`
	Use    bool          `net:"edge"` // board, or get out
	Fire   bool          `net:"edge"`
	Seen   lagcomp.Claim // what the screen showed
}

// Place is the position of soldiers, cars and targets.
type Place struct {
	X float32 `net:"-1000..1000 step 0.05 axis x"`
	Y float32 `net:"-1000..1000 step 0.05 axis y"`
}

// Soldier is a player on foot or in a car.
type Soldier struct {
	Hits uint16 `net:"0..9999"`
}

// Seat says in which car a soldier sits. 0 means on foot.
type Seat struct {
	Car    components.NetID `net:"ref parent"`
	Number uint8            `net:"0..3"` // 0 is the driver
}

// Car is a vehicle with four seats. Its components.Owner is the driver.
type Car struct{}

// Target is something to shoot at.
type Target struct{}

// Rows: the components that a rule uses.
type (
	rider struct {
		Owner *components.Owner
		Place *Place
		Seat  *Seat
		In    *Input
	}
	car struct {
		Owner *components.Owner
		Place *Place
		In    *Input
		_     ecs.With[Car]
	}
	shooter struct {
		Owner   *components.Owner
		Soldier *Soldier
		In      *Input
	}
	target struct {
		Place Place
		_     ecs.With[Target]
	}
)

// Protocol returns the definition of the game.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("vehicles/1")
	ecs.Input[Input](p)
	ecs.Replicate[Place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Soldier](p, 0)
	ecs.Replicate[Seat](p, 0)
	ecs.Replicate[Car](p, 0)
	ecs.Replicate[Target](p, 0)

	// A soldier with a seat is where its car is, in the simulation and in every view.
	ecs.Carry(p, func(s Seat, car Place) Place {
		return Place{car.X + 4*float32(s.Number%2) - 2, car.Y + 4*float32(s.Number/2) - 2}
	})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, Place{X: 10 * float32(client)}, Soldier{}, Seat{}, Input{})
	})
	p.Leave(release)
	p.Simulate("walk", walk)
	p.Simulate("drive", drive)
	p.Authority("use", use)
	p.Authority("shoot", shoot)
	return p
}

// Populate spawns a car and two rows of targets.
func Populate(w *ecs.World) {
	w.Spawn(components.Owner{}, Place{Y: 20}, Car{}, Input{})
	for x := float32(-900); x <= 900; x += 50 {
		w.Spawn(Place{x, 120}, Target{})
	}
}

// walk moves soldiers who are on foot.
func walk(w *ecs.World) {
	for _, s := range ecs.Each[rider](w) {
		if s.Seat.Car == 0 {
			s.Place.X += walking * float32(s.In.DX)
			s.Place.Y += walking * float32(s.In.DY)
		}
	}
}

// drive moves cars by the input of their drivers. The driver's client predicts the car, because it owns the car.
func drive(w *ecs.World) {
	for _, c := range ecs.Each[car](w) {
		c.Place.X += driving * float32(c.In.DX)
		c.Place.Y += driving * float32(c.In.DY)
	}
}

// use lets soldiers board a car that they touch, and get out. It runs on the server, so two soldiers never get one seat.
func use(w *ecs.World) {
	for _, s := range ecs.EachInOrder[rider](w) {
		switch {
		case !s.In.Use:
		case s.Seat.Car != 0:
			getOut(w, s)
		default:
			board(w, s)
		}
	}
}

// board gives a soldier the first free seat of a near car. The soldier in seat 0 becomes the owner of the car.
func board(w *ecs.World, s rider) {
	for e, c := range ecs.EachInOrder[car](w) {
		number, free := freeSeat(w, w.NetID(e))
		if math.Hypot(float64(c.Place.X-s.Place.X), float64(c.Place.Y-s.Place.Y)) > reach || !free {
			continue
		}
		*s.Seat = Seat{w.NetID(e), number}
		if number == 0 {
			c.Owner.Client = s.Owner.Client
		}
		return
	}
}

// freeSeat returns the lowest free seat of a car.
func freeSeat(w *ecs.World, car components.NetID) (number uint8, free bool) {
	var taken [4]bool
	for _, s := range ecs.All[struct{ Seat Seat }](w) {
		taken[s.Seat.Number] = taken[s.Seat.Number] || s.Seat.Car == car
	}
	for n, is := range taken {
		if !is {
			return uint8(n), true
		}
	}
	return 0, false
}

// getOut puts a soldier beside its car.
func getOut(w *ecs.World, s rider) {
	if s.Seat.Number == 0 {
		release(w, s.Owner.Client)
	}
	s.Place.Y -= reach / 2
	*s.Seat = Seat{}
}

// release gives the cars of a player back to the server. It runs when a driver gets out, and when a player leaves the game:
// the server despawns everything that a leaving player still owns.
func release(w *ecs.World, client uint32) {
	for _, c := range ecs.EachOf[car](w, client) {
		c.Owner.Client = 0
	}
}

// shoot hits the target straight above the shooter, as the shooter saw both.
func shoot(w *ecs.World) {
	for me, s := range ecs.EachInOrder[shooter](w) {
		if !s.In.Fire {
			continue
		}
		view := lagcomp.As(w, s.Owner.Client, s.In.Seen)
		from, _ := lagcomp.Get[Place](view, me) // ecs.Get would return the place of the car in the present
		for e, t := range lagcomp.All[target](view) {
			if t.Place.X > from.X-radius && t.Place.X < from.X+radius && w.Alive(e) {
				s.Soldier.Hits++
				w.Despawn(e)
			}
		}
	}
}
