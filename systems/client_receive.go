package systems

import (
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

func netID(id uint32) components.NetID { return components.NetID(id) }

// receive is the system Receive of a client: it takes in snapshots and makes
// the newest confirmed state of every entity that this client does not predict
// the state of its world.
func (c *Client) receive(*ecs.World) {
	c.endpoint.Poll(c.now, (*clientHandler)(c))
	if c.mode != nil {
		c.mode.confirm()
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
	c.changes.ackedChanges(seq)
	c.mode.acked(seq)
}

func (h *clientHandler) Received(now time.Time, _ netsys.Session, pk netsys.Packet) {
	c := (*Client)(h)
	if c.err != nil {
		return
	}
	c.loss.packet(now)
	var err error
	if len(pk.Data) > 0 && pk.Data[0]&kindMask == kindNotices {
		err = c.takeNotices(pk.Data)
	} else {
		err = c.mode.received(pk)
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
	if c.stats.MalformedMessages >= MaxMalformed || errors.Is(err, errTooMuch) {
		c.session.Close(now, netsys.ReasonProtocol)
		c.fail(fmt.Errorf("systems: the server broke the protocol: %w", err))
	}
}

// errTooMuch is about more state than a client keeps.
var errTooMuch = fmt.Errorf("%w: more than %d bytes of state", ErrMessage, maxMemory)

// incoming is the packet at hand.
type incoming struct {
	send, tick uint32   // of the snapshot
	join       uint32   // send of the blocks of the world
	joinTick   uint32   // its tick
	groups     []uint32 // of the world, with an open state
	own        []uint32 // likewise of own state
}

// readSnapshot takes in one packet that came at a time, or refuses it whole. An error
// that wraps codec.ErrBaseline is nobody's fault.
func (c *Client) readSnapshot(at time.Time, b []byte) error {
	r := &c.reader
	r.Reset(b)
	h, err := readSnapshotHeader(r)
	if err != nil {
		return err
	}
	send := codec.Lift(h.send, c.newestSend)
	if (h.agreed || h.open) && c.advice == nil {
		return fmt.Errorf("%w: a correction where there are none", ErrMessage)
	}
	if h.back > send {
		return fmt.Errorf("%w: joined with send %d of %d", ErrMessage, send-h.back, send)
	}
	in := &c.incoming
	*in = incoming{send: send, tick: send*c.sendEvery + uint32(h.late), groups: in.groups[:0], own: in.own[:0]}
	in.join, in.joinTick = send, in.tick
	if h.back > 0 {
		in.join, in.joinTick = send-h.back, (send-h.back)*c.sendEvery+uint32(h.joined)
	}
	if h.control {
		c.floor = max(c.floor, send-min(send, uint32(h.floor)))
	}
	if err = c.readBlocks(r); err == nil {
		err = c.checkOpen()
	}
	if err != nil {
		c.dropOpen()
		c.missed(err, send)
		return err
	}
	c.stats.Snapshots++
	if c.tally.on {
		c.tally.bytes += uint64(len(b))
	}
	c.clock.snapshot(at, in.tick)
	if h.control && h.epoch == c.epoch && c.epochSend == 0 {
		c.epochSend = send
	}
	if h.control && send >= c.controlSend {
		c.controlSend = send
		c.depth = int(h.depth)
		c.steer.ask(h.shift)
	}
	if send > c.newestSend || c.stats.Snapshots == 1 {
		c.newestSend, c.newestTick = send, in.tick
	}
	if h.join && !c.loaded && in.join > c.joinSend && !c.joinWhole() {
		c.startJoin(in.join, in.joinTick, int(h.groups))
	}
	c.hear(&h)
	c.co.inputs.put(consumed{send, in.tick, c.inputOf(h.input, in.tick)})
	c.takeOpen(&h)
	if h.join && !c.loaded && in.join < c.joinSend && !c.joinWhole() && c.whole(in.join, int(h.groups)) {
		// Packets overtook each other, and the server may count this one as joined with.
		c.startJoin(in.join, in.joinTick, int(h.groups))
	}
	if c.memory.used > maxMemory {
		return errTooMuch
	}
	return nil
}

// missed asks for full states where a baseline was missing that the server believes
// to be here. It is not asked again before the server has heard of it.
func (c *Client) missed(err error, send uint32) {
	if errors.Is(err, codec.ErrBaseline) && c.epochSend != 0 && send >= c.epochSend {
		c.epoch++
		c.epochSend = 0
		c.stats.Renewals++
	}
}

// readBlocks decodes all blocks of a packet into open states.
func (c *Client) readBlocks(r *codec.ByteReader) error {
	age := uint32(0)
	for r.Len() > 0 {
		h, body, err := readBlock(r, age)
		if err == nil {
			err = c.readBody(&h, body)
		}
		if err != nil {
			return err
		}
		age = h.age
	}
	return nil
}

// readBody decodes a block.
func (c *Client) readBody(h *blockHead, body []byte) error {
	in := &c.incoming
	send, tick, all, open, model, decoder := in.join, in.joinTick, &c.groups, &in.groups, c.model, &c.decoder
	if h.own {
		send, tick, all, open, model, decoder = in.send, in.tick, &c.ownGroups, &in.own, c.rawModel, &c.ownDecoder
	}
	if h.age >= send || h.two && h.age+1 >= send {
		return fmt.Errorf("%w: send %d stands on one %d sends before", ErrMessage, send, h.age)
	}
	for len(*all) < int(h.first+h.count) {
		*all = append(*all, &history{})
	}
	c.parts = c.parts[:0]
	for g := h.first; g < h.first+h.count; g++ {
		x := (*all)[g]
		if x.open == nil {
			x.open = c.memory.take(send, tick)
			*open = append(*open, g)
		}
		part := snapshotPart(x, h, send)
		if x.open.Known&h.slots != 0 {
			return fmt.Errorf("%w: group %d is told of twice", ErrMessage, g)
		}
		if h.age > 0 && (part.Base == nil || h.slots&^part.Base.Known != 0) ||
			h.two && (part.Base2 == nil || h.slots&^part.Base2.Known != 0) {
			return fmt.Errorf("%w: group %d, %d sends before %d", codec.ErrBaseline, g, h.age, send)
		}
		c.parts = append(c.parts, part)
	}
	if err := decoder.Decode(body, h.coder, model, c.parts); err != nil {
		if errors.Is(err, codec.ErrBaseline) {
			return err
		}
		return fmt.Errorf("%w: %w", ErrMessage, err)
	}
	return nil
}

// checkOpen looks through what a packet told before anything is made of it.
func (c *Client) checkOpen() error {
	for _, g := range c.incoming.groups {
		st := c.groups[g].open
		for m := st.Alive; m != 0; m &= m - 1 {
			if k := trailing(m); st.IDs[k] == 0 || st.Masks[k]&c.private != 0 {
				return fmt.Errorf("%w: entity %d with components %#x", ErrMessage, st.IDs[k], st.Masks[k])
			}
		}
	}
	for _, g := range c.incoming.own {
		if err := c.eachOwnOf(c.ownGroups[g].open, func(uint32, *ecs.Component, []byte) {}); err != nil {
			return err
		}
	}
	return nil
}

// dropOpen forgets what a packet told.
func (c *Client) dropOpen() {
	for _, g := range c.incoming.groups {
		c.memory.keep(c.groups[g].open)
		c.memory.release(c.groups[g].open)
		c.groups[g].open = nil
	}
	for _, g := range c.incoming.own {
		c.memory.keep(c.ownGroups[g].open)
		c.memory.release(c.ownGroups[g].open)
		c.ownGroups[g].open = nil
	}
}

// takeOpen keeps what a packet told.
func (c *Client) takeOpen(h *snapshotHeader) {
	floor := c.floor
	if send, ok := c.drawnSend(); ok {
		floor = min(floor, send)
	}
	for _, g := range c.incoming.groups {
		x := c.groups[g]
		st := x.open
		x.open = nil
		c.memory.keep(st)
		known, hidden, send := st.Known, st.Hidden, st.Send
		if !c.store(x, st, floor) {
			continue
		}
		for m := known; m != 0; m &= m - 1 {
			if k := trailing(m); send > x.told[k] {
				x.told[k] = send
				x.veiled = x.veiled&^(1<<k) | hidden&(1<<k)
				x.fresh |= 1 << k
			}
		}
	}
	for _, g := range c.incoming.own {
		x := c.ownGroups[g]
		st := x.open
		x.open = nil
		c.ownSend = max(c.ownSend, st.Send)
		c.memory.keep(st)
		c.store(x, st, min(floor, c.own.send))
	}
	if len(c.incoming.own) > 0 { // also to say that nothing is left
		c.takeOwn(h)
	}
}

// store puts a state where it belongs; it reports false when it is too old to be of
// use.
func (c *Client) store(x *history, st *state, floor uint32) bool {
	if known := x.at(st.Send); known != nil {
		c.memory.merge(known, st)
		c.memory.release(st)
		return true
	}
	if st.Send == c.joinSend && !c.loaded {
		x.first = st
		return true
	}
	if !x.put(&c.memory, st, floor) {
		c.memory.release(st)
		return false
	}
	return true
}
