package systems

import (
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/recording"
)

// clientRecord is the state of ClientConfig.Record.
type clientRecord struct {
	open    bool // a segment has started
	renewed bool // the full states of the next segment were requested
}

// recordDatagram records a datagram of the server. A segment starts with the first datagram of full states.
func (c *Client) recordDatagram(pk netsys.Packet) {
	to, x := c.config.Record, &c.recorded
	if to == nil || to.Ended() {
		return
	}
	if x.open && !x.renewed && to.Due(c.steps.now) {
		c.mirror.Renew()
		x.renewed = true
	}
	if starts := c.mirror.Renews(pk.Data); starts && (!x.open || x.renewed) {
		c.beginRecord()
	}
	if x.open {
		to.Datagram(pk.At, pk.Seq, pk.Data, false)
	}
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
	c.config.Record.Begin(c.steps.now, h, uint64(c.link.id), m.Append(nil))
	c.recorded = clientRecord{open: true}
}

// recordedLines returns the lines of a recording's header.
func (c *Client) recordedLines() []string {
	messages := c.config.Session.Messages.Lines()
	if c.config.Events != nil {
		messages = c.config.Events.Registry().Lines()
	}
	return recordedLines(c.config.Session.Channels, messages, c.protocol.Lines())
}
