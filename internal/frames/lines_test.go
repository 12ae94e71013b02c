package frames

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
)

// lines are the R and V of an entity's place and heading.
type lines [3][2]int32

func (s *stage) lines(t testing.TB, f *Frame, e ecs.Entity) (l lines) {
	at, head := ecs.ComponentOf[spot](s.w.Protocol()), ecs.ComponentOf[facing](s.w.Protocol())
	for i := range 2 {
		l[0][i], l[1][i], l[2][i] = s.word(t, f, e, at, i), s.word(t, f, e, at, 2+i), s.word(t, f, e, head, i)
	}
	return l
}

// errors returns how far lines are from the truth, in tolerances.
func (s *stage) errors(e ecs.Entity, l lines) float64 {
	p, h := ecs.Get[spot](s.w, e), ecs.Get[facing](s.w, e)
	worst := max(math.Abs(float64(p.X)-float64(l[0][0])/256), math.Abs(float64(p.Y)-float64(l[1][0])/256)) / 0.0625
	if l[2][0] < 0 || l[2][0] > 65535 {
		return math.Inf(1)
	}
	return max(worst, math.Abs(float64(int16(int32(h.Angle)-l[2][0]))))
}

// The line of an entity stays near its state while the entity walks, turns, rests, jumps, spins, accelerates, stops at a wall
// and leaves the world at one side to enter at the other.
func TestLinesAreNear(t *testing.T) {
	for _, steps := range []int{1, 2, 3, 6} {
		s := newStage(t, steps, nil)
		rng := rand.New(rand.NewPCG(uint64(steps), 5))
		all := crowd(s, rng, 40)
		spin := make([]int, len(all))
		worst, news, sends := 0.0, 0, 0
		last := map[int]lines{}
		for range 3000 {
			f := s.step(func() {
				walk(s.w)
				for i, e := range all {
					p, h, v := ecs.Get[spot](s.w, e), ecs.Get[facing](s.w, e), ecs.Get[speed](s.w, e)
					h.Angle += uint16(spin[i])
					if i%4 == 0 {
						v.X += rng.Float64()*0.2 - 0.1
					}
					switch rng.IntN(160) {
					case 0:
						*v = speed{}
					case 1, 2, 3:
						*v = speed{rng.Float64()*7 - 3.5, rng.Float64()*7 - 3.5}
					case 4:
						*p = spot{rng.Float32() * 2000, rng.Float32() * 2000}
					case 5:
						h.Angle = uint16(rng.Uint32())
					case 6, 7:
						spin[i] = rng.IntN(65536) - 32768
					case 8, 9:
						spin[i] = 0
					case 10:
						p.X = 2000 - p.X
					}
				}
			})
			if f == nil {
				continue
			}
			for i, e := range all {
				l := s.lines(t, f, e)
				worst = max(worst, s.errors(e, l))
				sends++
				for k := range l {
					if l[k][1] != last[i][k][1] {
						news++
						break
					}
				}
				last[i] = l
			}
		}
		if worst > 1.001 {
			t.Errorf("%d steps a send: %v tolerances off", steps, worst)
		}
		if 2*news > sends {
			t.Errorf("%d steps a send: %d bends in %d sends", steps, news, sends)
		}
	}
}

// A line with one bend is predicted exactly from any older state, the change before and after the bend, and the step of the
// bend.
func TestOneBendIsToldFromAnyOlderState(t *testing.T) {
	for _, steps := range []int{1, 3, 5} {
		rng := rand.New(rand.NewPCG(9, uint64(steps)))
		for round := range 300 {
			s := newStage(t, steps, nil)
			e := crowd(s, rng, 1)[0]
			*ecs.Get[spot](s.w, e) = spot{900 + 100*rng.Float32(), 900 + 100*rng.Float32()}
			spin := rng.IntN(4001) - 2000
			turnAt := steps*8 + rng.IntN(steps*4)
			var past []lines
			for step := range 20 * steps {
				if step == turnAt {
					*ecs.Get[speed](s.w, e) = speed{rng.Float64()*7 - 3.5, rng.Float64()*7 - 3.5}
					spin = rng.IntN(4001) - 2000
				}
				f := s.step(func() {
					walk(s.w)
					ecs.Get[facing](s.w, e).Angle += uint16(spin)
				})
				if f == nil {
					continue
				}
				past = append(past, s.lines(t, f, e))
			}
			// The second state on the line before the bend, and those behind it.
			now := len(past) - 1
			for old := 3; old < 8; old++ {
				for k := range 3 {
					a, b := past[old][k], past[now][k]
					found := false
					for at := range steps * (now - old) {
						r := int64(a[0]) + s.layout.Span(uint32(old+1), uint32(now+1)).Bend(a[1], b[1], at)
						found = found || r == int64(b[0]) || k == 2 && uint16(r) == uint16(b[0])
					}
					if !found && a[1] != b[1] {
						t.Fatalf("%d steps a send, round %d: line %d from %v to %v in %d sends has no bend (%v)", steps, round, k, a, b, now-old, past)
					}
				}
			}
		}
	}
}

// Where sends are left out, lines go on through them.
func TestLinesGoThroughGaps(t *testing.T) {
	s := newStage(t, 3, nil)
	rng := rand.New(rand.NewPCG(15, 16))
	all := crowd(s, rng, 40)
	for _, e := range all {
		*ecs.Get[spot](s.w, e) = spot{500 + 1000*rng.Float32(), 500 + 1000*rng.Float32()}
	}
	var last []lines
	news, was := 0, uint32(0)
	for s.tick < 600 {
		walk(s.w)
		s.tick++
		s.ring.Step()
		gap := []uint32{2, 5, 1, maxGap}[s.tick/100%4]
		if s.tick%(3*gap) != 0 {
			continue
		}
		f := s.ring.Take(s.tick/3, s.tick)
		for i, e := range all {
			l := s.lines(t, f, e)
			if off := s.errors(e, l); off > 1.001 {
				t.Fatalf("send %d, the last was %d: %v tolerances off", f.Send, was, off)
			}
			if i == len(last) {
				last = append(last, l)
			} else if l[0][1] != last[i][0][1] || l[1][1] != last[i][1][1] {
				news++
			}
			last[i] = l
		}
		was = f.Send
	}
	if news > 2*len(all) {
		t.Errorf("%d changes of %d entities that walk straight on", news, len(all))
	}
	f := s.ring.Take(was+1000, s.tick)
	for _, e := range all {
		if off := s.errors(e, s.lines(t, f, e)); off > 1.001 {
			t.Errorf("after a pause: %v tolerances off", off)
		}
	}
}

// The line of a resting entity moves once, after a while, to the nearest word.
func TestRestSettles(t *testing.T) {
	s := newStage(t, 3, nil)
	rng := rand.New(rand.NewPCG(11, 12))
	all := crowd(s, rng, 50)
	for range 30 {
		s.send(func() { walk(s.w) })
	}
	for _, e := range all {
		*ecs.Get[speed](s.w, e) = speed{}
	}
	var last []lines
	moved := 0
	var f *Frame
	for range 20 * (restSeconds + 1) {
		f = s.send(nil)
		for i, e := range all {
			l := s.lines(t, f, e)
			if i < len(last) && l != last[i] {
				moved++
				last[i] = l
			} else if i == len(last) {
				last = append(last, l)
			}
		}
	}
	for _, e := range all {
		l, p := s.lines(t, f, e), ecs.Get[spot](s.w, e)
		if l[0][1] != 0 || l[1][1] != 0 || l[0][0] != int32(math.Floor(float64(p.X)*256+0.5)) || l[1][0] != int32(math.Floor(float64(p.Y)*256+0.5)) {
			t.Errorf("%v rests at %v", *p, l)
		}
	}
	if moved > 2*len(all) {
		t.Errorf("%d changes of %d lines at rest", moved, len(all))
	}
}

// A value that jumps now and then and rests in between is not taken for one that
// moves, after the first time.
func TestJumpsAreLearned(t *testing.T) {
	s := newStage(t, 3, nil)
	e := s.w.Spawn(facing{}, level{})
	c := ecs.ComponentOf[facing](s.w.Protocol())
	wrong := 0
	for n := range 300 {
		f := s.send(nil)
		if n > 30 && s.word(t, f, e, c, 1) != 0 {
			wrong++
		}
		if n%5 == 0 {
			s.step(nil)
			if n%2 == 0 {
				s.step(nil)
			}
			ecs.Get[facing](s.w, e).Angle += 5000
		}
	}
	if wrong > 0 {
		t.Errorf("taken for a spin %d times", wrong)
	}
}

// The line of an entity that moves along its heading changes as the heading says, to the word.
func TestCourseFollowsHeading(t *testing.T) {
	s := newStage(t, 3, nil)
	rng := rand.New(rand.NewPCG(13, 14))
	e := s.w.Spawn(spot{1000, 1000}, facing{}, level{}, speed{})
	for range 200 {
		angle := uint16(rng.Uint32())
		ecs.Get[facing](s.w, e).Angle = angle
		sin, cos := math.Sincos(float64(angle) * (2 * math.Pi / 65536))
		*ecs.Get[speed](s.w, e) = speed{100.0 / 60 * cos, 100.0 / 60 * sin}
		*ecs.Get[spot](s.w, e) = spot{1000, 1000}
		var f *Frame
		for range 4 {
			f = s.send(func() { walk(s.w) })
		}
		l := s.lines(t, f, e)
		if x, y := delta.Toward(1280, uint32(angle)<<16); l[0][1] != x || l[1][1] != y {
			t.Errorf("heading %d: %d, %d a send, want %d, %d", angle, l[0][1], l[1][1], x, y)
		}
	}
}
