package reconcile

import (
	"fmt"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// reported is the confirmer where this client reports its results: a snapshot says whether
// the server had the same after the input that it names, and own state comes as a correction.
type reported struct {
	parts   *Parts
	compare *compare
	mirror  *mirror.Own

	tick   uint32 // of the newest snapshot, whether it had own state or not
	agreed bool   // the result after the input that it names agrees with the server
	fresh  bool   // it is newer than what Reconcile has seen

	any    bool  // own state was taken in
	taken  uint8 // the number of its correction
	doubts bool  // since then something that results leave out was not as predicted
}

// told takes in what a snapshot of a tick says in its header.
func (x *reported) told(tick uint32, agreed bool) {
	if tick > x.tick {
		x.tick, x.agreed, x.fresh = tick, agreed, true
	}
}

// next compares own state that was taken in before within tolerance. Of a correction that is
// new all has to be taken over that is not the same: a result is coarser than that.
func (x *reported) next(uint32) verdict {
	_, input := x.parts.Predict.Numbering.Heard()
	v := verdict{input: input, agreed: x.agreed && x.fresh, own: x.mirror.Look()}
	v.fresh = v.own.Fresh && v.own.Predicted // else it was for secrets
	v.exact = !x.any || v.own.Number != x.taken
	x.fresh = false
	return v
}

func (x *reported) took(own mirror.OwnState) { x.any, x.taken, x.doubts = true, own.Number, false }

// write puts into a message what the newest input led to, and returns how many bits that is. A
// client that has to take over own state without comparing asks for it.
func (x *reported) write(m *wire.Input, asks bool) (bits uint64) {
	m.Report.Asks, m.Report.Echo = asks || !x.any, x.taken
	if m.Report.Asks {
		return 0
	}
	x.parts.Results.List(x.parts.World, x.parts.Client)
	if m.Report.Asks = !x.parts.Results.Write(x.parts.World, &m.Report); m.Report.Asks {
		return 0
	}
	return uint64(1 + wire.EchoBits + m.Report.Bits)
}

// differs compares what was predicted after the newest input that is known
// to be consumed with what was captured of it, in words.
func (x *reported) differs(e ecs.Entity, comp *ecs.Component, words []int32) error {
	newest := x.parts.Mirror.Newest.Tick
	tick, input := x.parts.Predict.Numbering.Heard()
	if tick != newest {
		return fmt.Errorf("%s: the newest snapshot is of tick %d, not %d", comp.Name, newest, tick)
	}
	predicted := x.parts.Predict.History.Value(input, e, comp)
	if predicted == nil {
		predicted = x.parts.World.Netcode().Pointer(e, comp)
	}
	truth := x.compare.dequantized(comp, words)
	field := comp.Schema.Compare(predicted, truth)
	if field < 0 {
		return nil
	}
	// A half step is lost by quantizing; as the server sees it both have lost it.
	if comp.Schema.Compare(x.parts.Results.Quantized(comp, predicted), truth) < 0 {
		return nil
	}
	return fmt.Errorf("%s.%s after input %d: %s on the client, %s on the server", comp.Name, comp.Schema.Fields[field].Path,
		input, comp.Schema.Format(field, predicted), comp.Schema.Format(field, truth))
}
