package serverapply

import (
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Client is what the server keeps of one client's inputs.
type Client struct {
	// Loss is the share of the client's packets that are lost.
	Loss clock.Loss

	limit     inputLimit
	reading   reading
	in        buffer
	lastInput []byte // the input stepped last, as the component's bytes
	id        uint32
	arrival   arrival
	session   netsys.Session
	notices   *notice.Queue
	logged    *notice.Once
	place     int    // on the list of all
	missed    uint64 // inputs of the player that were missing before this session, where a timeline counts them
}

// together is how many clients are done in one go. Of a thousand clients none is in the caches when its turn comes, and a
// line of memory takes some 155 ns to come. So what a client needs lies in one piece, and before some clients are done a byte of
// each line of all of them is read: these reads do not depend on each other, and many lines come at a time.
const together = 16

// Touch reads a byte of each cache line that a packet or a tick needs. What it returns means nothing.
func (c *Client) Touch() byte {
	in := &c.in
	return byte(c.limit.told) ^ byte(in.expected) ^ byte(in.fillers[0]) ^ byte(in.slack.bucket) ^ byte(in.slack.least[0]) ^ byte(in.slack.least[16]) ^
		byte(in.slack.late[12]) ^ byte(in.fills) ^ byte(in.stats.Consumed) ^ byte(in.stats.Ticks) ^ byte(in.real) ^ byte(c.id)
}

// TouchFurther does so for what that leads to: where the newest packet and input stand, and what is held.
func (c *Client) TouchFurther() (b byte) {
	if in := &c.in; len(in.words) > 0 && len(c.lastInput) > 0 {
		i := in.index(in.expected)
		b = byte(in.seqs[i]) ^ byte(in.words[i*in.table.Words]) ^ c.lastInput[0]
	}
	return b ^ c.reading.bases.Touch()
}

// reading is what messages may continue from.
type reading struct {
	bases  wire.Bases
	unread bool // the newest message could not be read
}

// newClient begins with a client of a number, who is told in notices of what is refused.
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

// newestInput is where the input stepped last is kept, nil where there is nothing in it.
func (c *Client) newestInput() unsafe.Pointer {
	if len(c.lastInput) == 0 {
		return nil
	}
	return unsafe.Pointer(&c.lastInput[0])
}

// Consumed is the sequence of the last input consumed.
func (c *Client) Consumed() uint32 { return c.in.expected - 1 }

// Newest is the sequence of the newest input received.
func (c *Client) Newest() uint32 { return c.in.newest }

// Received reports whether an input was received.
func (c *Client) Received() bool { return c.in.any }

// Running reports whether inputs are consumed.
func (c *Client) Running() bool { return c.in.running }

// Waiting is how many inputs wait to be consumed.
func (c *Client) Waiting() int { return c.in.waiting() }

// Lead is how many ticks the client was asked to run ahead, in all.
func (c *Client) Lead() int { return int(c.in.slack.asked) }

// Stats counts what became of the client's inputs.
func (c *Client) Stats() Stats { return c.in.stats }

// Ack is what a snapshot tells the client of its inputs: the last that was consumed, how many wait, or wire.DepthUnread,
// and by how much the client is to run ahead, in all.
func (c *Client) Ack() (input uint32, depth uint8, shift int16) {
	depth = wire.DepthUnread
	if !c.reading.unread {
		depth = uint8(min(c.in.waiting(), wire.DepthUnread-1))
	}
	return c.Consumed(), depth, c.in.slack.units()
}

// Relayed takes in what became of a client's inputs where something else consumes them: the
// newest that was consumed, how many wait, and the counts.
func (c *Client) Relayed(consumed uint32, waiting int, st Stats) {
	c.in.expected, c.in.newest, c.in.any = consumed+1, consumed+uint32(waiting), true
	if st.Consumed > 0 {
		st.Depth += uint64(waiting)
		st.Ticks++
	}
	c.in.stats = st
}

// A client sends one input a tick, in the long run. Its clock may be off by a little,
// and the path may deliver many at once.
const (
	limitShare = 1.05
	limitBurst = window
)

// inputLimit counts inputs that come faster than ticks.
type inputLimit struct {
	credit float64 // inputs that may come now
	at     time.Time
	told   uint64 // too many, when the client was told last
}

// advance takes in that a client's newest input is so many further.
func (c *inputLimit) advance(now time.Time, tickRate int, inputs uint32) (tooMany uint64) {
	switch {
	case c.at.IsZero():
		c.credit = limitBurst
	case now.After(c.at):
		c.credit = min(c.credit+now.Sub(c.at).Seconds()*float64(tickRate)*limitShare, limitBurst)
	}
	c.at = now
	if c.credit -= float64(inputs); c.credit < 0 {
		tooMany = uint64(-c.credit + 0.5)
		c.credit = 0
	}
	return tooMany
}

// noteFast looks at what a packet of inputs changed: before is the newest input that was
// there or filled in for.
func (i *Intake) noteFast(c *Client, before uint32) {
	in := &c.in
	if in.newest <= before || in.newest-before >= window {
		return // not a series: the buffer was set afresh
	}
	in.stats.Fast += c.limit.advance(i.config.Now(), i.config.TickRate, in.newest-before)
}

// tellFast tells a client of inputs that were too many, once there are a second's more.
func (i *Intake) tellFast(c *Client) {
	in, rate := &c.in, i.config.TickRate
	if in.stats.Fast-c.limit.told >= uint64(rate) {
		c.limit.told = in.stats.Fast
		if c.logged.First(notice.Fast) {
			i.config.Logger.Warn("inputs come faster than ticks; more from this client are only counted", "client", c.id, "inputs", in.stats.Fast)
		}
		tick := i.config.Tick()
		c.notices.Tell(&wire.Notice{Kind: wire.NoticeFast, Tick: tick, Inputs: in.stats.Fast}, rate, tick)
	}
}
