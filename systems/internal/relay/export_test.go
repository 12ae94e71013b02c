package relay

// Step runs a whole tick.
func (s *Server) Step() bool {
	if !s.Ready() {
		return false
	}
	w := s.timeline.World()
	s.Run(w)
	w.Netcode().SimulateStage().Run(w)
	s.config.Timeline.Authority.Run(w)
	s.Done()
	s.PrepareStates()
	return true
}

// Waited returns how many due ticks the server had not simulated by the newest message. The count has an arbitrary start.
func (c *Client) Waited() uint32 { return c.server.waited }

// Slots returns the number of slots for players, used and free.
func (s *Server) Slots() int { return len(s.lanes) }
