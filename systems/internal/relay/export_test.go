package relay

// Step runs a whole tick.
func (s *Server) Step() bool {
	if !s.Ready() {
		return false
	}
	line := s.timeline
	line.Resimulate()
	line.BeginTick()
	w := line.World()
	w.Netcode().SimulateStage().Run(w)
	s.config.Timeline.Authority.Run(w)
	s.EndTick()
	s.PrepareStates()
	return true
}

// Slots returns the number of slots for players, used and free.
func (s *Server) Slots() int { return len(s.lanes) }
