package relay

// telling is what one end has told the other of a lane. The end that tells hears late, and of a
// part only, what has arrived. So each input is told in as many messages in a row as make it
// improbable that all of them are lost; the next messages leave it out, though it is not
// acknowledged yet. Against runs of losses that are longer, all that is not acknowledged is told from time to
// time, four times while it takes to be acknowledged and eight times a second: no run costs more than that, and
// nobody has to measure it.
type telling struct {
	acked uint32 // the first tick that the other end is not known to have
	start uint32 // where the lane begins there
	end   uint32 // the first tick that was never told
	at    uint32 // tick of the last message
	since int    // ticks, or messages where these are more, since all was told that is not acknowledged
	stuck uint32 // acked when all that is not acknowledged was told last
	n     int    // messages that told
	ends  [maxRepeats]uint32
}

// begin begins with a lane of which the other end has all before start.
func (t *telling) begin(start uint32) {
	*t = telling{acked: start, start: start, end: start}
}

// from is the first tick to be told in the message that goes out in tick now, when it is so many messages that bring
// each input, and all comes again after so many ticks at most.
func (t *telling) from(now uint32, repeats, again int) uint32 {
	t.since += int(max(now-t.at, 1))
	t.at = now
	if again = min(again, int(t.end-t.acked)/4); t.n < repeats || t.since >= again {
		return t.acked
	}
	return max(t.acked, t.ends[(t.n-repeats)%maxRepeats])
}

// told notes what a message tells.
func (t *telling) told(from, end uint32) {
	if from == t.acked {
		if end < t.end && t.acked == t.stuck {
			// No message has room for all of it, and the other end acknowledges none that leaves a gap: go on from here.
			t.end = end
			for i := range t.ends {
				t.ends[i] = end
			}
		}
		t.since, t.stuck = 0, t.acked
	}
	t.end = max(t.end, end)
	t.ends[t.n%maxRepeats] = t.end
	t.n++
}

const (
	maxRepeats = 24 // messages in which each input is told
	usual      = 6  // such messages, when the losses are not known: enough for one in twenty
)

// againEvery is how many ticks lie at most between two messages that tell of a lane all that is not
// acknowledged: an eighth of a second.
func againEvery(tickRate int) int { return max(tickRate/8, 1) }
