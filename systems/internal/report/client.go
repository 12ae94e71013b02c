package report

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// kept is how many inputs ahead results are kept, until the server has
// consumed these inputs. A buffer that is longer compares less often.
const kept = 128

// Client is what the server makes of a client's results. A nil one stands for a client that
// reports none, to whom all of its own state is told.
type Client struct {
	results [kept]result
	own     []entity // the client's entities as of this tick
	had     bool     // it has had any
	open    bool     // a correction
	number  uint8    // of the newest one
	agreed  uint32   // input after which client and server agree, 0 for none

	secrets uint64 // components of which no result tells
	secret  hash   // of their values, at the newest send
	parts   hash   // of which entities have which of them
	since   uint32 // send from which on secret is so
}

// result is what a client reported.
type result struct {
	input uint32 // after which it is
	asks  bool
	echo  uint8
	bytes []byte
}

// Take keeps what a message says of its newest input, of which low travelled, where newest
// is the newest of all.
func (c *Client) Take(low uint16, newest uint32, m *wire.Report) {
	if c == nil {
		return
	}
	input := codec.Lift(low, newest)
	r := &c.results[input%kept]
	r.input, r.asks, r.echo = input, m.Asks, m.Echo
	r.bytes = append(r.bytes[:0], m.Result...)
}

// Header puts into a snapshot's header what came of the results.
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

// Emptied reports whether the correction may be that nothing is left of what the client had.
func (c *Client) Emptied() bool { return c.Correcting() && c.had }

// Parts is which components own state tells of, of all that it may: all, or secrets
// where there is nothing to correct.
func (c *Client) Parts(all uint64) uint64 {
	if c != nil && !c.open {
		return c.secrets
	}
	return all
}

// judge opens and closes corrections by a result, which agrees or does not.
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
	case c.open && r.echo != c.number: // from before it was carried out
		return
	case c.open && agrees:
		c.open = false
	case !agrees:
		c.begin(st)
	}
	if agrees && !c.open {
		c.agreed = r.input
	}
}

// begin opens another correction.
func (c *Client) begin(st *Stats) {
	c.open = true
	c.number = (c.number + 1) % wire.Corrections
	st.Corrections++
}
