package channel

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestRateOfAFullPath narrows a path for a while that has no queue: everything beyond its capacity is lost at once.
func TestRateOfAFullPath(t *testing.T) {
	const capacity = 60 << 10
	p := newPair(t, Config{}, 6, path{delay: 30 * time.Millisecond})
	p.a.out.queue = 20 * time.Millisecond
	bulk := number(t, "bulk")
	run := func(seconds int) int {
		for range seconds * 60 {
			p.step(func() {
				for p.a.e.Send(bulk, make([]byte, 8000)) == nil {
				}
			})
		}
		return p.a.e.Stats().Rate
	}
	before := run(5)
	p.a.out.bytesASecond = capacity
	full := run(20)
	p.a.out.bytesASecond = 0
	after := run(20)
	if before <= 128<<10 || full > capacity*5/4 || full < capacity*3/4 || after < before {
		t.Errorf("rates %d, then on a path of %d %d, then %d", before, capacity, full, after)
	}
}

// TestRateOnABadRadioLink loses packets, alone or in bursts, on a path that has room for far more: sending less would not
// make them arrive.
func TestRateOnABadRadioLink(t *testing.T) {
	const rate, seeds, ticks = 64 << 10, 4, 60 * 60
	for name, c := range map[string]struct {
		loss  float64
		burst int // mean length in ticks, 0: packets are lost independently of each other
	}{
		"a quarter": {0.25, 0}, "two fifths": {0.4, 0}, "bursts of 0.1 s": {0.2, 6}, "of 0.3 s": {0.2, 18}, "of 0.7 s": {0.2, 40},
	} {
		var sum, late int // of the rate of a session that always has something to send; states of another that came too late
		for seed := range uint64(2 * seeds) {
			greedy := seed%2 == 0
			p := newPair(t, Config{Rate: rate}, seed, path{delay: 60 * time.Millisecond, jitter: 30 * time.Millisecond, loss: c.loss})
			random := rand.New(rand.NewPCG(seed, 2))
			state, bulk := number(t, "state"), number(t, "bulk")
			for tick := range ticks {
				if c.burst > 0 {
					ends := 1 / float64(c.burst)
					if p.a.out.loss < 1 {
						ends *= c.loss / (1 - c.loss)
					}
					if random.Float64() < ends {
						p.a.out.loss = 1 - math.Floor(p.a.out.loss)
					}
				}
				p.step(func() {
					if greedy {
						for p.a.e.Send(bulk, make([]byte, 8000)) == nil {
						}
					} else if tick%3 == 0 {
						_ = p.a.e.Send(state, make([]byte, 1000))
					}
				})
				if greedy {
					sum += p.a.e.Stats().Rate
				}
			}
			late += int(p.a.e.Channel(state).Dropped)
		}
		if mean := sum / (seeds * ticks); mean < rate {
			t.Errorf("%s: the mean rate is %d, at first it was %d", name, mean, rate)
		}
		if sent := seeds * ticks / 3; late > sent/10 {
			t.Errorf("%s: %d of %d states of a session that needs 20 kB/s waited too long", name, late, sent)
		}
	}
}

// TestRateOfIdle sends little: a rate that is not used is not tried, and does not rise.
func TestRateOfIdle(t *testing.T) {
	p := newPair(t, Config{}, 7, path{delay: 30 * time.Millisecond})
	state := number(t, "state")
	for range 60 * 20 {
		p.step(func() { _ = p.a.e.Send(state, make([]byte, 100)) })
	}
	if got := p.a.e.Stats().Rate; got != p.a.e.Config().Rate {
		t.Errorf("rate %d", got)
	}
}

// TestRateOfFewOnAJitteryLink sends 20 packets a second. Jitter may delay all packets of a few, which is no queue.
func TestRateOfFewOnAJitteryLink(t *testing.T) {
	for _, link := range []path{{delay: 40 * time.Millisecond, jitter: 40 * time.Millisecond}, {delay: 166 * time.Millisecond, jitter: 168 * time.Millisecond}} {
		for seed := range uint64(10) {
			p := newPair(t, Config{}, seed, link)
			state, least := number(t, "state"), math.MaxInt
			for tick := range 60 * 120 {
				p.step(func() {
					if tick%3 == 0 {
						_ = p.a.e.Send(state, make([]byte, 100))
					}
				})
				least = min(least, p.a.e.Stats().Rate)
			}
			if least < p.a.e.Config().Rate {
				t.Errorf("jitter %v, seed %d: the rate fell to %d, at first it was %d", link.jitter, seed, least, p.a.e.Config().Rate)
			}
		}
	}
}

// TestRateOfFew loses one packet in twelve of a session that sends three a second: no share to judge by.
func TestRateOfFew(t *testing.T) {
	e := mustNew(t, Config{})
	now := time.Unix(0, 0)
	state := number(t, "state")
	for seq := range uint16(300) {
		_ = e.Send(state, []byte{1})
		_ = e.Fill(now, seq, nil, 1000)
		now = now.Add(333 * time.Millisecond)
		if seq%12 != 5 {
			e.Acked(now, seq)
		}
	}
	if got := e.Stats(); got.Rate != e.Config().Rate || got.Lost < 20 {
		t.Errorf("rate %d, lost %d", got.Rate, got.Lost)
	}
}

// TestCrowdedHistory has a rate at which the history would be over long before an acknowledgement can come:
// reliable channels wait for it, and nothing counts as lost.
func TestCrowdedHistory(t *testing.T) {
	c := Config{History: 160, Rate: 512 << 10, MinRate: 512 << 10, RTT: 700 * time.Millisecond}
	p := newPair(t, c, 13, path{delay: 300 * time.Millisecond})
	bulk, got := number(t, "bulk"), 0
	p.b.got = func(int, []byte) { got++ }
	for range 60 * 5 {
		p.step(func() { _ = p.a.e.Send(bulk, make([]byte, 30000)) })
	}
	if s := p.a.e.Stats(); s.Lost+s.Spurious > 0 || got < 5 {
		t.Errorf("%d counted as lost, %d messages arrived", s.Lost+s.Spurious, got)
	}
}
