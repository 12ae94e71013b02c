package policy

import "fmt"

// InputTiming is the axis "input timing": the tick in which the server uses an input.
type InputTiming uint8

const (
	// TimingBuffered keeps a client's inputs in a short queue and uses one per tick, in sequence. The queue is as
	// deep as the jitter and loss of the client's link require.
	TimingBuffered InputTiming = iota
	// TimingArrival uses inputs in the tick in which they arrive, the oldest first.
	TimingArrival
	// TimingStamped uses an input in the tick that the client names: the client's tick plus Policies.Suggest. The
	// client applies the input in this tick too.
	TimingStamped
)

// String returns the name of the value.
func (t InputTiming) String() string { return valueName(axisTiming, uint8(t)) }

// LateInput is the axis "late input": what the server does with an input that arrives after the tick that should have
// used it.
type LateInput uint8

const (
	// LateDrop drops the input and counts it.
	LateDrop LateInput = iota
	// LateSuperseded uses the input from the next tick on in place of the repeated input. If a newer input has
	// already arrived, the server drops the late one.
	LateSuperseded
	// LateRewrite uses the input in its own tick and simulates again from there, if this tick is within
	// Policies.Window.
	LateRewrite
)

// String returns the name of the value.
func (l LateInput) String() string { return valueName(axisLate, uint8(l)) }

// MissingInput is the axis "missing input": what a tick uses for a player whose input has not arrived.
type MissingInput uint8

const (
	// MissingRepeat repeats the last input of the player, without edges such as a key press.
	MissingRepeat MissingInput = iota
	// MissingNeutral uses the zero input.
	MissingNeutral
	// MissingWait delays the tick until the inputs of all players have arrived.
	MissingWait
)

// String returns the name of the value.
func (m MissingInput) String() string { return valueName(axisMissing, uint8(m)) }

// ServerState is the axis "server state": whether the server simulates a completed tick again.
type ServerState uint8

const (
	// StateForward simulates each tick once.
	StateForward ServerState = iota
	// StateRewind restores the oldest tick that a late input changes and simulates from there to the present, at most
	// once per tick.
	StateRewind
)

// String returns the name of the value.
func (s ServerState) String() string { return valueName(axisState, uint8(s)) }

// Correction is the axis "correction": what the server sends a client to correct wrong predictions.
type Correction uint8

const (
	// CorrectionState sends the server's state of the client's own entities in every snapshot.
	CorrectionState Correction = iota
	// CorrectionMismatch sends this state only while the result that the client reports differs by more than the
	// tolerance. The server never adopts the reported result.
	CorrectionMismatch
	// CorrectionInputs sends no state. The server relays the inputs of all players, each peer simulates everything
	// from them, and the peers compare checksums.
	CorrectionInputs
)

// String returns the name of the value.
func (c Correction) String() string { return valueName(axisCorrection, uint8(c)) }

// Remotes is the axis "remotes": how a client shows the entities of others.
type Remotes uint8

const (
	// RemotesInterpolated draws them slightly in the past, between two confirmed states.
	RemotesInterpolated Remotes = iota
	// RemotesDamped follows the newest confirmed state. The speed grows with the distance to it.
	RemotesDamped
	// RemotesCoSimulated simulates them in the present on the client, like the client's own entities.
	RemotesCoSimulated
)

// String returns the name of the value.
func (r Remotes) String() string { return valueName(axisRemotes, uint8(r)) }

// Outcomes is the axis "outcomes": when the server announces irreversible results, such as a kill.
type Outcomes uint8

const (
	// OutcomesAtOnce announces a result in the tick that produced it, with a reliable event.
	OutcomesAtOnce Outcomes = iota
	// OutcomesPastHorizon first announces a result as provisional. It becomes final when its tick has passed the
	// horizon, where no rewrite can change it. See package outcome.
	OutcomesPastHorizon
)

// String returns the name of the value.
func (o Outcomes) String() string { return valueName(axisOutcomes, uint8(o)) }

// Tolerance is the axis "tolerance": how much two states may differ and still count as equal.
type Tolerance uint8

const (
	// ToleranceFields uses the tolerance that each field was registered with. The default of a field is one
	// quantization step.
	ToleranceFields Tolerance = iota
	// ToleranceExact requires that both states are equal in every bit.
	ToleranceExact
)

// String returns the name of the value.
func (t Tolerance) String() string { return valueName(axisTolerance, uint8(t)) }

// Horizon is the axis "horizon": which ticks are final for [OutcomesPastHorizon].
type Horizon uint8

const (
	// HorizonPlayers makes a tick final when the inputs of all connected players up to this tick are known, or when
	// it has left the window, whichever comes first.
	HorizonPlayers Horizon = iota
	// HorizonWindow makes a tick final when it has left the window. This is later than HorizonPlayers, but all peers
	// agree because it depends on the tick number only.
	HorizonWindow
)

// String returns the name of the value.
func (h Horizon) String() string { return valueName(axisHorizon, uint8(h)) }

// axis identifies one of the axes.
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

// names lists the axes and the names of their values, both in the order of the constants.
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

// valueName returns the name of a value on an axis.
func valueName(a axis, value uint8) string {
	if values := names[a].values; int(value) < len(values) {
		return values[value]
	}
	return fmt.Sprintf("%s(%d)", names[a].axis, value)
}
