package delta

import (
	"math"
)

const wireOne = 1 << 20

// wireRotation is x, y, z, w.
type wireRotation [4]int64

func wireRoot(v int64) int64 {
	if v <= 0 {
		return 0
	}
	return int64(math.Sqrt(float64(v)))
}

func (f *wireField) top() int64 { return 1<<f.bits - 1 }

// rotation returns the rotation that the four words of the field encode.
func (f *wireField) rotation(words []int32) (r wireRotation) {
	unpack := int64(math.Round((1 << 40) / math.Sqrt2 / float64(f.top())))
	missing := int(words[f.at] & 3)
	sum := int64(0)
	for i, k := 0, 1; i < 4; i++ {
		if i != missing {
			r[i] = (2*int64(words[f.at+k]) - f.top()) * unpack >> 20
			sum += r[i] * r[i]
			k++
		}
	}
	r[missing] = wireRoot(1<<40 - sum)
	return r
}

// threeWords returns the three that leave a component out.
func (f *wireField) threeWords(r wireRotation, missing int) (w [3]int32) {
	pack := int64(math.Round(float64(f.top()) / math.Sqrt2 * (1 << 20)))
	if r[missing] < 0 {
		pack = -pack
	}
	half := (f.top()*wireOne + wireOne) / 2
	k := 0
	for i, v := range r {
		if i != missing {
			w[k] = int32((v*pack>>20 + half) >> 20)
			k++
		}
	}
	return w
}

// largest returns the indexes of the two components with the largest magnitudes, and the difference of these.
func (r wireRotation) largest() (first, second int, lead int64) {
	for i := range r {
		if wireAbs(r[i]) > wireAbs(r[first]) {
			first = i
		}
	}
	second = -1
	for i := range r {
		if i != first && (second < 0 || wireAbs(r[i]) > wireAbs(r[second])) {
			second = i
		}
	}
	return first, second, wireAbs(r[first]) - wireAbs(r[second])
}

func (r wireRotation) times(q wireRotation) wireRotation {
	x, y, z, w := q[0], q[1], q[2], q[3]
	return wireRotation{
		(r[3]*x + r[0]*w + r[1]*z - r[2]*y) >> 20,
		(r[3]*y - r[0]*z + r[1]*w + r[2]*x) >> 20,
		(r[3]*z + r[0]*y - r[1]*x + r[2]*w) >> 20,
		(r[3]*w - r[0]*x - r[1]*y - r[2]*z) >> 20,
	}
}

func (r wireRotation) inverse() wireRotation { return wireRotation{-r[0], -r[1], -r[2], r[3]} }

// turn turns a place.
func (r wireRotation) turn(v [3]int64) (out [3]int64) {
	x, y, z, w := r[0], r[1], r[2], r[3]
	s := func(a int64) int64 { return 2 * a >> 20 }
	m := [3][3]int64{
		{wireOne - s(y*y+z*z), s(x*y - z*w), s(x*z + y*w)},
		{s(x*y + z*w), wireOne - s(x*x+z*z), s(y*z - x*w)},
		{s(x*z - y*w), s(y*z + x*w), wireOne - s(x*x+y*y)},
	}
	for i := range m {
		out[i] = (m[i][0]*v[0] + m[i][1]*v[1] + m[i][2]*v[2] + 1<<19) >> 20
	}
	return out
}

// goesOn returns the rotation of a field that continues its motion.
func (b *wireBlock) goesOn(e *wireEntity, f *wireField) wireRotation {
	q := f.rotation(e.base)
	if b.age > 32 || e.base2 == nil || [4]int32(e.base[f.at:]) == [4]int32(e.base2[f.at:]) {
		return q
	}
	p := f.rotation(e.base2)
	c := (p[0]*q[0] + p[1]*q[1] + p[2]*q[2] + p[3]*q[3]) >> 20
	side := int64(1)
	if c < 0 {
		c, side = -c, -1
	}
	x, y := int64(wireOne), int64(0)
	for range b.age {
		x, y = (2*c*x>>20)-y, x
	}
	var r wireRotation
	for i := range r {
		r[i] = (x*q[i] - side*y*p[i]) >> 20
	}
	return r
}

// wireAttachment is how a parent moved.
type wireAttachment struct {
	plan             *wirePlan
	now, then, then2 [3]int64
	twice, turning   bool
	t, t2            wireRotation
}

// attachment returns the attachment to an entity, or nil if it is unknown.
func (b *wireBlock) attachment(id uint32) *wireAttachment {
	i, k, ok := b.find(id)
	if !ok || !b.known[[2]int{i, k}] {
		return nil
	}
	x := b.entity(i, k)
	p := x.plan
	if x.base == nil || p.place == [3]int{-1, -1, -1} {
		return nil
	}
	a := &wireAttachment{plan: p, twice: x.base2 != nil, turning: p.orientation >= 0 && p.even()}
	for j, at := range p.place {
		if at >= 0 {
			a.now[j], a.then[j] = int64(x.cur[at]), int64(x.base[at])
			if a.twice {
				a.then2[j] = int64(x.base2[at])
			}
		}
	}
	if a.turning {
		f := &p.fields[p.orientation]
		a.t = f.rotation(x.cur).times(f.rotation(x.base).inverse())
		if a.twice {
			a.t2 = f.rotation(x.base).times(f.rotation(x.base2).inverse())
		}
	}
	return a
}

// sameGrid reports whether a coordinate is on the grid of the parent's.
func (a *wireAttachment) sameGrid(p *wirePlan, i int) bool {
	return p.place[i] >= 0 && a.plan.place[i] >= 0 && p.grid[i] == a.plan.grid[i]
}

func (a *wireAttachment) turns(p *wirePlan) bool {
	return a.turning && p.even() && p.grid == a.plan.grid
}

// expected returns the mode that is expected of an entity; it sets off.
func (b *wireBlock) expected(e *wireEntity) int {
	e.off = 0
	if e.base == nil || !e.moving {
		return 0
	}
	a := e.parent
	if a == nil || !a.twice || e.base2 == nil {
		return 1
	}
	var way int64
	if a.turns(e.plan) {
		var v [3]int64
		for i, at := range e.plan.place {
			v[i] = int64(e.base2[at]) - a.then2[i]
			way += wireAbs(int64(e.base[at]) - int64(e.base2[at]))
		}
		v = a.t2.turn(v)
		for i, at := range e.plan.place {
			e.off += wireAbs(v[i] + a.then[i] - int64(e.base[at]))
		}
	} else {
		for i, at := range e.plan.place {
			if a.sameGrid(e.plan, i) {
				d := int64(e.base[at]) - int64(e.base2[at])
				way += wireAbs(d)
				e.off += wireAbs(d - (a.then[i] - a.then2[i]))
			}
		}
	}
	if way > 0 && e.off <= way/4+3 {
		return 2
	}
	return 1
}

// predictMotion sets pred for the fields of motion, with a mode.
func (b *wireBlock) predictMotion(e *wireEntity, m int) {
	p := e.plan
	if m == 1 && e.base2 == nil && !p.rated || m == 2 && e.parent == nil {
		m = 0
	}
	ahead := func(at int) int32 { return e.base[at] + int32(int64(e.base[at]-e.base2[at])*b.age) }
	for i := range p.fields[:p.motion] {
		f := &p.fields[i]
		if i >= p.plain && f.kind != "rotation" && e.base2 != nil && !(f.axis > 0 && p.place[f.axis-1] == f.at) {
			e.pred[f.at] = f.wrap(int64(ahead(f.at)))
		}
		if f.kind == "rotation" && i != p.orientation {
			if e.base != nil {
				b.foretell(e, f, b.goesOn(e, f))
			} else {
				b.foretell(e, f, f.rotation(e.last))
			}
		}
	}
	place, turned := b.predictPlace(e, m)
	for i, at := range p.place {
		if at >= 0 && !p.lineAt(at) {
			e.pred[at] = place[i]
		}
	}
	if p.orientation >= 0 {
		b.foretell(e, &p.fields[p.orientation], turned)
	}
}

// lineAt reports whether a word is the place of a line.
func (p *wirePlan) lineAt(at int) bool {
	for _, f := range p.fields[p.motion:] {
		if f.at == at {
			return true
		}
	}
	return false
}

func (b *wireBlock) predictPlace(e *wireEntity, m int) (place [3]int32, turned wireRotation) {
	p, a := e.plan, e.parent
	var orientation *wireField
	if p.orientation >= 0 {
		orientation = &p.fields[p.orientation]
		if e.base == nil {
			turned = orientation.rotation(e.last)
		} else {
			turned = orientation.rotation(e.base)
		}
	}
	switch {
	case orientation == nil || e.base == nil:
	case m == 1:
		turned = b.goesOn(e, orientation)
	case m == 2 && a.turning:
		turned = a.t.times(turned)
	}
	if e.base != nil && m == 2 && a.turns(p) {
		var v [3]int64
		for i, at := range p.place {
			v[i] = int64(e.base[at]) - a.then[i]
		}
		v = a.t.turn(v)
		for i := range v {
			place[i] = int32(v[i] + a.now[i])
		}
		return place, turned
	}
	for i, at := range p.place {
		if at < 0 {
			continue
		}
		r := p.rates[i]
		switch {
		case e.base == nil && a != nil && a.sameGrid(p, i):
			place[i] = int32(a.now[i])
		case e.base == nil:
			place[i] = e.last[at]
		case m == 1 && r.at >= 0:
			way := (2*r.zero + r.slope*(int64(e.base[r.at])+int64(e.ratesNow[r.at]))) * b.age >> 17
			place[i] = e.base[at] + int32(way)
		case m == 1 && e.base2 != nil:
			place[i] = e.base[at] + int32((int64(e.base[at])-int64(e.base2[at]))*b.age)
		case m == 2 && a.sameGrid(p, i):
			place[i] = e.base[at] + int32(a.now[i]-a.then[i])
		default:
			place[i] = e.base[at]
		}
	}
	return place, turned
}

// foretell predicts the words of a rotation.
func (b *wireBlock) foretell(e *wireEntity, f *wireField, r wireRotation) {
	first, _, _ := r.largest()
	e.pred[f.at] = int32(first)
	w := f.threeWords(r, first)
	copy(e.pred[f.at+1:], w[:])
	e.spins[f.at] = r
}

// motion reads the mode and the fields of motion.
func (b *wireBlock) motion(e *wireEntity, m int) {
	p := e.plan
	e.ratesNow, e.parent = e.cur, nil
	if p.parent >= 0 && e.cur[p.parent] != 0 {
		e.parent = b.attachment(uint32(e.cur[p.parent]))
	}
	if e.base != nil && (e.base2 != nil || p.rated || e.parent != nil) && p.steers {
		i, near := 0, 63
		if e.parent != nil {
			i, near = 1, e.nearness(&e.parent.then)
		}
		if e.base2 != nil {
			i += 2
		}
		if b.pair(b.x("Mode", 4*m+i), b.x("ModeNear", 64*m+near)) == 0 {
			if b.flag("Other", 4*m+i) {
				m = (m + 1) % 3
			} else {
				m = (m + 2) % 3
			}
		}
	}
	b.predictMotion(e, m)
	state, speed := m, 0
	if e.base == nil {
		state = 3
	}
	if e.base != nil && e.base2 != nil {
		sum := e.off
		if m != 2 {
			sum = 0
			for _, at := range p.place {
				if at >= 0 {
					sum += wireAbs(int64(e.base[at]) - int64(e.base2[at]))
				}
			}
		}
		speed = min(wireSize(min(sum, 1<<30)), 15)
	}
	most, order, fresh := 0, 0, 0
	if e.base == nil {
		fresh = 1
	}
	for i := range p.fields[p.plain:p.motion] {
		f := &p.fields[p.plain+i]
		own := f.own + 21*fresh
		b.column = f.column
		switch f.kind {
		case "linear":
			level := 0
			if e.base2 != nil {
				level = min(wireSize(int64(f.minus(e.base[f.at], e.base2[f.at]))), 15)
			}
			e.cur[f.at] = f.plus(e.pred[f.at], b.number(own, b.x("GoesB", 20*level), b.x("GoesLot", 0), own+20))
		case "axis":
			level, way := most, 1
			if order == 0 {
				level = b.run[state]
			}
			if e.base2 != nil {
				way += wireSign(e.base[f.at] - e.base2[f.at])
			}
			d := b.number(b.x("AxisA", (16*state+speed)*20), b.x("AxisB", (16*min(order, 2)+min(level, 15))*20),
				b.x("AxisLot", 80*state), b.x("AxisSign", (3*state+f.axis-1)*3+way))
			e.cur[f.at] = e.pred[f.at] + d
			most = max(most, wireSize(int64(d)))
			order++
		default:
			b.rotation(e, f, state, most)
		}
	}
	if order > 0 {
		b.run[state] = most
	}
	b.column = 1
	if e.base == nil && p.hasLines {
		b.arrived(e)
	}
}

// rotation reads a rotation.
func (b *wireBlock) rotation(e *wireEntity, f *wireField, state, most int) {
	r := e.spins[f.at]
	first, second, lead := r.largest()
	missing := first
	if !b.flag("Missing", 16*state+min(3*wireSize(lead)/4, 15)) {
		missing = second
		if !b.flag("Next", 0) {
			var others []int
			for i := range 4 {
				if i != first && i != second {
					others = append(others, i)
				}
			}
			missing = others[1]
			if b.flag("Third", 0) {
				missing = others[0]
			}
		}
	}
	e.cur[f.at] = int32(missing)
	pred := f.threeWords(r, missing)
	steady := e.base2 != nil && int(e.base[f.at]) == missing && int(e.base2[f.at]) == missing
	seen := 0
	for j := range 3 {
		level, way := seen, 1
		if j == 0 {
			level = b.runQ[state]
		}
		at := f.at + 1 + j
		b.column = f.column + 1 + j
		if steady {
			way += wireSign(e.base[at] - e.base2[at])
		}
		d := b.number(b.x("QuatA", (16*state+min(most, 15))*20), b.x("QuatB", (16*j+min(level, 15))*20),
			b.x("QuatLot", 80*state), b.x("QuatSign", 3*state+way))
		e.cur[at] = pred[j] + d
		seen = max(seen, wireSize(int64(d)))
	}
	b.runQ[state] = seen
}
