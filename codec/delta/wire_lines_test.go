package delta

import (
	"math"
	"slices"
)

// wireSet is lines that bend together.
type wireSet struct {
	class  int
	lines  []*wireField
	listed bool
	list   [][3]int32
	grain  int
}

// addSets makes the sets of a plan.
func (p *wirePlan) addSets() {
	place := &wireSet{class: 1, grain: -1}
	var along *wireSet
	var others []*wireSet
	var axes [3]bool
	for i := range p.fields {
		f := &p.fields[i]
		if f.along && p.angle == nil {
			p.angle = f
		}
		if f.kind != "line" {
			continue
		}
		s := &wireSet{lines: []*wireField{f}, grain: -1}
		switch {
		case f.axis > 0 && !axes[f.axis-1]:
			axes[f.axis-1] = true
			place.lines = append(place.lines, f)
		case f.along:
			along = s
		default:
			if f.count == 0 {
				s.class = 2
			}
			others = append(others, s)
		}
	}
	if along != nil {
		p.sets = append(p.sets, along)
	}
	p.sets = append(p.sets, others...)
	if len(place.lines) > 0 {
		slices.SortFunc(place.lines, func(a, b *wireField) int { return a.axis - b.axis })
		p.sets = append(p.sets, place)
	}
	p.flat = len(place.lines) >= 2 && place.lines[0].axis == 1 && place.lines[1].axis == 2 && place.lines[0].step == place.lines[1].step
	if !p.flat {
		p.angle = nil
	}
}

// wireFloor returns a/n rounded down.
func wireFloor(a, n int64) int64 {
	q := a / n
	if a%n < 0 {
		q--
	}
	return q
}

func wireSine(t uint32) int64 {
	z := int64(t % (1 << 30))
	if t>>30&1 == 1 {
		z = 1<<30 - z
	}
	q := z * z >> 30
	v := int64(-3864)
	for _, c := range []int64{172272, -5026995, 85569306, -693598668, 1686629713} {
		v = c + v*q>>30
	}
	v = v * z >> 30
	if t>>31 == 1 {
		return -v
	}
	return v
}

func wireToward(length int32, t uint32) [2]int32 {
	round := func(v int64) int32 { return int32((v*int64(length) + 1<<29) >> 30) }
	return [2]int32{round(wireSine(t + 1<<30)), round(wireSine(t))}
}

// turn returns the angle of a word.
func (f *wireField) turn(word int32) uint32 {
	q := int64(word) % f.count
	if q < 0 {
		q += f.count
	}
	zero := math.Round(math.Mod(f.min/(float64(f.count)*f.step), 1) * (1 << 32))
	return uint32(uint64(q)<<32/uint64(f.count)) + uint32(int64(zero))
}

// meet chooses the contexts of a plan with lines.
func (b *wireBlock) meet(p *wirePlan) {
	if p.kind < 0 {
		p.kind = min(b.kinds, 2)
		b.kinds++
	}
}

// arrived reads the lines of a new entity.
func (b *wireBlock) arrived(e *wireEntity) {
	p := e.plan
	b.meet(p)
	for _, s := range p.sets {
		for _, f := range s.lines {
			b.column = f.column
			e.cur[f.at] = b.grained(p, s, f.own)
		}
		x := s.lines[0].at + 1
		if s.class == 1 && p.angle != nil && len(s.lines) == 2 {
			y := s.lines[1].at + 1
			if p.speed > 0 && b.bit(b.ln(p, "LnArrives", 0)) == 1 {
				to := wireToward(p.speed, p.angle.turn(e.cur[p.angle.at]))
				e.cur[x], e.cur[y] = to[0], to[1]
				continue
			}
			if b.bit(b.ln(p, "LnArrives", 1)) == 1 {
				e.cur[x], e.cur[y] = 0, 0
				continue
			}
		}
		b.makeList(p, s)
		var v [3]int32
		if len(s.list) > 0 && b.bit(b.ls(p, s, "LsListed", 0)) == 1 {
			v = b.listed(p, s, nil)
			for i, f := range s.lines {
				e.cur[f.at+1] = v[i]
			}
			continue
		}
		for i, f := range s.lines {
			b.column = f.column + 1
			v[i] = b.number(f.own+21, f.own+21, b.x("NumberLot", 0), f.own+41)
			e.cur[f.at+1] = v[i]
		}
		if len(s.list) < 16 {
			s.list = append(s.list, v)
		}
		if s.class == 1 && p.angle != nil {
			p.speed = wireLength(v[0], v[1], p.angle.turn(e.cur[p.angle.at]), max(p.speed, 0))
		}
	}
	b.column = 1
}

// lined reads a kept entity with lines.
func (b *wireBlock) lined(e *wireEntity) {
	p := e.plan
	b.meet(p)
	copy(e.pred, e.base)
	copy(e.cur, e.base)
	if p.motion > 0 {
		if b.bit(b.ln(p, "LnOther", b.quiet)) == 0 {
			b.quiet = min(b.quiet+1, 15)
		} else {
			b.quiet = 0
			b.plain(e)
			if p.motion > p.plain {
				b.motion(e, b.expected(e))
			}
		}
	}
	i := b.history
	if e.moves(p.sets...) {
		i += 8
	}
	news := b.bit(b.ln(p, "LnNews", i))
	b.history = (2*b.history + news) & 7
	told, s := 0, int64(-1)
	for i, set := range p.sets {
		if news == 1 {
			b.column = set.lines[0].column
		}
		moves := 0
		if e.moves(set) {
			moves = 1
		}
		switch {
		case news == 0:
		case told == 0 && i == len(p.sets)-1:
			s = b.set(e, set, moves, told, s)
			continue
		case b.bit(b.ls(p, set, "LsNews", 2*told+moves)) == 1:
			s = b.set(e, set, moves, told, s)
			told = 1
			continue
		}
		for _, f := range set.lines {
			e.cur[f.at] = f.wrap(int64(e.base[f.at]) + b.bend(e.base[f.at+1], e.base[f.at+1], 0))
		}
	}
	b.column = 1
}

func (e *wireEntity) moves(sets ...*wireSet) bool {
	for _, s := range sets {
		for _, f := range s.lines {
			if e.base[f.at+1] != 0 {
				return true
			}
		}
	}
	return false
}

// ln returns a context of a set of components, ls one of a set of lines.
func (b *wireBlock) ln(p *wirePlan, name string, i int) int {
	return b.named[name] + i + p.kind*(b.named["kinds"]-b.named["LnOther"])
}

func (b *wireBlock) ls(p *wirePlan, s *wireSet, name string, i int) int {
	return b.ln(p, name, i) + s.class*(b.named["classes"]-b.named["LsNews"])
}

// bend returns the change of a line that bends at a step.
func (b *wireBlock) bend(v, w int32, step int64) int64 {
	unit := max(int64(b.layout.rate)/20, 1)
	n := unit * int64(b.layout.steps)
	p := func(send int64) int64 { return send % unit * int64(b.layout.steps) }
	part := func(v int32, p int64) int64 { return wireFloor(2*int64(v)*p+n, 2*n) }
	first, grid := p(b.from)+step, (b.to/unit-b.from/unit)*n
	return wireFloor(int64(v)*first+int64(w)*(grid-first), n) + part(w, p(b.to)) - part(v, p(b.from))
}

// lsNumber reads a number in a row of a set.
func (b *wireBlock) lsNumber(p *wirePlan, s *wireSet, row, sign string) int32 {
	at := b.ls(p, s, row, 0)
	return b.number(at, at, b.ls(p, s, "LsLot", 0), b.ls(p, s, sign, 0))
}

// set reads a set with news and returns S.
func (b *wireBlock) set(e *wireEntity, s *wireSet, moves, told int, step int64) int64 {
	p := e.plan
	if b.bit(b.ls(p, s, "LsBent", moves)) == 0 {
		for _, f := range s.lines {
			on := f.wrap(int64(e.base[f.at]) + b.bend(e.base[f.at+1], e.base[f.at+1], 0))
			e.cur[f.at] = f.wrap(int64(on) + int64(b.grained(p, s, b.ls(p, s, "LsJump", 0))))
		}
		return step
	}
	v := b.change(e, s, moves, told)
	all := int64(b.layout.steps) * b.age
	if step < 0 || b.bit(b.ln(p, "LnSame", 0)) == 0 {
		row := b.ln(p, "LnStep", 0)
		d := int64(b.number(row, row, b.ln(p, "LnStepLot", 0), b.ln(p, "LnStepSign", 0)))
		step = 0
		if all > 0 {
			step = ((p.step+d)%all + all) % all
		}
	}
	p.step = step
	off := b.bit(b.ls(p, s, "LsOff", 0)) == 1
	for i, f := range s.lines {
		e.cur[f.at], e.cur[f.at+1] = f.wrap(int64(e.base[f.at])+b.bend(e.base[f.at+1], v[i], step)), v[i]
	}
	for _, f := range s.lines {
		if off {
			e.cur[f.at] = f.wrap(int64(e.cur[f.at]) + int64(b.lsNumber(p, s, "LsOffBy", "LsOffSign")))
		}
	}
	return step
}

func (b *wireBlock) grained(p *wirePlan, s *wireSet, row int) int32 {
	if s.grain < 0 || b.bit(b.ls(p, s, "LsGrain", 0)) == 0 {
		k := 0
		for k < 19 && b.bit(b.ls(p, s, "LsZeros", k)) == 1 {
			k++
		}
		if s.grain < 0 || k < s.grain {
			s.grain = k
		}
	}
	return b.number(row, row, b.ls(p, s, "LsLot", 0), row+20) << s.grain
}

// vOf returns the change of a set in a record.
func (s *wireSet) vOf(record []int32) (v [3]int32) {
	for i, f := range s.lines {
		v[i] = record[f.at+1]
	}
	return v
}

// change reads V of a set that bent.
func (b *wireBlock) change(e *wireEntity, s *wireSet, moves, told int) (v [3]int32) {
	p := e.plan
	was := s.vOf(e.base)
	rest := 0
	fresh := false
	if s.class == 1 && p.angle != nil {
		speed := b.speedOf(e, s)
		if b.bit(b.ls(p, s, "LsHint", told+2*moves)) == 1 {
			p.speed = speed
			to := wireToward(speed, p.angle.turn(e.cur[p.angle.at]))
			v[0], v[1], rest = to[0], to[1], 2
		}
	}
	if rest == 0 && moves == 1 && b.bit(b.ls(p, s, "LsNone", 0)) == 1 {
		return [3]int32{}
	}
	if rest == 0 {
		b.makeList(p, s)
		if len(s.list) > 0 && b.bit(b.ls(p, s, "LsListed", 0)) == 1 {
			return b.listed(p, s, &was)
		}
		var to [2]int32
		var ok bool
		if s.class == 1 && p.flat {
			to, ok = b.turns(e, s, was)
		}
		if ok {
			v[0], v[1], rest = to[0], to[1], 2
		} else {
			fresh = true
		}
	}
	for i := rest; i < len(s.lines); i++ {
		v[i] = was[i] + b.lsNumber(p, s, "LsDiff", "LsDiffSign")
	}
	if fresh && len(s.list) < 16 {
		s.list = append(s.list, v)
	}
	return v
}

func (b *wireBlock) listed(p *wirePlan, s *wireSet, was *[3]int32) [3]int32 {
	k := 1
	for range 4 {
		k = 2*k + b.bit(b.ls(p, s, "LsIndex", k))
	}
	k -= 16
	skip := len(s.list)
	for i, v := range s.list {
		if was != nil && v == *was {
			skip = i
		}
	}
	if k >= skip {
		k++
	}
	return s.list[min(k, len(s.list)-1)]
}

// bases calls visit with the records in the baseline of the kept entities with the
// components of a plan, until it returns false.
func (b *wireBlock) bases(p *wirePlan, visit func(base []int32) bool) {
	for i := range b.parts {
		part := &b.parts[i]
		for _, k := range wireSlots(part.Slots & part.Cur.Alive) {
			if part.Cur.Masks[k] == p.mask && wireHas(part.Base, part.Cur, k) && !visit(part.Base.Record(k)) {
				return
			}
		}
	}
}

func (b *wireBlock) speedOf(e *wireEntity, s *wireSet) int32 {
	p := e.plan
	if v := s.vOf(e.base); v[0] != 0 || v[1] != 0 {
		return wireLength(v[0], v[1], p.angle.turn(e.base[p.angle.at]), p.speed)
	}
	if p.speed >= 0 {
		return p.speed
	}
	p.speed = 0
	b.bases(p, func(base []int32) bool {
		v := s.vOf(base)
		if v[0] == 0 && v[1] == 0 {
			return true
		}
		p.speed = wireLength(v[0], v[1], p.angle.turn(base[p.angle.at]), 0)
		return false
	})
	return p.speed
}

func wireLength(x, y int32, t uint32, likely int32) int32 {
	k := wireSpeed(x, y)
	for _, n := range []int32{likely, k, k + 1, k - 1} {
		if wireToward(n, t) == [2]int32{x, y} {
			return n
		}
	}
	return k
}

func wireSpeed(x, y int32) int32 {
	return int32(wireRoot(int64(x)*int64(x) + int64(y)*int64(y)))
}

func (b *wireBlock) turns(e *wireEntity, s *wireSet, was [3]int32) (to [2]int32, ok bool) {
	p := e.plan
	if p.pace < 0 {
		b.makePace(p, s)
	}
	pace, from := p.pace, uint8(0)
	if was[0] != 0 || was[1] != 0 {
		from = wireBearing(int64(was[0]), int64(was[1]))
		if n := wireSpeed(was[0], was[1]); wireAbs(int64(n)-int64(pace)) > 2 {
			pace = n
		}
	}
	if pace <= 0 || b.bit(b.ls(p, s, "LsTurns", 0)) == 0 {
		return to, false
	}
	at := from + uint8(b.lsNumber(p, s, "LsTurn", "LsTurnSign"))
	to = wireToward(pace, uint32(at)<<24)
	if b.bit(b.ls(p, s, "LsAside", 0)) == 1 {
		to[0] += b.lsNumber(p, s, "LsOffBy", "LsOffSign")
		to[1] += b.lsNumber(p, s, "LsOffBy", "LsOffSign")
	}
	return to, true
}

func (b *wireBlock) makePace(p *wirePlan, s *wireSet) {
	p.pace = 0
	sum, n := int64(0), int64(0)
	b.bases(p, func(base []int32) bool {
		w := s.vOf(base)
		v := wireSpeed(w[0], w[1])
		if v > 0 && v <= 1<<24 && (n == 0 || wireAbs(int64(v)-int64(p.pace)) <= 2) {
			if n == 0 {
				p.pace = v
			}
			sum += int64(w[0])*int64(w[0]) + int64(w[1])*int64(w[1])
			n++
		}
		return n < 64
	})
	if n > 0 {
		p.pace = int32((wireRoot(4*sum/n) + 1) / 2)
	}
}

func wireBearing(x, y int64) uint8 {
	quarter := uint8(0)
	for quarter < 3 && (x <= 0 || y < 0) {
		x, y = y, -x
		quarter++
	}
	at := uint8(0)
	for at < 64 {
		a := wireToward(65536, uint32(at)<<24+1<<23)
		if y*int64(a[0]) < x*int64(a[1]) {
			break
		}
		at++
	}
	return 64*quarter + at
}

func (b *wireBlock) makeList(p *wirePlan, s *wireSet) {
	if s.listed {
		return
	}
	s.listed = true
	type place struct {
		v [3]int32
		n int
	}
	var table [64]place
	looked := 0
	b.bases(p, func(base []int32) bool {
		v := s.vOf(base)
		h := uint32(0)
		for i := range s.lines {
			h = (h + uint32(v[i])) * 0x9e3779b1
		}
		x := &table[h>>26]
		if x.n == 0 {
			x.v = v
		}
		if x.v == v && v != [3]int32{} {
			x.n++
		}
		looked++
		return looked < 128
	})
	places := slices.DeleteFunc(table[:], func(x place) bool { return x.n == 0 })
	slices.SortStableFunc(places, func(a, b place) int { return b.n - a.n })
	for _, x := range places[:min(len(places), 16)] {
		s.list = append(s.list, x.v)
	}
}
