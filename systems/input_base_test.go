package systems

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
)

// A base is found by its packet as long as it is among the newest, in whatever
// order they came, and never in another's place.
func TestInputBasesAreOfTheirPacket(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		b := newInputBases(1)
		first := r.IntN(1 << 16)
		put := map[int]bool{}
		newest := first
		for range 3000 {
			at := newest + r.IntN(6) - 2
			switch r.IntN(100) {
			case 0:
				at = newest + r.IntN(3*baseRing)
			case 1:
				at = newest + r.IntN(1<<15-1)
			case 2:
				at = newest - r.IntN(2*baseRing)
			}
			if at = max(at, first); len(put) == 0 {
				at = first
			}
			b.put(uint16(at), &inputMessage{newest: uint16(at / 7)}, []uint32{uint32(at), 0})
			put[at], newest = true, max(newest, at)
			if p := newest - r.IntN(baseRing); put[p] && (b.at(uint16(p)) == nil || b.at(uint16(p)).state[0] != uint32(p)) {
				t.Fatalf("seed %d: packet %d of %d is not there", seed, p, newest)
			}
			for range 4 {
				p := newest - r.IntN(1<<16-baseRing)
				if e := b.at(uint16(p)); e != nil && (e.state[0] != uint32(p) || e.newest != uint16(p/7) || p <= newest-baseRing) {
					t.Fatalf("seed %d: packet %d in the place of %d; the newest is %d", seed, e.state[0], p, newest)
				}
			}
		}
	}
}

// continues says that a message is not whole.
func continues(b []byte) bool { return len(b) > 0 && b[0]>>kindBits != 0 }

// What a session sends by itself moves the numbers of packets, and the message after
// that continues all the same.
func TestInputsAfterTheSessionSpokeByItself(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{Join: spawnPawn})
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{Latency: 30 * time.Millisecond})
	g.connect()
	g.run(120)
	if !continues(c.packet) {
		t.Fatalf("after two seconds a message is %x", c.packet)
	}
	for range 5 {
		before := c.session.Next()
		for range 40 { // the client sleeps, its session is kept alive
			g.now = g.now.Add(testTick)
			g.server.Advance(g.now)
			c.endpoint.Poll(g.now, (*clientHandler)(c))
		}
		if c.session.Next() == before {
			t.Fatal("the session has sent nothing by itself")
		}
		if g.step(); !continues(c.packet) {
			t.Errorf("after a pause a message is %x", c.packet)
		}
		g.run(60)
	}
	if s := g.server.Stats(); s.Inputs.Unread+s.MalformedMessages > 0 {
		t.Errorf("%d messages malformed, %+v", s.MalformedMessages, s.Inputs)
	}
	g.mustConverge()
}

// A server that was held for so long that it does not read all that came has
// acknowledged what it did not read. It cannot read what continues from that, says
// so, and a few round trips later everything is as before.
func TestInputsAfterAFlood(t *testing.T) {
	for _, timing := range []policy.InputTiming{policy.TimingBuffered, policy.TimingArrival} {
		g := newGame(t, plaza, ServerConfig{Join: spawnPawn, Policies: policy.Policies{Timing: timing}, Timeout: time.Minute})
		c := g.join(ClientConfig{Gather: gatherPush(), Timeout: time.Minute}, netsys.Link{Latency: 30 * time.Millisecond})
		g.connect()
		g.run(120)
		g.frozen = true
		g.run(MaxMessages + 60)
		g.frozen = false
		g.run(60)
		s := g.server.Stats()
		if s.FloodedMessages == 0 || s.Inputs.Unread == 0 {
			t.Fatalf("%v: %d messages flooded, %d unread: nothing to recover from", timing, s.FloodedMessages, s.Inputs.Unread)
		}
		g.run(300)
		if now := g.server.Stats(); now.Inputs.Unread != s.Inputs.Unread || now.Inputs.Consumed < s.Inputs.Consumed+295 {
			t.Errorf("%v: after a second %+v, six seconds after the flood %+v", timing, s.Inputs, now.Inputs)
		}
		if s.Inputs.Unread > 20 || !continues(c.packet) || c.depth == unreadDepth {
			t.Errorf("%v: %d unread, the last message is %x", timing, s.Inputs.Unread, c.packet)
		}
		if n := g.server.Stats().MalformedMessages; n > 0 {
			t.Errorf("%v: %d malformed messages of an honest client", timing, n)
		}
		g.mustConverge()
	}
}

// A message that continues from a packet that never was, by an error with a name,
// is counted and changes nothing.
func TestInputsFromABaseThatNeverWas(t *testing.T) {
	g := newGame(t, plaza, ServerConfig{Join: spawnPawn})
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect()
	i := g.intrude()
	g.run(30)
	coder := newInputCoder(g.server.protocol.Input().Schema)
	var m inputMessage
	if err := coder.read([]byte{9<<kindBits | kindInput}, &m, 5, newInputBases(3)); !errors.Is(err, codec.ErrBaseline) || !errors.Is(err, ErrMessage) {
		t.Errorf("the error is %v", err)
	}
	n := 0
	for t := range 300 {
		for k := range 10 {
			f := (10*t+k)%31 + 1
			i.send([]byte{byte(f)<<kindBits | kindInput, 0, 0, 0}) // 31: one packet and input back
			n++
		}
		i.tick()
	}
	p := g.server.peers[1]
	if p.inputs.stats.Unread != uint64(n) || p.malformed != 0 || p.inputs.any || p.inputs.depth() != unreadDepth {
		t.Errorf("%+v after %d messages, %d malformed, depth %d", p.inputs.stats, n, p.malformed, p.inputs.depth())
	}
	i.send(i.input(1, push{DX: 1}))
	i.tick()
	if !p.inputs.any || p.inputs.depth() == unreadDepth {
		t.Errorf("a whole message after them: %+v", p.inputs.stats)
	}
	g.mustConverge()
	if st := c.Stats(); st.Corrections > 0 {
		t.Errorf("the honest client was corrected %d times", st.Corrections)
	}
}

// turner has a word of each kind that can move.
type turner struct {
	Fire   bool
	Stick  int8    `net:"-100..100"`
	Aim    uint16  `net:"0..65535"`
	Degree int16   `net:"0..359 angle"`
	Turn   float32 `net:"degrees 0.5"`
}

// What goes on as it went costs nothing, over the end of its range too; a change
// costs itself, and nobody pays twice for it.
func TestInputChangesCostThemselves(t *testing.T) {
	table := tableFor[turner](t)
	c, b := newInputCoder(table), newInputBases(table.Words)
	var log []int32
	at, seq, turn := turner{Degree: 350}, uint16(0), int16(0)
	var sizes []int
	for n := range uint16(400) {
		switch n {
		case 100:
			at.Fire = true
		case 200:
			at.Stick = 50
		case 300:
			turn = 7
		}
		at.Aim += uint16(turn) * 39
		at.Degree = (at.Degree + turn + 360) % 360
		at.Turn = float32((int(at.Turn*2)+int(turn)*5)%720) / 2
		words := make([]int32, table.Words)
		table.Quantize(words, table.Words, unsafe.Pointer(&at), 1)
		log = append(log, words...)
		m := &inputMessage{newest: n, count: min(6, int(n)+1)}
		m.words = log[len(log)-m.count*table.Words:]
		msg := c.append(nil, m, seq, b)
		b.put(seq, m, c.state)
		b.ack(seq - 5)
		seq++
		sizes = append(sizes, len(msg))
	}
	for n, size := range sizes {
		since := n % 100
		switch want := 1; {
		case n < 100:
		case since < 6: // not all of these messages' inputs are behind the change
			if want = []int{0, 3, 4, 8}[n/100]; size > want || size == 1 {
				t.Errorf("%d ticks after a change, message %d has %d bytes, at most %d are due", since, n, size, want)
			}
		default:
			if size != want {
				t.Errorf("message %d has %d bytes, and nothing changed", n, size)
			}
		}
	}
}

// Writing and reading inputs allocates nothing.
func TestInputsAllocateNothing(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates")
	}
	table := tableFor[every](t)
	p := newModelPlayer(table, rand.New(rand.NewPCG(1, 1)))
	s := &modelServer{coder: newInputCoder(table), bases: newInputBases(table.Words)}
	for range 200 {
		p.gather()
	}
	m := &inputMessage{words: make([]int32, 0, maxRedundancy*table.Words)}
	buf, seq, n := make([]byte, 0, 1<<16), uint16(0), 1
	once := func() {
		m.words = m.words[:0]
		for i := range 8 {
			m.words = append(m.words, p.log[(n+i)%200+1]...)
		}
		n++
		m.count, m.newest = 8, uint16(n)
		buf = p.coder.append(buf[:0], m, seq, p.bases)
		p.bases.put(seq, m, p.coder.state)
		p.bases.ack(seq)
		if err := s.coder.read(buf, &s.m, seq, s.bases); err != nil {
			t.Fatal(err)
		}
		s.bases.put(seq, &s.m, s.coder.state)
		seq++
	}
	once()
	if n := testing.AllocsPerRun(300, once); n != 0 {
		t.Errorf("%.0f allocations a message", n)
	}
}
