package policy

import "fmt"

// choice is a value on an axis.
type choice struct {
	axis  axis
	value uint8
}

func (c choice) String() string { return names[c.axis].axis + " " + name(c.axis, c.value) }

// contradiction is a pair of choices that exclude each other.
type contradiction struct {
	a, b    choice
	why     string
	instead choice // on one of the two axes
}

func (c *contradiction) String() string {
	return fmt.Sprintf("%v contradicts %v: %s; choose %v", c.a, c.b, c.why, c.instead)
}

// Shorthands of the table below.
func timing(v InputTiming) choice    { return choice{axisTiming, uint8(v)} }
func late(v LateInput) choice        { return choice{axisLate, uint8(v)} }
func missing(v MissingInput) choice  { return choice{axisMissing, uint8(v)} }
func state(v ServerState) choice     { return choice{axisState, uint8(v)} }
func correction(v Correction) choice { return choice{axisCorrection, uint8(v)} }
func remotes(v Remotes) choice       { return choice{axisRemotes, uint8(v)} }
func outcomes(v Outcomes) choice     { return choice{axisOutcomes, uint8(v)} }
func tolerance(v Tolerance) choice   { return choice{axisTolerance, uint8(v)} }
func horizon(v Horizon) choice       { return choice{axisHorizon, uint8(v)} }

// contradictions lists every pair of choices that exclude each other. Pairs that
// are merely a bad bargain are not here: the package documentation has the bill.
// The advice keeps what differs from the default, where one of the two does: that
// is what somebody asked for. The first pair that holds is the one that is told, so
// waiting stands before what would send the reader back and forth.
var contradictions = []contradiction{
	// An input belongs to a tick only when it says so.
	{
		timing(TimingBuffered), late(LateRewrite),
		"a buffer uses inputs in sequence, so the client does not know which tick of history one would belong in",
		timing(TimingStamped),
	},
	{
		timing(TimingArrival), late(LateRewrite),
		"an input that is used when it arrives belongs to no earlier tick",
		timing(TimingStamped),
	},
	{
		timing(TimingArrival), late(LateSuperseded),
		"on arrival an input is late only when a newer one was used before it, so it can supersede nothing",
		late(LateDrop),
	},
	{
		timing(TimingBuffered), missing(MissingWait),
		"a buffer grows by holding one client while all others go on, and waiting holds everybody",
		timing(TimingStamped),
	},
	{
		timing(TimingArrival), missing(MissingWait),
		"an input that is used when it arrives is expected in no tick, so none can wait for it",
		timing(TimingStamped),
	},
	{
		timing(TimingBuffered), correction(CorrectionInputs),
		"all peers must use an input in the same tick, and one in a buffer does not say which",
		timing(TimingStamped),
	},
	{
		timing(TimingArrival), correction(CorrectionInputs),
		"all peers must use an input in the same tick, and it arrives at each in another",
		timing(TimingStamped),
	},

	// Where every tick waits for its inputs, nothing is late, provisional or wrong.
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
		"no tick is simulated with an input missing, so there is nothing to go back for",
		state(StateForward),
	},
	{
		missing(MissingWait), correction(CorrectionState),
		"with all inputs in every tick each peer computes the same state, and there is nothing to correct",
		correction(CorrectionInputs),
	},
	{
		missing(MissingWait), correction(CorrectionMismatch),
		"with all inputs in every tick each peer computes the same state, and there is nothing to correct",
		correction(CorrectionInputs),
	},
	{
		missing(MissingWait), outcomes(OutcomesPastHorizon),
		"a tick that has waited for all its inputs is final, so no outcome is provisional",
		outcomes(OutcomesAtOnce),
	},
	{
		missing(MissingWait), horizon(HorizonWindow),
		"a tick that has waited for all its inputs is final, so there is no window to leave",
		horizon(HorizonPlayers),
	},

	// The server goes back for late inputs, and for nothing else.
	{
		late(LateDrop), state(StateRewind),
		"only a late input makes the server go back, and it is dropped",
		late(LateRewrite),
	},
	{
		late(LateSuperseded), state(StateRewind),
		"only a late input makes the server go back, and it is used in the next tick instead",
		state(StateForward),
	},
	{
		late(LateRewrite), state(StateForward),
		"a server that only goes forward has no history to rewrite",
		state(StateRewind),
	},
	{
		late(LateSuperseded), missing(MissingNeutral),
		"a late input replaces what is held, and neutral fillers hold nothing",
		missing(MissingRepeat),
	},
	{
		state(StateRewind), correction(CorrectionMismatch),
		"a result that agreed can be wrong after the next rewrite, when nobody compares it any more",
		correction(CorrectionState),
	},
	{
		state(StateRewind), outcomes(OutcomesAtOnce),
		"a rewrite can undo what was told for good",
		outcomes(OutcomesPastHorizon),
	},

	// What is shown must come from what is sent.
	{
		correction(CorrectionInputs), remotes(RemotesInterpolated),
		"no states of others arrive between which to draw them",
		remotes(RemotesCoSimulated),
	},
	{
		correction(CorrectionInputs), remotes(RemotesDamped),
		"no states of others arrive for them to follow",
		remotes(RemotesCoSimulated),
	},
	{
		correction(CorrectionMismatch), remotes(RemotesCoSimulated),
		"others are simulated from a state of everything, and the server leaves out the client's part while it agrees",
		correction(CorrectionState),
	},
	{
		correction(CorrectionMismatch), tolerance(ToleranceExact),
		"the client's result travels rounded, so it never equals the server's and every tick would be corrected",
		tolerance(ToleranceFields),
	},
	{
		correction(CorrectionInputs), tolerance(ToleranceFields),
		"peers that get no state compare checksums, and those are equal or not",
		tolerance(ToleranceExact),
	},
	{
		late(LateDrop), horizon(HorizonWindow),
		"nothing is rewritten, so there is no window to leave",
		late(LateRewrite),
	},
	{
		late(LateSuperseded), horizon(HorizonWindow),
		"nothing is rewritten, so there is no window to leave",
		horizon(HorizonPlayers),
	},
	{
		timing(TimingStamped), late(LateSuperseded),
		"an input that says its tick is used in no other",
		late(LateDrop),
	},
	{
		timing(TimingStamped), correction(CorrectionMismatch),
		"results are compared as inputs are used in sequence, and these are used by tick",
		correction(CorrectionState),
	},
}

// unawaited lists the pairs that exclude each other but where every tick waits for its inputs. They are told last.
var unawaited = []contradiction{
	{
		late(LateDrop), correction(CorrectionInputs),
		"where nobody waits all simulate a tick at the same time, so inputs arrive after it, and each would be dropped",
		late(LateRewrite),
	},
}

// contradiction is the first pair of c that excludes each other, or nil.
func (c choices) contradiction() *contradiction {
	if r := c.among(contradictions); r != nil || c[axisMissing] == uint8(MissingWait) {
		return r
	}
	return c.among(unawaited)
}

// among is the first pair of a table that c has chosen, or nil.
func (c choices) among(table []contradiction) *contradiction {
	for i := range table {
		if r := &table[i]; c[r.a.axis] == r.a.value && c[r.b.axis] == r.b.value {
			return r
		}
	}
	return nil
}
