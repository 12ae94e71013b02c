package channel

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/race"
)

// loop is two endpoints that hand each other packets at once, a slice of acknowledgements late.
type loop struct {
	e, r    *Endpoint
	now     time.Time
	seq     uint16
	buf     []byte
	ignore  func(int, []byte)
	number  int
	message []byte
}

func newLoop(t testing.TB) *loop {
	l := &loop{e: mustNew(t, Config{}), r: mustNew(t, Config{}), now: time.Unix(0, 0), ignore: func(int, []byte) {}}
	l.message = make([]byte, 3000)
	return l
}

// tick sends a snapshot, three events, and bulk every other tick; every 16th packet is lost.
func (l *loop) tick() {
	l.number++
	_ = l.e.Send(2, l.message[:600])
	for range 3 {
		_ = l.e.Send(1, l.message[:24])
	}
	if l.number%2 == 0 {
		_ = l.e.Send(3, l.message)
	}
	for {
		l.buf = l.e.Fill(l.now, l.seq, l.buf[:0], 1150)
		if len(l.buf) == 0 {
			break
		}
		if l.seq%16 != 5 {
			if err := l.r.Receive(l.now, l.buf, l.ignore); err != nil {
				panic(err)
			}
		}
		l.seq++
		if late := l.seq - 8; late%16 != 5 {
			l.e.Acked(l.now, late)
		}
	}
	l.now = l.now.Add(time.Second / 60)
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	l := newLoop(t)
	for range 3000 {
		l.tick()
	}
	// One run of many: the mean over runs is rounded down.
	many := func() {
		for range 3000 {
			l.tick()
		}
	}
	if n := testing.AllocsPerRun(1, many); n != 0 {
		t.Errorf("%v allocations in 3,000 ticks", n)
	}
	if s := l.e.Stats(); s.Lost == 0 || l.r.Channel(3).Delivered < 1000 || l.r.Channel(1).Delivered < 9000 {
		t.Errorf("the loop does not do its work: %+v", s)
	}
}

func TestTypedAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	k := newKit()
	e := mustNew(t, typedConfig())
	d := NewDispatcher[*Endpoint](k.registry)
	heard := 0
	Handle(d, k.chat, func(_ *Endpoint, c *chat) { heard += int(c.Line.N) })
	var c chat
	c.Line.set("hello, hello")
	now := time.Unix(0, 0)
	var seq uint16
	var buf []byte
	r := mustNew(t, typedConfig())
	deliver := func(number int, b []byte) {
		must(t, d.Deliver(r, number, b))
	}
	tick := func() {
		must(t, k.chat.Send(e, &c))
		buf = e.Fill(now, seq, buf[:0], 1150)
		must(t, r.Receive(now, buf, deliver))
		e.Acked(now, seq)
		seq++
		now = now.Add(time.Second / 60)
	}
	for range 100 {
		tick()
	}
	many := func() {
		for range 1000 {
			tick()
		}
	}
	if n := testing.AllocsPerRun(1, many); n != 0 {
		t.Errorf("%v allocations in 1,000 messages", n)
	}
	if heard == 0 {
		t.Error("nothing heard")
	}
}
