package reconcile

import (
	"bytes"

	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// reported is the confirmer if this client reports its results. A snapshot says whether the server had the same
// result after the input that it names. Owner state arrives as a correction.
type reported struct {
	parts *Parts

	tick   uint32 // tick of the newest snapshot, with or without owner state
	agreed bool   // the result after the input that it names agrees with the server's
	fresh  bool   // it is newer than the last call of next

	any    bool  // owner state was accepted
	taken  uint8 // number of its correction
	doubts bool  // since then a value that results leave out differed

	results [report.Kept]result // what was reported, by input
	again   wire.Report         // the result of an input that was simulated again
}

// result is the result that was reported for an input. The server may agree with it when the client has already
// simulated the input again, with another result.
type result struct {
	input uint32
	bytes []byte
	holds bool // the prediction still has this result
}

// record records the result that a message reports for an input. If an earlier message reported another one, this
// client cannot know which of them the server compares.
func (x *reported) record(input uint32, reported []byte) {
	r := &x.results[input%report.Kept]
	switch {
	case r.input != input:
		r.input, r.bytes, r.holds = input, append(r.bytes[:0], reported...), true
	case !bytes.Equal(r.bytes, reported):
		r.bytes, r.holds = r.bytes[:0], false
	}
}

// review compares the result of an input that was just simulated again with the reported one.
func (x *reported) review(input uint32) {
	if r := &x.results[input%report.Kept]; r.input == input {
		x.parts.Results.List(x.parts.World, x.parts.Client)
		r.holds = x.parts.Results.Write(x.parts.World, &x.again) && bytes.Equal(r.bytes, x.again.Result)
	}
}

// holds reports whether the result that was reported for an input is still predicted.
func (x *reported) holds(input uint32) bool {
	r := &x.results[input%report.Kept]
	return r.input == input && r.holds
}

// receive processes the header of a snapshot.
func (x *reported) receive(tick uint32, agreed bool) {
	if tick > x.tick {
		x.tick, x.agreed, x.fresh = tick, agreed, true
	}
}

// next returns owner state. A repeated correction is compared within tolerance. A new correction must be adopted
// unless it equals the prediction exactly, because a result is coarser.
func (x *reported) next(uint32) verdict {
	_, input := x.parts.Predict.Numbering.Heard()
	v := verdict{input: input, agreed: x.agreed && x.fresh && x.holds(input), own: x.parts.Mirror.Own.TakeNewest()}
	v.fresh = v.own.Fresh && v.own.Predicted // otherwise it contains only private components
	v.exact = !x.any || v.own.Number != x.taken
	x.fresh = false
	return v
}

func (x *reported) accepted(own mirror.OwnState) { x.any, x.taken, x.doubts = true, own.Number, false }

// write adds the result of the newest input to a message and returns its size in bits. With asks, it requests owner
// state to adopt without comparing.
func (x *reported) write(m *wire.Input, asks bool) (bits uint64) {
	m.Report.Asks, m.Report.Echo = asks || !x.any, x.taken
	if m.Report.Asks {
		return 0
	}
	x.parts.Results.List(x.parts.World, x.parts.Client)
	if m.Report.Asks = !x.parts.Results.Write(x.parts.World, &m.Report); m.Report.Asks {
		return 0
	}
	x.record(x.parts.Predict.Applied(), m.Report.Result)
	return uint64(1 + wire.EchoBits + m.Report.Bits)
}
