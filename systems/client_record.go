package systems

import (
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/recording"
)

// clientRecord is the state of ClientConfig.Record.
type clientRecord struct {
	session uint32 // number of sessions so far
	open    bool   // a segment has started
	renewed bool   // the full states of the next segment were requested
	relayed relayRecording
	seq     uint16 // of the next datagram, if inputs are relayed
}

// recordDatagram records a datagram of the server. A segment starts with the first datagram of full states.
func (c *Client) recordDatagram(pk netsys.Packet) {
	to, x := c.config.Record, &c.recorded
	if to == nil || to.Ended() {
		return
	}
	if x.relayed.from != nil {
		return
	}
	if x.open && !x.renewed && to.Due(c.steps.now) {
		c.mirror.Renew()
		x.renewed = true
	}
	if starts := c.mirror.Renews(pk.Data); starts && (!x.open || x.renewed) {
		c.beginRecord()
		x.renewed = false
	}
	if x.open {
		to.Datagram(pk.At, pk.Seq, pk.Data, false)
	}
}

// recordRelayed prepares to record relayed inputs.
func (c *Client) recordRelayed(d *relay.Client) {
	if c.config.Record == nil {
		return
	}
	x := &c.recorded
	x.relayed.init(c.config.Record, c.config.Session.Channels, &x.seq, c.beginRecord)
	_, part := relay.BulkChannel(c.config.Session.Channels)
	x.relayed.from = d.Record(part)
}

// beginRecord starts a segment, with which a client begins as this one would now.
func (c *Client) beginRecord() {
	m, err := wire.ReadWelcome(c.link.endpoint.Welcome())
	if err != nil {
		return // it was read before
	}
	h := recording.Header{}
	if !c.recorded.open {
		h = recording.Header{Protocol: c.protocol.Name(), Lines: c.recordedLines(), Model: m.Model.String(), Sight: c.link.id}
	}
	m.Tick, m.Input = c.mirror.Newest.Tick, c.inputs.Log.Newest
	session := uint64(c.recorded.session)<<32 | uint64(c.link.id) // no other session has it, even in another room
	c.config.Record.Begin(c.steps.now, h, session, m.Append(nil))
	c.recorded.open = true
}

// recordedLines returns the lines of a recording's header.
func (c *Client) recordedLines() []string {
	messages := c.config.Session.Messages.Lines()
	if c.config.Events != nil {
		messages = c.config.Events.Registry().Lines()
	}
	return recordedLines(c.config.Session.Channels, messages, c.protocol.Lines())
}
