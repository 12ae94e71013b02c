package systemstest

import (
	"fmt"
	"strings"

	"github.com/tactusgo/tactus/systems"
)

// Converged fails the test unless the replicated state of every client equals the server's, field by field, as of
// the client's newest snapshot. Own predicted components are compared within tolerance, after the newest input that
// the server confirmed. Call [Crowd.Settle] before: while inputs are in flight, owner state may differ.
func (c *Crowd) Converged() {
	c.t.Helper()
	c.each("has another state than the server", func(k *Client) string {
		if err := systems.Difference(c.Server, k.Client); err != nil {
			return err.Error()
		}
		return ""
	})
}

// NothingMissing fails the test if the server filled a missing input since the last [Crowd.Mark].
func (c *Crowd) NothingMissing() {
	c.t.Helper()
	c.each("had inputs missing", func(k *Client) string {
		f := k.Figures()
		if f.Missing == 0 {
			return ""
		}
		return fmt.Sprintf("%d of %d inputs, the first at tick %d (%d came late; loss %.3f, mean depth %.1f)",
			f.Missing, f.Missing+f.Consumed, k.firstMiss, f.Late, k.status.Session.LossIn, f.MeanDepth())
	})
}

// NoCorrections fails the test if a client's prediction was corrected since the last [Crowd.Mark].
func (c *Crowd) NoCorrections() {
	c.t.Helper()
	c.each("was corrected", func(k *Client) string {
		f := k.Figures()
		if f.Corrections == 0 {
			return ""
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%d of %d owner states", f.Corrections, f.Corrections+f.Confirmed)
		for _, m := range k.mismatches {
			fmt.Fprintf(&b, "\n\tentity %d: %s.%s after input %d, tick %d: %s on the client, %s on the server",
				m.NetID, m.Component, m.Field, m.Input, m.Tick, m.Predicted, m.Truth)
		}
		return b.String()
	})
}

// NoStalls fails the test if a client drew a frame in which an entity stood still because its newest state was too old, or played
// slower than 0.95 of real time, since the last [Crowd.Mark].
func (c *Crowd) NoStalls() {
	c.t.Helper()
	c.each("stalled", func(k *Client) string {
		f := k.Figures()
		if f.Stalls == 0 {
			return ""
		}
		s := k.firstStall
		return fmt.Sprintf("%d frames, the first at tick %d: it drew tick %.2f, its newest snapshot was of tick %d",
			f.Stalls, s.tick, s.drawn, s.newest)
	})
}

// each fails the test for every client for which wrong returns a text, and for every client that is gone without
// having left.
func (c *Crowd) each(what string, wrong func(k *Client) string) {
	c.t.Helper()
	for _, k := range c.Clients {
		switch {
		case !k.present():
		case k.Err() != nil:
			c.t.Errorf("%v is gone: %v", k, k.Err())
		case !k.Connected():
			c.t.Errorf("%v never connected", k)
		default:
			if text := wrong(k); text != "" {
				c.t.Errorf("%v %s between ticks %d and %d: %s", k, what, c.mark, c.Server.Tick(), text)
			}
		}
	}
}
