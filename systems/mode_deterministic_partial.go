package systems

// coming is the timeline's next tick, in which everything is simulated.
func (m *deterministicClient) coming() (tick, input uint32, share float64) {
	tick = m.relay.Timeline().Next()
	switch {
	case !m.relay.Following():
		return tick, tick, 0
	case !m.stepped:
		return tick, tick, 1 // it was due and did not come: all of it is drawn already
	}
	return tick, tick, m.steps.loop.Passed(m.steps.now)
}

// foresee gives all players the inputs that are known of the coming tick, and guessed.
func (m *deterministicClient) foresee(uint32) { m.relay.Foresee(m.ask) }

// wordsNow is the input as it is in this frame.
func (m *deterministicClient) wordsNow() []int32 {
	in := inputTable(m.protocol)
	if p := m.askedNow(); p != nil {
		in.Quantize(m.shown, in.Words, p, 1)
	}
	return m.shown
}
