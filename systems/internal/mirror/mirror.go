package mirror

import (
	"fmt"
	"math/bits"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Mirror holds what the server sent to a client. Create it with [New] and start a session with [Mirror.Open]. Pass
// each datagram to [Mirror.Receive]; [Mirror.Place] then updates the world.
type Mirror struct {
	Own      Own      // state of the client's own entities
	Entities Entities // all entities
	Store    Store    // states of the received sends
	Decoder  Decoder
	Newest   Sent // the newest send of which a datagram arrived
	Counts   Counts

	config    Config
	shape     *shape
	baselines baselines
	join      join
	drawing   drawing
	complete  completeSend
	unit      uint32 // numbers of sends in unitTime, at least 1
	known     uint32 // newest send of whose entities none was missing when states were placed last
}

// unitTime is the least interval by which the client measures its patience, however many snapshots there are.
const unitTime = 50 * time.Millisecond

// interval returns the number of sends, skipped ones included, by which the client measures its patience: from one snapshot to the
// next, but at least as many as there are in unitTime.
func (m *Mirror) interval() uint32 { return max(m.unit, m.Decoder.world.every) }

// completeSend is the newest send whose state is complete in the store.
type completeSend struct {
	snapshots uint64 // number of datagrams that it takes into account
	send      uint32
}

// Config describes the session.
type Config struct {
	World     *ecs.World   // the client's world
	Host      Host         // decides about placed entities
	Client    uint32       // the client's number, as in components.Owner
	Tick      uint32       // the server's tick at the login
	SendEvery uint32       // ticks from one number of a send to the next
	Model     *delta.Model // model of world state
	RawModel  *delta.Model // model of owner state
	// Predicts reports that the client simulates its own entities. Corrections reports that the server sends their
	// state only after a wrong prediction.
	Predicts, Corrections bool
	Stamped               bool // inputs have the numbers of ticks
	// Loaded, if not nil, is called with the world and its tick when the client has joined.
	Loaded func(w *ecs.World, tick uint32)
	// Presence, if not nil, is called for each entity that enters or leaves the world.
	Presence func(w *ecs.World, c PresenceChange)
}

// Sent is a send of the server with its tick.
type Sent struct{ Send, Tick uint32 }

// Counts holds the counters of a mirror.
type Counts struct {
	Snapshots uint64 // accepted datagrams
	Renewals  uint64 // requests for full states
}

// Snapshot holds the fields of a datagram besides its blocks.
type Snapshot struct {
	Sent
	Header wire.SnapshotHeader
	Every  uint32 // ticks until the next snapshot is due
	Steers bool   // the newest send with a control part, which steers the client's clock
}

// shape describes the protocol's components.
type shape struct {
	replicated []*ecs.Component
	predicted  uint64
	private    uint64 // visible only to their owner
}

// owner returns the owner of the entity in a slot of a state; 0: none.
func (s *shape) owner(st *State, k int) uint32 {
	if st.Masks[k]&1 == 0 {
		return 0
	}
	var o components.Owner
	s.replicated[0].Schema.Dequantize(unsafe.Pointer(&o), st.Record(k), 1, 1)
	return o.Client
}

// drawing tracks which states drawing needs.
type drawing struct {
	on   bool
	head float64 // the tick that is drawn
	from uint32  // oldest tick from which an entity is interpolated
}

// oldest returns the oldest send that drawing may still need, at most newest.
func (d *drawing) oldest(newest Sent, step, every uint32) (send uint32, ok bool) {
	if !d.on || newest.Send == 0 {
		return newest.Send, false
	}
	back := uint32(max(float64(newest.Tick)-d.head, 0)/float64(step)) + 3*every
	return min(newest.Send-min(back, newest.Send-1), d.from/step), true
}

// New returns an empty mirror. predicted and private are the bits of predicted components and of components that
// only their owner sees.
func New(replicated []*ecs.Component, predicted, private uint64) *Mirror {
	m := &Mirror{shape: &shape{replicated, predicted, private}}
	m.Entities.byID = make(map[uint32]*Replica)
	m.Own.at, m.Own.shape = &m.Store.Own, m.shape
	m.Store.World = Region{most: wire.MaxGroups, sets: sets{keep: 128}}
	m.Store.Own = Region{most: wire.MaxOwnGroups, sets: sets{keep: 2 * wire.OwnKept}}
	m.Decoder.world.to, m.Decoder.own.to = &m.Store.World, &m.Store.Own
	m.Decoder.world.memory, m.Decoder.own.memory = &m.Store.Memory, &m.Store.Memory
	m.baselines.epochSend = 1
	return m
}

// Open starts a session.
func (m *Mirror) Open(c Config) {
	m.config, m.Own.corrections, m.Own.stamped = c, c.Corrections, c.Stamped
	m.Newest = Sent{c.Tick / c.SendEvery, c.Tick}
	m.Own.whole, m.unit = m.Newest.Send, max(uint32(unitTime/c.World.StepDuration())/c.SendEvery, 1)
	m.Decoder.world.model, m.Decoder.own.model = c.Model, c.RawModel
}

// Retain reports the tick of a drawn frame and the oldest tick from which an entity was interpolated. The mirror
// keeps the states that later frames need.
func (m *Mirror) Retain(head float64, from uint32) { m.drawing = drawing{true, head, from} }

// Loaded returns the tick of the state with which the client joined, and whether that state has completely arrived.
func (m *Mirror) Loaded() (tick uint32, ok bool) { return m.join.loadedTick, m.join.loaded }

// Load marks the client as joined with the state of a tick, without snapshots.
func (m *Mirror) Load(tick uint32) { m.join.loaded, m.join.loadedTick = true, tick }

// Epoch returns the epoch to send to the server, which tells the server which baselines the client can decode.
func (m *Mirror) Epoch() uint8 { return m.baselines.epoch }

// Renew requests full states, with which another client could begin. See [Mirror.Renews].
func (m *Mirror) Renew() { m.baselines.renew() }

// Renews reports whether a datagram that was not received yet begins full states: those of the join, or of the newest request.
func (m *Mirror) Renews(b []byte) bool {
	r := &m.Decoder.reader
	r.Reset(b)
	h, err := wire.ReadSnapshotHeader(r)
	return err == nil && h.Join && (!h.Control || h.Epoch == m.baselines.epoch)
}

// Receive processes a datagram, or refuses all of it. An error that wraps codec.ErrBaseline is not a protocol
// violation. newestInput is the client's newest input; the server sends only the low bits of input numbers.
func (m *Mirror) Receive(b []byte, newestInput uint32) (s Snapshot, err error) {
	r := &m.Decoder.reader
	r.Reset(b)
	h, err := wire.ReadSnapshotHeader(r)
	if err != nil {
		return s, err
	}
	send := codec.Lift(h.Send, m.Newest.Send)
	if (h.Agreed || h.Open) && !m.config.Corrections {
		return s, fmt.Errorf("%w: a correction under a model without corrections", wire.ErrMessage)
	}
	if h.Back > send {
		return s, fmt.Errorf("%w: joined with send %d of %d", wire.ErrMessage, send-h.Back, send)
	}
	step := m.config.SendEvery
	late, every := h.Times(step)
	s = Snapshot{Sent: Sent{send, send*step + late}, Header: h, Every: every * step}
	world := s.Sent
	if h.Back > 0 {
		world = Sent{send - h.Back, (send-h.Back)*step + uint32(h.Joined)}
	}
	m.Decoder.own.start(s.Sent)
	m.Decoder.world.start(world)
	m.Decoder.own.every, m.Decoder.world.every = every, every
	m.Decoder.world.joins, m.Decoder.world.count = h.Join, h.Pieces
	if h.Control {
		m.baselines.floor = max(m.baselines.floor, send-min(send, h.Floor))
	}
	if err = m.Decoder.decodeBlocks(m.baselines.floor); err == nil {
		err = m.check()
	}
	if err != nil {
		m.Decoder.discard(&m.Store)
		m.Counts.Renewals += m.baselines.requestRenewal(err, send)
		return s, err
	}
	m.Counts.Snapshots++
	m.Decoder.received.add(len(b))
	if h.Control {
		s.Steers = m.baselines.receiveControl(h.Epoch, send)
	}
	if h.Open {
		m.Own.opened = max(m.Own.opened, send)
	}
	if send > m.Newest.Send || m.Counts.Snapshots == 1 {
		m.Newest = s.Sent
	}
	if err = m.storeWorld(&h); err == nil {
		err = m.storeOwn(&h, newestInput)
	}
	if err != nil {
		m.Decoder.discard(&m.Store)
		return s, err
	}
	if m.Store.Memory.Used+m.Store.World.sets.used+m.Store.Own.sets.used > MaxMemory {
		return s, ErrMemory
	}
	return s, nil
}

// NewestEntities calls visit for each entity in the received datagrams of the newest send, with a hash of its
// public state, and returns that send. Two clients that receive an entity in the same send have equal hashes.
func (m *Mirror) NewestEntities(visit func(id uint32, sum uint64)) (send uint32) {
	send = m.Newest.Send
	for _, x := range m.Store.World.Groups {
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

// ErrMemory is returned when the server sends more state than a client keeps.
var ErrMemory = fmt.Errorf("%w: more than %d bytes of state", wire.ErrMessage, MaxMemory)

// check validates the states of a datagram before they are used.
func (m *Mirror) check() error {
	for _, g := range m.Decoder.world.groups {
		st := m.Store.World.Groups[g].Open
		for s := st.Alive; s != 0; s &= s - 1 {
			if k := trailing(s); st.IDs[k] == 0 || st.Masks[k]&m.shape.private != 0 {
				return fmt.Errorf("%w: entity %d with components %#x", wire.ErrMessage, st.IDs[k], st.Masks[k])
			}
		}
	}
	for _, g := range m.Decoder.own.groups {
		st := m.Store.Own.Groups[g].Open
		if err := m.Own.read(st, st.Alive, func(OwnValue) {}); err != nil {
			return err
		}
	}
	return nil
}

// storeWorld stores the blocks of the world of a datagram.
func (m *Mirror) storeWorld(h *wire.SnapshotHeader) error {
	d, floor := &m.Decoder.world, m.baselines.floor
	if !d.any {
		return nil
	}
	joined, err := d.storeSet(floor)
	if err != nil {
		return err
	}
	if joined && d.Send > m.join.Send {
		m.join.Sent, m.join.ready, m.join.since = d.Sent, true, m.Newest.Send
		d.clearOthers(h.Hides) // those that the client had before it joined again
	}
	if send, ok := m.drawing.oldest(m.Newest, m.config.SendEvery, d.every); ok {
		floor = min(floor, send)
	}
	for _, g := range d.groups {
		x := d.to.Groups[g]
		m.Store.insert(x, m.Store.closeState(x), floor)
	}
	return nil
}

// storeOwn stores the owner state of a datagram.
func (m *Mirror) storeOwn(h *wire.SnapshotHeader, newestInput uint32) error {
	d := &m.Decoder.own
	if !d.any {
		return nil
	}
	if _, err := d.storeSet(d.floor(m.baselines.floor)); err != nil {
		return err
	}
	if m.Own.arrive(d.Send, h) {
		d.clearOthers(false)
	}
	for _, g := range d.groups {
		x := d.to.Groups[g]
		st := m.Store.closeState(x)
		st.Secrets = m.config.Corrections && !h.Open
		floor := min(m.baselines.floor, m.Own.Newest.Send)
		for s := x.Fresh; s != 0; s &= s - 1 {
			floor = min(floor, x.Updated[trailing(s)])
		}
		m.Store.insert(x, st, floor)
	}
	m.Own.adopt(d.Sent, m.interval(), h, newestInput)
	return nil
}

// Presence returns the presence of an entity according to the newest snapshot with that entity.
func (m *Mirror) Presence(id uint32) Presence {
	r := m.Entities.Of(id)
	switch {
	case r == nil:
		return m.Entities.tombstones.reason(id)
	case r.Removed.Tick != 0 && r.Removed.Hidden:
		return OutOfInterest
	case r.Removed.Tick != 0 && r.Entity.IsZero():
		return Destroyed
	case r.Entity.IsZero():
		return NotLoaded
	case r.Removed.Tick != 0:
		return Stale // it may appear in another slot
	case m.Store.World.Groups[r.At.Group].Updated[r.At.Slot] >= m.Newest.Send:
		return Present
	}
	return Stale
}

// Has reports whether the world contains the state of an entity after a tick, or no longer contains the entity. For id 0 it
// reports whether the world contains the state of all entities, as far as the client knows them. It says what the previous Place
// has placed.
func (m *Mirror) Has(id components.NetID, tick uint32) bool {
	if id != 0 {
		switch r := m.Entities.Of(uint32(id)); {
		case r == nil:
			if m.Entities.tombstones.reason(uint32(id)) != NotLoaded {
				return true
			}
			if m.Store.World.sets.slots[uint32(id)].quiet {
				return false
			}
			if m.known == m.Newest.Send {
				return m.Newest.Tick > tick
			}
			return m.known*m.config.SendEvery > tick
		case r.Entity.IsZero():
			return r.Removed.Tick != 0 // otherwise it waits for owner state
		case r.Removed.Tick != 0:
			return false
		default:
			x := m.Store.World.Groups[r.At.Group]
			if st := x.At(x.Updated[r.At.Slot]); st != nil && st.Tick > tick {
				return true
			}
		}
	}
	if m.complete.snapshots != m.Counts.Snapshots {
		m.complete.snapshots = m.Counts.Snapshots
		m.complete.send = m.Store.completeSend(m.Newest.Send, m.join.since, 5*uint32(m.config.World.TickRate())/m.config.SendEvery)
	}
	if m.complete.send == m.Newest.Send {
		return m.Newest.Tick > tick
	}
	return m.complete.send*m.config.SendEvery > tick
}

// StateTick returns the tick of the newest stored state of an entity.
func (m *Mirror) StateTick(id uint32) (tick uint32, ok bool) {
	r := m.Entities.Of(id)
	if r == nil || r.Removed.Tick != 0 || r.Entity.IsZero() {
		return 0, false
	}
	x := m.Store.World.Groups[r.At.Group]
	if st := x.At(x.Updated[r.At.Slot]); st != nil {
		return st.Tick, true
	}
	return 0, false
}
