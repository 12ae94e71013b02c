package timeline

// Verdict is what became of an input that [Timeline.Put] was given.
type Verdict uint8

const (
	// InTime: its tick has not been simulated.
	InTime Verdict = iota
	// Rewrote: its tick has been simulated with another input than this, or this
	// one changes what was repeated after it. The next Step goes back.
	Rewrote
	// Agreed: its tick has been simulated with just this, and nothing changes.
	Agreed
	// Duplicate: the input of this player and tick is known. The first one wins.
	Duplicate
	// TooOld: its tick is beyond the window.
	TooOld
	// TooEarly: its tick is too far ahead.
	TooEarly
	// OverCap: the player has no tokens left for what this would make the timeline
	// simulate again. It was not taken; it can come again.
	OverCap
	// Absent: there is no such player in that tick, or none that could have sent
	// an input for it.
	Absent

	verdicts = iota
)

// String is the verdict in a word or two, for logs and metrics.
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

// Stats counts what a timeline did.
type Stats struct {
	Ticks       uint64 // simulated for the first time
	Resimulated uint64 // calls of Simulate for ticks that had been completed
	Last        int    // of those, in the last Step, with the passes of Unmerged before it
	Longest     int    // most ticks in one pass
	Passes      uint64 // runs of ticks that were simulated again
	Waits       uint64 // Steps that could not go on
	Missing     uint64 // inputs that were not there when their tick became final
	Inputs      Counts
}
