package snapshot

// bend returns when the lines of the entity at which the walk stands bent, in
// simulation steps after the baseline and plus 1, or 0 if no one bend explains
// them all.
func (w *walk) bend(fields []field) uint32 {
	n, total := w.bendSteps()
	for i := range fields {
		f := &fields[i]
		v, after := int64(w.base[f.at+1]), int64(w.cur[f.at+1])
		if v == after {
			continue
		}
		// ⌊(v·at + after·(total − at)) / n⌋ = far
		far := int64(f.minus(w.cur[f.at], w.base[f.at])) * int64(n)
		lo, hi, d := far-after*int64(total), far-after*int64(total)+int64(n)-1, v-after
		if d < 0 {
			lo, hi, d = -hi, -lo, -d
		}
		from, to := -floorDiv(-lo, d), floorDiv(hi, d)
		from, to = max(from, 0), min(to, int64(total)-1)
		for at := from; at <= to && at < from+bendTries; at++ {
			if w.bends(fields, int(at)) {
				return uint32(at) + 1
			}
		}
		return 0
	}
	return 0
}

// bendTries bounds the search among times that one line allows.
const bendTries = 32

// bends reports whether all lines bent then.
func (w *walk) bends(fields []field, at int) bool {
	for i := range fields {
		if f := &fields[i]; w.bent(f, at) != w.cur[f.at] {
			return false
		}
	}
	return true
}

// bent predicts the place of a line that bent so many steps after the baseline;
// its change must be known.
func (w *walk) bent(f *field, at int) int32 {
	n, total := w.bendSteps()
	return f.wrap(w.base[f.at] + int32(Bend(w.base[f.at+1], w.cur[f.at+1], at, total, n)))
}

// bendSteps returns the simulation steps of a send, and those since the baseline.
func (w *walk) bendSteps() (n, total int) {
	n = max(w.m.layout.steps, 1)
	return n, n * int(max(w.age, 0))
}

// bentAt returns the step that a bend stands for: without one, half way.
func (w *walk) bentAt(bend uint32) int {
	if bend > 0 {
		return int(bend - 1)
	}
	_, total := w.bendSteps()
	return total / 2
}
