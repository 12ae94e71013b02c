package interpolate

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// birth is when tests begin, tick60 a tick of 60 a second.
var birth = time.Unix(1_000_000, 0)

const tick60 = time.Second / 60

// playFrames plays a stream of snapshots, 20 a second of a server at 60 ticks, with
// random delays and losses, to a client that draws at uneven times.
func playFrames(t *testing.T, seed uint64, delay, jitter time.Duration, loss float64, check func(p *Clock, now time.Time, before float64, dt time.Duration)) *Clock {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 4))
	p := NewClock(birth, 60, 3)
	p.loss = loss
	type arrival struct {
		at   time.Time
		tick uint32
	}
	var due []arrival
	for tick := uint32(3); tick < 60*60; tick += 3 {
		if r.Float64() >= loss {
			d := delay + time.Duration((2*r.Float64()-1)*float64(jitter))
			due = append(due, arrival{birth.Add(time.Duration(tick)*tick60 + d), tick})
		}
	}
	for now := birth; now.Before(birth.Add(time.Minute)); {
		dt := time.Duration(1+r.IntN(30)) * time.Millisecond
		now = now.Add(dt)
		rest := due[:0]
		for _, a := range due {
			if a.at.After(now) {
				rest = append(rest, a)
			} else {
				p.Heard(a.at, a.tick)
			}
		}
		due = rest
		p.ProcessArrivals(now)
		before, running := p.head, p.running
		p.Advance(now)
		if running {
			check(&p, now, before, dt)
		}
	}
	return &p
}

// Playback never goes backwards, keeps its rate, and never runs out of states on a link of the quality for which it was
// configured.
func TestClockRateAndDirection(t *testing.T) {
	for seed := range uint64(10) {
		stalls, frames := 0, 0
		playFrames(t, seed, 100*time.Millisecond, 30*time.Millisecond, 0.05, func(p *Clock, now time.Time, before float64, dt time.Duration) {
			frames++
			rate := (p.head - before) / (dt.Seconds() * 60)
			if p.head < before || rate > maxRate+1e-9 {
				t.Fatalf("seed %d: from %v to %v in %v, rate %v", seed, before, p.head, dt, rate)
			}
			if p.head > float64(p.newest+2*3) {
				t.Fatalf("seed %d: drew tick %v, knows %d", seed, p.head, p.newest)
			}
			if now.Sub(birth) > 10*time.Second && p.Stalled() {
				stalls++
			}
		})
		if stalls > 0 || frames < 2000 {
			t.Errorf("seed %d: %d stalls in %d frames", seed, stalls, frames)
		}
	}
}

// When snapshots stop, playback goes on for two sends and stops there, and every further frame counts as a stall. More than a second
// behind, it jumps.
func TestClockStopsAndSnaps(t *testing.T) {
	p := NewClock(birth, 60, 3)
	now, tick := birth, uint32(0)
	feed := func(d time.Duration) {
		for end := now.Add(d); now.Before(end); {
			now = now.Add(3 * tick60)
			tick += 3
			p.Heard(now, tick)
			p.ProcessArrivals(now)
			p.Advance(now)
		}
	}
	feed(12 * time.Second)
	if p.Stalled() {
		t.Fatal("stalled on a perfect link")
	}
	for range 60 * 3 {
		now = now.Add(tick60)
		p.Advance(now)
	}
	if !p.Stalled() || p.head != float64(p.newest+2*3) {
		t.Errorf("three seconds of silence: at %v of %d, stalled %v", p.head, p.newest, p.Stalled())
	}
	before := p.head
	tick += 3 * 60 // what passed meanwhile
	feed(100 * time.Millisecond)
	if p.head < before {
		t.Errorf("went back from %v to %v", before, p.head)
	}
	feed(12 * time.Second) // the window forgets the gap
	if want, _ := p.target(now); p.head < want-1 || p.head > want+1 || p.Stalled() {
		t.Errorf("at %v, should be at %v", p.head, want)
	}
	p.head -= 61 // more than a second behind
	feed(3 * tick60)
	if want, _ := p.target(now); p.head != want {
		t.Errorf("at %v after falling behind, should have jumped to %v", p.head, want)
	}
}

// A link with loss is drawn as many sends late as the rule asks for, and no more.
func TestCover(t *testing.T) {
	if k := cover(0, continuedSends); k != 1 {
		t.Errorf("%v sends without loss", k)
	}
	for loss := 0.001; loss < 0.5; loss += 0.001 {
		suffices := func(k float64) bool {
			const rounding = 1 + 1e-9
			return math.Pow(loss, k) <= 1e-3*rounding && math.Pow(loss, k+continuedSends) <= 1e-6*rounding
		}
		if k := cover(loss, continuedSends); k < 1 || !suffices(k) || k > 1 && suffices(k-1) {
			t.Errorf("%v sends at a loss of %.3f", k, loss)
		}
	}
}

// The window of transit times is ten seconds of the clock, independent of the drawn frames.
func TestClockWindow(t *testing.T) {
	p := NewClock(birth, 60, 3)
	p.loss = 0.02 // two sends cover it
	after := func(ms int) time.Time { return birth.Add(time.Duration(ms) * time.Millisecond) }
	if _, ok := p.target(birth); ok {
		t.Error("a target without snapshots")
	}
	p.Advance(after(1000))
	if p.running || p.Stalled() {
		t.Error("plays nothing")
	}
	for ms := 2000; ms < 12_000; ms += 500 {
		late := 0
		if ms < 4000 { // a tick late in the first four half seconds
			late = 1
		}
		p.Heard(after(ms), uint32(ms*60/1000-late))
		p.ProcessArrivals(after(ms))
	}
	late, _ := p.target(after(11_900))
	gone, _ := p.target(after(12_000))
	if want := after(11_900).Sub(birth).Seconds()*60 - 1 - 6; math.Abs(late-want) > 1e-6 {
		t.Errorf("draws %v while the window holds four half seconds of lateness, not %v", late, want)
	}
	if want := after(12_000).Sub(birth).Seconds()*60 - 6; math.Abs(gone-want) > 1e-6 {
		t.Errorf("draws %v when it holds three, not %v", gone, want)
	}
	if _, ok := p.target(birth.Add(time.Hour)); ok {
		t.Error("a target after an hour of silence")
	}
}

// A clock that jumps as far as possible costs no more than one that continues: earlier transit times no longer count, later
// ones do.
func TestClockThatLeaps(t *testing.T) {
	p := NewClock(birth, 60, 3)
	p.Heard(birth, 3)
	p.ProcessArrivals(birth)
	later := birth.Add(math.MaxInt64 - time.Hour)
	p.ProcessArrivals(later)
	if _, _, ok := p.wait(later.Sub(birth)); ok {
		t.Error("a state is waited for by what came centuries ago")
	}
	p.Heard(later, 6)
	p.ProcessArrivals(later)
	if _, _, ok := p.wait(later.Sub(birth)); !ok {
		t.Error("what came after the leap does not count")
	}
}
