package delta

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/internal/whole"
)

// expectedMode returns the most likely mode of the entity, judged by its baselines.
func (w *walk) expectedMode() mode {
	w.off = 0
	if w.base == nil || !w.moving {
		return modeHold
	}
	if a := w.parent; a != nil && a.ok2 && w.base2 != nil {
		// The entity counts as attached if its last motion differed from that of its parent by at most a quarter, plus rounding.
		var off, way int64
		if p := w.plan; a.turning && p.even() && p.grid == a.grid {
			x, y, z := int64(w.base2[p.place[0]]), int64(w.base2[p.place[1]]), int64(w.base2[p.place[2]])
			bx, by, bz := int64(w.base[p.place[0]]), int64(w.base[p.place[1]]), int64(w.base[p.place[2]])
			way = abs(bx-x) + abs(by-y) + abs(bz-z)
			x, y, z = a.m2.Turn(x-a.then2[0], y-a.then2[1], z-a.then2[2])
			off = abs(x+a.then[0]-bx) + abs(y+a.then[1]-by) + abs(z+a.then[2]-bz)
		} else {
			for i, at := range w.plan.place {
				if at >= 0 && w.plan.grid[i] == a.grid[i] {
					own := int64(w.base[at]) - int64(w.base2[at])
					way += abs(own)
					off += abs(own - (a.then[i] - a.then2[i]))
				}
			}
		}
		w.off = off
		if way > 0 && off <= way/4+3 {
			return modeRigid
		}
	}
	return modeOn
}

// predictMotion predicts place and orientation with mode m.
func (w *walk) predictMotion(m mode) {
	w.mode, w.moved = m, true
	p := w.plan
	switch {
	case w.base == nil:
		w.predictNew()
		return
	case m == modeRigid && w.parent == nil, m == modeOn && !w.hasSpeed():
		m = modeHold
	}
	switch m {
	case modeHold:
		for i, at := range p.place {
			if at >= 0 {
				w.place[i] = w.base[at]
			}
		}
		if p.turn >= 0 {
			w.turn = p.quat.Rotation(w.base[p.turn:])
		}
	case modeOn:
		for i, at := range p.place {
			switch {
			case at < 0:
			case p.rates[i].at >= 0:
				w.place[i] = w.base[at] + int32(w.rateChange(&p.rates[i]))
			case w.base2 != nil:
				w.place[i] = w.extrapolate(at)
			default:
				w.place[i] = w.base[at]
			}
		}
		if p.turn >= 0 {
			w.turn = w.extrapolateRotation(p.turn, p.quat)
		}
	case modeRigid:
		w.predictRigid()
	}
}

// hasSpeed reports whether the speed of the entity is known, from two baselines or from rates.
func (w *walk) hasSpeed() bool { return w.base2 != nil || w.plan.rated }

// rateChange returns the change of a coordinate since the baseline in words, from the mean of the rates then and now.
func (p *past) rateChange(r *rate) int64 {
	return (2*r.zero + r.slope*(int64(p.base[r.at])+int64(p.rates[r.at]))) * p.age >> 17
}

// extrapolate returns a word that continues its last change.
func (p *past) extrapolate(at int) int32 {
	d := int64(p.base[at]) - int64(p.base2[at])
	switch {
	case d == 0 || p.gap <= 0:
		return p.base[at]
	case p.turns > 0:
		return p.base[at] + int32(d*int64(p.turns))
	}
	return p.base[at] + int32(d*p.age/p.gap)
}

// extrapolateRotation returns a rotation that continues its last change.
func (p *past) extrapolateRotation(at int, g *whole.QuatGrid) whole.Rotation {
	q := g.Rotation(p.base[at:])
	if p.turns == 0 || p.base2 == nil || [4]int32(p.base[at:]) == [4]int32(p.base2[at:]) {
		return q
	}
	before := g.Rotation(p.base2[at:])
	return whole.Extrapolate(&before, &q, p.turns)
}

// predictRigid predicts that the entity moves rigidly with its parent.
func (w *walk) predictRigid() {
	p, a := w.plan, w.parent
	if p.turn >= 0 {
		w.turn = p.quat.Rotation(w.base[p.turn:])
		if a.turning {
			w.turn = a.turn.Times(&w.turn)
		}
	}
	if a.turning && p.even() && p.grid == a.grid {
		x, y, z := a.m.Turn(int64(w.base[p.place[0]])-a.then[0], int64(w.base[p.place[1]])-a.then[1], int64(w.base[p.place[2]])-a.then[2])
		w.place = [3]int32{int32(x + a.now[0]), int32(y + a.now[1]), int32(z + a.now[2])}
		return
	}
	for i, at := range p.place {
		if at >= 0 {
			w.place[i] = w.base[at]
			if p.grid[i] == a.grid[i] {
				w.place[i] += int32(a.now[i] - a.then[i])
			}
		}
	}
}

// predictNew predicts an entity without a baseline at the place of its parent, or like the previous such entity with the
// same components.
func (w *walk) predictNew() {
	p := w.plan
	for i, at := range p.place {
		if at >= 0 {
			w.place[i] = w.pred[at]
			if a := w.parent; a != nil && a.grid[i] == p.grid[i] {
				w.place[i] = int32(a.now[i])
			}
		}
	}
	if p.turn >= 0 {
		w.turn = p.quat.Rotation(w.pred[p.turn:])
	}
}

// bestMode returns the mode with the smallest prediction error, for an encoder.
func (w *walk) bestMode(expected mode) mode {
	if w.base == nil {
		return modeHold
	}
	if !w.moved || w.mode != expected {
		w.predictMotion(expected)
	}
	best, least := expected, w.predictionError()
	if least <= 4*len(w.plan.fields) {
		return expected
	}
	for m := range mode(modes) {
		if m == expected || m == modeOn && !w.hasSpeed() || m == modeRigid && w.parent == nil {
			continue
		}
		w.predictMotion(m)
		if miss := w.predictionError() + 4; miss < least {
			best, least = m, miss
		}
	}
	return best
}

// predictionError returns the approximate size in bits of the residuals of place and orientation.
func (w *walk) predictionError() int {
	p, n := w.plan, 0
	for i, at := range p.place {
		if at >= 0 {
			n += size(w.cur[at] - w.place[i])
		}
	}
	if p.turn >= 0 {
		c := w.cur[p.turn : p.turn+4]
		x, y, z := p.quat.Words(&w.turn, c[0])
		n += size(c[1]-x) + size(c[2]-y) + size(c[3]-z)
	}
	return n
}

// predict sets pred for the words of a field of the plan. The words of earlier fields must be known, and for a motion field
// predictMotion must have been called. For a rotation it predicts the missing component, and the others under this
// assumption; call predictQuatWords if a different component is missing.
func (w *walk) predict(f *field) {
	switch {
	case f.kind == kindAxis && w.plan.place[f.axis-1] == f.at:
		w.pred[f.at] = w.place[f.axis-1]
	case f.kind == kindAxis, f.kind == kindLinear:
		if w.base2 != nil {
			w.pred[f.at] = f.wrap(w.extrapolate(f.at))
		}
	case f.kind == kindLines:
		if w.base != nil {
			w.pred[f.at] = f.wrap(w.base[f.at] + int32(w.span.Straight(w.base[f.at+1])))
		}
	case f.kind == kindQuat:
		switch {
		case f.at == w.plan.turn:
			w.spin = w.turn
		case w.base != nil:
			w.spin = w.extrapolateRotation(f.at, &f.quat)
		default:
			w.spin = f.quat.Rotation(w.pred[f.at:])
		}
		w.missing, w.runnerUp, w.lead = w.spin.Largest()
		w.pred[f.at] = w.missing
		w.predictQuatWords(f, w.missing)
	}
}

// predictAll sets pred for all words with mode m.
func (w *walk) predictAll(m mode) {
	w.predictMotion(m)
	fields := w.plan.fields[w.plan.plain:]
	for i := range fields {
		w.predict(&fields[i])
	}
}

// predictQuatWords predicts the words of a rotation with the given missing component.
func (w *walk) predictQuatWords(f *field, missing int32) {
	q := w.pred[f.at : f.at+4]
	q[1], q[2], q[3] = f.quat.Words(&w.spin, missing)
}

// speed returns the size of the last motion, or of its deviation from the parent, as a context for the expected size of
// residuals.
func (w *walk) speed(m mode) int {
	if w.base == nil || w.base2 == nil {
		return 0
	}
	if m == modeRigid {
		return size(int32(min(w.off, 1<<30)))
	}
	d := int64(0)
	for _, at := range w.plan.place {
		if at >= 0 {
			d += abs(int64(w.base[at]) - int64(w.base2[at]))
		}
	}
	return size(int32(min(d, 1<<30)))
}

func abs(v int64) int64 { return max(v, -v) }

// size returns the number of bits of |v|.
func size(v int32) int {
	if v < 0 {
		v = -v
	}
	return bits.Len32(uint32(v))
}
