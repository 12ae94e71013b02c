package systems

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
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
	if c.stats.MalformedMessages >= MaxMalformed || errors.Is(err, errTooMuch) {
		c.link.session.Close(now, netsys.ReasonProtocol)
		c.fail(fmt.Errorf("systems: the server broke the protocol: %w", err))
	}
}

// errTooMuch is about more state than a client keeps.
var errTooMuch = fmt.Errorf("%w: more than %d bytes of state", ErrMessage, mirror.MaxMemory)

// decoding is how bytes of snapshots become states.
type decoding struct {
	layout   *delta.Layout
	model    *delta.Model
	rawModel *delta.Model // of own state
	world    delta.Decoder
	own      delta.Decoder
	parts    []delta.Part
	reader   codec.ByteReader
	raw      []byte
	incoming incoming
	tally    tally
}

// mirrored is what the server has told of the world.
type mirrored struct {
	groups     []*mirror.History
	ownGroups  []*mirror.History
	replicas   []*mirror.Replica // in the order they came up
	byID       map[uint32]*mirror.Replica
	indexes    mirror.Indexes
	tombstones tombstones
	memory     mirror.Memory
	newestSend uint32
	newestTick uint32
	toldAll    uint32 // all slots in sight were told of by that send or later
}

// clientBaselines is what the server may stand on, as both ends have agreed.
type clientBaselines struct {
	controlSend uint32 // newest that had a control part
	floor       uint32 // oldest send that the server may still use
	epoch       uint8  // see the messages
	epochSend   uint32 // from which on the server has heard of it; 0: not yet
}

// clientJoin is the state with which this client joins.
type clientJoin struct {
	send       uint32 // 0: none yet
	tick       uint32
	groups     int
	loaded     bool // it has joined
	loadedTick uint32
}

// ownMirror is what the server has told of the client's own entities.
type ownMirror struct {
	state       ownState
	newest      uint32 // send with a block of own state, if only to say that there is none
	privateSend uint32 // of own state, what is private in it is in the world
}

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
	r := &c.decode.reader
	r.Reset(b)
	h, err := wire.ReadSnapshotHeader(r)
	if err != nil {
		return err
	}
	send := codec.Lift(h.Send, c.mirror.newestSend)
	if (h.Agreed || h.Open) && c.reconciler.reporter == nil {
		return fmt.Errorf("%w: a correction where there are none", ErrMessage)
	}
	if h.Back > send {
		return fmt.Errorf("%w: joined with send %d of %d", ErrMessage, send-h.Back, send)
	}
	in := &c.decode.incoming
	*in = incoming{send: send, tick: send*c.shape.sendEvery + uint32(h.Late), groups: in.groups[:0], own: in.own[:0]}
	in.join, in.joinTick = send, in.tick
	if h.Back > 0 {
		in.join, in.joinTick = send-h.Back, (send-h.Back)*c.shape.sendEvery+uint32(h.Joined)
	}
	if h.Control {
		c.baselines.floor = max(c.baselines.floor, send-min(send, uint32(h.Floor)))
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
	if c.decode.tally.on {
		c.decode.tally.bytes += uint64(len(b))
	}
	c.interpolator.Clock().Heard(at, in.tick)
	if h.Control && h.Epoch == c.baselines.epoch && c.baselines.epochSend == 0 {
		c.baselines.epochSend = send
	}
	if h.Control && send >= c.baselines.controlSend {
		c.baselines.controlSend = send
		c.inputs.sender.Depth = int(h.Depth)
		c.steps.steering.Ask(h.Shift)
	}
	if send > c.mirror.newestSend || c.stats.Snapshots == 1 {
		c.mirror.newestSend, c.mirror.newestTick = send, in.tick
	}
	if h.Join && !c.join.loaded && in.join > c.join.send && !c.joinWhole() {
		c.startJoin(in.join, in.joinTick, int(h.Groups))
	}
	c.reconciler.confirm.told(in.tick, h.Input, h.Agreed)
	c.reconciler.co.inputs.put(consumed{send, in.tick, c.model.numbering.InputOf(h.Input, in.tick)})
	c.takeOpen(&h)
	if h.Join && !c.join.loaded && in.join < c.join.send && !c.joinWhole() && c.whole(in.join, int(h.Groups)) {
		// Packets overtook each other, and the server may count this one as joined with.
		c.startJoin(in.join, in.joinTick, int(h.Groups))
	}
	if c.mirror.memory.Used > mirror.MaxMemory {
		return errTooMuch
	}
	return nil
}

// missed asks for full states where a baseline was missing that the server believes
// to be here. It is not asked again before the server has heard of it.
func (c *Client) missed(err error, send uint32) {
	if errors.Is(err, codec.ErrBaseline) && c.baselines.epochSend != 0 && send >= c.baselines.epochSend {
		c.baselines.epoch++
		c.baselines.epochSend = 0
		c.stats.Renewals++
	}
}

// readBlocks decodes all blocks of a packet into open states.
func (c *Client) readBlocks(r *codec.ByteReader) error {
	age := uint32(0)
	for r.Len() > 0 {
		h, body, err := wire.ReadBlock(r, age)
		if err == nil {
			err = c.readBody(&h, body)
		}
		if err != nil {
			return err
		}
		age = h.Age
	}
	return nil
}

// readBody decodes a block.
func (c *Client) readBody(h *wire.BlockHead, body []byte) error {
	in := &c.decode.incoming
	send, tick, all, open, model, decoder := in.join, in.joinTick, &c.mirror.groups, &in.groups, c.decode.model, &c.decode.world
	if h.Own {
		send, tick, all, open, model, decoder = in.send, in.tick, &c.mirror.ownGroups, &in.own, c.decode.rawModel, &c.decode.own
	}
	if h.Age >= send || h.Two && h.Age+1 >= send {
		return fmt.Errorf("%w: send %d stands on one %d sends before", ErrMessage, send, h.Age)
	}
	for len(*all) < int(h.First+h.Count) {
		*all = append(*all, &mirror.History{})
	}
	c.decode.parts = c.decode.parts[:0]
	for g := h.First; g < h.First+h.Count; g++ {
		x := (*all)[g]
		if x.Open == nil {
			x.Open = c.mirror.memory.Take(send, tick)
			*open = append(*open, g)
		}
		part := snapshotPart(x, h, send)
		if x.Open.Known&h.Slots != 0 {
			return fmt.Errorf("%w: group %d is told of twice", ErrMessage, g)
		}
		if h.Age > 0 && (part.Base == nil || h.Slots&^part.Base.Known != 0) ||
			h.Two && (part.Base2 == nil || h.Slots&^part.Base2.Known != 0) {
			return fmt.Errorf("%w: group %d, %d sends before %d", codec.ErrBaseline, g, h.Age, send)
		}
		c.decode.parts = append(c.decode.parts, part)
	}
	if err := decoder.Decode(body, h.Coder, model, c.decode.parts); err != nil {
		if errors.Is(err, codec.ErrBaseline) {
			return err
		}
		return fmt.Errorf("%w: %w", ErrMessage, err)
	}
	return nil
}

// checkOpen looks through what a packet told before anything is made of it.
func (c *Client) checkOpen() error {
	for _, g := range c.decode.incoming.groups {
		st := c.mirror.groups[g].Open
		for m := st.Alive; m != 0; m &= m - 1 {
			if k := trailing(m); st.IDs[k] == 0 || st.Masks[k]&c.shape.private != 0 {
				return fmt.Errorf("%w: entity %d with components %#x", ErrMessage, st.IDs[k], st.Masks[k])
			}
		}
	}
	for _, g := range c.decode.incoming.own {
		if err := c.eachOwnOf(c.mirror.ownGroups[g].Open, func(uint32, *ecs.Component, unsafe.Pointer, []byte) {}); err != nil {
			return err
		}
	}
	return nil
}

// dropOpen forgets what a packet told.
func (c *Client) dropOpen() {
	for _, g := range c.decode.incoming.groups {
		c.mirror.memory.Keep(c.mirror.groups[g].Open)
		c.mirror.memory.Release(c.mirror.groups[g].Open)
		c.mirror.groups[g].Open = nil
	}
	for _, g := range c.decode.incoming.own {
		c.mirror.memory.Keep(c.mirror.ownGroups[g].Open)
		c.mirror.memory.Release(c.mirror.ownGroups[g].Open)
		c.mirror.ownGroups[g].Open = nil
	}
}

// takeOpen keeps what a packet told.
func (c *Client) takeOpen(h *wire.SnapshotHeader) {
	floor := c.baselines.floor
	if send, ok := c.interpolator.Retain(); ok {
		floor = min(floor, send)
	}
	for _, g := range c.decode.incoming.groups {
		x := c.mirror.groups[g]
		st := x.Open
		x.Open = nil
		c.mirror.memory.Keep(st)
		known, hidden, send := st.Known, st.Hidden, st.Send
		if !c.store(x, st, floor) {
			continue
		}
		for m := known; m != 0; m &= m - 1 {
			if k := trailing(m); send > x.Told[k] {
				x.Told[k] = send
				x.Hidden = x.Hidden&^(1<<k) | hidden&(1<<k)
				x.Fresh |= 1 << k
			}
		}
	}
	for _, g := range c.decode.incoming.own {
		x := c.mirror.ownGroups[g]
		st := x.Open
		x.Open = nil
		c.own.newest = max(c.own.newest, st.Send)
		c.mirror.memory.Keep(st)
		c.store(x, st, min(floor, c.own.state.send))
	}
	if len(c.decode.incoming.own) > 0 { // also to say that nothing is left
		c.takeOwn(h)
	}
}

// store puts a state where it belongs; it reports false when it is too old to be of
// use.
func (c *Client) store(x *mirror.History, st *mirror.State, floor uint32) bool {
	if known := x.At(st.Send); known != nil {
		c.mirror.memory.Merge(known, st)
		c.mirror.memory.Release(st)
		return true
	}
	if st.Send == c.join.send && !c.join.loaded {
		x.First = st
		return true
	}
	if !x.Put(&c.mirror.memory, st, floor) {
		c.mirror.memory.Release(st)
		return false
	}
	return true
}
