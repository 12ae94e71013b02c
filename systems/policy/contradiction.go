package policy

import "fmt"

// choice is one value on one axis.
type choice struct {
	axis  axis
	value uint8
}

func (c choice) String() string { return names[c.axis].axis + " " + valueName(c.axis, c.value) }

// contradiction is a pair of choices that exclude each other.
type contradiction struct {
	a, b    choice
	why     string
	instead choice // the recommended choice, on one of the two axes
}

func (c *contradiction) String() string {
	return fmt.Sprintf("%v contradicts %v: %s; choose %v", c.a, c.b, c.why, c.instead)
}

// Constructors of choices, for the tables below.
func timing(v InputTiming) choice    { return choice{axisTiming, uint8(v)} }
func late(v LateInput) choice        { return choice{axisLate, uint8(v)} }
func missing(v MissingInput) choice  { return choice{axisMissing, uint8(v)} }
func state(v ServerState) choice     { return choice{axisState, uint8(v)} }
func correction(v Correction) choice { return choice{axisCorrection, uint8(v)} }
func remotes(v Remotes) choice       { return choice{axisRemotes, uint8(v)} }
func outcomes(v Outcomes) choice     { return choice{axisOutcomes, uint8(v)} }
func tolerance(v Tolerance) choice   { return choice{axisTolerance, uint8(v)} }
func horizon(v Horizon) choice       { return choice{axisHorizon, uint8(v)} }

// contradictions lists the pairs of choices that exclude each other. It omits pairs that work but perform badly; the
// package documentation describes those costs.
//
// If one choice of a pair is not the default, the caller asked for it, so the advice keeps it. Validate reports the
// first pair that matches. Pairs with MissingWait come early, because otherwise the advice could lead the caller in
// circles.
var contradictions = []contradiction{
	// Only stamped inputs name their tick.
	{
		timing(TimingBuffered), late(LateRewrite),
		"a buffer uses inputs in sequence, so a late input belongs to no known tick",
		timing(TimingStamped),
	},
	{
		timing(TimingArrival), late(LateRewrite),
		"an input that is used when it arrives belongs to no earlier tick",
		timing(TimingStamped),
	},
	{
		timing(TimingArrival), late(LateSuperseded),
		"an input used on arrival is late only if the server has already used a newer one, so it can supersede nothing",
		late(LateDrop),
	},
	{
		timing(TimingBuffered), missing(MissingWait),
		"a buffer delays one client while the others continue, but waiting delays all players",
		timing(TimingStamped),
	},
	{
		timing(TimingArrival), missing(MissingWait),
		"an input that is used when it arrives belongs to no tick in advance, so no tick can wait for it",
		timing(TimingStamped),
	},
	{
		timing(TimingBuffered), correction(CorrectionInputs),
		"all peers must use an input in the same tick, and a buffered input does not name its tick",
		timing(TimingStamped),
	},
	{
		timing(TimingArrival), correction(CorrectionInputs),
		"all peers must use an input in the same tick, but it arrives at each peer in a different tick",
		timing(TimingStamped),
	},

	// If every tick waits for its inputs, no input is late, no result is provisional and no prediction is wrong.
	{
		late(LateSuperseded), missing(MissingWait),
		"no input is late when every tick waits for it",
		late(LateDrop),
	},
	{
		late(LateRewrite), missing(MissingWait),
		"no input is late when every tick waits for it",
		late(LateDrop),
	},
	{
		missing(MissingWait), state(StateRewind),
		"every tick is simulated with all its inputs, so there is no reason to rewind",
		state(StateForward),
	},
	{
		missing(MissingWait), correction(CorrectionState),
		"every tick has all inputs, so each peer computes the same state and there is nothing to correct",
		correction(CorrectionInputs),
	},
	{
		missing(MissingWait), correction(CorrectionMismatch),
		"every tick has all inputs, so each peer computes the same state and there is nothing to correct",
		correction(CorrectionInputs),
	},
	{
		missing(MissingWait), outcomes(OutcomesPastHorizon),
		"a tick that has all its inputs is final, so no outcome is provisional",
		outcomes(OutcomesAtOnce),
	},
	{
		missing(MissingWait), horizon(HorizonWindow),
		"a tick that has all its inputs is final, so there is no window",
		horizon(HorizonPlayers),
	},

	// Only late inputs make the server rewind.
	{
		late(LateDrop), state(StateRewind),
		"only a late input makes the server rewind, and late inputs are dropped",
		late(LateRewrite),
	},
	{
		late(LateSuperseded), state(StateRewind),
		"only a late input makes the server rewind, and late inputs are used in the next tick instead",
		state(StateForward),
	},
	{
		late(LateRewrite), state(StateForward),
		"a server that only goes forward has no history to rewrite",
		state(StateRewind),
	},
	{
		late(LateSuperseded), missing(MissingNeutral),
		"a late input replaces the repeated input, and the neutral input is not repeated",
		missing(MissingRepeat),
	},
	{
		state(StateRewind), correction(CorrectionMismatch),
		"a rewrite can change a result after it was compared",
		correction(CorrectionState),
	},
	{
		state(StateRewind), outcomes(OutcomesAtOnce),
		"a rewrite can undo an outcome that was announced as final",
		outcomes(OutcomesPastHorizon),
	},

	// A client can only show states that the server sends.
	{
		correction(CorrectionInputs), remotes(RemotesInterpolated),
		"the server sends no states of others to interpolate between",
		remotes(RemotesCoSimulated),
	},
	{
		correction(CorrectionInputs), remotes(RemotesDamped),
		"the server sends no states of others to follow",
		remotes(RemotesCoSimulated),
	},
	{
		correction(CorrectionMismatch), remotes(RemotesCoSimulated),
		"co-simulation needs the full state, and the server omits the owner state while the results agree",
		correction(CorrectionState),
	},
	{
		correction(CorrectionMismatch), tolerance(ToleranceExact),
		"the client's result is quantized, so it rarely equals the server's state exactly and every tick would be corrected",
		tolerance(ToleranceFields),
	},
	{
		correction(CorrectionInputs), tolerance(ToleranceFields),
		"peers without state compare checksums, which are either equal or not",
		tolerance(ToleranceExact),
	},
	{
		late(LateDrop), horizon(HorizonWindow),
		"no tick is rewritten, so there is no window",
		late(LateRewrite),
	},
	{
		late(LateSuperseded), horizon(HorizonWindow),
		"no tick is rewritten, so there is no window",
		horizon(HorizonPlayers),
	},
	{
		timing(TimingStamped), late(LateSuperseded),
		"an input that names its tick is used in no other tick",
		late(LateDrop),
	},
	{
		timing(TimingStamped), correction(CorrectionMismatch),
		"results are compared in input sequence, and stamped inputs are used by tick",
		correction(CorrectionState),
	},
}

// withoutWait lists pairs that exclude each other unless MissingWait is chosen. They are checked last.
var withoutWait = []contradiction{
	{
		late(LateDrop), correction(CorrectionInputs),
		"all peers simulate a tick at the same time without waiting, so every input arrives late and would be dropped",
		late(LateRewrite),
	},
}

// contradiction returns the first pair of c that excludes each other, or nil.
func (c choices) contradiction() *contradiction {
	if r := c.firstIn(contradictions); r != nil || c[axisMissing] == uint8(MissingWait) {
		return r
	}
	return c.firstIn(withoutWait)
}

// firstIn returns the first pair of the table whose choices are both in c, or nil.
func (c choices) firstIn(table []contradiction) *contradiction {
	for i := range table {
		if r := &table[i]; c[r.a.axis] == r.a.value && c[r.b.axis] == r.b.value {
			return r
		}
	}
	return nil
}
