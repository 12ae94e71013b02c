package frames

import (
	"math"

	"github.com/tactusgo/tactus/codec/delta"
)

// snap replaces the course of a set by a more common one if the difference can be rounding: a course along the
// entity's heading at a usual pace, or a usual course. Receivers can predict those.
func (s *set) snap(m *met, course *[3]int32, exact *[3]float64, words []int32) {
	near := func(v *[3]int32, n int, slack float64) bool {
		for k := range n {
			if math.Abs(float64(v[k])-exact[k]) > slack+s.fields[k].noise {
				return false
			}
		}
		return true
	}
	if s.along != nil {
		turn := s.along.Turn(words[s.angle])
		measured := int32(math.Sqrt(float64(exact[0]*exact[0])+float64(exact[1]*exact[1])) + 0.5)
		for i := range len(m.paces) + 1 {
			pace := measured
			if i < len(m.paces) {
				pace = m.paces[i]
			}
			v := *course
			v[0], v[1] = delta.Toward(pace, turn)
			if !near(&v, 2, 1) {
				continue
			}
			if i == len(m.paces) {
				m.paces[m.pace] = measured
				m.pace = (m.pace + 1) % len(m.paces)
			}
			*course = v
			return
		}
	}
	for i := range m.usual {
		if near(&m.usual[i], len(s.fields), 0.5) {
			*course = m.usual[i]
			return
		}
	}
	m.usual[m.next] = *course
	m.next = (m.next + 1) % len(m.usual)
}

// ownCourse returns the course and the pace of an entity itself, as the only recent ones. A fresh entity has none.
func (s *set) ownCourse(lines []line, fresh bool) *met {
	m := &s.met
	if *m = (met{}); fresh {
		return m
	}
	for k := range s.fields {
		m.usual[0][k] = lines[s.fields[k].line].v
	}
	m.paces[0] = int32(math.Sqrt(float64(m.usual[0][0])*float64(m.usual[0][0])+float64(m.usual[0][1])*float64(m.usual[0][1])) + 0.5)
	return m
}

// off returns the distance of a place from a value, the shorter way around for angles.
func (f *lineField) off(r int64, truth float64) float64 {
	return f.turned(truth - float64(r))
}

// turned maps the difference of two angles to within half a turn.
func (f *lineField) turned(d float64) float64 {
	if turn := float64(f.turn); turn > 0 && math.Abs(d) > turn/2 {
		d -= float64(turn * math.Round(d/turn))
	}
	return d
}

// round returns the place nearest to a value.
func (f *lineField) round(truth float64) int32 {
	return f.fold(int64(math.Floor(truth + 0.5)))
}

// fold maps a place of an angle field to the words of its field.
func (f *lineField) fold(r int64) int32 {
	if f.turn > 0 && uint64(r) >= uint64(f.turn) {
		if r %= f.turn; r < 0 {
			r += f.turn
		}
	}
	return int32(min(max(r, math.MinInt32), math.MaxInt32))
}
