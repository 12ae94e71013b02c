package netsys

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/internal/workers"
)

// recorded is a wire of which everything that is sent is kept.
type recorded struct {
	*Conditioner
	sent []string
}

func (r *recorded) Send(now time.Time, to netip.AddrPort, b []byte) error {
	r.sent = append(r.sent, fmt.Sprintf("%v %v %x", now.Sub(epoch), to, b))
	return r.Conditioner.Send(now, to, b)
}

// witness is a handler that records its calls and reacts to some. Received and Acked use only their own session.
type witness struct {
	t      testing.TB
	server *Server
	worker int // −1: the one that is polled with
	all    *witnessed
}

type witnessed struct {
	inOrder []string               // what is told in Poll's goroutine
	each    map[Session]*[]string  // everything, by session
	names   map[Session]int        // in the order in which they came
	busy    map[Session]*[1]string // written by Received and Acked alone: the race detector finds two at once
	live    []Session
}

func (w *witness) OnWorker(worker int) Handler {
	return &witness{w.t, w.server, worker, w.all}
}

func (w *witness) note(s Session, format string, args ...any) {
	list := w.all.each[s]
	*list = append(*list, fmt.Sprintf(format, args...))
}

func (w *witness) order(s Session, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.note(s, "%s", text)
	w.all.inOrder = append(w.all.inOrder, fmt.Sprintf("%d: %s", w.all.names[s], text))
	if w.worker != -1 {
		w.t.Errorf("worker %d is told: %s", w.worker, text)
	}
}

func (w *witness) Connected(now time.Time, s Session) {
	w.all.each[s], w.all.busy[s], w.all.names[s] = new([]string), new([1]string), len(w.all.names)
	w.all.live = append(w.all.live, s)
	w.order(s, "connected %v", now.Sub(epoch))
}

func (w *witness) Disconnected(now time.Time, s Session, reason error) {
	w.all.live = slices.DeleteFunc(w.all.live, func(x Session) bool { return x == s })
	w.order(s, "disconnected %v %v", now.Sub(epoch), reason)
}

func (w *witness) Received(now time.Time, s Session, p Packet) {
	if w.worker == -1 {
		w.t.Error("a payload is told to the handler of no worker")
	}
	w.all.busy[s][0] = "received"
	w.note(s, "received %d %v %v %x", p.Seq, p.Newest, p.At.Sub(epoch), p.Data)
	if len(p.Data) == 0 {
		return
	}
	switch p.Data[0] % 64 {
	case 0, 1, 2: // an answer at once
		seq, err := s.Send(now, append([]byte("answer "), p.Data...))
		w.note(s, "answered %d %v", seq, err)
	case 3: // the same over a channel
		_ = s.Channels().Send(1, p.Data)
	case 4:
		if len(p.Data) > 90 {
			s.Close(now, ReasonKicked)
		}
	}
}

func (w *witness) Acked(s Session, seq uint16) {
	w.all.busy[s][0] = "acked"
	w.note(s, "acked %d", seq)
}

func (w *witness) Message(now time.Time, s Session, number int, message []byte) {
	w.order(s, "message %d %x", number, message)
	if len(message) == 0 {
		return
	}
	other := w.all.live[int(message[0])%len(w.all.live)]
	switch message[0] % 16 {
	case 0, 1: // to somebody else
		_ = other.Channels().Send(1, message)
	case 2:
		_, _ = other.Send(now, message)
	case 3:
		if len(message) > 95 {
			other.Close(now, ReasonApplication)
		}
	}
}

// workersOutcome is all that can be seen of a run.
type workersOutcome struct {
	sent, inOrder []string
	each          []string
	counts        string
}

// Any number of workers sends the same bytes in the same order, and makes the same calls of the handler, in the same order
// except for Received and Acked. The links are terrible, and clients join, leave, move, are taken over, flood, and send
// invalid packets.
func TestWorkersChangeNothing(t *testing.T) {
	seeds := 1
	if os.Getenv("TACTUS_LONG") != "" && !race.Enabled {
		seeds = 3
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			one := runWorkers(t, uint64(seed), nil)
			if len(one.sent) < 10_000 || len(one.inOrder) < 500 {
				t.Fatalf("little happened: %d datagrams, %d events", len(one.sent), len(one.inOrder))
			}
			n := []int{4, 2, 1}[seed]
			pool := workers.New(n)
			one.mustBe(t, n, runWorkers(t, uint64(seed), pool))
			pool.Close()
			if seed == 0 {
				one.mustBe(t, 4, runWorkers(t, 0, backward(4)))
			}
		})
	}
}

// mustBe compares the outcome without workers with that of a number of workers.
func (one workersOutcome) mustBe(t *testing.T, workers int, other workersOutcome) {
	t.Helper()
	same(t, workers, "sent", one.sent, other.sent)
	same(t, workers, "told in order", one.inOrder, other.inOrder)
	same(t, workers, "told of sessions", one.each, other.each)
	if one.counts != other.counts {
		t.Errorf("%d workers: counts %s, want %s", workers, other.counts, one.counts)
	}
}

// backward is a number of workers that take turns, the last one first, each with the next piece. Nothing is random, and the
// first worker has a later piece than the last.
type backward int

func (n backward) Workers() int { return int(n) }

func (n backward) Each(pieces int, do func(worker, piece int)) {
	for i := range pieces {
		do(int(n)-1-i%int(n), i)
	}
}

// same compares lists, and reports the first difference.
func same(t *testing.T, workers int, what string, one, other []string) {
	t.Helper()
	for i := range min(len(one), len(other)) {
		if one[i] != other[i] {
			t.Errorf("%d workers: %s, number %d of %d is\n%.300s\nwithout them it is\n%.300s", workers, what, i, len(one), other[i], one[i])
			return
		}
	}
	if len(one) != len(other) {
		t.Errorf("%d workers: %s: %d, without them %d", workers, what, len(other), len(one))
	}
}

// guest is a client of such a run.
type guest struct {
	*Client
	node *Node
	log  log
	id   uint64
	over bool
}

func runWorkers(t *testing.T, seed uint64, w Workers) workersOutcome {
	rng := rand.New(rand.NewPCG(seed, 7))
	network := NewNetwork()
	bad := Link{Latency: 40 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.1, Burst: 30 * time.Millisecond, Duplicate: 0.1}
	wire := &recorded{}
	node := network.Node(netip.AddrPort{})
	var err error
	wire.Conditioner, err = Condition(node, ConditionerConfig{Seed: seed, Out: Link{Loss: 0.02, Bandwidth: 2_000_000}})
	must(t, err)
	server, err := NewServer(wire, ServerConfig{Workers: w, MaxClients: 60, Timeout: 2 * time.Second, MaxMalformed: 6, Random: SeededRandom(seed)})
	must(t, err)
	all := &witnessed{each: map[Session]*[]string{}, names: map[Session]int{}, busy: map[Session]*[1]string{}}
	handler := &witness{t, server, -1, all}
	now, ids := epoch, uint64(0)
	var guests []*guest
	join := func(id uint64) {
		node := network.Node(netip.AddrPort{})
		link, err := Condition(node, ConditionerConfig{Seed: seed, In: bad, Out: bad})
		must(t, err)
		c, err := NewClient(link, server.LocalAddr(), ClientConfig{ClientID: id, Random: SeededRandom(seed<<20 + uint64(len(guests)))})
		must(t, err)
		guests = append(guests, &guest{Client: c, node: node, id: id})
	}
	stranger := network.Node(netip.AddrPort{})
	bytesOf := func(most int) []byte {
		b := make([]byte, rng.IntN(most))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	send := func(of Session, tick, i int) {
		h := sha256.Sum256(fmt.Append(nil, seed, tick, i))
		b := bytes.Repeat(h[:], 30)[:int(h[0])<<2&511+int(h[1])]
		if h[2] < 5 {
			_ = of.Channels().Send(0, b)
		}
		_, _ = of.Send(now, b)
	}
	var spread []Session
	tick := 0
	do := func(_, i int) { send(spread[i], tick, i) }
	for ; tick < 500; tick++ {
		now = now.Add(time.Second / 60)
		if tick < 40 {
			ids++
			join(ids)
		}
		for _, g := range slices.Clone(guests) {
			if g.over {
				continue
			}
			s := g.session
			for range rng.IntN(3) {
				_, _ = s.Send(now, bytesOf(100))
			}
			switch rng.IntN(400) {
			case 0:
				g.node.Rebind(netip.AddrPort{})
			case 1: // gone without a word
				g.over = true
				ids++
				join(ids)
			case 2:
				g.over = true
				_ = g.Close(now)
				ids++
				join(ids)
			case 3: // back, by a new token
				g.over = true
				join(g.id)
			case 4, 5: // what no honest client sends
				if s.state == connected {
					_ = s.tunnel.Send(now, append([]byte{byte(rng.IntN(12))}, bytesOf(200)...))
				}
			case 6:
				for range 200 {
					_, _ = s.Send(now, bytesOf(20))
				}
			default:
				if rng.IntN(10) == 0 {
					_ = s.Channels().Send(rng.IntN(2), bytesOf(100))
				}
			}
			g.Poll(now, &g.log)
		}
		for range rng.IntN(4) {
			_ = stranger.Send(now, node.LocalAddr(), bytesOf(1300))
		}
		if tick%100 > 85 {
			continue // the process is held up; more than a round comes at once
		}
		server.Poll(now, handler)
		spread = slices.AppendSeq(spread[:0], server.Sessions())
		server.Spread(now, spread, do)
		server.Flush(now)
	}
	out := workersOutcome{sent: wire.sent, inOrder: all.inOrder, counts: fmt.Sprint(server.Drops(), " | ", server.DatagramDrops())}
	out.each = make([]string, len(all.names))
	for s, name := range all.names {
		out.each[name] = fmt.Sprintf("%d %+v %v", name, s.Stats(), *all.each[s])
	}
	must(t, server.Close(now))
	return out
}

// A datagram that the wire refuses within Spread is counted, for any number of workers.
func TestSpreadCountsWhatIsNotSent(t *testing.T) {
	for _, n := range []int{1, 3} {
		m := newMatch(t, matchConfig{server: ServerConfig{Workers: workers.New(n)}}).connect()
		s := m.atServer.last
		before := s.Stats()
		_ = m.server.carrier.wire.Close() // and nobody knows
		m.server.Spread(m.now, []Session{s}, func(int, int) {
			if _, err := s.Send(m.now, []byte("x")); err != nil {
				t.Errorf("%d workers: %v", n, err)
			}
		})
		after := s.Stats()
		if after.Unsent != before.Unsent+1 || after.DatagramsOut != before.DatagramsOut || after.BytesOut != before.BytesOut {
			t.Errorf("%d workers: %+v, before %+v", n, after, before)
		}
	}
}

// Spread panics within Spread and for sessions of another endpoint.
func TestSpreadIsNotForEverything(t *testing.T) {
	m := newMatch(t, matchConfig{}).connect()
	s := m.atServer.last
	panics(t, "inside", func() {
		m.server.Spread(m.now, []Session{s}, func(int, int) { m.server.Spread(m.now, nil, nil) })
	})
	panics(t, "another endpoint", func() {
		m.server.Spread(m.now, []Session{m.client.Session()}, func(int, int) {})
	})
	m = newMatch(t, matchConfig{}).connect()
	s = m.atServer.last
	m.server.Spread(m.now, []Session{s}, func(int, int) {})
	m.send(s, "x")
	m.until("it goes on", func() bool { return m.atClient.received == 1 })
}

func panics(t *testing.T, with string, do func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if v := recover(); v == nil || !bytes.Contains(fmt.Append(nil, v), []byte(with)) {
			t.Errorf("panic %v, want one with %q", v, with)
		}
	}()
	do()
}

// In steady state neither Poll nor Spread allocates, on several workers either.
func TestWorkersAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	pool := workers.New(3)
	defer pool.Close()
	network := NewNetwork()
	server, err := NewServer(network.Node(netip.AddrPort{}), ServerConfig{Workers: pool})
	must(t, err)
	var clients []*Client
	for range 40 {
		c, err := NewClient(network.Node(netip.AddrPort{}), server.LocalAddr(), ClientConfig{})
		must(t, err)
		clients = append(clients, c)
	}
	now, h := epoch, &log{}
	var list []Session
	up, down := make([]byte, 100), make([]byte, 400)
	do := func(_, i int) { _, _ = list[i].Send(now, down) }
	quiet := quietHandler{}
	tick := func() {
		now = now.Add(second60)
		for _, c := range clients {
			_, _ = c.Session().Send(now, up)
			c.Poll(now, h)
		}
		server.Poll(now, quiet)
		list = list[:0]
		for s := range server.Sessions() {
			list = append(list, s)
		}
		server.Spread(now, list, do)
		server.Flush(now)
	}
	for range 2000 {
		tick()
	}
	if len(list) != 40 {
		t.Fatalf("%d connected", len(list))
	}
	if n := testing.AllocsPerRun(100, tick); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// quietHandler ignores all calls, from any worker.
type quietHandler struct{}

func (quietHandler) Connected(time.Time, Session)            {}
func (quietHandler) Received(time.Time, Session, Packet)     {}
func (quietHandler) Message(time.Time, Session, int, []byte) {}
func (quietHandler) Acked(Session, uint16)                   {}
func (quietHandler) Disconnected(time.Time, Session, error)  {}
