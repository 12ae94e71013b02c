package policy

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Traits are the properties of a model, for code that treats models alike which have one in common. [TraitsOf] returns
// them.
type Traits struct {
	Arrival          bool          // an input counts in the tick in which it arrives
	Stamped          bool          // an input names its tick
	Waits            bool          // a tick waits for the inputs of all players
	Missing          Missing       // what a tick uses for an input that has not arrived
	Rewinds          bool          // a late input makes the server simulate completed ticks again
	RelaysInputs     bool          // peers send inputs only, and each simulates everything
	Reports          bool          // clients report results, and the server sends owner state where they differ
	Remotes          Remotes       // how clients show the entities of others
	Provisional      bool          // outcomes are provisional first, and may be withdrawn
	FinalAfterWindow bool          // a tick is final when it has left the window, not earlier
	Window           time.Duration // positive with Rewinds, otherwise 0
	Suggest          time.Duration // 0 without Stamped
}

// TraitsOf returns the traits of a model. nil means LocalSync{}.
func TraitsOf(m Model) Traits {
	if m == nil {
		m = LocalSync{}
	}
	return m.traits()
}

func (m LocalSync) traits() Traits {
	t := forward(m.Arrival, m.Missing, m.PredictOutcomes)
	if m.CoSimulate {
		t.Remotes = CoSimulated
	}
	return t
}

func (m Buffered) traits() Traits {
	t := forward(m.Arrival, m.Missing, m.PredictOutcomes)
	t.Remotes = Damped
	return t
}

func (m CorrectOnMismatch) traits() Traits {
	t := forward(m.Arrival, m.Missing, m.PredictOutcomes)
	t.Reports = true
	if m.Damped {
		t.Remotes = Damped
	}
	return t
}

// forward returns the traits of a server that never goes back, with inputs in sequence.
func forward(arrival bool, missing Missing, provisional bool) Traits {
	if arrival && missing == Supersede {
		missing = Repeat // no input is late
	}
	return Traits{Arrival: arrival, Missing: missing, Provisional: provisional}
}

func (m ServerRewind) traits() Traits {
	t := stamped(cmp.Or(m.Suggest, DefaultSuggest), m.Neutral)
	t.Remotes = m.Remotes
	if m.Window != NoWindow {
		t.rewind(m.Window, m.FinalAfterWindow)
	}
	return t
}

func (m Rollback) traits() Traits {
	t := stamped(m.Suggest, m.Neutral)
	t.RelaysInputs, t.Remotes = true, CoSimulated
	t.rewind(m.Window, m.FinalAfterWindow)
	return t
}

func (m Lockstep) traits() Traits {
	t := stamped(cmp.Or(m.Suggest, DefaultSuggest), false)
	t.Waits, t.RelaysInputs, t.Remotes = true, true, CoSimulated
	return t
}

// stamped returns the traits of models in which inputs name their tick.
func stamped(suggest time.Duration, neutral bool) Traits {
	t := Traits{Stamped: true, Suggest: max(suggest, 0)}
	if neutral {
		t.Missing = Neutral
	}
	return t
}

func (t *Traits) rewind(window time.Duration, after bool) {
	t.Rewinds, t.Provisional, t.FinalAfterWindow = true, true, after
	t.Window = cmp.Or(window, DefaultWindow)
}

// WindowTicks returns Window in ticks, rounded up. tickRate is the number of steps a second.
func (t Traits) WindowTicks(tickRate int) int {
	return int((t.Window*time.Duration(tickRate) + time.Second - 1) / time.Second)
}

// SuggestTicks returns Suggest in ticks, rounded to the nearest. tickRate is the number of steps a second.
func (t Traits) SuggestTicks(tickRate int) int {
	return int((t.Suggest*time.Duration(tickRate) + time.Second/2) / time.Second)
}

// FirstOpen returns the first tick whose outcomes are not final, or newest + 1 if all are final. tickRate is the
// number of steps a second, and newest is the last simulated tick. outstanding is the first tick with incomplete
// information: on a peer that rewinds, the first tick without the inputs of all connected players; on a client of a
// server that only goes forward, the first tick that the server has not confirmed.
func (t Traits) FirstOpen(tickRate int, newest, outstanding uint32) uint32 {
	next := newest + 1
	if !t.Provisional {
		return next
	}
	outstanding = min(outstanding, next)
	if !t.Rewinds {
		return outstanding
	}
	inWindow := next - min(next, uint32(t.WindowTicks(tickRate)))
	if t.FinalAfterWindow {
		return inWindow
	}
	return max(outstanding, inWindow)
}

// Choices returns the traits as pairs of a name and a value, for a person to read.
func (t Traits) Choices() [][2]string {
	choose := func(is bool, yes, no string) string {
		if is {
			return yes
		}
		return no
	}
	timing := choose(t.Stamped, "stamped", choose(t.Arrival, "arrival", "buffered"))
	late := choose(t.Rewinds, "rewrite", choose(t.Missing == Supersede, "superseded", "drop"))
	missing := choose(t.Waits, "wait", choose(t.Missing == Neutral, "neutral", "repeat"))
	remotes := choose(t.Remotes == CoSimulated, "co-simulated", choose(t.Remotes == Damped, "damped", "interpolated"))
	list := [][2]string{
		{"input timing", timing}, {"late input", late}, {"missing input", missing},
		{"server state", choose(t.Rewinds, "rewind", "forward")},
		{"correction", choose(t.RelaysInputs, "inputs", choose(t.Reports, "mismatch", "state"))},
		{"remotes", remotes},
		{"outcomes", choose(t.Provisional, "past the horizon", "at once")},
		{"horizon", choose(t.FinalAfterWindow, "window", "players")},
	}
	if t.Rewinds {
		list = append(list, [2]string{"window", t.Window.String()})
	}
	if t.Stamped {
		list = append(list, [2]string{"suggest", t.Suggest.String()})
	}
	return list
}

// String returns one line with all choices, for logs.
func (t Traits) String() string {
	var b strings.Builder
	for i, c := range t.Choices() {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s", c[0], c[1])
	}
	return b.String()
}
