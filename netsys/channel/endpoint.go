package channel

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/internal/order"
	"github.com/tactusgo/tactus/netsys/internal/clock"
)

// Endpoint is one end of a session's channels. It keeps what the game sends until packets take it, and learns
// from acknowledgements what has to be sent again. It reads no clock, does no I/O, and belongs to the goroutine
// that polls its session. The package comment says what a session must call and when.
//
// Times given to it should not decrease; one that does counts as the latest, or where it is more than a second earlier
// as a clock that was set, by which time goes on.
type Endpoint struct {
	// What every packet needs lies together, in eight cache lines: whoever has a thousand endpoints has them in memory
	// when the next packet comes, and waits for each line.
	clock    clock.Clock
	now      time.Duration // by the clock
	backedAt time.Duration
	newest   uint16 // the newest packet that was acknowledged
	heard    bool   // there is one
	flight   flight
	estimate estimate
	budget   budget
	acked    uint64 // packets
	tidied   time.Duration
	waiting  pending

	*messages
}

// messages is the part of an endpoint that only packets with messages of channels need. It is apart, so that the endpoint
// itself stays within eight cache lines.
type messages struct {
	config   Config
	sizes    sizes
	channels []channel
	order    []int // the numbers of the channels, highest priority first
	filling  filling
	store    store
	parser   parser
	encoded  []byte // of the typed message being sent
	stats    Stats
}

// channel is one channel of an endpoint.
type channel struct {
	kind       Kind
	number     int
	maxMessage int
	maxPieces  int
	level      int         // of priority, 0 the lowest
	loose      *unreliable // nil when the kind is reliable
	sure       *reliable   // nil when it is not
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

// pending is whether a message may wait.
type pending struct {
	any  bool // false when all queues are empty
	wake func() time.Time
}

// filling is the packet being filled.
type filling struct {
	packer packer
	flight *flight
	refs   uint64 // the position of the packet's first ref
	kind   Kind   // of the channel that fills it
	short  bool   // something waits for the budget
}

// New returns an endpoint, or the error of [Config.Validate]. Memory grows with use, up to what the queues of
// the configuration allow.
func New(c Config) (*Endpoint, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	e := &Endpoint{
		flight:   newFlight(c.History, len(c.Channels)),
		estimate: newEstimate(c.RTT),
		budget:   newBudget(c),
		messages: &messages{
			config:   c,
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
	return e, nil
}

// Config returns the endpoint's configuration with its defaults filled in.
func (e *Endpoint) Config() Config {
	c := e.config
	c.Channels = slices.Clone(c.Channels)
	return c
}

// Send takes a message, 0 bytes or more, for the next packets; it is copied. It panics when there is no channel
// of that number.
//
// Errors: [ErrTooLarge], [ErrFull]. An unreliable channel makes room by dropping its oldest messages, but not
// one of which pieces are on their way.
func (e *Endpoint) Send(number int, message []byte) error {
	if number < 0 || number >= len(e.channels) {
		panic(fmt.Sprintf("channel: Send on channel %d of %d", number, len(e.channels)))
	}
	if !e.waiting.any && e.waiting.wake != nil {
		e.advance(e.waiting.wake())
	}
	c := &e.channels[number]
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

// Unacked calls f with each message of a reliable channel that the peer may not have delivered, as far as acknowledgements
// say, oldest first, with the number that the channel gave it; f keeps the message. The peer's own endpoint knows better: see
// [Endpoint.Delivered]. An unreliable channel has none. It panics when there is no channel of that number.
func (e *Endpoint) Unacked(number int, f func(id uint64, message []byte)) {
	if c := &e.channels[number]; c.sure != nil {
		c.sure.out.unacked(c.kind == ReliableOrdered, f)
	}
}

// Delivered reports whether Receive has delivered the message to which the peer's reliable channel gave that number. It
// panics when there is no channel of that number.
func (e *Endpoint) Delivered(number int, id uint64) bool {
	c := &e.channels[number]
	return c.sure != nil && c.sure.in.delivered(id)
}

// OnWaiting makes Send call wake, and take the time from it, when nothing waited before. A session that does so need not
// call Fill while [Endpoint.Waiting] is false, but for packets that it sends anyway.
func (e *Endpoint) OnWaiting(wake func() time.Time) { e.waiting.wake = wake }

// Waiting reports whether a message may wait to be sent, or for the news that it arrived.
func (e *Endpoint) Waiting() bool { return e.waiting.any }

// Carried tells that session packet seq carries, or will carry, n bytes other than those of [Endpoint.Fill]: datagrams of
// the session's own, and headers. They count in the send budget, and the packet counts in the estimates of loss
// and round trip, also when Fill appends nothing to it. Call it before the packet's Fill where that is
// possible, so that bulk sees what is gone already. Datagrams alone take the budget into debt by no more than one reserve: those who heed
// [Endpoint.Allowance] stay within, and others delay bulk, but no channel above the lowest two priorities.
func (e *Endpoint) Carried(now time.Time, seq uint16, n int) {
	e.advance(now)
	e.open(seq)
	e.settle()
	e.budget.refill(e.now)
	e.budget.carry(int64(n))
	if e.flight.find(seq) == nil {
		*e.flight.sent.Find(seq) = packet{at: e.now, seq: seq, fate: flying, refs: e.flight.tail}
	}
	e.flight.find(seq).bytes += int32(n)
	e.flight.next = seq + 1
}

// Fill appends to dst what is due, at most room bytes and Config.Packet, and returns dst: unchanged when
// nothing is due or the budget is used up. seq is the number of the session packet that will carry it; numbers
// go up, may have gaps, and wrap.
//
// One call fills one packet. A session calls it once for each packet that it sends anyway, and on with further
// ones until nothing is appended.
func (e *Endpoint) Fill(now time.Time, seq uint16, dst []byte, room int) []byte {
	e.advance(now)
	e.open(seq)
	e.settle()
	e.budget.refill(e.now)
	e.budget.control(e.now, &e.estimate)
	e.tidy()
	if !e.waiting.any {
		if e.flight.find(seq) != nil {
			e.flight.next = seq + 1 // it is carried
		}
		return dst
	}
	e.waiting.any = false
	crowded := e.flight.crowded(seq, len(e.channels))
	f := &e.filling
	f.refs, f.short = e.flight.tail, false
	f.packer.reset(dst, min(room, e.sizes.packet))
	for _, number := range e.order {
		c := &e.channels[number]
		f.kind = c.kind
		allowance := e.budget.allowance(c.level) - int64(f.packer.len())
		if c.sure != nil {
			if !crowded {
				c.sure.out.fill(f, number, allowance)
			}
			e.waiting.any = e.waiting.any || c.sure.out.len() > 0
			continue
		}
		out := &c.loose.out
		if out.maxAge > 0 {
			c.stats.Dropped += uint64(out.expire(e.now))
		}
		out.fill(f, number, allowance)
		e.waiting.any = e.waiting.any || out.len() > 0
	}
	e.budget.short = e.budget.short || f.short
	filled := f.packer.finish()
	f.packer.dst = nil
	if len(filled) == len(dst) {
		if e.flight.find(seq) != nil {
			e.flight.next = seq + 1 // it is carried
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

// advance sets the clock.
func (e *Endpoint) advance(now time.Time) {
	if at := e.clock.At(now); at > e.now {
		e.estimate.polled(at - e.now)
		e.now = at
	}
}

// open makes place for packet seq, unless that has one. Packets that leave the window count as lost.
func (e *Endpoint) open(seq uint16) {
	f := &e.flight
	if f.next != seq+1 {
		for int(seq-f.oldest) >= f.sent.Most() {
			e.settleOldest()
		}
		f.sent.Room(int(seq-f.oldest) + 1)
		f.sent.Open(seq)
	} else if f.sent.Find(seq) == nil {
		f.sent.Open(seq) // the first of all, before 0
	}
	f.next = seq
}

// settleOldest is done with the oldest packet, which counts as lost unless it arrived.
func (e *Endpoint) settleOldest() {
	f := &e.flight
	if p := f.find(f.oldest); p != nil && p.fate == flying {
		p.fate = lost
		e.estimate.settle(e.now, true)
		e.budget.settle(true)
		e.stats.Lost++
		for i := range p.count {
			r := f.ref(p, i)
			e.channels[r.channel].sure.out.lose(r)
		}
	}
	f.oldest++
}

// settle finds the packets that count as lost by now: those without acknowledgement for the timeout when a
// newer one was acknowledged, and for that doubled again and again when none was.
func (e *Endpoint) settle() {
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
		e.settleOldest()
	}
}

// Acked tells that the peer received packet seq. Numbers that were not filled, or too long ago, are ignored;
// telling twice is harmless. Call it before the Receive of the packet that brought the news.
func (e *Endpoint) Acked(now time.Time, seq uint16) {
	e.advance(now)
	p := e.flight.find(seq)
	if p == nil || p.fate == arrived {
		return
	}
	if p.fate == lost {
		e.estimate.late()
		e.budget.late()
		e.stats.Lost--
		e.stats.Spurious++
	} else {
		e.estimate.settle(e.now, false)
		e.budget.settle(false)
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

// Receive takes what a peer's Fill appended, and calls deliver for each message that is complete and whose turn
// it is, in order. A message is valid during the call. deliver may call Send, and no other method.
//
// The session must give each packet once, and none that [MaxOvertaken] others overtook.
//
// Errors: those named at [ErrWindow]. Bytes that are no packet deliver nothing at all; after the other errors
// what was right has been delivered. Either way the peer is not an honest one of the same configuration; it is
// counted in Stats.Malformed, and past a limit the session should end.
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

// check reads a packet without taking anything from it.
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

// expire gives up unreliable messages whose pieces are not coming: what was sent in one go arrives within the
// timeout of a packet, and senders need some packets for a long message.
func (e *Endpoint) expire() {
	limit := max(4*e.estimate.timeout(), time.Second)
	for i := range e.channels {
		if c := &e.channels[i]; c.loose != nil && c.loose.in.waiting > 0 {
			c.loose.in.expire(e, c, limit)
		}
	}
}

// deliver hands a message to the game.
func (c *channel) deliver(b []byte, deliver func(int, []byte)) {
	c.stats.Delivered++
	deliver(c.number, b)
}

// Touch reads what Carried, Fill and Acked will need of the next packet. Whoever calls it for several endpoints, and then
// works with them, has the cache lines of all come from memory at the same time. What it returns means nothing: it is
// there so that the compiler leaves nothing out.
func (e *Endpoint) Touch() byte {
	b := byte(e.now) ^ byte(e.flight.tail) ^ byte(e.estimate.gap) ^ byte(e.estimate.lost[1]) ^ byte(e.budget.delivered) ^
		byte(e.budget.heard) ^ byte(e.acked)
	if p, last := e.flight.sent.Find(e.newest+1), e.flight.sent.Find(e.flight.next-1); p != nil && last != nil {
		b ^= byte(p.fate) ^ byte(last.fate)
	}
	return b
}
