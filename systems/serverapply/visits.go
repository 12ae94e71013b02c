package serverapply

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// movement is what a player does to the world by coming and going.
type movement uint8

const (
	comes   movement = iota // for the first time
	returns                 // it was waited for
	goes                    // for good
	movements
)

// Movements carry out what players do to the world by coming, coming back and going for good;
// a nil one does nothing.
type Movements [movements]func(w *ecs.World, player uint32)

// visit is a movement in a tick. Ticks that are simulated again repeat it.
type visit struct {
	tick   uint32
	player uint32
	what   movement
}

// visits are those that a rewind can go back behind, in the order in which they happened. They
// pass on what a timeline tells.
type visits struct {
	timeline.Listener
	world *ecs.World
	list  []visit
	stage *ecs.Stage
	now   visit
}

// begin makes the stage that carries out a visit.
func (v *visits) begin(w *ecs.World, c Movements, l timeline.Listener) {
	v.Listener, v.world = l, w
	v.stage = ecs.NewStage("Players", ecs.System{Name: "Come and go", Run: func(w *ecs.World) {
		if carryOut := c[v.now.what]; carryOut != nil {
			carryOut(w, v.now.player)
		}
	}})
}

func (v *visits) add(tick, player uint32, what movement) {
	v.list = append(v.list, visit{tick, player, what})
}

// Start carries out the visits of a tick.
func (v *visits) Start(tick uint32) {
	v.Listener.Start(tick)
	for _, x := range v.list {
		if x.tick == tick {
			v.now = x
			v.stage.Run(v.world)
		}
	}
}

// forget drops visits before a tick.
func (v *visits) forget(oldest uint32) {
	n := 0
	for n < len(v.list) && v.list[n].tick < oldest {
		n++
	}
	v.list = append(v.list[:0], v.list[n:]...)
}
