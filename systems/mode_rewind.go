package systems

import (
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/serverapply"
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

// rewindServer goes back for inputs that come late.
type rewindServer struct {
	s      *Server
	in     *serverapply.Rewind
	visits visits
	window uint32
}

func newRewindServer(s *Server, c serverapply.RewindConfig) *rewindServer {
	m := &rewindServer{s: s, window: max(c.Window, 1)}
	m.visits.begin(s)
	m.in = serverapply.NewRewind(s.intake, c, rewindSteps{unsettled{s.followed.followers}, m})
	return m
}

// maxReservations is how many players there may be: as many as clients, as many who are waited
// for, and those who have left lately.
func maxReservations(clients int) int { return min(3*clients, maxPeers) }

// rewindSteps makes events, outcomes and whoever comes and goes follow the timeline.
type rewindSteps struct {
	unsettled
	m *rewindServer
}

func (l rewindSteps) Start(tick uint32) {
	l.unsettled.Start(tick)
	l.m.visits.repeat(l.m.s.world, tick)
}

// Ready is true: nobody waits for inputs.
func (m *rewindServer) Ready() bool { return true }

// Run is the system ServerApply.
func (m *rewindServer) Run(w *ecs.World) { m.in.Run(w) }

// Done ends the tick.
func (m *rewindServer) Done() {
	m.in.Done()
	m.visits.forget(m.s.link.tick - min(m.s.link.tick, m.window))
	m.s.snapshots.Step()
}

// status says by how much clients lead.
func (m *rewindServer) status(st ModelStatus) ModelStatus {
	st.Lead = m.in.Lead()
	return st
}

// Join begins with a client, in the tick that comes.
func (m *rewindServer) Join(p *peer, _ sessions.Reservation, back bool) {
	s, what := m.s, comes
	if back {
		what = returns
	}
	if err := m.in.Enter(p.inputs, back); err != nil {
		s.config.Logger.Error("client refused", "client", p.ID, "error", err)
		p.Session.Close(s.link.now, netsys.ReasonServerClosing)
		return
	}
	m.visits.add(s.link.tick, p.ID, what)
}

// Leave ends with a client: while its player is waited for it has neutral inputs.
func (m *rewindServer) Leave(p *peer, waited bool) {
	if waited {
		m.in.Await(p.ID)
	}
}

// Depart takes players that are gone for good out of the game, in the tick that comes.
func (m *rewindServer) Depart(_ *ecs.World, gone []uint32) {
	for _, id := range gone {
		if m.in.Depart(id) {
			m.visits.add(m.s.link.tick, id, goes)
		}
	}
}

// Receive takes in a message of inputs.
func (m *rewindServer) Receive(p *peer, pk netsys.Packet) {
	msg, err := m.in.Receive(p.inputs, pk)
	passOn(m.s, p, pk, msg, err)
}

// own is the value after the tick that own state tells of.
func (m *rewindServer) own(p *peer, e ecs.Entity, c *ecs.Component) unsafe.Pointer {
	return m.in.Own(p.inputs, e, c)
}
