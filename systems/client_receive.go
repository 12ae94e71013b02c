package systems

import (
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

func netID(id uint32) components.NetID { return components.NetID(id) }

// receive is the system Receive of a client: it takes in snapshots and makes
// the newest confirmed state of every entity that this client does not predict
// the state of its world.
func (c *Client) receive(*ecs.World) {
	c.link.endpoint.Poll(c.steps.now, (*clientHandler)(c))
	if c.world != nil {
		c.model.listener.Confirm()
	}
}

// clientHandler keeps the session callbacks out of Client's methods.
type clientHandler Client

func (h *clientHandler) Connected(_ time.Time, session netsys.Session) {
	c := (*Client)(h)
	if err := c.welcome(session); err != nil {
		c.fail(err)
	}
}

func (h *clientHandler) Disconnected(_ time.Time, _ netsys.Session, reason error) {
	(*Client)(h).fail(reason)
}

func (h *clientHandler) Acked(_ netsys.Session, seq uint16) {
	c := (*Client)(h)
	c.owned.Acked(seq)
	c.model.listener.Acked(seq)
}

func (h *clientHandler) Received(now time.Time, _ netsys.Session, pk netsys.Packet) {
	c := (*Client)(h)
	if c.link.err != nil {
		return
	}
	c.link.loss.Packet(now)
	var err error
	if len(pk.Data) > 0 && pk.Data[0]&wire.KindMask == wire.KindNotices {
		err = c.link.notices.Take(pk.Data, c.heed)
	} else {
		err = c.model.listener.Receive(pk)
	}
	if err != nil {
		c.refuse(now, err)
	}
}

// refuse counts a message that no honest server sends. Past a limit the client leaves.
func (c *Client) refuse(now time.Time, err error) {
	if c.stats.MalformedMessages++; c.stats.MalformedMessages == 1 {
		c.config.Logger.Warn("message refused; more are only counted", "error", err)
	}
	if c.stats.MalformedMessages >= MaxMalformed || errors.Is(err, mirror.ErrMemory) {
		c.link.session.Close(now, netsys.ReasonProtocol)
		c.fail(fmt.Errorf("systems: the server broke the protocol: %w", err))
	}
}

// takeSnapshot takes in a datagram that came at a time: its states go into the mirror, and
// the rest of it to whom that is for.
func (c *Client) takeSnapshot(at time.Time, b []byte) error {
	s, err := c.mirror.Receive(b, c.inputs.Log.Newest)
	if err != nil {
		return err
	}
	c.interpolator.Clock().Heard(at, s.Tick)
	if s.Steers {
		c.inputs.sender.Depth = int(s.Header.Depth)
		c.steps.steering.Ask(s.Header.Shift)
	}
	c.predictor.Numbering.Told(s.Sent, s.Header.Input)
	c.reconciler.Told(s.Tick, s.Header.Agreed)
	return nil
}
