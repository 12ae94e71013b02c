package serverapply

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Client holds the inputs of one client on the server.
type Client struct {
	// Loss is the share of the client's packets that are lost.
	Loss clock.Loss

	limit     inputLimit
	reading   reading
	in        buffer
	lastInput []byte // the input stepped last, as bytes of the component
	id        uint32
	seq       uint16 // of the newest packet with inputs
	arrival   arrival
	session   netsys.Session
	notices   *notice.Queue
	logged    *notice.Once
	index     int    // index in Intake.clients
	missed    uint64 // missing inputs of the player before this session, if a timeline counts them
}

// touchAhead is the number of clients whose memory is read ahead. Of a thousand clients none is in the caches when
// its turn comes, and a cache miss takes some 155 ns. Therefore the data of a client is contiguous, and a byte of
// each of its cache lines is read for several clients at once: these reads do not depend on each other and overlap.
const touchAhead = 16

// Touch reads a byte of each cache line that a packet or a tick needs. The result has no meaning.
func (c *Client) Touch() byte {
	in := &c.in
	return byte(c.limit.lastNotice) ^ byte(in.expected) ^ byte(in.fillers[0]) ^ byte(in.slack.bucket) ^ byte(in.slack.newest[0]) ^ byte(in.slack.newest[16]) ^
		byte(in.slack.overtaken[12]) ^ byte(in.fills) ^ byte(in.stats.Consumed) ^ byte(in.stats.Ticks) ^ byte(in.real) ^ byte(c.id)
}

// TouchFurther reads a byte of each cache line of the memory to which these lines point: the entries of the newest packet and
// input, and the held input. The result has no meaning.
func (c *Client) TouchFurther() (b byte) {
	if in := &c.in; len(in.words) > 0 && len(c.lastInput) > 0 {
		i := in.index(in.expected)
		b = byte(in.seqs[i]) ^ byte(in.words[i*in.table.Words]) ^ c.lastInput[0]
	}
	return b ^ c.reading.bases.Touch()
}

// reading holds the messages from which later ones are decoded as differences.
type reading struct {
	bases  wire.Bases
	unread bool // the newest message could not be decoded
}

// newClient returns a client. notices receives the notices about refused inputs.
func newClient(c Config, id uint32, session netsys.Session, notices *notice.Queue, logged *notice.Once) *Client {
	t := wire.InputTable(c.Protocol)
	x := &Client{id: id, session: session, notices: notices, logged: logged, in: *newBuffer(t, c.TickRate, c.Batch)}
	x.in.superseding = c.Superseding
	x.reading.bases = *wire.NewInputBases(t.Words)
	if in := c.Protocol.Input(); in != nil {
		x.lastInput = make([]byte, in.Schema.Size)
		if held := x.newestInput(); held != nil {
			in.Schema.Snap(held)
		}
	}
	return x
}

// newestInput returns a pointer to the input stepped last, or nil if the input component is empty.
func (c *Client) newestInput() unsafe.Pointer {
	if len(c.lastInput) == 0 {
		return nil
	}
	return unsafe.Pointer(&c.lastInput[0])
}

// Consumed returns the sequence number of the last input consumed.
func (c *Client) Consumed() uint32 { return c.in.expected - 1 }

// Newest returns the sequence number of the newest input received.
func (c *Client) Newest() uint32 { return c.in.newest }

// Received reports whether an input was received.
func (c *Client) Received() bool { return c.in.any }

// Running reports whether inputs are being consumed.
func (c *Client) Running() bool { return c.in.running }

// Waiting returns the number of inputs that wait to be consumed.
func (c *Client) Waiting() int { return c.in.waiting() }

// Lead returns the total number of ticks that the client was asked to run ahead.
func (c *Client) Lead() int { return int(c.in.slack.asked) }

// Stats returns the counters of the client's inputs.
func (c *Client) Stats() Stats { return c.in.stats }

// Ack returns the fields of a snapshot about the client's inputs: the last consumed input, the number of waiting
// inputs or wire.DepthUnread, and the total shift by which the client should run ahead, in wire.ShiftUnit.
func (c *Client) Ack() (input uint32, depth uint8, shift int16) {
	depth = wire.DepthUnread
	if !c.reading.unread {
		depth = uint8(min(c.in.waiting(), wire.DepthUnread-1))
	}
	return c.Consumed(), depth, c.in.slack.units()
}

// SetRelayed stores the newest consumed input, the number of waiting inputs and the counters of a client whose
// inputs package relay consumes.
func (c *Client) SetRelayed(consumed uint32, waiting int, st Stats) {
	c.in.expected, c.in.newest, c.in.any = consumed+1, consumed+uint32(waiting), true
	if st.Consumed > 0 {
		st.Depth += uint64(waiting)
		st.Ticks++
	}
	c.in.stats = st
}

// limitShare is the number of inputs per tick that a client may send in the long run: its clock may be slightly fast.
const limitShare = 1.05

// inputLimit counts inputs that arrive faster than ticks.
type inputLimit struct {
	credit     float64 // inputs that may arrive now
	at         time.Time
	lastNotice uint64 // number of excess inputs in the last notice
}

// advance records that a client's newest input advanced by inputs, and returns how many of them are in excess. The path
// may deliver up to burst inputs at once.
func (c *inputLimit) advance(now time.Time, tickRate int, burst, inputs uint32) (tooMany uint64) {
	switch {
	case c.at.IsZero():
		c.credit = float64(burst)
	case now.After(c.at):
		c.credit = min(c.credit+now.Sub(c.at).Seconds()*float64(tickRate)*limitShare, float64(burst))
	}
	c.at = now
	if c.credit -= float64(inputs); c.credit < 0 {
		tooMany = uint64(-c.credit + 0.5)
		c.credit = 0
	}
	return tooMany
}

// countFast counts excess inputs of a packet. before is the newest input that was received or filled before the
// packet.
func (i *Intake) countFast(c *Client, before uint32) {
	in := &c.in
	if in.newest <= before || in.newest-before >= in.window {
		return // the buffer was reset
	}
	in.stats.Fast += c.limit.advance(i.config.Now(), i.config.TickRate, in.window, in.newest-before)
}

// notifyFast notifies a client of excess inputs when another second's worth has accumulated.
func (i *Intake) notifyFast(c *Client) {
	in, rate := &c.in, i.config.TickRate
	if in.stats.Fast-c.limit.lastNotice >= uint64(rate) {
		c.limit.lastNotice = in.stats.Fast
		if c.logged.First(notice.Fast) {
			i.config.Logger.Warn("inputs arrive faster than ticks; more from this client are only counted", "client", c.id, "inputs", in.stats.Fast)
		}
		tick := i.config.Tick()
		c.notices.AddLimited(&wire.Notice{Kind: wire.NoticeFast, Tick: tick, Inputs: in.stats.Fast}, rate, tick)
	}
}
