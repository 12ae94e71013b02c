package channel

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// path is one direction of a bad network, in virtual time.
type path struct {
	delay, jitter time.Duration
	loss, twice   float64
	random        *rand.Rand
	flying        []datagram
	order         int
	bytesASecond  int           // 0 without a limit
	queue         time.Duration // longest wait for the limit, 0: a second
	freeAt        time.Time
	sent, lost    int
}

type datagram struct {
	at    time.Time
	order int
	seq   uint16
	acks  []uint16
	data  []byte
}

func (p *path) send(now time.Time, d datagram) {
	p.sent++
	if p.bytesASecond > 0 {
		freeAt := maxTime(p.freeAt, now).Add(time.Duration(len(d.data)) * time.Second / time.Duration(p.bytesASecond))
		if freeAt.Sub(now) > cmp.Or(p.queue, time.Second) {
			p.lost++
			return
		}
		p.freeAt, now = freeAt, freeAt
	}
	if p.random.Float64() < p.loss {
		p.lost++
		return
	}
	copies := 1
	if p.random.Float64() < p.twice {
		copies = 2
	}
	for range copies {
		d.at = now.Add(p.delay)
		if p.jitter > 0 {
			d.at = d.at.Add(time.Duration(p.random.Int64N(int64(p.jitter))))
		}
		d.order = p.order
		p.order++
		p.flying = append(p.flying, d)
	}
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// due removes and returns the datagrams that have arrived.
func (p *path) due(now time.Time) []datagram {
	slices.SortFunc(p.flying, func(a, b datagram) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.order, b.order))
	})
	n := 0
	for n < len(p.flying) && !p.flying[n].at.After(now) {
		n++
	}
	arrived := slices.Clone(p.flying[:n])
	p.flying = slices.Delete(p.flying, 0, n)
	return arrived
}

// peer is an endpoint with the least session that serves it: numbers, duplicates, acknowledgements 33 packets
// back.
type peer struct {
	t       *testing.T
	e       *Endpoint
	out     *path
	next    uint16
	seen    map[uint16]bool
	newest  uint16
	heard   bool
	got     func(number int, b []byte)
	deaf    bool // reads nothing
	filled  int  // packets filled in this tick
	observe func(packet []byte)
}

func (p *peer) read(now time.Time, in *path) {
	for _, d := range in.due(now) {
		if p.deaf || p.seen[d.seq] {
			continue
		}
		if p.heard && int16(d.seq-p.newest) <= -MaxOvertaken {
			continue
		}
		p.seen[d.seq] = true
		delete(p.seen, d.seq-1<<14)
		if !p.heard || int16(d.seq-p.newest) > 0 {
			for s := p.newest; p.heard && s != d.seq; s++ {
				delete(p.seen, s-1<<14)
			}
			p.newest, p.heard = d.seq, true
		}
		for _, seq := range d.acks {
			p.e.Acked(now, seq)
		}
		if err := p.e.Receive(now, d.data, p.got); err != nil {
			p.t.Fatalf("Receive: %v", err)
		}
	}
}

func (p *peer) write(now time.Time, room int) {
	p.filled = 0
	for first := true; ; first = false {
		b := p.e.Fill(now, p.next, nil, room)
		if len(b) > room {
			p.t.Fatalf("Fill gave %d bytes for a room of %d", len(b), room)
		}
		if len(b) == 0 && !first {
			return
		}
		d := datagram{seq: p.next, data: b}
		for back := range 33 {
			if seq := p.newest - uint16(back); p.heard && p.seen[seq] {
				d.acks = append(d.acks, seq)
			}
		}
		p.out.send(now, d)
		p.next++
		p.filled++
		if p.observe != nil {
			p.observe(b)
		}
		if len(b) == 0 {
			return
		}
	}
}

// pair is two peers and the network between them.
type pair struct {
	a, b *peer
	now  time.Time
	tick time.Duration
	room int
}

func newPair(t *testing.T, c Config, seed uint64, link path) *pair {
	t.Helper()
	p := &pair{now: time.Unix(1000, 0), tick: time.Second / 60, room: 1185}
	end := func(seed uint64) *peer {
		e, err := New(c)
		must(t, err)
		out := link
		out.random = rand.New(rand.NewPCG(seed, 1))
		return &peer{t: t, e: e, out: &out, seen: map[uint16]bool{}, got: func(int, []byte) {}}
	}
	p.a, p.b = end(2*seed), end(2*seed+1)
	return p
}

// step is one tick of both peers.
func (p *pair) step(before func()) {
	p.a.read(p.now, p.b.out)
	p.b.read(p.now, p.a.out)
	if before != nil {
		before()
	}
	p.a.write(p.now, p.room)
	p.b.write(p.now, p.room)
	p.now = p.now.Add(p.tick)
}

// text returns a message of n bytes with a number.
func text(id uint64, n int) []byte {
	b := make([]byte, max(n, 8))
	binary.LittleEndian.PutUint64(b, id)
	for i := 8; i < len(b); i++ {
		b[i] = byte(uint64(i) * (id + 3) >> 3)
	}
	return b
}

// idOf returns the number of a message, and checks that text made it.
func idOf(t *testing.T, b []byte) uint64 {
	t.Helper()
	id := binary.LittleEndian.Uint64(b)
	if !bytes.Equal(b, text(id, len(b))) {
		t.Fatalf("message %d of %d bytes is damaged", id, len(b))
	}
	return id
}

// number returns the number of a channel of the default configuration.
func number(t *testing.T, name string) int {
	t.Helper()
	n := Config{}.Channel(name)
	if n < 0 {
		t.Fatalf("no channel %q", name)
	}
	return n
}

func mustNew(t testing.TB, c Config) *Endpoint {
	t.Helper()
	e, err := New(c)
	must(t, err)
	return e
}

// must fails the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
