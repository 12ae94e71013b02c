package predict_test

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	steering "github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
)

// stroller records the view of a player: the positions in the newest frame and in the previous one, the number of stones, and
// how many were drawn twice in a frame.
type stroller struct {
	before      systems.ClientStats
	was, now    map[uint32]float64
	seen, twice int
	odd         int
	newest      uint32 // input
}

// look records a view.
func (s *stroller) look(p *player) {
	s.was, s.now = s.now, map[uint32]float64{}
	stones := map[[2]uint32]bool{}
	for e, x := range ecs.All[struct {
		Own components.Owner
		Pos components.Position
	}](p.View()) {
		stone := ecs.Get[Stone](p.View(), e)
		if stone == nil {
			s.now[x.Own.Client] = float64(x.Pos.X)
			continue
		}
		key := [2]uint32{x.Own.Client, uint32(stone.Number)}
		if s.seen++; stones[key] {
			s.twice++
		}
		stones[key] = true
	}
}

// evenly checks that nothing was corrected or skipped since the stroller began, that enough states were compared, and that no
// stone flew twice.
func (s *stroller) evenly(p *player, compared uint64) {
	t := p.loop.t
	t.Helper()
	is := p.Stats()
	if is.Jumps != s.before.Jumps || is.Corrections != s.before.Corrections || is.Confirmed-s.before.Confirmed < compared {
		t.Errorf("client %d: %d jumps, %d corrections, %d states that agree", p.ID(), is.Jumps-s.before.Jumps, is.Corrections-s.before.Corrections, is.Confirmed-s.before.Confirmed)
	}
	s.once(p)
}

// once demands that no stone flew twice.
func (s *stroller) once(p *player) {
	p.loop.t.Helper()
	if s.twice > 0 || s.seen < 50 {
		p.loop.t.Errorf("client %d: %d stones are there twice, of %d drawn", p.ID(), s.twice, s.seen)
	}
}

// On links with little or no delay, at frame rates that match the ticks or do not, a frame moves all players according to
// their speed, under each model. Where states are sent, nothing is corrected or skipped, all received states are compared, and
// no stone is thrown twice.
func TestNetcodeB2_FramesGoEvenly(t *testing.T) {
	t.Parallel()
	seeds, play, trips, rates := 1, 5*time.Second, []time.Duration{0, 2 * time.Millisecond, 10 * time.Millisecond}, []float64{59.94, 30, 144}
	switch {
	case testing.Short() || race.Enabled:
		rates = []float64{59.94, 144}
	case fieldtest.Long():
		seeds, play, rates = 3, 5*time.Minute, []float64{59.94, 30, 60, 75, 144}
	}
	fieldtest.EachSeed(t, fieldtest.Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}, policy.Lockstep{}), seeds, func(t *testing.T, preset policy.Model, seed uint64) {
		peers := policy.TraitsOf(preset).RelaysInputs
		l := newLoop(t, systems.ServerConfig{Model: preset})
		strollers := map[*player]*stroller{}
		for n, rate := range rates {
			p := l.join(netsys.Link{Latency: trips[(n+int(seed))%len(trips)] / 2}, rate, true)
			p.throws = true
			strollers[p] = &stroller{}
		}
		way, turned := int8(1), l.now
		warm := l.now.Add(15 * time.Second)
		l.play(15*time.Second+play, func(p *player, passes time.Duration) {
			if l.now.Sub(turned) > 5*time.Second {
				way, turned = -way, l.now
			}
			p.held.DX = way
			s := strollers[p]
			if l.now.Before(warm) {
				return
			}
			if s.look(p); s.was == nil {
				s.before = p.Stats()
				return
			}
			since, most := l.now.Sub(turned).Seconds(), strollSpeed*passes.Seconds()
			for id, x := range s.now {
				step, rounding := (x-s.was[id])*float64(way), 0.002
				if policy.Is[policy.Lockstep](preset) {
					rounding = 0.0001 * strollSpeed
				}
				switch {
				case id == p.ID():
					if since <= 0.3 || math.Abs(step-most) <= 0.01*most+rounding {
						continue
					}
					// In lockstep, the stock of inputs follows the server's clock: some frames are longer or shorter.
					if s.odd++; !policy.Is[policy.Lockstep](preset) || math.Abs(step-most) > 0.1*most || s.odd > 2+int(play.Seconds()/passes.Seconds()/40) {
						t.Fatalf("client %d, %v: %v s after a turn a frame moves the own player by %v, and it walks %v", id, p.every, since, step, most)
					}
				case policy.Is[policy.Buffered](preset): // others are damped
				case since > 1 && math.Abs(step-most) > 0.1*most || math.Abs(step) > 1.1*most && !peers: // peers guess what others do
					t.Fatalf("client %d, %v: %v s after a turn a frame moves another by %v, and it walks %v", p.ID(), p.every, since, step, most)
				}
			}
		})
		for _, p := range l.players {
			s := strollers[p]
			if !peers {
				s.evenly(p, uint64(play.Seconds()*8))
				continue
			}
			if is := p.Stats(); is.Stalls != s.before.Stalls || is.Ticks-s.before.Ticks < uint64(play.Seconds()*59) {
				t.Errorf("client %d, %v: %d stalls, %d ticks", p.ID(), p.every, is.Stalls-s.before.Stalls, is.Ticks-s.before.Ticks)
			}
			s.once(p)
		}
	})
}

// States of ticks that a client with a late frame has not reached yet wait for these ticks: no input is skipped, and the match
// continues as before.
func TestNetcodeB2_StatesWaitForTheirTick(t *testing.T) {
	t.Parallel()
	late := []time.Duration{50 * time.Millisecond, 150 * time.Millisecond, 250 * time.Millisecond}
	l := newLoop(t, systems.ServerConfig{Model: policy.ServerRewind{}})
	strollers, stalled := map[*player]*stroller{}, map[*player]time.Time{}
	for _, rate := range []float64{30, 60, 144} {
		p := l.join(netsys.Link{}, rate, true)
		p.throws, p.held.DX = true, 1
		strollers[p] = &stroller{}
	}
	warm, stalls := l.now.Add(15*time.Second), 0
	l.play(45*time.Second, func(p *player, _ time.Duration) {
		s := strollers[p]
		if l.now.Before(warm) {
			stalled[p] = l.now
			return
		}
		if s.look(p); s.was == nil {
			s.before = p.Stats()
		}
		if p.Input() < s.newest {
			t.Fatalf("client %d: input %d after %d", p.ID(), p.Input(), s.newest)
		}
		if s.newest = p.Input(); l.now.Sub(stalled[p]) > 6*time.Second {
			p.due, stalled[p] = p.due.Add(late[stalls/len(strollers)%len(late)]), l.now
			stalls++
		}
	})
	for _, p := range l.players {
		strollers[p].evenly(p, 300)
	}
	if stalls < len(late)*len(strollers) {
		t.Errorf("%d late frames", stalls)
	}
}

// partial is a match whose frames hardly ever agree with its ticks.
type partial struct {
	Preset policy.Model
	Ticks  int
}

// A key press before a frame moves the player in that frame, a release stops it, and the same holds for turning. A steadily
// walking player moves in each frame according to its speed, whether the frame had no tick or two.
func TestPartialTicks_KeyShowsInItsFrame(t *testing.T) {
	t.Parallel()
	games, rates := []partial{}, []float64{30, 59.94, 75, 144}
	for _, preset := range []policy.Model{policy.LocalSync{}, policy.Rollback{}} {
		for _, ticks := range []int{30, 60, 120} {
			games = append(games, partial{preset, ticks})
		}
	}
	if race.Enabled {
		games, rates = []partial{games[1], games[4]}, []float64{59.94, 144}
	}
	fieldtest.EachRow(t, games, func(t *testing.T, x partial) {
		for _, frames := range rates {
			l := newLoop(t, systems.ServerConfig{TickRate: x.Ticks, Snapshots: systems.Snapshots{SendRate: 10}, Model: x.Preset})
			p, frame := l.join(netsys.Link{}, frames, true), time.Duration(float64(time.Second)/frames)
			for range int(3 * frames) {
				p.frame(frame)
			}
			late, presses := 0, 0
			for n := range 100 {
				before, _ := p.at()
				p.held = fieldtest.Walk{DX: int8(n%2)*2 - 1, N: uint16(n * 321)}
				p.frame(frame)
				presses++
				x, angle := p.at()
				if (x-before)*float64(p.held.DX) < 0.01 || angle != p.held.N {
					late++
				}
				for range n % 7 {
					p.frame(frame)
				}
				p.held.DX = 0
				p.frame(frame)
				rest, _ := p.at()
				for range 3 + n%5 {
					p.frame(frame)
					if x, _ := p.at(); math.Abs(x-rest) > 1e-3 {
						t.Fatalf("%v frames, press %d: drawn %v from where it came to rest", frames, n, x-rest)
					}
				}
			}
			if late != 0 {
				t.Errorf("%v frames: %d of %d keys did not show in their frame", frames, late, presses)
			}
			p.held.DX = 1
			p.frame(frame)
			p.frame(frame)
			steadily(t, p, frame, 300, 1e-4)
		}
	})
}

// steadily checks that each frame moves a walking player by its speed, with a relative error of at most off.
func steadily(t *testing.T, p *player, frame time.Duration, frames int, off float64) {
	t.Helper()
	last, _ := p.at()
	for range frames {
		p.frame(frame)
		x, _ := p.at()
		if d := (x-last)/(strollSpeed*frame.Seconds()) - 1; math.Abs(d) > off {
			t.Fatalf("a frame of %v moves the player by %.3f %% more or less than its speed", frame, 100*d)
		}
		last = x
	}
}

// farOff is the way to a real server.
var farOff = netsys.Link{Latency: 70 * time.Millisecond}

// A walking player is drawn evenly under models with stamped inputs, with damped players, and with owner state on mismatch
// only.
func TestPartialTicks_Presets(t *testing.T) {
	fieldtest.EachRow(t, fieldtest.AheadPresets, func(t *testing.T, preset policy.Model) {
		off := 0.001
		if policy.Is[policy.ServerRewind](preset) {
			off = 2 * steering.MaxSteer // its clock is steered
		}
		p := newLoop(t, systems.ServerConfig{Snapshots: systems.Snapshots{SendRate: 10}, Model: preset}).join(farOff, 144, true)
		const frame = time.Second / 144
		p.held.DX = 1
		for range 144 * 12 {
			p.frame(frame)
		}
		before := p.Stats().Corrections
		steadily(t, p, frame, 600, off)
		if n := p.Stats().Corrections - before; n != 0 {
			t.Errorf("%d corrections", n)
		}
	})
}

// A correction between two frames is not visible at any share of a tick, and a partial tick causes no visual error: once the
// error has faded, a standing player is drawn at its position.
func TestPartialTicks_CorrectionsDoNotShow(t *testing.T) {
	fieldtest.EachRow(t, []float64{59.94, 75, 144, 240}, func(t *testing.T, frames float64) {
		l := newLoop(t, systems.ServerConfig{Snapshots: systems.Snapshots{SendRate: 10}})
		p, frame := l.join(farOff, frames, true), time.Duration(float64(time.Second)/frames)
		for range int(3 * frames) {
			p.frame(frame)
		}
		const pushed = 4.0
		seconds := frame.Seconds()
		p.held.DX = 1
		p.frame(frame)
		last, _ := p.at()
		for n := range int(12 * frames) {
			if n%int(frames) == 0 && n < int(10*frames) {
				for _, s := range ecs.Each[fieldtest.Pushable](l.server.World()) {
					s.Pos.X += pushed
				}
			}
			stops := n == int(11*frames)
			if stops {
				p.held.DX = 0
			}
			before := p.Stats().Corrections
			p.frame(frame)
			x, _ := p.at()
			most := pushed - fieldtest.ErrorLeft(pushed, seconds)
			if p.Stats().Corrections != before {
				most = 0 // it was corrected in this very frame
			}
			if d := x - last - float64(p.held.DX)*strollSpeed*seconds; !stops && (d < -0.03 || d > most+0.03) {
				t.Fatalf("frame %d: drawn %v further than its speed explains", n, d)
			}
			last = x
		}
		e, _ := p.Own(p.World())
		if x := float64(fieldtest.Position(p.World(), e).X); math.Abs(x-last) > 0.001 {
			t.Errorf("drawn at %v, simulated at %v", last, x)
		}
		if n := p.Stats().Corrections; n < 10 || n > 30 {
			t.Errorf("%d corrections of 10 pushes", n)
		}
	})
}
