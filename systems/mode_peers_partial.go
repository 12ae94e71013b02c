package systems

// beginPartial is [Client.beginPartial] where everything is simulated: all that moves is drawn
// where it will be by what is known of the coming tick, and guessed, and the world is given
// back. It returns which part of the tick that is.
func (m *peersClient) beginPartial() (share float64) {
	if share = m.share(); share == 0 {
		return 0
	}
	next := m.relay.Timeline().Next()
	m.world.BeginPartial(next, m.id, next, share)
	m.relay.Foresee(m.ask)
	m.world.SimulateStage().Run(m.world)
	return share
}

// share is the part of the coming tick that is to be drawn.
func (m *peersClient) share() float64 {
	switch {
	case m.config.Partial.fill == nil || !m.relay.Following():
		return 0
	case !m.stepped:
		return 1 // it was due and did not come: all of it is drawn already
	}
	return m.loop.Passed(m.now)
}

// wordsNow is the input as it is in this frame.
func (m *peersClient) wordsNow() []int32 {
	in := inputTable(m.protocol)
	if p := m.askedNow(); p != nil {
		in.Quantize(m.shown, in.Words, p, 1)
	}
	return m.shown
}
