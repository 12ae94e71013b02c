package systems

import (
	"fmt"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// lagComp is the configuration of lag compensation, with the rate of the server's
// sends in it, or why it cannot be.
func (c ServerConfig) lagComp() (lagcomp.Config, error) {
	l := *c.LagComp
	if l.SendRate == 0 {
		l.SendRate = c.SendRate
	}
	if l.SendRate != c.SendRate {
		return l, fmt.Errorf("%w: LagComp.SendRate %d is not SendRate %d (0: that)", ErrConfig, l.SendRate, c.SendRate)
	}
	if err := l.Validate(); err != nil {
		return l, fmt.Errorf("%w: LagComp: %w", ErrConfig, err)
	}
	return l, nil
}

// attachLagComp makes the world remember what was sent of it, for lagcomp.As. The
// system Record stands right before Snapshot, so that what it keeps is what snapshots
// tell, however many ticks a wake-up has run. Where inputs alone are sent everybody is
// shown in the present, and there is nothing to compensate.
func (s *Server) attachLagComp() error {
	if s.config.LagComp == nil || !s.model.snapshots {
		return nil
	}
	config, err := s.config.lagComp()
	if err != nil {
		return err
	}
	comp, err := lagcomp.New(s.world, config)
	if err != nil {
		return fmt.Errorf("%w: LagComp: %w", ErrConfig, err)
	}
	s.lagComp = comp
	ecs.SetResource(s.world, comp)
	return s.stages.schedule.InsertBefore("Snapshot", ecs.System{Name: "Record", Run: func(*ecs.World) {
		for _, p := range s.sessions.peers {
			comp.Consume(p.id, p.inputs.expected-1)
		}
		comp.Record(s.link.tick)
	}})
}

// LagComp is the memory of what clients saw, for its counters; nil where
// ServerConfig.LagComp is, and where everybody is shown in the present.
func (s *Server) LagComp() *lagcomp.Compensator { return s.lagComp }

// has notes that a client has the state of a tick.
func (s *Server) has(client, tick uint32) {
	if s.lagComp != nil {
		s.lagComp.Acknowledge(client, tick)
	}
}

// forget drops what lag compensation knows of clients that are gone.
func (s *Server) forget(clients []uint32) {
	if s.lagComp == nil {
		return
	}
	for _, id := range clients {
		s.lagComp.Forget(id)
	}
}

// sight is what the newest frame showed of entities of others: which tick, and between
// which two states most of them. Where a datagram was lost some are drawn between
// others; then these differ by how far the way bends from one send to the next.
type sight struct {
	head     float64 // 0: nothing yet
	from, to uint32  // to is 0 where there was nothing later
	votes    int
}

// begin begins a frame and returns the tick to draw: one that a claim can say exactly.
func (s *sight) begin(head float64) float64 {
	*s = sight{head: float64(int64(head*lagcomp.Parts)) / lagcomp.Parts}
	return s.head
}

// between notes what an entity is drawn between. What is left when each pair has
// cancelled out one other is that of the most, where they are more than half.
func (s *sight) between(from, to *mirror.State) {
	later := uint32(0)
	if to != nil {
		later = to.Tick
	}
	switch {
	case s.votes == 0:
		s.from, s.to, s.votes = from.Tick, later, 1
	case s.from == from.Tick && s.to == later:
		s.votes++
	default:
		s.votes--
	}
}

// Claim says which moment the view showed when the newest frame was drawn: what a
// player saw who acts now. Put it into the input, a field of that type, and the server
// looks at the world by it, with lagcomp.As:
//
//	in.Seen = client.Claim(in.Fire)
//
// While nothing is done that needs it it is the last one again, as nothing of what stays
// the same travels: at 200 ms of round trip, jitter of 30 ms and 5 % loss two shots a
// second add 1.4 bytes to each message, and ten 6; a new one in every tick 14. It says
// nothing, which gives the server's present, before others are drawn, and where
// everybody is shown in the present.
func (c *Client) Claim(acts bool) lagcomp.Claim {
	switch {
	case !acts || c.world == nil:
	case c.stages.drawing:
		c.interpolator.claim = lagcomp.NewClaim(c.interpolator.sight.head, c.interpolator.sight.from, c.interpolator.sight.to, c.shape.sendEvery)
	default:
		c.interpolator.claim = lagcomp.NewClaim(float64(c.mirror.newestTick), c.mirror.newestTick, 0, c.shape.sendEvery)
	}
	return c.interpolator.claim
}
