package netcode

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

// flood sends requests from forged addresses, each from another one.
type flood struct {
	*world
	rng      *rand.Rand
	guess    []byte   // a token that nobody issued, another one each time
	captured [][]byte // good requests, seen on their way
	in, out  int      // bytes from and to forged addresses
	answers  int
}

func newFlood(w *world) *flood {
	return &flood{world: w, rng: rand.New(rand.NewPCG(3, 4)), guess: request(w.issue(w.config(100)))}
}

// capture adds a good request to those that are repeated.
func (f *flood) capture(b []byte) { f.captured = append(f.captured, bytes.Clone(b)) }

// spoof sends n requests.
func (f *flood) spoof(s *serverNode, n int) {
	for i := range n {
		ip := [4]byte{byte(11 + f.rng.IntN(200)), byte(f.rng.Uint32()), byte(f.rng.Uint32()), byte(f.rng.Uint32())}
		from := netip.AddrPortFrom(netip.AddrFrom4(ip), uint16(1+f.rng.IntN(65535)))
		b := f.guess
		if i%4 != 0 {
			binary.LittleEndian.PutUint64(b[requestSize-8:], f.rng.Uint64())
		} else {
			b = f.captured[f.rng.IntN(len(f.captured))]
		}
		queued := len(f.queue)
		s.Receive(f.now, from, b, s)
		f.in += len(b)
		for _, d := range f.queue[queued:] {
			if d.to != from {
				f.t.Fatalf("a forged request from %v makes the server send to %v", from, d.to)
			}
			f.out += len(d.data)
			f.answers++
		}
		f.queue = f.queue[:queued] // nobody there asked for it
	}
}

// For three seconds, 100,000 requests per second arrive from forged addresses. Three in four have guessed tokens. The others
// repeat valid requests of clients that play, that are connecting, and that never connected. 200 clients lose no packet, 20
// more connect, memory does not grow, and the server amplifies nothing.
func TestSpoofedRequests(t *testing.T) {
	const seconds, rate, playing, joining = 3, 100000, 200, 20
	const steps = int(seconds * time.Second / stepTime)
	w := newWorld(t, ServerConfig{})
	s := w.servers[0]
	f := newFlood(w)
	address := func(net byte, i int) string {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, net, byte(i >> 8), byte(i)}), 5000).String()
	}
	for i := range playing {
		w.join(address(1, i), w.issue(w.again(uint64(i), byte(i))))
	}
	w.until("connected", func() bool { return s.Len() == playing })
	w.run(time.Second)
	players := w.clients
	peers := map[uint64]*Peer{}
	for p := range s.Peers() {
		peers[p.ClientID()] = p
	}
	for i := range playing {
		f.capture(request(w.issue(w.again(uint64(1000+i), byte(i))))) // of clients that never come
		f.capture(request(&w.clients[i].token))
	}

	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	seen := 0
	for step := range steps {
		f.spoof(s, rate*seconds/steps)
		if step%5 == 0 && step/5 < joining {
			w.join(address(3, step), w.issue(w.again(uint64(2000+step), byte(step))))
		}
		for _, c := range w.clients[playing+seen:] {
			// An attacker who sees a request, and sends it first from another address, keeps the client out. The standard allows this.
			if c.State() == Requesting {
				break
			}
			f.capture(request(&c.token))
			seen++
		}
		for i, c := range players {
			if err := c.Send(w.now, []byte("input")); err != nil {
				t.Fatalf("client %d: %v", i, err)
			}
			if err := peers[uint64(i)].Send(w.now, []byte("snapshot")); err != nil {
				t.Fatalf("to client %d: %v", i, err)
			}
		}
		w.step()
	}
	w.run(500 * time.Millisecond)
	runtime.GC()
	runtime.ReadMemStats(&after)

	for i, c := range players {
		if c.payloads != steps {
			t.Errorf("client %d got %d of %d payloads", i, c.payloads, steps)
		}
	}
	if s.payloads != playing*steps || s.Len() != playing+joining || s.disconnected != 0 {
		t.Errorf("the server got %d of %d payloads and has %d of %d clients, lost %d",
			s.payloads, playing*steps, s.Len(), playing+joining, s.disconnected)
	}
	for _, c := range w.clients {
		if c.State() != Connected {
			t.Errorf("%v: %v", c, c.reason)
		}
	}
	// Only the first to repeat the request of somebody who never came is answered.
	if f.out >= f.in || f.answers > playing {
		t.Errorf("%d answers of %d bytes to requests of %d", f.answers, f.out, f.in)
	}
	if n := s.half.len(); n > playing || len(s.usedTokens.macs) > playing+joining {
		t.Errorf("%d half open, %d tokens used", n, len(s.usedTokens.macs))
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("the heap grew by %d kB", grown>>10)
	}
	drops := s.Drops()
	t.Logf("of another key %d, used %d, busy %d, over rate %d; half open %d", drops[DropKey], drops[DropTokenUsed],
		drops[DropBusy], drops[DropRate], s.half.len())
	if drops[DropKey]+drops[DropTokenUsed]+drops[DropBusy]+drops[DropRate]+uint64(f.answers) < seconds*rate {
		t.Errorf("not all are counted: %v", drops)
	}
	if seen != joining {
		t.Errorf("%d requests of %d were seen", seen, joining)
	}
	if n := drops[DropKey]; drops[DropBusy] == 0 || n > seconds*(defaultTokensPerSecond+defaultTokensPerSecond/10) {
		t.Errorf("%d forged tokens were decrypted", n)
	}
}

// An address that had a session has its own allowance: its player can return during a flood from other addresses.
func TestComingBackThroughAFlood(t *testing.T) {
	w, s, c := connected(t, ServerConfig{TokensPerSecond: 10})
	c.Disconnect(w.now)
	w.run(time.Second)
	f := newFlood(w)
	f.capture(f.guess)
	f.spoof(s, 1000)
	if n := s.Drops()[DropKey] + uint64(f.answers); n != 1 {
		t.Errorf("%d tokens of strangers were decrypted", n)
	}
	w.expect("198.51.100.8:5000", request(w.issue(w.config(8))), DropBusy)
	w.expect(alice, request(w.issue(w.again(7, 70))), DropNone)
	w.now = w.now.Add(100 * time.Millisecond)
	w.expect("198.51.100.8:5000", request(w.issue(w.config(8))), DropNone)
	w.expect("198.51.100.8:5000", request(w.issue(w.config(8))), DropNone) // seen before
}
