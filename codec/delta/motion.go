package delta

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/internal/whole"
)

// expect returns how the entity is most likely to move on, from its baselines.
func (w *walk) expect() mode {
	w.off = 0
	if w.base == nil || !w.moving {
		return modeHold
	}
	if a := w.parent; a != nil && a.ok2 && w.base2 != nil {
		// It is attached if it went with its parent so far: by a quarter of its
		// way, and what rounding does to both.
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

// move predicts place and orientation.
func (w *walk) move(m mode) {
	w.mode, w.moved = m, true
	p := w.plan
	switch {
	case w.base == nil:
		w.arrive()
		return
	case m == modeRigid && w.parent == nil, m == modeOn && !w.goesOn():
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
				w.place[i] = w.base[at] + int32(w.way(&p.rates[i]))
			case w.base2 != nil:
				w.place[i] = w.ahead(at)
			default:
				w.place[i] = w.base[at]
			}
		}
		if p.turn >= 0 {
			w.turn = w.turned(p.turn, p.quat)
		}
	case modeRigid:
		w.follow()
	}
}

// goesOn reports whether it is known how the entity moved.
func (w *walk) goesOn() bool { return w.base2 != nil || w.plan.rated }

// way returns how many words a coordinate changes since the baseline, at the mean
// of the rates then and now.
func (p *past) way(r *rate) int64 {
	return (2*r.zero + r.slope*(int64(p.base[r.at])+int64(p.rates[r.at]))) * p.age >> 17
}

// ahead returns a word that goes on as it went.
func (p *past) ahead(at int) int32 {
	d := int64(p.base[at]) - int64(p.base2[at])
	switch {
	case d == 0 || p.gap <= 0:
		return p.base[at]
	case p.turns > 0:
		return p.base[at] + int32(d*int64(p.turns))
	}
	return p.base[at] + int32(d*p.age/p.gap)
}

// turned returns an orientation that goes on as it went.
func (p *past) turned(at int, g *whole.QuatGrid) whole.Rotation {
	q := g.Rotation(p.base[at:])
	if p.turns == 0 || p.base2 == nil || [4]int32(p.base[at:]) == [4]int32(p.base2[at:]) {
		return q
	}
	before := g.Rotation(p.base2[at:])
	return whole.Extrapolate(&before, &q, p.turns)
}

// follow predicts that the entity moves with its parent.
func (w *walk) follow() {
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

// arrive predicts an entity without baseline: where its parent is, or else as the
// last one of its kind.
func (w *walk) arrive() {
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

// choose returns the mode that predicts the entity best, for an encoder.
func (w *walk) choose(expected mode) mode {
	if w.base == nil {
		return modeHold
	}
	if !w.moved || w.mode != expected {
		w.move(expected)
	}
	best, least := expected, w.miss()
	if least <= 4*len(w.plan.fields) {
		return expected
	}
	for m := range mode(modes) {
		if m == expected || m == modeOn && !w.goesOn() || m == modeRigid && w.parent == nil {
			continue
		}
		w.move(m)
		if miss := w.miss() + 4; miss < least {
			best, least = m, miss
		}
	}
	return best
}

// miss is roughly how many bits the prediction of place and orientation is off.
func (w *walk) miss() int {
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

// predict sets pred for the words of a field of the plan. The words of fields
// before it must be known, and move must have been called for a field of motion.
// For an orientation it predicts which component is missing, and the others if it
// is that one: see settle.
func (w *walk) predict(f *field) {
	switch {
	case f.kind == kindAxis && w.plan.place[f.axis-1] == f.at:
		w.pred[f.at] = w.place[f.axis-1]
	case f.kind == kindAxis, f.kind == kindLinear:
		if w.base2 != nil {
			w.pred[f.at] = f.wrap(w.ahead(f.at))
		}
	case f.kind == kindLines:
		if w.base != nil {
			w.pred[f.at] = f.wrap(w.base[f.at] + int32(int64(w.base[f.at+1])*w.age))
		}
	case f.kind == kindQuat:
		switch {
		case f.at == w.plan.turn:
			w.spin = w.turn
		case w.base != nil:
			w.spin = w.turned(f.at, &f.quat)
		default:
			w.spin = f.quat.Rotation(w.pred[f.at:])
		}
		w.missing, w.runnerUp, w.lead = w.spin.Largest()
		w.pred[f.at] = w.missing
		w.settle(f, w.missing)
	}
}

// predictAll sets pred for all words, with that mode.
func (w *walk) predictAll(m mode) {
	w.move(m)
	fields := w.plan.fields[w.plan.plain:]
	for i := range fields {
		w.predict(&fields[i])
	}
}

// settle predicts the words of an orientation with that component missing.
func (w *walk) settle(f *field, missing int32) {
	q := w.pred[f.at : f.at+4]
	q[1], q[2], q[3] = f.quat.Words(&w.spin, missing)
}

// speed is the size of what says how far a prediction may be off.
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

// size is the number of bits of |v|.
func size(v int32) int {
	if v < 0 {
		v = -v
	}
	return bits.Len32(uint32(v))
}
