package relay

// ownInputsKept is the number of ticks for which own inputs are kept. It is larger than MaxDelay and Redundancy.
const ownInputsKept = 1024

// ownInputs holds the inputs of the client's player as they were gathered, and which of them were sent.
type ownInputs struct {
	lane        *lane
	next        uint32 // the next tick without an input; 0: no input was given
	delay       int    // ticks between gathering an input and applying it
	need        int    // under lockstep, the shortest delay that suffices for this client
	sender      laneSender
	repeats     int // messages that contain each input
	resendEvery int // maximum ticks between two messages with all unacknowledged inputs
	slack       slack
	scratch     []int32
}

// init prepares for inputs of the given number of words.
func (o *ownInputs) init(delay, tickRate, words int) {
	o.delay, o.need = delay, delay
	o.repeats, o.resendEvery = defaultRepeats, resendInterval(tickRate)
	o.lane, o.scratch = newLane(ownInputsKept, words), make([]int32, words)
}

// reset starts over when the server has confirmed that the player plays in lane l.
func (o *ownInputs) reset(l *lane, c *ClientConfig) {
	o.next = 0
	o.sender.reset(l.end)
	clear(o.lane.ring)
	if c.Timeline.Wait && o.slack.worst == [2]int{} {
		o.need = min(max(int(l.First-l.From), c.Delay), c.MaxDelay) // until a round trip was measured
	}
}

// appendInput makes the words in scratch the input of the next tick without an input.
func (o *ownInputs) appendInput() {
	o.lane.set(o.next, inputKnown, o.scratch)
	o.slack.gatheredIn[o.next%ownInputsKept] = o.slack.frame
	o.next++
}

// firstToSend returns the first tick whose input to send now. The server has the inputs before acked. A message
// contains at most limit inputs.
func (o *ownInputs) firstToSend(acked uint32) uint32 {
	o.sender.acked = acked
	return max(o.sender.firstTick(o.next, o.repeats, o.resendEvery), o.next-min(o.next, maxUnacknowledged))
}

// adaptNeed adapts the needed delay to the round trip after the server has acknowledged own inputs from tick from
// on. whole reports that the message was the newest and complete, so that all inputs that the server has before
// tick now are known.
func (o *ownInputs) adaptNeed(own *lane, from, now uint32, whole bool, c *ClientConfig) {
	if !c.Timeline.Wait || own == nil {
		return
	}
	for tick := from; tick < min(own.end, o.next); tick++ {
		if o.lane.at(tick) == inputKnown {
			o.slack.recordRoundTrip(tick)
		}
	}
	if whole && own.end > own.start {
		o.slack.recordStock(int(own.end) - int(now) - (o.delay - o.need))
	}
	o.need = min(max(o.slack.nextDelay(o.need), c.Delay), c.MaxDelay)
}

// setDelay applies the common delay that the server announced.
func (o *ownInputs) setDelay(ticks int, c *ClientConfig) {
	if ticks = min(max(ticks, c.Delay), c.MaxDelay); c.Timeline.Wait && ticks != o.delay {
		o.delay = ticks
		o.slack.extraSince = o.slack.frame // the effect of the change is not visible yet
	}
}

// reach delays inputs that take ticks to the server by as much as brings them there while it still accepts them. A delay that
// is too long shrinks by one tick at a time.
func (o *ownInputs) reach(ticks int, c *ClientConfig) {
	want := min(max(ticks+reachSpare-c.Late, c.Delay), max(c.MaxDelay, c.Delay))
	switch {
	case c.Late == 0:
	case want > o.delay:
		o.delay, o.slack.since = want, o.slack.frame
	case want < o.delay && (want == c.Delay || want < o.delay-reachSpare) && o.slack.frame-o.slack.since >= slackDown:
		o.delay, o.slack.since = o.delay-1, o.slack.frame
	}
}

// reachSpare is the number of ticks that an input should arrive before it is too late.
const reachSpare = 2
