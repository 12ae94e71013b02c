package mirror

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Mirror is what the server told a client. [New] makes one, [Mirror.Open] prepares it for
// the server; then each datagram goes through [Mirror.Receive], and [Mirror.Place] brings
// the news into the world.
type Mirror struct {
	Own      Own      // of the client's own entities
	Entities Entities // of all
	Store    Store    // what it is made from
	Decoder  Decoder
	Newest   Sent // the newest of which a datagram came
	Counts   Counts

	config    Config
	shape     *shape
	baselines baselines
	join      join
	drawing   drawing
}

// Config is what a mirror has to know of the session.
type Config struct {
	World     *ecs.World   // the client's
	Host      Host         // what placing entities asks of the rest
	Client    uint32       // its number, as owner of entities
	Tick      uint32       // of the server when it let the client in
	SendEvery uint32       // ticks
	Model     *delta.Model // of the state of the world
	RawModel  *delta.Model // of own state
	// Predicts says that the client simulates its own entities, and Corrections that their
	// state comes only where it did so wrongly.
	Predicts, Corrections bool
	// Loaded is called with the world as it is when the client has joined, if not nil.
	Loaded func(w *ecs.World, tick uint32)
	// Presence is told of entities that come into the world and leave it, if not nil.
	Presence func(w *ecs.World, c PresenceChange)
}

// Sent is a send of the server, and its tick.
type Sent struct{ Send, Tick uint32 }

// Counts is what a mirror counts.
type Counts struct {
	Snapshots uint64 // datagrams taken in
	Renewals  uint64 // times that full states were asked for
}

// Snapshot is what else a datagram said.
type Snapshot struct {
	Sent
	Header wire.SnapshotHeader
	Steers bool // no newer one had a control part
}

// shape is what the protocol says of components.
type shape struct {
	replicated []*ecs.Component
	predicted  uint64
	private    uint64 // only their owner sees them
}

// owner is the owner of the entity in a slot, by a state; 0: nobody.
func (s *shape) owner(st *State, k int) uint32 {
	if st.Masks[k]&1 == 0 {
		return 0
	}
	var o components.Owner
	s.replicated[0].Schema.Dequantize(unsafe.Pointer(&o), st.Record(k), 1, 1)
	return o.Client
}

// drawing is which states drawing needs.
type drawing struct {
	on   bool
	head float64 // the tick that is drawn
	from uint32  // oldest tick that something is drawn from on its way to another
}

// oldest is the oldest send that drawing may still need, of those up to the newest.
func (d *drawing) oldest(newest Sent, every uint32) (send uint32, ok bool) {
	if !d.on || newest.Send == 0 {
		return newest.Send, false
	}
	back := uint32(max(float64(newest.Tick)-d.head, 0)/float64(every)) + 3
	return min(newest.Send-min(back, newest.Send-1), d.from/every), true
}

// New returns a mirror that has heard of nothing, for components of which some are predicted
// and some private to their owner, by their bits.
func New(replicated []*ecs.Component, predicted, private uint64) *Mirror {
	m := &Mirror{shape: &shape{replicated, predicted, private}}
	m.Entities.byID = make(map[uint32]*Replica)
	m.Own.store, m.Own.shape = &m.Store, m.shape
	m.baselines.epochSend = 1
	return m
}

// Open begins with the session.
func (m *Mirror) Open(c Config) {
	m.config, m.Own.corrections = c, c.Corrections
	m.Newest = Sent{c.Tick / c.SendEvery, c.Tick}
	m.Decoder.model, m.Decoder.rawModel = c.Model, c.RawModel
}

// Retain says of a frame that was drawn at which tick it was and which is the oldest that
// something was drawn from: what later ones need is kept.
func (m *Mirror) Retain(head float64, from uint32) { m.drawing = drawing{true, head, from} }

// Loaded returns the tick of the state with which the client joined, and whether all of that
// has arrived.
func (m *Mirror) Loaded() (tick uint32, ok bool) { return m.join.loadedTick, m.join.loaded }

// Load says that the client has joined without snapshots, with the state of a tick.
func (m *Mirror) Load(tick uint32) { m.join.loaded, m.join.loadedTick = true, tick }

// Epoch is what the server has to hear, to know by which states the client can decode.
func (m *Mirror) Epoch() uint8 { return m.baselines.epoch }

// Receive takes in one datagram, or refuses it whole. An error that wraps codec.ErrBaseline
// is nobody's fault. newestInput is the newest input of the client, for the server tells but
// the low part of numbers.
func (m *Mirror) Receive(b []byte, newestInput uint32) (s Snapshot, err error) {
	r := &m.Decoder.reader
	r.Reset(b)
	h, err := wire.ReadSnapshotHeader(r)
	if err != nil {
		return s, err
	}
	send := codec.Lift(h.Send, m.Newest.Send)
	if (h.Agreed || h.Open) && !m.config.Corrections {
		return s, fmt.Errorf("%w: a correction where there are none", wire.ErrMessage)
	}
	if h.Back > send {
		return s, fmt.Errorf("%w: joined with send %d of %d", wire.ErrMessage, send-h.Back, send)
	}
	every := m.config.SendEvery
	s = Snapshot{Sent: Sent{send, send*every + uint32(h.Late)}, Header: h}
	in := m.Decoder.begin(s.Sent)
	if h.Back > 0 {
		in.join = Sent{send - h.Back, (send-h.Back)*every + uint32(h.Joined)}
	}
	if h.Control {
		m.baselines.floor = max(m.baselines.floor, send-min(send, uint32(h.Floor)))
	}
	if err = m.Decoder.blocks(&m.Store); err == nil {
		err = m.check()
	}
	if err != nil {
		m.Decoder.drop(&m.Store)
		m.Counts.Renewals += m.baselines.missed(err, send)
		return s, err
	}
	m.Counts.Snapshots++
	m.Decoder.tally.taken(len(b))
	if h.Control {
		s.Steers = m.baselines.hear(h.Epoch, send)
	}
	if send > m.Newest.Send || m.Counts.Snapshots == 1 {
		m.Newest = s.Sent
	}
	waits := h.Join && !m.join.loaded && !m.join.whole(&m.Store)
	if waits && in.join.Send > m.join.Send {
		m.join.start(in.join, int(h.Groups), &m.Store, m.baselines.floor)
	}
	m.take(&h, newestInput)
	if waits && in.join.Send < m.join.Send && !m.join.whole(&m.Store) && m.Store.whole(in.join.Send, int(h.Groups)) {
		// Datagrams overtook each other, and the server may count this one as joined with.
		m.join.start(in.join, int(h.Groups), &m.Store, m.baselines.floor)
	}
	if m.Store.Memory.Used > MaxMemory {
		return s, ErrMemory
	}
	return s, nil
}

// Told visits the entities that the newest send told of, as far as its datagrams have come, each with a hash of what it said
// of them to everybody, and returns that send. Two clients that are told of an entity by one send have the same.
func (m *Mirror) Told(visit func(id uint32, sum uint64)) (send uint32) {
	send = m.Newest.Send
	for _, x := range m.Store.World {
		st := x.At(send)
		if st == nil {
			continue
		}
		for s := st.Alive; s != 0; s &= s - 1 {
			k := trailing(s)
			sum := uint64(st.IDs[k])<<32 ^ st.Masks[k]
			for _, w := range st.Record(k) {
				high, low := bits.Mul64(sum^uint64(uint32(w))^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
				sum = high ^ low
			}
			visit(st.IDs[k], sum)
		}
	}
	return send
}

// ErrMemory is about more state than a client keeps.
var ErrMemory = fmt.Errorf("%w: more than %d bytes of state", wire.ErrMessage, MaxMemory)

// check looks through what a datagram told before anything is made of it.
func (m *Mirror) check() error {
	for _, g := range m.Decoder.in.groups {
		st := m.Store.World[g].Open
		for s := st.Alive; s != 0; s &= s - 1 {
			if k := trailing(s); st.IDs[k] == 0 || st.Masks[k]&m.shape.private != 0 {
				return fmt.Errorf("%w: entity %d with components %#x", wire.ErrMessage, st.IDs[k], st.Masks[k])
			}
		}
	}
	for _, g := range m.Decoder.in.own {
		if err := m.Own.read(m.Store.Own[g].Open, m.Store.Own[g].Open.Alive, func(OwnValue) {}); err != nil {
			return err
		}
	}
	return nil
}

// take keeps what a datagram told.
func (m *Mirror) take(h *wire.SnapshotHeader, newestInput uint32) {
	floor := m.baselines.floor
	if send, ok := m.drawing.oldest(m.Newest, m.config.SendEvery); ok {
		floor = min(floor, send)
	}
	for _, g := range m.Decoder.in.groups {
		x := m.Store.World[g]
		m.Store.take(x, m.Store.close(x), floor, m.join.collected())
	}
	for _, g := range m.Decoder.in.own {
		x := m.Store.Own[g]
		st := m.Store.close(x)
		st.Secrets = m.config.Corrections && !h.Open
		m.Own.told = max(m.Own.told, st.Send)
		oldest := min(floor, m.Own.Newest.Send)
		for s := x.Fresh; s != 0; s &= s - 1 {
			oldest = min(oldest, x.Told[trailing(s)])
		}
		m.Store.take(x, st, oldest, 0)
	}
	if len(m.Decoder.in.own) > 0 { // also to say that nothing is left
		m.Own.hear(m.Decoder.in.send, h, newestInput)
	}
}

// Presence goes by the newest snapshot that told of an entity.
func (m *Mirror) Presence(id uint32) Presence {
	r := m.Entities.Of(id)
	switch {
	case r == nil:
		return m.Entities.tombstones.of(id)
	case r.Removed.Tick != 0 && r.Removed.Hidden:
		return OutOfInterest
	case r.Removed.Away && r.Entity.IsZero() && m.Entities.decided(r, m.Newest.Send):
		return OutOfInterest
	case r.Removed.Tick != 0 && r.Entity.IsZero() && m.Entities.decided(r, m.Newest.Send):
		return Destroyed
	case r.Entity.IsZero():
		return NotLoaded
	case r.Removed.Tick != 0:
		return Stale // it may turn up in another slot
	case m.Store.World[r.At.Group].Told[r.At.Slot] >= m.Newest.Send:
		return Present
	}
	return Stale
}

// StateTick is the tick of that snapshot.
func (m *Mirror) StateTick(id uint32) (tick uint32, ok bool) {
	r := m.Entities.Of(id)
	if r == nil || r.Removed.Tick != 0 || r.Entity.IsZero() {
		return 0, false
	}
	x := m.Store.World[r.At.Group]
	if st := x.At(x.Told[r.At.Slot]); st != nil {
		return st.Tick, true
	}
	return 0, false
}
