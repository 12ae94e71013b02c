package relay_test

import (
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// bits is a hand-written message of a client.
type bits struct{ codec.Writer }

// number writes v in the encoding of messages: groups of four bits, low ones first, each with a bit that tells whether more
// follow.
func (b *bits) number(v uint64) {
	for ; v >= 16; v >>= 4 {
		b.Bits(v&15|16, 5)
	}
	b.Bits(v, 5)
}

// inputs starts a message of a client with a state and the given number of inputs from tick first on, encoded relative to the
// input back ticks earlier.
func (b *bits) inputs(state byte, first uint32, count, back uint64) {
	b.Reset(nil)
	b.Bits(uint64(state), 8)
	b.Bits(0, 4) // heard nothing, not ready, needs no delay, no hash
	b.Bool(true)
	b.Bits(uint64(uint16(first)), 16)
	b.number(count - 1)
	b.number(back)
}

// turn writes that run of the left inputs repeat the previous one, and that then the player changes direction.
func (b *bits) turn(run, left uint64) {
	b.Bool(true)
	b.Bits(run, uint(codec.BitsFor(left)))
	b.Bits(1, 4) // the first word alone is another
	b.Bits(1, 2)
}

// A message with a wrong number of inputs, or with numbers outside their bounds, is refused, and no input beyond the bounds is
// accepted.
func TestForgedInputsAreRefused(t *testing.T) {
	m, up, _, _ := staged(t, false)
	state, next, seq := up[0], m.server.Timeline().Next(), m.ends[0].up.seq
	for what, c := range map[string]struct {
		write func(b *bits)
		ok    bool
	}{
		"five, of which two are others": {func(b *bits) {
			b.inputs(state, next, 5, 0)
			b.turn(1, 5)
			b.turn(2, 3)
		}, true},
		"a run beyond the last": {func(b *bits) {
			b.inputs(state, next, 5, 0)
			b.turn(1, 5)
			b.turn(3, 3)
		}, false},
		"a run beyond the last, and the end": {func(b *bits) {
			b.inputs(state, next, 3, 0)
			b.Bool(true)
			b.Bits(3, 2)
		}, false},
		"as many as there may be": {func(b *bits) {
			b.inputs(state, next, 255, 0)
			b.Bool(false)
		}, true},
		"one more": {func(b *bits) {
			b.inputs(state, next, 256, 0)
			b.Bool(false)
		}, false},
	} {
		var b bits
		c.write(&b)
		before := m.server.Stats()
		err := m.server.Receive(1, seq, b.Bytes())
		seq++
		if (err == nil) != c.ok || err != nil && !errors.Is(err, relay.ErrMessage) {
			t.Errorf("%s: %v", what, err)
		}
		if n := m.server.Stats().Malformed - before.Malformed; (n == 0) != c.ok {
			t.Errorf("%s: %d malformed", what, n)
		}
	}
}

// The game is not asked about inputs that are too early to be accepted, however many of them a client sends.
func TestEarlyInputsAreNoWork(t *testing.T) {
	asked := 0
	m := newMatch(t, relay.Config{Refuse: func(uint32, uint32, []int32) bool { asked++; return false }}, relay.ClientConfig{}, human)
	m.join(1, 2, 0, 0, 0)
	m.run(50)
	var b bits
	b.inputs(0, m.server.Timeline().Next()+1000, 255, 0)
	b.Bool(false)
	before := m.server.Stats()
	asked = 0
	testgame.Must(t, m.server.Receive(1, m.ends[0].up.seq, b.Bytes()))
	testgame.Equal(t, "inputs that the game was asked about", asked, 0)
	testgame.Equal(t, "inputs that were refused", m.server.Stats().Refused-before.Refused, 255)
}

// Of the inputs that one client sends within a tick, the server reads as many as a flood may have. The next tick it reads again.
func TestFloodOfInputs(t *testing.T) {
	const messages, most = 256, 20
	m := newMatch(t, relay.Config{}, relay.ClientConfig{}, human)
	m.join(1, 2, 0, 0, 0)
	m.run(50)
	send := func() (unread uint64) {
		var b bits
		b.inputs(0, m.server.Timeline().Next()+1000, 255, 0)
		b.Bool(false)
		before := m.server.Stats()
		testgame.Must(t, m.server.Receive(1, m.ends[0].up.seq, b.Bytes()))
		m.ends[0].up.seq++
		return m.server.Stats().Unread - before.Unread
	}
	unread := uint64(0)
	for range messages {
		unread += send()
	}
	if unread < messages-most {
		t.Errorf("%d of %d messages were not read", unread, messages)
	}
	m.run(1)
	testgame.Equal(t, "messages that are not read a tick later", send(), 0)
}

// Inputs that are encoded relative to an unknown input are skipped, whoever sends them and wherever they end: nothing may have
// reached the client for so long that the server no longer stores the input that the client continues from.
func TestInputsToldAgainstNoneAreLeft(t *testing.T) {
	m, up, _, _ := staged(t, false)
	testgame.Must(t, m.server.Add(9, true, ""))
	next := m.server.Timeline().Next()
	for what, c := range map[string]struct {
		player uint32
		back   uint64
		unread uint64
	}{
		"against the neutral one":       {1, 0, 0},
		"against one that has not come": {1, 1, 1},
		"against one before the first":  {1, 16384, 1},
		"of one who does not play":      {9, 1, 1},
	} {
		var b bits
		b.inputs(up[0], next+40, 3, c.back)
		b.Bool(false)
		if c.unread > 0 {
			b.Bits(0xfff, 12)
		}
		before := m.server.Stats()
		testgame.Must(t, m.server.Receive(c.player, m.ends[0].up.seq, b.Bytes()))
		m.ends[0].up.seq++
		testgame.Equal(t, what+": messages left unread", m.server.Stats().Unread-before.Unread, c.unread)
		if c.unread > 0 {
			testgame.Equal(t, what+": inputs taken in", m.server.Stats().Taken-before.Taken, 0)
		}
	}
}

// A state of the world with an invalid head is refused as a whole.
func TestForgedHeadsOfStatesAreRefused(t *testing.T) {
	_, _, _, honest := staged(t, false)
	var r codec.ByteReader
	r.Reset(honest[6:])
	keep, tick, events, players := r.Uvarint(), r.Uint32(), r.Uvarint(), r.Uvarint()
	world := r.Next(r.Len())
	for what, c := range map[string]struct {
		keep    uint64
		tick    uint32
		events  uint64
		players uint64
		ok      bool
	}{
		"as it came":             {keep, tick, events, players, true},
		"keeps most":             {16384, tick, events, players, true},
		"keeps more":             {16385, tick, events, players, false},
		"keeps one tick":         {1, tick, events, players, false},
		"before the first":       {keep, 0, events, players, false},
		"behind the last":        {keep, ecs.MaxTick + 1<<15 + 1, events, players, false},
		"as many events as ever": {keep, tick, math.MaxInt32, players, true},
		"more events":            {keep, tick, math.MaxInt32 + 1, players, false},
		"more players than fit":  {keep, tick, events, uint64(len(world))/6 + 1, false},
	} {
		b := codec.AppendUvarint(append([]byte(nil), honest[:6]...), c.keep)
		b = binary.LittleEndian.AppendUint32(b, c.tick)
		b = codec.AppendUvarint(codec.AppendUvarint(b, c.events), c.players)
		e := relay.NewClient(testgame.Barracks(), 7, relay.ClientConfig{})
		err := e.Deliver(append(b, world...))
		if (err == nil) != c.ok || err != nil && !errors.Is(err, relay.ErrMessage) {
			t.Errorf("%s: %v", what, err)
		}
		testgame.Equal(t, what+": it follows", e.Following(), c.ok)
	}
}

// Joins and leaves of a server are validated: nobody leaves an unknown place, and nobody joins with a first input after the
// last tick.
func TestForgedEventsAreRefused(t *testing.T) {
	for what, c := range map[string]struct {
		leave bool
		slot  uint64
		lead  uint64 // ticks until its first input
		ok    bool
	}{
		"one comes":                           {false, 2, 15, true},
		"its first input is behind all ticks": {false, 2, ecs.MaxTick + 1<<15, false},
		"one leaves who plays":                {true, 1, 0, true},
		"one leaves behind the last place":    {true, 2, 0, false},
		"one leaves far behind":               {true, 4000, 0, false},
	} {
		m, _, down, _ := staged(t, false)
		e := m.ends[0]
		tick := e.ServerTick()
		var b bits
		b.Reset(nil)
		b.Bits(uint64(down[0]), 8)
		b.Bits(uint64(uint16(tick)), 16)
		b.Bits(0, 3) // no lockstep, no report, no hash
		b.Bool(true)
		b.Bits(0, 4) // one event, behind the two who have come
		b.Bits(2, 16)
		b.Bool(c.leave)
		b.number(c.slot)
		b.number(0) // in the server's next tick
		if !c.leave {
			b.Bits(77, 32)
			b.number(c.lead)
		}
		b.number(0) // told against the newest, of no slots
		b.number(0)
		b.Bool(false)
		b.number(0)
		err := e.Receive(e.down.seq, b.Bytes())
		if (err == nil) != c.ok || err != nil && !errors.Is(err, relay.ErrMessage) {
			t.Errorf("%s: %v", what, err)
		}
		if n := e.Stats().Malformed; (n == 0) != c.ok {
			t.Errorf("%s: %d malformed", what, n)
		}
	}
}
