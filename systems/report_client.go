package systems

import (
	"bytes"
	"fmt"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// heard is the newest server tick that is known of, and the last input that was
// consumed into it.
func (c *Client) heard() (tick, input uint32) {
	if c.reconciler.reporter != nil {
		return c.reconciler.reporter.tick, c.reconciler.reporter.input
	}
	return c.mirror.Own.Newest.Tick, c.mirror.Own.Newest.Input
}

// writeReport puts into a message what the newest input led to. A client that has to
// take over own state without comparing asks for it.
func (c *Client) writeReport(m *wire.Input) {
	a := c.reconciler.reporter
	if a == nil {
		return
	}
	m.Report.Asks, m.Report.Echo = c.reconciler.takeServerState || !a.any, a.taken
	if m.Report.Asks {
		return
	}
	a.results.List(c.world, c.link.id)
	if m.Report.Asks = !a.results.Write(c.world, &m.Report); !m.Report.Asks {
		c.stats.ReportBits += uint64(1 + wire.EchoBits + m.Report.Bits)
	}
}

// exact reports whether own state is what was predicted, bit by bit: then there is
// nothing to restore. A result is coarser than that, so where it differed, while
// the prediction is within tolerance, own state has to be taken over all the same.
func (c *Client) exact(w *ecs.World, own mirror.OwnState) bool {
	same := true
	c.mirror.Own.Each(own.Send, func(v mirror.OwnValue) {
		comp := v.Component
		e, ok := w.ByNetID(netID(v.ID))
		if !ok || c.shape.predicted>>comp.Replicated()&1 == 0 {
			return
		}
		predicted := c.predictor.history.Value(own.Input, e, comp)
		if predicted == nil {
			same = false
			return
		}
		same = same && bytes.Equal(c.reconciler.reporter.results.Raw(comp, predicted), v.Raw)
	})
	return same
}

// reportedDiffers compares what was predicted after the newest input that is known
// to be consumed with what was captured of it, in words.
func (c *Client) reportedDiffers(e ecs.Entity, comp *ecs.Component, words []int32) error {
	if c.reconciler.reporter.tick != c.mirror.Newest.Tick {
		return fmt.Errorf("%s: the newest snapshot is of tick %d, not %d", comp.Name, c.mirror.Newest.Tick, c.reconciler.reporter.tick)
	}
	predicted := c.predictor.history.Value(c.reconciler.reporter.input, e, comp)
	if predicted == nil {
		predicted = c.world.Netcode().Pointer(e, comp)
	}
	truth := c.scratchFor(comp)
	comp.Schema.Dequantize(truth, words, comp.Words, 1)
	field := comp.Schema.Compare(predicted, truth)
	if field < 0 {
		return nil
	}
	// A half step is lost by quantizing; as the server sees it both have lost it.
	if comp.Schema.Compare(c.reconciler.reporter.results.Quantized(comp, predicted), truth) < 0 {
		return nil
	}
	return fmt.Errorf("%s.%s after input %d: %s on the client, %s on the server", comp.Name, comp.Schema.Fields[field].Path,
		c.reconciler.reporter.input, comp.Schema.Format(field, predicted), comp.Schema.Format(field, truth))
}
