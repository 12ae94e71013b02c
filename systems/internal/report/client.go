package report

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Kept is the number of inputs for which both ends store results until the server has consumed them. With a longer
// buffer, fewer results are compared.
const Kept = 128

// Client holds a client's results on the server. A nil Client reports no results and receives all of its owner
// state.
type Client struct {
	results [Kept]result
	own     []entity // the client's entities in this tick
	had     bool     // it has had entities
	open    bool     // a correction is open
	number  uint8    // number of the newest correction
	agreed  uint32   // input after which client and server agree, 0 for none

	secrets uint64 // components that results leave out
	secret  hash   // hash of their values at the newest send
	parts   hash   // hash of the entities and the bits of these components
	since   uint32 // send since which secret is unchanged
}

// result is a reported result.
type result struct {
	input uint32 // the result is after this input
	asks  bool
	echo  uint8
	bytes []byte
}

// Receive stores the result in a message for its newest input. low is the low part of that input, newest the newest
// input received.
func (c *Client) Receive(low uint16, newest uint32, m *wire.Report) {
	if c == nil {
		return
	}
	input := codec.Lift(low, newest)
	r := &c.results[input%Kept]
	r.input, r.asks, r.echo = input, m.Asks, m.Echo
	r.bytes = append(r.bytes[:0], m.Result...)
}

// Header sets the fields of a snapshot's header about results.
func (c *Client) Header(h *wire.SnapshotHeader) {
	if c == nil {
		return
	}
	h.Agreed, h.Open = c.agreed != 0, c.open
	if c.open {
		h.Number = c.number
	}
}

// Correcting reports whether a correction is open.
func (c *Client) Correcting() bool { return c != nil && c.open }

// Emptied reports whether the correction may be that the client has no entities any more.
func (c *Client) Emptied() bool { return c.Correcting() && c.had }

// Parts returns the components that owner state contains: all, or only secrets if there is nothing to correct.
func (c *Client) Parts(all uint64) uint64 {
	if c != nil && !c.open {
		return c.secrets
	}
	return all
}

// judge opens and closes corrections according to a result. agrees reports whether it agrees with the server.
func (c *Client) judge(r *result, agrees bool, st *Stats) {
	switch {
	case r.asks:
		st.Asked++
	case agrees:
		st.Agreed++
	case !c.open || r.echo == c.number:
		st.Differed++
	}
	c.had = c.had || len(c.own) > 0
	switch {
	case !c.had: // nothing to correct
		c.open = false
	case c.open && r.asks:
	case c.open && r.echo != c.number: // from before the correction was carried out
		return
	case c.open && agrees:
		c.open = false
	case !agrees:
		c.openCorrection(st)
	}
	if agrees && !c.open {
		c.agreed = r.input
	}
}

// openCorrection opens another correction.
func (c *Client) openCorrection(st *Stats) {
	c.open = true
	c.number = (c.number + 1) % wire.Corrections
	st.Corrections++
}
