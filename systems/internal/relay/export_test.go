package relay

// Step is all that a tick is.
func (s *Server) Step() bool {
	if !s.Ready() {
		return false
	}
	line := s.timeline
	line.Pass()
	line.Open()
	w := line.World()
	w.Netcode().SimulateStage().Run(w)
	s.config.Timeline.Authority.Run(w)
	s.Close()
	s.Attend()
	return true
}
