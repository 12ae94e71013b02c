package relay

// mineKept is for how many ticks own inputs are kept: more than MaxDelay and Redundancy.
const mineKept = 1024

// ownInputs are the inputs of a client's player, as they were gathered, and what is sent of them.
type ownInputs struct {
	lane    *lane
	next    uint32 // the next tick to be given one; 0: none has been
	delay   int    // from when one is gathered to when it applies, in ticks
	need    int    // under lockstep, the least delay that would do for this client
	telling telling
	repeats int // messages that bring each input
	again   int // ticks between two messages that bring all
	slack   slack
	scratch []int32
}

// init makes them inputs of so many words.
func (o *ownInputs) init(delay, tickRate, words int) {
	o.delay, o.need = delay, delay
	o.repeats, o.again = usual, againEvery(tickRate)
	o.lane, o.scratch = newLane(mineKept, words), make([]int32, words)
}

// begin begins anew as the server has told that the player plays, in this lane.
func (o *ownInputs) begin(l *lane, c *ClientConfig) {
	o.next = 0
	o.telling.begin(l.end)
	clear(o.lane.ring)
	if c.Timeline.Wait && o.slack.worst == [2]int{} {
		o.need = min(max(int(l.First-l.From), c.Delay), c.MaxDelay) // until it is known better
	}
}

// give makes the words in scratch the input of the next tick that has none.
func (o *ownInputs) give() {
	o.lane.set(o.next, real, o.scratch)
	o.slack.given[o.next%mineKept] = o.slack.frame
	o.next++
}

// due is the first input to be sent now, where the server is known to have those before acked, and most go
// into a message.
func (o *ownInputs) due(acked uint32, most int) uint32 {
	o.telling.acked = acked
	return max(o.telling.from(o.next, o.repeats, o.again), o.next-min(o.next, uint32(most)))
}

// adapt makes the delay that inputs need follow the round trip, now that the server has told own inputs from a tick on;
// all that it has before tick now is known when that was a whole message, and the newest.
func (o *ownInputs) adapt(own *lane, from, now uint32, whole bool, c *ClientConfig) {
	if !c.Timeline.Wait || own == nil {
		return
	}
	for tick := from; tick < min(own.end, o.next); tick++ {
		if o.lane.at(tick) == real {
			o.slack.told(tick)
		}
	}
	if whole && own.end > own.start {
		o.slack.left(int(own.end) - int(now) - (o.delay - o.need))
	}
	o.need = min(max(o.slack.delay(o.need), c.Delay), c.MaxDelay)
}

// delayed makes the delay of inputs the one that all clients have.
func (o *ownInputs) delayed(ticks int, c *ClientConfig) {
	if ticks = min(max(ticks, c.Delay), c.MaxDelay); c.Timeline.Wait && ticks != o.delay {
		o.delay = ticks
		o.slack.extend = o.slack.frame // it does not show yet
	}
}
