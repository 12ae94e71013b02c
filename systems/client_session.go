package systems

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/inputgather"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/policy"
)

// welcome creates the world when the server has admitted this client.
func (c *Client) welcome(session netsys.Session) error {
	m, err := wire.ReadWelcome(c.link.endpoint.Welcome())
	if err != nil {
		return err
	}
	c.link.session, c.link.id, c.played = session, uint32(session.ID()), m.Model
	traits := policy.TraitsOf(m.Model)
	if err := suits(c, m.Model); err != nil {
		return err
	}
	config := ecs.Config{Seed: m.Seed, TickRate: int(m.TickRate), Client: !traits.RelaysInputs, Rewinds: traits.RelaysInputs, Simulate: c.stages.simulate}
	c.world = ecs.NewWorld(c.protocol, config)
	config.Client, config.Rewinds = true, false
	c.view = ecs.NewWorld(c.protocol, config)
	if traits.Provisional {
		c.followed.outcomes = newOutcomes(c.world, c.config.Outcomes)
	}
	c.followed.all = newListeners(c.config.Events, c.followed.outcomes)
	c.shape.sendEvery = uint32(m.TickRate / m.SendRate)
	log := inputgather.NewLog(wire.InputTable(c.protocol), c.config.historyTicks(int(m.TickRate)))
	log.Jump(m.Input)
	corrections := traits.Reports
	c.inputs.System = inputgather.New(log, c.config.Gather.by(c), c.config.Prediction.Partial.by(c))
	c.inputs.sender = inputgather.NewSender(log, m.Input, inputgather.Parts{Fill: c.fillMessage, Reported: corrections})
	c.recorded = clientRecord{session: c.recorded.session + 1}
	c.model = newClientModel(c, traits)
	c.config.Systems.replace(c)
	if c.config.Events != nil {
		if number := sessions.Ordinal(session); c.link.resumes && number > 0 {
			c.config.Events.Resume(c.world, number, session.Channels())
		} else {
			c.config.Events.Join(c.world, number, session.Channels())
		}
	}
	tables := wire.Tables(c.protocol)
	layout := delta.NewLayout(tables, int(c.shape.sendEvery), int(m.SendRate))
	agreed := wire.Agreement{Trained: c.config.Session.Trained, Layout: layout, Log: c.config.Logger}
	c.mirror.Open(mirror.Config{
		World: c.world, Host: (*clientHost)(c), Client: c.link.id, Tick: m.Tick, SendEvery: c.shape.sendEvery,
		Model:    agreed.Model(m.Trained),
		RawModel: delta.NewModel(delta.NewRawLayout(tables, int(c.shape.sendEvery), int(m.SendRate)), nil),
		Predicts: c.stages.predicting, Corrections: corrections, Stamped: stamped(traits), Loaded: c.config.Loaded, Presence: c.config.OnPresence,
	})
	c.steps.silent, c.steps.woken = 0, 0
	c.steps.loop = ecs.NewLoop(c.steps.now.Add(c.world.StepDuration()), int(m.TickRate))
	c.config.Logger.Info("connected", "client", c.link.id, "server", session.RemoteAddr())
	return nil
}

// fail ends the session. The client reconnects or ends.
func (c *Client) fail(err error) {
	c.link.trying = false
	if !c.startReconnect(err) {
		c.end(err)
	}
}

// end ends the client.
func (c *Client) end(err error) {
	if c.link.err == nil {
		c.link.lost = nil
		c.link.err = err
		if c.config.Events != nil {
			c.config.Events.Leave()
		}
		c.config.Logger.Info("session ended", "client", c.link.id, "reason", err)
	}
}

// receive is the system Receive of a client: it receives snapshots and writes the newest confirmed states of
// entities that are not predicted into the world.
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
	c := (*Client)(h)
	if g := c.link.guide; g == nil || !g.Ended(reason) {
		c.fail(reason)
	}
}

func (h *clientHandler) Acked(_ netsys.Session, seq uint16) {
	h.model.listener.Acked(seq)
}

func (h *clientHandler) Received(now time.Time, _ netsys.Session, pk netsys.Packet) {
	c := (*Client)(h)
	if c.link.err != nil {
		return
	}
	c.link.loss.Packet(now)
	c.recordDatagram(pk)
	if err := c.model.listener.Receive(pk); err != nil {
		c.refuse(now, err)
	}
}

// refuse counts a malformed message of the server. Beyond a limit the client closes the session.
func (c *Client) refuse(now time.Time, err error) {
	if c.stats.MalformedMessages++; c.stats.MalformedMessages == 1 {
		c.config.Logger.Warn("message refused; more are only counted", "error", err)
	}
	if c.stats.MalformedMessages >= MaxMalformed || errors.Is(err, mirror.ErrMemory) {
		c.link.session.Close(now, netsys.ReasonProtocol)
		c.fail(fmt.Errorf("systems: the server broke the protocol: %w", err))
	}
}

// receiveSnapshot processes a datagram that arrived at a time: the mirror stores its states, other parts process
// its header.
func (c *Client) receiveSnapshot(at time.Time, b []byte) error {
	s, err := c.mirror.Receive(b, c.inputs.Log.Newest)
	if err != nil {
		return err
	}
	c.interpolator.Heard(at, s)
	if s.Steers {
		c.inputs.sender.Depth = int(s.Header.Depth)
		c.steps.steering.Ask(s.Header.Shift)
	}
	c.predictor.Numbering.ReceiveHeader(s.Sent, s.Header.Input)
	c.reconciler.ReceiveHeader(s.Tick, s.Header.Agreed)
	return nil
}

// Message processes a message of a channel.
func (h *clientHandler) Message(now time.Time, _ netsys.Session, number int, message []byte) {
	c := (*Client)(h)
	if c.link.err != nil {
		return
	}
	taken, err := c.model.listener.Message(number, message)
	if !taken && c.recorded.open {
		c.config.Record.Message(now, number, message, false)
	}
	if number == channel.Control {
		taken, err = true, c.receiveNotice(message)
	}
	if !taken && c.config.Events != nil {
		taken, err = c.config.Events.Receive(number, message)
	}
	if !taken && c.config.Session.OnMessage != nil {
		ecs.Handle(c.world, "ClientConfig.Session.OnMessage", func() { err = c.config.Session.OnMessage(c, number, message) })
	}
	if err != nil {
		c.refuse(now, fmt.Errorf("%w: channel %d: %w", ErrMessage, number, err))
	}
}

// receiveNotice processes a notice.
func (c *Client) receiveNotice(message []byte) error {
	n, err := wire.ReadNotice(message)
	if err != nil {
		return err
	}
	refusal := Refusal{Tick: n.Tick, Reason: n.Reason}
	switch n.Kind {
	case wire.NoticeInput:
		refusal.Cause, refusal.Input = RefusedInput, n.Input
	case wire.NoticeFast:
		refusal.Cause, refusal.Inputs = TooFast, n.Inputs
	case wire.NoticeCommand:
		name, ok := commands.Name(c.protocol.Players(), int(n.Input)-1)
		if !ok {
			return fmt.Errorf("%w: notice about command %d", ErrMessage, n.Input)
		}
		refusal.Cause, refusal.Command = RefusedCommand, name
	case wire.NoticeTravel:
		if c.link.guide == nil {
			c.link.guide = newGuide(c)
		}
		return c.link.guide.Receive(n.Ticket)
	}
	c.stats.Refusals++
	if c.config.OnRefused != nil {
		ecs.Handle(c.world, "ClientConfig.OnRefused", func() { c.config.OnRefused(refusal) })
	}
	return nil
}

// Away ends the session and tells the server that the player may return, as when a page is closed or reloaded: see
// netsys.ReasonAway. A server with a ReconnectWindow reserves the player's seat from now on; any other server
// treats it as leaving. The transport stays open until Close, so that sent packets leave.
func (c *Client) Away(now time.Time) {
	if c.link.guide != nil {
		c.link.guide.Close(now)
	}
	c.link.endpoint.Away(now)
	c.end(&netsys.CloseError{Reason: netsys.ReasonAway})
}

// Close leaves the server and closes the transport.
func (c *Client) Close(now time.Time) error {
	if c.link.guide != nil {
		c.link.guide.Close(now)
	}
	return c.link.endpoint.Close(now)
}

// Dial connects to a server over UDP and returns when the server has admitted this client. addr is "host:port"; ""
// selects the addresses in ClientConfig.Session.Token, in order. If the connection fails, it returns an error that wraps
// [ErrConfig], an error of package netsys or netcode.ErrTokenExpired, or ctx's error.
func Dial(ctx context.Context, addr string, p *ecs.Protocol, cfg ClientConfig) (*Client, error) {
	var wire *netsys.UDP
	var err error
	if addr == "" && cfg.Session.Token != nil {
		wire, err = netsys.ListenUDP(":0")
	} else {
		wire, err = netsys.DialUDP(ctx, addr)
	}
	if err != nil {
		return nil, fmt.Errorf("systems: Dial: %w", err)
	}
	c, err := NewClient(wire, wire.RemoteAddr(), p, cfg)
	if err != nil {
		return nil, errors.Join(err, wire.Close())
	}
	if err := advanceUntil(ctx, c, c.Connected); err != nil {
		return nil, errors.Join(err, c.Close(time.Now()))
	}
	return c, nil
}

// AskSendRate asks the server to send this client at most n snapshots a second from now on, for less traffic, computing and battery, as
// for a page that nobody sees. Others are then drawn later. The server sends at least a quarter of [UsualSendRate] all the same. It has no
// effect under models that send no snapshots. Default (0): as many as the server sends.
func (c *Client) AskSendRate(n int) { c.sendRate = max(n, 0) }

// askedEvery returns the number of times of sends from one snapshot to the next that the client asks for.
func (c *Client) askedEvery() uint8 {
	if c.sendRate == 0 {
		return 0
	}
	most := c.world.TickRate() / int(c.shape.sendEvery)
	return uint8(min((most+c.sendRate-1)/c.sendRate, math.MaxUint8))
}

// fillMessage sets the fields of an input message other than inputs.
func (c *Client) fillMessage(m *wire.Input) {
	m.Epoch, m.Every = c.mirror.Epoch(), c.askedEvery()
	m.Shift = c.steps.steering.Done()
	c.reconciler.Report(m)
}
