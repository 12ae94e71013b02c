package policy

import "fmt"

// InputTiming is the axis "input timing": in which tick the server uses an input.
type InputTiming uint8

const (
	// TimingBuffered holds a client's inputs in a short queue, as deep as its
	// link's jitter and loss ask for, and uses one a tick, in sequence.
	TimingBuffered InputTiming = iota
	// TimingArrival uses inputs in the tick in which they arrive, oldest first.
	TimingArrival
	// TimingStamped uses an input in the tick that the client stamped it with:
	// its own tick plus Policies.Suggest, at which it applies it too.
	TimingStamped
)

// String is the choice in a word.
func (t InputTiming) String() string { return name(axisTiming, uint8(t)) }

// LateInput is the axis "late input": what becomes of an input that arrives when
// its turn has passed and another was used in its place.
type LateInput uint8

const (
	// LateDrop drops and counts it.
	LateDrop LateInput = iota
	// LateSuperseded lets it replace what is held, from the next tick on, when no
	// newer one has come; else the newer one has superseded it and it is dropped.
	LateSuperseded
	// LateRewrite uses it in its own tick all the same, when that is within
	// Policies.Window: history is simulated again from there.
	LateRewrite
)

// String is the choice in a word.
func (l LateInput) String() string { return name(axisLate, uint8(l)) }

// MissingInput is the axis "missing input": what a tick uses for a player whose
// input has not arrived.
type MissingInput uint8

const (
	// MissingRepeat repeats what the player holds, never edges such as a press.
	MissingRepeat MissingInput = iota
	// MissingNeutral uses the zero input.
	MissingNeutral
	// MissingWait simulates no tick before it has everybody's input.
	MissingWait
)

// String is the choice in a word.
func (m MissingInput) String() string { return name(axisMissing, uint8(m)) }

// ServerState is the axis "server state": whether a tick that was simulated
// stands.
type ServerState uint8

const (
	// StateForward simulates each tick once.
	StateForward ServerState = iota
	// StateRewind goes back to the oldest tick that a late input changes, once a
	// tick, and simulates from there to the present again.
	StateRewind
)

// String is the choice in a word.
func (s ServerState) String() string { return name(axisState, uint8(s)) }

// Correction is the axis "correction": what a client is told about its own
// entities, to set wrong predictions right.
type Correction uint8

const (
	// CorrectionState is the server's state, in every snapshot.
	CorrectionState Correction = iota
	// CorrectionMismatch is the server's state while the result that the client
	// reports, which nobody trusts, differs by more than the tolerance.
	CorrectionMismatch
	// CorrectionInputs is no state at all: everybody's inputs are relayed, each
	// peer simulates everything from them, and checksums are compared.
	CorrectionInputs
)

// String is the choice in a word.
func (c Correction) String() string { return name(axisCorrection, uint8(c)) }

// Remotes is the axis "remotes": what a client shows of entities that are not its
// own.
type Remotes uint8

const (
	// RemotesInterpolated is a little of the past, between two confirmed states.
	RemotesInterpolated Remotes = iota
	// RemotesDamped follows the newest confirmed state, faster the further it is
	// away.
	RemotesDamped
	// RemotesCoSimulated is the present, simulated here like the client's own.
	RemotesCoSimulated
)

// String is the choice in a word.
func (r Remotes) String() string { return name(axisRemotes, uint8(r)) }

// Outcomes is the axis "outcomes": when it is told that something irreversible
// happened, a kill say.
type Outcomes uint8

const (
	// OutcomesAtOnce tells it in the tick in which the server simulates it, by a
	// reliable event.
	OutcomesAtOnce Outcomes = iota
	// OutcomesPastHorizon tells it provisionally at first, and commits it when its
	// tick has passed the horizon and no rewrite can reach it; see package outcome.
	OutcomesPastHorizon
)

// String is the choice in a word.
func (o Outcomes) String() string { return name(axisOutcomes, uint8(o)) }

// Tolerance is the axis "tolerance": where it comes from how far two states may
// differ and still agree.
type Tolerance uint8

const (
	// ToleranceFields is what each field was registered with; where nothing was
	// said, one quantization step.
	ToleranceFields Tolerance = iota
	// ToleranceExact is none: the two are equal in every bit, or they differ.
	ToleranceExact
)

// String is the choice in a word.
func (t Tolerance) String() string { return name(axisTolerance, uint8(t)) }

// Horizon is the axis "horizon": which ticks are final for
// [OutcomesPastHorizon].
type Horizon uint8

const (
	// HorizonPlayers is the ticks before the last one that every connected
	// player's inputs are known for, and those that have left the window: whichever
	// comes first.
	HorizonPlayers Horizon = iota
	// HorizonWindow is the ticks that have left the window. It is later, and the
	// same on every peer, because it follows from the tick alone.
	HorizonWindow
)

// String is the choice in a word.
func (h Horizon) String() string { return name(axisHorizon, uint8(h)) }

// axis counts the axes; a set of policies is one value on each.
type axis uint8

const (
	axisTiming axis = iota
	axisLate
	axisMissing
	axisState
	axisCorrection
	axisRemotes
	axisOutcomes
	axisTolerance
	axisHorizon
	axes
)

// names are the axes and their values, in the order of their constants.
var names = [axes]struct {
	axis   string
	values []string
}{
	axisTiming:     {"input timing", []string{"buffered", "arrival", "stamped"}},
	axisLate:       {"late input", []string{"drop", "superseded", "rewrite"}},
	axisMissing:    {"missing input", []string{"repeat", "neutral", "wait"}},
	axisState:      {"server state", []string{"forward", "rewind"}},
	axisCorrection: {"correction", []string{"state", "mismatch", "inputs"}},
	axisRemotes:    {"remotes", []string{"interpolated", "damped", "co-simulated"}},
	axisOutcomes:   {"outcomes", []string{"at once", "past the horizon"}},
	axisTolerance:  {"tolerance", []string{"fields", "exact"}},
	axisHorizon:    {"horizon", []string{"players", "window"}},
}

// name is a value of an axis in words.
func name(a axis, value uint8) string {
	if values := names[a].values; int(value) < len(values) {
		return values[value]
	}
	return fmt.Sprintf("%s(%d)", names[a].axis, value)
}
