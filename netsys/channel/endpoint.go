package channel

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/internal/clock"
	"github.com/tactusgo/tactus/internal/order"
)

// Endpoint is one side of a session's channels. It stores messages until they are sent and acknowledged, and sends lost
// ones again. It reads no clock, does no I/O, and belongs to the goroutine that polls its session. The package comment
// lists the duties of the session.
//
// Times passed to it should not decrease. A time up to a second before the latest counts as the latest; an earlier one
// means that the system clock was set, and time continues from there.
type Endpoint struct {
	// The fields that every packet needs are adjacent, in eight cache lines. With a thousand endpoints, these lines are not
	// in the caches when the next packet arrives.
	clock    clock.Clock
	now      time.Duration // by the clock
	backedAt time.Duration
	newest   uint16 // newest acknowledged packet
	heard    bool   // a packet was acknowledged
	flight   flight
	estimate estimate
	budget   budget
	acked    uint64 // number of acknowledged packets
	tidied   time.Duration
	waiting  pending

	*messages
}

// messages is the part of an endpoint that only packets with channel messages need. It is separate so that the endpoint
// itself stays within eight cache lines.
type messages struct {
	config   Config
	sizes    sizes
	channels []channel
	order    []int // channel numbers, highest priority first
	filling  filling
	store    store
	parser   parser
	encoded  []byte // buffer for the typed message being sent
	stats    Stats
}

// channel is one channel of an endpoint.
type channel struct {
	kind       Kind
	number     int
	maxMessage int
	maxPieces  int
	level      int         // priority level, 0 the lowest
	loose      *unreliable // nil for a reliable kind
	sure       *reliable   // nil for an unreliable kind
	stats      ChannelStats
}

// unreliable is the state of both directions of an unreliable channel.
type unreliable struct {
	out unreliableOut
	in  unreliableIn
}

// reliable is the state of both directions of a reliable channel.
type reliable struct {
	out reliableOut
	in  reliableIn
}

// pending is whether messages may wait.
type pending struct {
	any  bool // false when all queues are empty
	wake func() time.Time
}

// filling is the packet being filled.
type filling struct {
	packer  packer
	flight  *flight
	refs    uint64 // position of the packet's first ref
	kind    Kind   // kind of the channel that adds messages
	short   bool   // a message waits for the budget
	carried bool   // the packet has other bytes
}

// New returns an endpoint, or the error of [Config.Validate]. Memory grows with use, up to the limits in the configuration.
func New(c Config) (*Endpoint, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	own := c
	c.Channels = append(c.Channels, control)
	e := &Endpoint{
		flight:   newFlight(c.History, len(c.Channels)),
		estimate: newEstimate(c.RTT),
		budget:   newBudget(c),
		messages: &messages{
			config:   own,
			sizes:    sizes{c.Packet, c.Piece},
			channels: make([]channel, len(c.Channels)),
			store:    newStore(c.Piece),
		},
	}
	e.filling.packer.sizes, e.filling.flight = e.sizes, &e.flight
	e.parser.sizes, e.parser.channels = e.sizes, e.channels
	var levels []order.Item // channels, the most urgent first
	for i := range c.Channels {
		levels = append(levels, order.Item{Key: uint64(math.MaxInt64 - int64(c.Channels[i].Priority)), At: int32(i)})
	}
	order.Sort(levels)
	for i := range levels {
		e.order = append(e.order, int(levels[i].At))
	}
	for i, level := len(levels)-1, 0; i >= 0; i-- {
		if e.channels[levels[i].At].level = level; i > 0 && levels[i-1].Key != levels[i].Key {
			level++
		}
	}
	for i := range c.Channels {
		cc := &c.Channels[i]
		ch := &e.channels[i]
		ch.kind, ch.number, ch.maxMessage = cc.Kind, i, cc.MaxMessage
		if cc.MaxMessage > e.sizes.whole() {
			ch.maxPieces = e.sizes.pieces(cc.MaxMessage)
		}
		if cc.Kind.reliable() {
			ch.sure = &reliable{newReliableOut(cc.Queue, cc.QueueBytes), newReliableIn(cc, c.Piece)}
		} else {
			ch.loose = &unreliable{newUnreliableOut(cc), newUnreliableIn(cc, c.Piece)}
		}
	}
	last := e.channel(Control)
	last.number, last.sure.out.copies = Control, newBits(ControlQueue)
	return e, nil
}

// channel returns a channel. It panics if the channel does not exist.
func (e *Endpoint) channel(number int) *channel {
	last := len(e.channels) - 1
	if number == Control {
		return &e.channels[last]
	}
	return &e.channels[:last][number]
}

// Config returns the endpoint's configuration with defaults.
func (e *Endpoint) Config() Config {
	c := e.config
	c.Channels = slices.Clone(c.Channels)
	return c
}

// Send queues a copy of a message, 0 bytes or more. It panics if the channel does not exist.
//
// Errors: [ErrTooLarge], [ErrFull]. A full unreliable channel drops its oldest messages instead, except a message already
// partly sent.
func (e *Endpoint) Send(number int, message []byte) error {
	if number != Control && (number < 0 || number >= len(e.config.Channels)) {
		panic(fmt.Sprintf("channel: Send on channel %d of %d", number, len(e.config.Channels)))
	}
	if !e.waiting.any && e.waiting.wake != nil {
		e.advance(e.waiting.wake())
	}
	c := e.channel(number)
	if len(message) > c.maxMessage {
		c.stats.Refused++
		return ErrTooLarge
	}
	var err error
	if c.sure != nil {
		err = c.sure.out.send(message, e.now)
	} else {
		var dropped int
		dropped, err = c.loose.out.send(message, e.now)
		c.stats.Dropped += uint64(dropped)
	}
	if err != nil {
		c.stats.Refused++
		return err
	}
	c.stats.Sent++
	e.waiting.any = true
	return nil
}

// Unacked calls f with each unacknowledged message of a reliable channel, oldest first, and its number; f owns the message.
// The peer may already have delivered some of them: ask the peer's endpoint with [Endpoint.Delivered]. Unacked calls
// nothing for an unreliable channel. It panics if the channel does not exist.
func (e *Endpoint) Unacked(number int, f func(id uint64, message []byte)) {
	if c := e.channel(number); c.sure != nil {
		c.sure.out.unacked(c.kind == ReliableOrdered, f)
	}
}

// Delivered reports whether Receive has delivered the message with this number, as counted by the peer's reliable channel.
// It panics if the channel does not exist.
func (e *Endpoint) Delivered(number int, id uint64) bool {
	c := e.channel(number)
	return c.sure != nil && c.sure.in.delivered(id)
}

// OnWaiting makes Send call wake for the current time when no message waited before. A session with OnWaiting only needs to
// call Fill while [Endpoint.Waiting] is true, and for packets that it sends anyway.
func (e *Endpoint) OnWaiting(wake func() time.Time) { e.waiting.wake = wake }

// Waiting reports whether messages may wait to be sent or acknowledged.
func (e *Endpoint) Waiting() bool { return e.waiting.any }

// Carried records that session packet seq has n bytes besides those of [Endpoint.Fill], such as headers and the session's
// own datagrams. The bytes count in the send budget. The packet counts in the estimates of loss and round trip, even if
// Fill adds nothing to it. Call Carried before Fill if possible, so that bulk data sees the reduced budget. Carried bytes
// overdraw the budget by at most one reserve: a session that follows [Endpoint.Allowance] stays within this limit, and a
// session that does not delays bulk data, but only the two lowest priorities.
func (e *Endpoint) Carried(now time.Time, seq uint16, n int) {
	e.advance(now)
	e.open(seq)
	e.detectLosses()
	e.budget.refill(e.now)
	e.budget.carry(int64(n))
	if e.flight.find(seq) == nil {
		*e.flight.sent.Find(seq) = packet{at: e.now, seq: seq, fate: flying, refs: e.flight.tail}
	}
	e.flight.find(seq).bytes += int32(n)
	e.flight.next = seq + 1
}

// Fill appends the due messages to dst, at most room and Config.Packet bytes, and returns dst. It appends nothing if no
// message is due or the budget is exhausted. seq is the number of the session packet with these bytes. Numbers increase,
// may have gaps, and wrap.
//
// One call fills one packet. A session calls Fill for each packet that it sends anyway, then for additional packets until
// Fill appends nothing.
func (e *Endpoint) Fill(now time.Time, seq uint16, dst []byte, room int) []byte {
	e.advance(now)
	e.open(seq)
	e.detectLosses()
	e.budget.refill(e.now)
	e.budget.control(e.now, &e.estimate)
	e.tidy()
	if !e.waiting.any {
		if e.flight.find(seq) != nil {
			e.flight.next = seq + 1 // it has bytes of Carried
		}
		return dst
	}
	e.waiting.any = false
	crowded := e.flight.crowded(seq, len(e.channels))
	f := &e.filling
	f.refs, f.short, f.carried = e.flight.tail, false, e.flight.find(seq) != nil
	f.packer.reset(dst, min(room, e.sizes.packet))
	for _, number := range e.order {
		c := &e.channels[number]
		f.kind = c.kind
		allowance := e.budget.allowance(c.level) - int64(f.packer.len())
		if c.sure != nil {
			if !crowded {
				c.sure.out.appendDue(f, number, allowance)
			}
			e.waiting.any = e.waiting.any || c.sure.out.len() > 0
			continue
		}
		out := &c.loose.out
		if out.maxAge > 0 {
			c.stats.Dropped += uint64(out.expire(e.now))
		}
		out.appendWaiting(f, number, allowance)
		e.waiting.any = e.waiting.any || out.len() > 0
	}
	e.budget.short = e.budget.short || f.short
	filled := f.packer.finish()
	f.packer.dst = nil
	if len(filled) == len(dst) {
		if e.flight.find(seq) != nil {
			e.flight.next = seq + 1 // it has bytes of Carried
		}
		return dst
	}
	e.flight.next = seq + 1
	size := int32(len(filled) - len(dst))
	if p := e.flight.find(seq); p != nil {
		size += p.bytes
	}
	*e.flight.sent.Find(seq) = packet{
		at: e.now, seq: seq, fate: flying, refs: f.refs, count: int32(e.flight.tail - f.refs), bytes: size,
	}
	e.budget.tokens -= int64(len(filled) - len(dst))
	e.stats.PacketsOut++
	e.stats.BytesOut += uint64(len(filled) - len(dst))
	return filled
}

// advance moves the clock to now.
func (e *Endpoint) advance(now time.Time) {
	if at := e.clock.At(now); at > e.now {
		e.estimate.polled(at - e.now)
		e.now = at
	}
}

// open adds an entry for packet seq if it has none. Packets that leave the window count as lost.
func (e *Endpoint) open(seq uint16) {
	f := &e.flight
	if f.next != seq+1 {
		for int(seq-f.oldest) >= f.sent.Most() {
			e.resolveOldest()
		}
		f.sent.Room(int(seq-f.oldest) + 1)
		f.sent.Open(seq)
	} else if f.sent.Find(seq) == nil {
		f.sent.Open(seq) // the first packet, numbered 0
	}
	f.next = seq
}

// resolveOldest removes the oldest packet from the packets in flight. It counts as lost unless it arrived.
func (e *Endpoint) resolveOldest() {
	f := &e.flight
	if p := f.find(f.oldest); p != nil && p.fate == flying {
		p.fate = lost
		e.estimate.countFate(e.now, true)
		e.budget.lose(p.at, int64(p.bytes))
		e.stats.Lost++
		for i := range p.count {
			r := f.ref(p, i)
			e.channels[r.channel].sure.out.lose(r)
		}
	}
	f.oldest++
}

// detectLosses counts packets as lost if they were not acknowledged within the timeout and a newer packet was. If no newer packet
// was acknowledged, the timeout is doubled repeatedly.
func (e *Endpoint) detectLosses() {
	f := &e.flight
	timeout := e.estimate.timeout()
	for f.oldest != f.next {
		p := f.find(f.oldest)
		if p != nil && p.fate == flying {
			passed := e.heard && codec.Newer(e.newest, p.seq)
			age := e.now - p.at
			if age < timeout || !passed && age < timeout<<e.estimate.backoff {
				return
			}
			if !passed && e.now-e.backedAt >= timeout<<e.estimate.backoff && e.estimate.backoff < maxBackoff {
				e.estimate.backoff++
				e.backedAt = e.now
			}
		}
		e.resolveOldest()
	}
}

// Acked records that the peer received packet seq. Unknown and too old numbers are ignored, and repeated calls are
// harmless. Call Acked before calling Receive with the packet that contained the acknowledgement.
func (e *Endpoint) Acked(now time.Time, seq uint16) {
	e.advance(now)
	p := e.flight.find(seq)
	if p == nil || p.fate == arrived {
		return
	}
	if p.fate == lost {
		e.estimate.late()
		e.budget.late(int64(p.bytes))
		e.stats.Lost--
		e.stats.Spurious++
	} else {
		e.estimate.countFate(e.now, false)
		e.budget.arrive(p.at)
	}
	if !e.heard || codec.Newer(seq, e.newest) {
		e.estimate.sample(e.now, e.now-p.at)
		e.budget.sample(e.now - p.at)
		e.newest, e.heard = seq, true
		e.estimate.backoff = 0
	}
	p.fate = arrived
	e.budget.deliver(e.now, int64(p.bytes))
	e.acked++
	if !e.flight.live(p) {
		return
	}
	for i := range p.count {
		r := e.flight.ref(p, i)
		e.channels[r.channel].sure.out.acked(r)
	}
}

// Receive processes the bytes of a peer's Fill. It calls deliver for each complete message, in order where the channel
// requires it. A message is valid during the call. deliver may call Send but no other method.
//
// The session must pass each packet once, and no packet that [MaxOvertaken] others overtook.
//
// Errors: see [ErrWindow]. A malformed packet delivers nothing. With any other error, the valid part was delivered. After
// any error the peer is faulty or has another configuration. Stats.Malformed counts errors; end the session above a limit.
func (e *Endpoint) Receive(now time.Time, packet []byte, deliver func(number int, message []byte)) error {
	e.advance(now)
	e.expire()
	if err := e.check(packet); err != nil {
		e.stats.Malformed++
		return err
	}
	e.stats.PacketsIn++
	e.stats.BytesIn += uint64(len(packet))
	var first error
	p := &e.parser
	p.in.Reset(packet)
	p.any = false
	for r, ok, _ := p.next(); ok; r, ok, _ = p.next() {
		c := &e.channels[r.channel]
		var err error
		if c.sure != nil {
			err = c.sure.in.receive(e, c, &r, deliver)
		} else {
			err = c.loose.in.receive(e, c, &r, deliver)
		}
		if err != nil {
			c.stats.Hostile++
			if first == nil {
				first = err
			}
		}
	}
	if first != nil {
		e.stats.Malformed++
	}
	return first
}

// check parses a packet without applying it.
func (e *Endpoint) check(packet []byte) error {
	if len(packet) > e.sizes.packet {
		return codec.ErrTooLarge
	}
	p := &e.parser
	p.in.Reset(packet)
	p.any = false
	for {
		if _, ok, err := p.next(); !ok {
			return err
		}
	}
}

// expire drops incomplete unreliable messages whose fragments are overdue. Fragments sent together arrive within the
// timeout of a packet, and a long message needs several packets.
func (e *Endpoint) expire() {
	limit := max(4*e.estimate.timeout(), time.Second)
	for i := range e.channels {
		if c := &e.channels[i]; c.loose != nil && c.loose.in.waiting > 0 {
			c.loose.in.expire(e, c, limit)
		}
	}
}

// deliver passes a message to the game.
func (c *channel) deliver(b []byte, deliver func(int, []byte)) {
	c.stats.Delivered++
	deliver(c.number, b)
}

// Touch reads the cache lines that Carried, Fill and Acked need for the next packet. Call it for several endpoints before
// working with them, so that their lines load in parallel. Ignore the result; it only keeps the compiler from removing the
// reads.
func (e *Endpoint) Touch() byte {
	b := byte(e.now) ^ byte(e.flight.tail) ^ byte(e.estimate.gap) ^ byte(e.estimate.lost[1]) ^ byte(e.budget.delivered) ^
		byte(e.budget.heard) ^ byte(e.acked)
	if p, last := e.flight.sent.Find(e.newest+1), e.flight.sent.Find(e.flight.next-1); p != nil && last != nil {
		b ^= byte(p.fate) ^ byte(last.fate)
	}
	return b
}
