package systems

import (
	"time"

	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/policy"
)

// uselessInterval is the time between two looks at whether a client's inputs arrive in time.
const uselessInterval = 5 * time.Second

// usefulInputs holds a client's inputs at the last look.
type usefulInputs struct {
	consumed, late uint64
	useless        int // consecutive intervals in which no input arrived in time
}

// look reports that in two consecutive intervals all inputs of a client came too late, least of them or more in each.
func (u *usefulInputs) look(st InputStats, least uint64) bool {
	late := st.Late + st.Rejected
	if u.useless++; st.Consumed > u.consumed || late < u.late+least {
		u.useless = 0
	}
	u.consumed, u.late = st.Consumed, late
	return u.useless >= 2
}

// logDistant logs clients none of whose inputs arrive within the window of the model. It runs once per wake-up.
func (s *Server) logDistant() {
	if s.link.tick < s.link.looked+uint32(uselessInterval/s.world.StepDuration()) {
		return
	}
	s.link.looked = s.link.tick
	t := policy.TraitsOf(s.config.Model)
	if !t.Stamped {
		return
	}
	for _, p := range s.sessions.peers.All() {
		if !p.spectator && p.useful.look(p.inputs.Stats(), uint64(s.config.TickRate)) && p.Logged.First(notice.Distant) {
			s.config.Logger.Warn("no input of a client arrives in time: its round trip is too long for the model's Window or Stall",
				"client", p.ID, "round_trip", p.Session.Stats().RTT, "model", s.config.Model, "window", t.Window)
		}
	}
}
