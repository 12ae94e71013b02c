package systems

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

func netID(id uint32) components.NetID { return components.NetID(id) }

// ownState is what a snapshot said of the client's own entities: their state
// after the server consumed input, in full precision.
type ownState struct {
	tick  uint32
	input uint32
	raw   []byte
	fresh bool // newer than what Reconcile has seen
}

// receive is the system Receive of a client: it takes in snapshots and makes
// the newest confirmed state of every entity that this client does not predict
// the state of its world.
func (c *Client) receive(*ecs.World) {
	c.endpoint.Poll(c.now, (*clientHandler)(c))
	if c.world != nil {
		c.applyConfirmed()
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
	s := &c.sent[seq%sentRing]
	if s.live && s.seq == seq {
		s.live = false
		c.ackedInput = max(c.ackedInput, s.input)
		c.bases.ack(seq)
	}
}

func (h *clientHandler) Received(now time.Time, _ netsys.Session, pk netsys.Packet) {
	c := (*Client)(h)
	if c.err != nil {
		return
	}
	err := c.readSnapshot(now, pk.Data)
	if err == nil || errors.Is(err, codec.ErrBaseline) {
		return
	}
	if c.stats.MalformedMessages++; c.stats.MalformedMessages == 1 {
		c.config.Logger.Warn("snapshot refused; more are only counted", "error", err)
	}
	if c.stats.MalformedMessages >= MaxMalformed || errors.Is(err, errTooMany) {
		c.session.Close(now, netsys.ReasonProtocol)
		c.fail(fmt.Errorf("systems: the server broke the protocol: %w", err))
	}
}

// errTooMany is about more entities than a client keeps.
var errTooMany = fmt.Errorf("%w: more than %d entities", ErrMessage, maxReplicas)

// readSnapshot takes in one packet, or refuses it whole. An error that wraps
// codec.ErrBaseline is nobody's fault.
func (c *Client) readSnapshot(now time.Time, b []byte) error {
	if len(b) == 0 || b[0] != kindSnapshot {
		return fmt.Errorf("%w: %d bytes that are not a snapshot", ErrMessage, len(b))
	}
	h, own, body, err := readSnapshotHeader(b[1:])
	if err == nil {
		err = c.checkOwn(own)
	}
	if err == nil {
		c.plain, err = c.decompressor.Append(c.plain[:0], body)
	}
	if err != nil {
		return err
	}
	send := codec.Lift(h.send, c.newestSend)
	c.incoming = incoming{send: send, tick: h.tick, floor: send - min(send, uint32(h.floor))}
	if err := c.decoder.Decode(c.plain, c.layout, c.baseline, c.visit); err != nil {
		if errors.Is(err, codec.ErrBaseline) && h.epoch == c.epoch {
			c.epoch++
			c.stats.Renewals++
		}
		return err
	}
	c.stats.Snapshots++
	c.clock.snapshot(now, h.tick)
	if send > c.newestSend || c.stats.Snapshots == 1 {
		c.newestSend, c.newestTick = send, h.tick
		c.depth = int(h.depth)
		c.steer.ask(h.shift)
	}
	c.takeOwn(&h, own)
	return nil
}

// maxOwn bounds the own state of one tick in bytes.
const maxOwn = 1 << 16

// takeOwn keeps own state for Reconcile. What does not fit one packet comes in
// several of the same tick.
func (c *Client) takeOwn(h *snapshotHeader, own []byte) {
	switch {
	case h.own == 0:
		return
	case h.tick > c.own.tick:
		c.own.tick = h.tick
		c.own.input = codec.Lift(h.input, max(c.own.input, c.log.newest))
		c.own.raw = append(c.own.raw[:0], own...)
	case h.tick == c.own.tick && h.input == uint16(c.own.input) && len(c.own.raw)+len(own) <= maxOwn:
		c.own.raw = append(c.own.raw, own...)
	default:
		return
	}
	c.own.fresh = true
}

// incoming is the packet being decoded.
type incoming struct {
	send  uint32
	tick  uint32
	floor uint32
}

// lookupBaseline finds the state that a delta stands on.
func (c *Client) lookupBaseline(id, age uint32) (mask uint64, words []int32, ok bool) {
	r := c.byID[id]
	if r == nil || age > c.incoming.send {
		return 0, nil, false
	}
	rec := r.at(c.incoming.send - age)
	if rec == nil {
		return 0, nil, false
	}
	return rec.mask, rec.words, true
}

// visitEntity stores what a packet says of one entity.
func (c *Client) visitEntity(e *codec.Entity) error {
	in := &c.incoming
	r := c.byID[e.ID]
	if r == nil {
		if len(c.replicas) >= maxReplicas {
			return errTooMany
		}
		r = &replica{id: e.ID}
		c.byID[e.ID] = r
		c.replicas = append(c.replicas, r)
	}
	if e.Op == codec.OpGone {
		// Kept even when nothing was known of it: a packet that tells of its
		// life may have been overtaken, and must not wake the dead.
		if r.goneAt == 0 {
			r.goneAt = max(in.tick, 1)
		}
		r.newest = max(r.newest, in.send)
		return nil
	}
	floor := in.floor
	if send, ok := c.drawnSend(); ok {
		floor = min(floor, send)
	}
	r.put(&c.memory, in.send, in.tick, floor, e.Mask, e.Cur)
	return nil
}

// applyConfirmed writes news about entities into the world: all of it for
// entities of others, the components that are not predicted for own ones. It
// also makes and removes entities.
func (c *Client) applyConfirmed() {
	kept := c.replicas[:0]
	for _, r := range c.replicas {
		if r.goneAt != 0 {
			c.world.Discard(netID(r.id))
			if c.forget(r) {
				delete(c.byID, r.id)
				r.release(&c.memory)
				continue
			}
			kept = append(kept, r)
			continue
		}
		kept = append(kept, r)
		if r.applied == r.newest {
			continue
		}
		rec := r.at(r.newest)
		r.applied = r.newest
		c.applyRecord(r, rec)
	}
	clear(c.replicas[len(kept):])
	c.replicas = kept
}

// forget reports whether nothing can need a destroyed entity any more: late
// packets that still tell of it, or the view.
func (c *Client) forget(r *replica) bool {
	return c.newestSend > r.newest+maxRecords && r.drawn.IsZero()
}

func (c *Client) applyRecord(r *replica, rec *record) {
	c.match(r, rec)
	own := c.predicting && c.owns(rec)
	var had uint64 // components that were predicted here before
	if !r.entity.IsZero() && own && c.simulates(r.entity) {
		had = c.world.Mask(r.entity)
	}
	if r.entity.IsZero() || c.simulates(r.entity) != own || c.world.Mask(r.entity) != rec.mask {
		r.entity = c.world.Replica(netID(r.id), rec.mask, own)
		// There is no prediction to compare the newcomers with.
		c.adopt = c.adopt || own && rec.mask&^had&c.predicted != 0
	}
	for _, comp := range c.replicated {
		bit := uint64(1) << comp.Replicated()
		if comp.Words == 0 || rec.mask&bit == 0 || had&c.predicted&bit != 0 {
			continue
		}
		at := c.layout.Offset(rec.mask, comp.Replicated())
		comp.Schema.Dequantize(c.world.Pointer(r.entity, comp), rec.words[at:], comp.Words, 1)
	}
}

// owns reports whether a record names this client as owner.
func (c *Client) owns(rec *record) bool {
	ownerC := c.replicated[0]
	if rec.mask&1 == 0 {
		return false
	}
	var o components.Owner
	ownerC.Schema.Dequantize(unsafe.Pointer(&o), rec.words[c.layout.Offset(rec.mask, 0):], 1, 1)
	return o.Client == c.id
}

func (c *Client) simulates(e ecs.Entity) bool { return ecs.Has[components.Predicted](c.world, e) }

// checkOwn parses own state without writing it anywhere.
func (c *Client) checkOwn(b []byte) error {
	return c.eachOwn(b, func(uint32, *ecs.Component, []byte) {})
}

// eachOwn parses own state and visits each component's raw bytes, which are
// valid for the component.
func (c *Client) eachOwn(b []byte, visit func(id uint32, comp *ecs.Component, raw []byte)) error {
	var r codec.ByteReader
	r.Reset(b)
	for r.Len() > 0 {
		id, mask := r.Uvarint(), r.Uvarint()
		if r.Err() != nil || id == 0 || id > 1<<32-1 || mask == 0 || mask&^c.predicted != 0 {
			return fmt.Errorf("%w: own state of entity %d with components %#x", ErrMessage, id, mask)
		}
		for _, comp := range c.replicated {
			if mask&(1<<comp.Replicated()) == 0 {
				continue
			}
			raw := r.Next(comp.Schema.RawSize())
			if r.Err() != nil {
				return fmt.Errorf("%w: own state ends within %s", ErrMessage, comp.Name)
			}
			if _, err := comp.Schema.ReadRaw(raw, c.scratchFor(comp)); err != nil {
				return fmt.Errorf("%w: own state: %w", ErrMessage, err)
			}
			visit(uint32(id), comp, raw)
		}
	}
	return nil
}

// scratchFor is room for one value of a component.
func (c *Client) scratchFor(comp *ecs.Component) unsafe.Pointer {
	need := int(comp.Schema.Size+7) / 8
	c.scratch = resize(c.scratch, max(need, 1))
	return unsafe.Pointer(&c.scratch[0])
}
