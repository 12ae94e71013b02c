package timeline

// Verdict is the result of [Timeline.Put] and [Timeline.Overrule].
type Verdict uint8

const (
	// InTime: the input's tick has not been simulated.
	InTime Verdict = iota
	// Rewrote: the input changes a tick that has been simulated, its own or one that repeats it. The next Step goes
	// back.
	Rewrote
	// Agreed: the input's tick has been simulated with an equal input, and nothing changes.
	Agreed
	// Duplicate: an input of this player and tick is known. The first input wins.
	Duplicate
	// TooOld: the input's tick is before the window.
	TooOld
	// TooEarly: the input's tick is too far in the future.
	TooEarly
	// OverCap: the player has too few tokens for the ticks that would be simulated again. The input was refused and
	// may be sent again.
	OverCap
	// Absent: the player is not in the game in that tick, or cannot send an input for it.
	Absent

	verdicts = iota
)

// String returns the verdict as one or two words, for logs and metrics.
func (v Verdict) String() string {
	switch v {
	case InTime:
		return "in time"
	case Rewrote:
		return "rewrote"
	case Agreed:
		return "agreed"
	case Duplicate:
		return "duplicate"
	case TooOld:
		return "too old"
	case TooEarly:
		return "too early"
	case OverCap:
		return "over cap"
	case Absent:
		return "absent"
	}
	return "unknown"
}

// Counts counts inputs by [Verdict].
type Counts [verdicts]uint64

// Stats holds the counters of a timeline.
type Stats struct {
	Ticks       uint64 // ticks simulated for the first time
	Resimulated uint64 // ticks simulated again
	Last        int    // ticks simulated again before the last tick, including passes of Unmerged
	Longest     int    // most ticks in one pass
	Passes      uint64 // passes of ticks that were simulated again
	Waits       uint64 // calls of Ready that returned false
	Missing     uint64 // inputs that were missing when their tick became final
	Inputs      Counts
}
