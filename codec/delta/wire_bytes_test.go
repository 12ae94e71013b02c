package delta

import (
	"encoding/binary"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// wireNumbers are the numbers of a body of raw or zstd.
type wireNumbers struct {
	packed  bool
	lengths []byte
	low     []byte
	at      int // next bit
	mean    map[string]int
}

func (r *wireNumbers) bits(n int) (v uint32) {
	for i := range n {
		v |= uint32(r.low[r.at>>3]>>(r.at&7)&1) << i
		r.at++
	}
	return v
}

func (r *wireNumbers) get(kind string) uint32 {
	if r.packed {
		n := int(r.lengths[0])
		r.lengths = r.lengths[1:]
		if n == 0 {
			return 0
		}
		return 1<<(n-1) | r.bits(n-1)
	}
	order := max(r.mean[kind]-4, 0) / 16
	l := 1
	for r.bits(1) == 0 {
		l++
	}
	q := uint64(1)<<(l-1) | uint64(r.bits(l-1))
	v := uint32((q-1)<<order) | r.bits(order)
	r.mean[kind] += int(wireFloor(int64(16*bits.Len32(v)-r.mean[kind]), 8))
	return v
}

func (r *wireNumbers) signed(kind string) int32 { return wireUnsigned(r.get(kind)) }

func wireUnsigned(v uint32) int32 { return int32(v>>1) ^ -int32(v&1) }

// set calls member with the index of each element of a set. member reads the rest of the element.
func (r *wireNumbers) set(member func(at int)) int {
	n := int(r.get("gap"))
	at := -1
	for range n {
		at += int(r.get("gap")) + 1
		member(at)
	}
	return n
}

// wireBytes is a body of raw or zstd that is read.
type wireBytes struct {
	*wireBlock
	num      wireNumbers
	order    [][2]int // new entities and those with news
	rows     map[[2]int][]int32
	modes    map[[2]int]int
	lastPlan *wirePlan
	speed    int32
	speedOK  bool
}

// decodeWireBytes reads a body of raw or zstd into Cur of the parts.
func decodeWireBytes(src []byte, coder Coder, l *Layout, parts []Part) error {
	b := &wireBytes{
		wireBlock: &wireBlock{layout: l, parts: parts, plans: map[uint64]*wirePlan{}, known: map[[2]int]bool{}, named: map[string]int{}, last: map[uint64][]int32{}},
		rows:      map[[2]int][]int32{}, modes: map[[2]int]int{},
	}
	b.num = wireNumbers{low: src, mean: map[string]int{"op": 16, "id": 64, "mask": 64, "mode": 32, "gap": 48, "column": 16, "value": 48, "line": 16, "bend": 32}}
	if coder == Zstd {
		if err := b.unpack(src); err != nil {
			return err
		}
	}
	if parts[0].Base != nil {
		b.age = int64(parts[0].Cur.Send - parts[0].Base.Send)
	}
	kept := b.presence()
	news := map[[2]int]bool{}
	var odd [][2]int
	if b.num.set(func(at int) { news[kept[at]] = true }) > 0 {
		for _, x := range kept {
			if news[x] {
				odd = append(odd, x)
			}
		}
		b.num.set(func(at int) { b.modes[odd[at]] = int(b.num.get("mode")) + 1 })
	}
	for i := range parts {
		p := &parts[i]
		for _, k := range wireSlots(p.Slots & p.Cur.Alive) {
			if x := [2]int{i, k}; news[x] || !wireHas(p.Base, p.Cur, k) {
				b.order = append(b.order, x)
				b.rows[x] = make([]int32, b.plan(p.Cur.Masks[k]).words)
			}
		}
	}
	b.columns()
	b.reads = b.entity
	b.walk()
	rest := len(b.num.low)*8 - b.num.at
	if len(b.num.lengths) > 0 || rest >= 8 || b.num.bits(rest) != 0 {
		return errWire
	}
	return nil
}

func (b *wireBytes) unpack(src []byte) error {
	head, n := binary.Uvarint(src)
	if head&1 != 0 {
		return errWire
	}
	size := int(head >> 1)
	frame := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38}, byte(size*8+5), byte((size*8+5)>>8), byte((size*8+5)>>16))
	z, err := zstd.NewReader(nil)
	if err != nil {
		return err
	}
	defer z.Close()
	b.num.packed, b.num.low = true, src[n+size:]
	b.num.lengths, err = z.DecodeAll(append(frame, src[n:n+size]...), nil)
	return err
}

// presence returns the kept entities.
func (b *wireBytes) presence() (kept [][2]int) {
	var fresh [][2]int
	op, run := b.num.get("op"), 1<<30
	if op == 4 {
		run = 0
	}
	for i := range b.parts {
		p := &b.parts[i]
		for _, k := range wireSlots(p.Slots) {
			if run == 0 {
				op, run = b.num.get("op"), int(b.num.get("gap"))+1
			}
			run--
			switch op {
			case 0:
				if wireAdopt(p, k); p.Base.Alive>>k&1 != 0 {
					kept = append(kept, [2]int{i, k})
				}
			case 1:
				fresh = append(fresh, [2]int{i, k})
			default:
				p.Cur.Clear(k, op == 3)
			}
		}
	}
	id, mask := uint32(0), uint64(0)
	for _, x := range fresh {
		id += 1 + uint32(b.num.signed("id"))
		mask ^= uint64(b.num.get("mask"))
		clear(b.parts[x[0]].Cur.Put(x[1], id, mask, b.plan(mask).words))
	}
	return kept
}

func (b *wireBytes) columns() {
	done := map[[2]int]int{} // words of each row that are read
	for c := range b.layout.Components() {
		var col []*int32
		words := b.layout.Words(c)
		var rows [][]int32
		for _, x := range b.order {
			if b.parts[x[0]].Cur.Masks[x[1]]>>c&1 != 0 {
				rows = append(rows, b.rows[x][done[x]:])
				done[x] += words
			}
		}
		if len(rows) == 0 || words == 0 || b.num.get("column") == 0 {
			continue
		}
		for k := range words {
			col = col[:0]
			for _, r := range rows {
				col = append(col, &r[k])
			}
			b.column(col)
		}
	}
}

func (b *wireBytes) column(col []*int32) {
	last := int32(0)
	switch form := b.num.get("column"); form {
	case 0:
	case 1:
		for _, v := range col {
			*v = b.num.signed("value")
		}
	case 2:
		b.num.set(func(at int) { *col[at] = wireUnsigned(b.num.get("value") + 1) })
	case 3:
		for _, v := range col {
			last += b.num.signed("value")
			*v = last
		}
	case 4:
		for _, v := range col {
			*v = int32(b.num.get("value"))
		}
	default:
		plain := b.num.get("column")
		for i := range form - 4 {
			for _, v := range col {
				if plain>>i&1 != 0 {
					*v |= int32(b.num.bits(8) << (8 * i))
				} else {
					*v |= int32(b.num.lengths[0]) << (8 * i)
					b.num.lengths = b.num.lengths[1:]
				}
			}
		}
	}
}

// entity makes the words of an entity from its residuals.
func (b *wireBytes) entity(e *wireEntity) {
	p := e.plan
	e.last, e.pred = make([]int32, p.words), make([]int32, p.words)
	copy(e.pred, e.base)
	e.ratesNow, e.spins = e.base, map[int]wireRotation{}
	x := [2]int{e.part, e.slot}
	res := b.rows[x]
	if res == nil {
		if e.moving && p.plain < p.motion {
			b.predictMotion(e, b.expected(e))
		}
		copy(e.cur, e.pred)
		for _, f := range p.fields[p.motion:] {
			e.cur[f.at] = f.wrap(int64(e.base[f.at]) + int64(e.base[f.at+1])*b.age)
		}
		return
	}
	for i := range p.fields[:p.plain] {
		f := &p.fields[i]
		for j := f.at; j < f.at+f.words; j++ {
			if f.kind == "bits" {
				e.cur[j] = e.pred[j] ^ res[j]
			} else {
				e.cur[j] = f.plus(e.pred[j], res[j])
			}
		}
	}
	if p.plain < len(p.fields) {
		b.motion(e, res, b.modes[x])
	}
	if e.base == nil {
		b.setOff(e, res)
		return
	}
	for _, s := range p.sets {
		b.lineSet(e, s, res)
	}
}

func (b *wireBytes) motion(e *wireEntity, res []int32, more int) {
	p := e.plan
	e.ratesNow, e.parent = e.cur, nil
	if p.parent >= 0 && e.cur[p.parent] != 0 {
		e.parent = b.attachment(uint32(e.cur[p.parent]))
	}
	b.predictMotion(e, (b.expected(e)+more)%3)
	for i := range p.fields[p.plain:p.motion] {
		f := &p.fields[p.plain+i]
		e.cur[f.at] = f.plus(e.pred[f.at], res[f.at])
		if f.kind == "rotation" {
			for j, v := range f.threeWords(e.spins[f.at], int(e.cur[f.at])) {
				e.cur[f.at+1+j] = v + res[f.at+1+j]
			}
		}
	}
}

// setOff reads how the lines of a new entity go.
func (b *wireBytes) setOff(e *wireEntity, res []int32) {
	p := e.plan
	for _, f := range p.fields[p.motion:] {
		copy(e.cur[f.at:f.at+2], res[f.at:])
	}
	if p.angle == nil {
		return
	}
	if b.lastPlan != p {
		b.lastPlan, b.speed, b.speedOK = p, 0, false
	}
	s := p.sets[len(p.sets)-1]
	x, y, t := &e.cur[s.lines[0].at+1], &e.cur[s.lines[1].at+1], p.angle.turn(e.cur[p.angle.at])
	switch b.num.get("line") {
	case 1:
		b.speed, b.speedOK = wireLength(*x, *y, t, b.speed), true
	case 3:
		to := wireToward(b.speed, t)
		*x, *y = to[0], to[1]
	}
}

// lineSet reads how a set of a kept entity goes.
func (b *wireBytes) lineSet(e *wireEntity, s *wireSet, res []int32) {
	p := e.plan
	how := b.num.get("line")
	was := s.vOf(e.base)
	v := was
	switch how {
	case 0:
		for _, f := range s.lines {
			on := f.wrap(int64(e.base[f.at]) + int64(e.base[f.at+1])*b.age)
			e.cur[f.at], e.cur[f.at+1] = f.wrap(int64(on)+int64(res[f.at])), e.base[f.at+1]
		}
		return
	case 1:
		b.makeList(p, s)
		for i, f := range s.lines {
			v[i] = was[i] + res[f.at+1]
		}
		if len(s.list) < 16 {
			s.list = append(s.list, v)
		}
	case 2:
		v = [3]int32{}
	case 3:
		speed := b.speedOf(e, s)
		to := wireToward(speed, p.angle.turn(e.cur[p.angle.at]))
		v[0], v[1], p.speed = to[0], to[1], speed
	default:
		b.makeList(p, s)
		v = s.list[how-4]
	}
	n := int64(b.layout.steps)
	all := n * b.age
	p.step += int64(b.num.signed("bend"))
	if p.step < 0 {
		p.step += all
	} else if p.step >= all {
		p.step -= all
	}
	for i, f := range s.lines {
		bend := f.wrap(int64(e.base[f.at]) + wireFloor(int64(was[i])*p.step+int64(v[i])*(all-p.step), n))
		e.cur[f.at], e.cur[f.at+1] = f.wrap(int64(bend)+int64(res[f.at])), v[i]
	}
}
