package relay

// laneSender decides which inputs of a lane the next message repeats. The sender learns late, and only partly,
// which messages arrived. It therefore sends each input in several consecutive messages, enough to make the loss of
// all of them improbable. Later messages leave the input out, although it is not acknowledged yet. Against longer
// runs of losses, the sender repeats all unacknowledged inputs regularly: four times per acknowledgement delay and
// eight times per second. This limits the cost of a run of losses without measuring it.
type laneSender struct {
	acked    uint32 // the first tick that is not acknowledged
	start    uint32 // the first tick that the receiver has of this lane
	end      uint32 // the first tick that was never sent
	at       uint32 // tick of the last message
	sinceAll int    // ticks (or messages, if these are more) since all unacknowledged inputs were sent
	stuck    uint32 // value of acked when all unacknowledged inputs were last sent
	n        int    // number of messages that contained inputs of this lane
	ends     [maxRepeats]uint32
}

// reset starts over with a lane of which the receiver has all inputs before start.
func (t *laneSender) reset(start uint32) {
	*t = laneSender{acked: start, start: start, end: start}
}

// firstTick returns the first tick whose input the message of tick now should contain. repeats is the number of
// messages that contain each input. interval is the maximum number of ticks between two messages with all
// unacknowledged inputs.
func (t *laneSender) firstTick(now uint32, repeats, interval int) uint32 {
	t.sinceAll += int(max(now-t.at, 1))
	t.at = now
	if interval = min(interval, int(t.end-t.acked)/4); t.n < repeats || t.sinceAll >= interval {
		return t.acked
	}
	return max(t.acked, t.ends[(t.n-repeats)%maxRepeats])
}

// recordSent records that a message contained the inputs of the ticks from up to, but excluding, end.
func (t *laneSender) recordSent(from, end uint32) {
	if from == t.acked {
		if end < t.end && t.acked == t.stuck {
			// The unacknowledged inputs do not fit into one message, and the receiver acknowledges no message that
			// leaves a gap. Continue from here.
			t.end = end
			for i := range t.ends {
				t.ends[i] = end
			}
		}
		t.sinceAll, t.stuck = 0, t.acked
	}
	t.end = max(t.end, end)
	t.ends[t.n%maxRepeats] = t.end
	t.n++
}

const (
	maxRepeats     = 24 // maximum number of messages that repeat each input
	defaultRepeats = 6  // number of such messages while the loss is unknown: enough for a loss of 5 %
)

// resendInterval returns the maximum number of ticks between two messages with all unacknowledged inputs of a lane:
// an eighth of a second.
func resendInterval(tickRate int) int { return max(tickRate/8, 1) }
