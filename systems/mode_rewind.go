package systems

import (
	"fmt"

	"github.com/tactusgo/tactus/ecs"
)

// validStamped reports what does not go together with stamped inputs.
func (c ServerConfig) validStamped() error {
	if ticks := stampedEarly(c.Policies, c.TickRate); ticks > maxPeers {
		return fmt.Errorf("%w: Policies.Window %v is %d ticks; at most %d", ErrConfig, c.Policies.Window, ticks, maxPeers)
	}
	return nil
}

// movement is what a player does to the world by coming and going.
type movement uint8

const (
	comes   movement = iota // for the first time
	returns                 // it was waited for
	goes                    // for good
)

// visit is a movement in a tick. Ticks that are simulated again repeat it.
type visit struct {
	tick   uint32
	player uint32
	what   movement
}

// visits are those that a rewind can go back behind, in the order in which they happened.
type visits struct {
	list  []visit
	stage *ecs.Stage
	now   visit
}

// begin makes the stage that carries out a visit.
func (v *visits) begin(s *Server) {
	takeAway := departing(s.config.Leave, s.config.LeavePolicy)
	v.stage = ecs.NewStage("Players", ecs.System{Name: "Come and go", Run: func(w *ecs.World) {
		switch c := &s.config; {
		case v.now.what == comes && c.Join != nil:
			c.Join(w, v.now.player)
		case v.now.what == returns && c.Rejoin != nil:
			c.Rejoin(w, v.now.player)
		case v.now.what == goes:
			takeAway(w, v.now.player)
		}
	}})
}

func (v *visits) add(tick, player uint32, what movement) {
	v.list = append(v.list, visit{tick, player, what})
}

// repeat carries out the visits of a tick.
func (v *visits) repeat(w *ecs.World, tick uint32) {
	for _, x := range v.list {
		if x.tick == tick {
			v.now = x
			v.stage.Run(w)
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
