package flight

import (
	"encoding/binary"
	"slices"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/compression"
	"github.com/tactusgo/tactus/systems/internal/commands"
)

// Config configures a [Log].
type Config struct {
	// Length is the number of ticks that are kept at least. Every is the number of ticks from one checkpoint to the next.
	Length, Every uint32
	// MaxBytes is the number of bytes that are kept at most, beside the newest segment.
	MaxBytes int
	// Neutral are the words of the input that a player has before the first one.
	Neutral []int32
}

// Log keeps the last segments. Only the goroutine of the server uses it. In steady state a tick allocates nothing.
type Log struct {
	config   Config
	segments []*segment // oldest first
	players  []player   // those with inputs, in the order in which a tick reads them
	tick     int        // counts ticks, for player.seen
	at       int        // index after the last player that this tick has read
	spare    []byte     // memory for happenings
	work     *work      // that encodes the newest checkpoint
}

// segment is a checkpoint and the happenings until the next one.
type segment struct {
	tick   uint32
	save   []byte // compressed
	claims []byte // compressed
	events []byte // compressed once the next segment has begun
	raw    bool   // events are not compressed
}

// player has the input of a client for the last tick.
type player struct {
	client, sequence uint32
	seen             int // the tick that read it last
	words            []int32
}

// work compresses a checkpoint and the happenings before it on another goroutine.
type work struct {
	save, claims, events []byte
	done                 chan struct{}
}

// New returns an empty log. It keeps nothing before the first checkpoint.
func New(c Config) *Log { return &Log{config: c} }

// current returns the newest segment.
func (l *Log) current() *segment { return l.segments[len(l.segments)-1] }

// Due reports whether a checkpoint before a tick is due.
func (l *Log) Due(tick uint32) bool {
	if len(l.segments) == 0 {
		return true
	}
	x := l.current()
	return tick-x.tick >= l.config.Every || len(x.events) > l.config.MaxBytes/4
}

// Started reports whether there is a checkpoint.
func (l *Log) Started() bool { return len(l.segments) > 0 }

// DueBy reports whether a checkpoint is due before a tick or within the n ticks after it.
func (l *Log) DueBy(tick, n uint32) bool { return l.Due(tick) || l.Due(tick+n) }

// Checkpoint begins a segment before a tick. encode encodes the save of the world, and claims, which may be nil, the state of
// lag compensation; another goroutine calls them. If the last checkpoint is still being encoded, Checkpoint waits.
func (l *Log) Checkpoint(tick uint32, encode, claims func(dst []byte) []byte) {
	l.Finish()
	w := &work{done: make(chan struct{})}
	var events []byte
	if l.Started() {
		events = l.current().events
	}
	go func() {
		w.save = compression.Compress(encode(nil))
		if claims != nil {
			w.claims = compression.Compress(claims(nil))
		}
		if len(events) > 0 {
			w.events = compression.Compress(events)
		}
		close(w.done)
	}()
	l.work = w
	l.segments = append(l.segments, &segment{tick: tick, events: l.spare[:0], raw: true})
	l.spare = nil
	for i := range l.players {
		l.enter(i)
	}
	l.drop()
}

// Finish waits until the last checkpoint is encoded, and stores it.
func (l *Log) Finish() {
	if l.work == nil {
		return
	}
	<-l.work.done
	n := len(l.segments)
	l.segments[n-1].save, l.segments[n-1].claims = l.work.save, l.work.claims
	if n > 1 && l.segments[n-2].raw {
		x := l.segments[n-2]
		l.spare = x.events[:0]
		x.events, x.raw = l.work.events, false
	}
	l.work = nil
	l.drop()
}

// drop drops old segments that are not needed or for which there is no room.
func (l *Log) drop() {
	n, first := 0, 0
	for _, x := range l.segments {
		n += x.bytes()
	}
	last := len(l.segments) - 1
	for first < last && (l.segments[last].tick-l.segments[first+1].tick >= l.config.Length || n > l.config.MaxBytes) {
		n -= l.segments[first].bytes()
		first++
	}
	if first > 0 {
		l.segments = append(l.segments[:0], l.segments[first:]...)
	}
}

// Bytes returns the number of bytes that are kept, except for a checkpoint that is being encoded.
func (l *Log) Bytes() (n int) {
	for _, x := range l.segments {
		n += x.bytes()
	}
	return n
}

func (x *segment) bytes() int { return len(x.save) + len(x.claims) + len(x.events) }

// Entry adds a join, a leave or a command of the coming tick.
func (l *Log) Entry(e commands.Entry) {
	if l.Started() {
		x := l.current()
		x.events = codec.AppendBytes(codec.AppendUvarints(append(x.events, opEntry), uint32(e.Kind), e.Player), e.Value)
	}
}

// Message adds a message that a client has sent. [Log.Remove] with the result removes it again, if nothing was added since.
func (l *Log) Message(client uint32, channel int, message []byte) (at int) {
	if !l.Started() {
		return 0
	}
	x := l.current()
	at = len(x.events)
	x.events = codec.AppendBytes(codec.AppendUvarints(append(x.events, opMessage), client, uint32(channel)), message)
	return at
}

// Remove removes a message.
func (l *Log) Remove(at int) {
	if l.Started() {
		l.current().events = l.current().events[:at]
	}
}

// Outside says that a system of the game runs outside of ticks. index is its index among these systems.
func (l *Log) Outside(index int) {
	if l.Started() {
		x := l.current()
		x.events = codec.AppendUvarints(append(x.events, opOutside), uint32(index))
	}
}

// Hash adds the hash of the world before the coming tick.
func (l *Log) Hash(sum uint64) {
	if l.Started() {
		x := l.current()
		x.events = binary.LittleEndian.AppendUint64(append(x.events, opHash), sum)
	}
}

// Claim adds an input of lag compensation.
func (l *Log) Claim(kind ClaimKind, client, number uint32) {
	if l.Started() {
		x := l.current()
		x.events = codec.AppendUvarints(append(x.events, opClaim), uint32(kind), client, number)
	}
}

// Hold says that the coming tick reads an input of a client, with its sequence number. A second call for the same client
// is a further input in the same tick. Clients follow in the same order in each tick.
func (l *Log) Hold(client, sequence uint32, words []int32) {
	if !l.Started() {
		return
	}
	i, again := l.find(client)
	p, x := &l.players[i], l.current()
	if !again && sequence == p.sequence+1 && slices.Equal(words, p.words) {
		p.sequence = sequence
		return // as is expected of players who are not mentioned
	}
	x.events = codec.AppendUvarints(append(x.events, opHold), uint32(i), sequence-p.sequence-1)
	x.events = appendChange(x.events, p.words, words)
	p.sequence = sequence
	copy(p.words, words)
}

// Alone says that Simulate runs for the entities of a client alone, with the input of the last call of Hold.
func (l *Log) Alone(client uint32) {
	if l.Started() {
		i, _ := l.find(client)
		l.current().events = codec.AppendUvarints(append(l.current().events, opAlone), uint32(i))
	}
}

// Skip says that the entities of a client take no step in the coming tick.
func (l *Log) Skip(client uint32) {
	if l.Started() {
		i, _ := l.find(client)
		x := l.current()
		x.events = codec.AppendUvarints(append(x.events, opSkip), uint32(i))
	}
}

// Run says that all happenings of a tick have been added and that the tick is simulated.
func (l *Log) Run() {
	if !l.Started() {
		return
	}
	x := l.current()
	for i := len(l.players) - 1; i >= 0; i-- {
		if l.players[i].seen != l.tick {
			x.events = codec.AppendUvarints(append(x.events, opLeave), uint32(i))
			l.players = append(l.players[:i], l.players[i+1:]...)
		}
	}
	x.events = append(x.events, opTick)
	l.tick++
	l.at = 0
}

// find returns the index of a client, and whether the tick has read an input of it before.
func (l *Log) find(client uint32) (i int, again bool) {
	if l.at > 0 && l.players[l.at-1].client == client {
		return l.at - 1, true
	}
	for i = l.at; i < len(l.players); i++ {
		if l.players[i].client == client {
			l.players[i].seen = l.tick
			l.at = i + 1
			return i, false
		}
	}
	for i = range l.at { // in another order than before
		if l.players[i].client == client {
			x := l.current()
			x.events = codec.AppendUvarints(append(x.events, opLeave), uint32(i))
			l.players = append(l.players[:i], l.players[i+1:]...)
			l.at--
			break
		}
	}
	i = l.at
	l.players = append(l.players, player{})
	copy(l.players[i+1:], l.players[i:])
	l.players[i] = player{client: client, seen: l.tick, words: slices.Clone(l.config.Neutral)}
	l.enter(i)
	l.at++
	return i, false
}

// enter adds a player with its input.
func (l *Log) enter(i int) {
	p, x := &l.players[i], l.current()
	x.events = codec.AppendUvarints(append(x.events, opEnter), uint32(i), p.client, p.sequence)
	x.events = appendChange(x.events, nil, p.words)
}

// Capture copies the kept ticks. The returned function encodes it as a file. Any goroutine may call it once. The result is nil
// before the first checkpoint. last, which may be nil, encodes the save of the world before the coming tick. Capture may be
// called within a tick, after a panic.
func (l *Log) Capture(h Header, tick uint32, last func(dst []byte) []byte) (encode func() []byte) {
	if !l.Started() {
		return func() []byte { return nil }
	}
	l.Finish()
	list := make([]segment, len(l.segments), len(l.segments)+1)
	for i, x := range l.segments {
		list[i] = *x
	}
	x := &list[len(list)-1]
	x.events = append([]byte(nil), x.events...)
	return func() []byte {
		x.events = compression.Compress(append(x.events, opEnd))
		if last != nil {
			list = append(list, segment{tick: tick, save: compression.Compress(last(nil)), events: compression.Compress([]byte{opEnd})})
		}
		return compression.Compress(h.append(list))
	}
}
