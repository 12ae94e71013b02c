package delta

import (
	"errors"
)

// errWire is the only error of the document's decoder.
var errWire = errors.New("refused")

// wireEntity is an entity at its turn in the walk.
type wireEntity struct {
	part, slot       int
	plan             *wirePlan
	cur, base, base2 []int32
	byRecords        bool // it is moving by its records
	moving           bool
	parent           *wireAttachment
	last             []int32
	ratesNow         []int32 // record of which the rates are those of now
	pred             []int32
	spins            map[int]wireRotation // predicted rotations, by word
	off              int64
}

// readWire reads a body into Cur of the parts.
func readWire(tables *wireTables, src []byte, coder Coder, l *Layout, parts []Part) error {
	b := &wireBlock{
		layout: l, parts: parts, plans: map[uint64]*wirePlan{}, known: map[[2]int]bool{}, calm: map[[2]int]bool{},
		last: map[uint64][]int32{}, quiet: 15, column: 1,
	}
	at, chances := tables.contexts()
	b.named = at
	b.named["fields"] = len(chances)
	for c := range l.Components() {
		for _, f := range wireFieldsOf(l, c) {
			chances = append(chances, tables.field(f.kind)...)
		}
	}
	for _, c := range chances {
		b.ctx = append(b.ctx, wireChance{uint32(c[0]), uint32(c[1])})
	}
	if parts[0].Base != nil {
		b.from, b.to = int64(parts[0].Base.Send), int64(parts[0].Cur.Send)
		b.age = b.to - b.from
	}
	if coder != Range {
		b.symbols = &wireSymbols{}
		columns := 2
		for _, words := range l.words {
			columns += words
		}
		if err := b.symbols.open(src, coder, columns); err != nil {
			return err
		}
	} else {
		b.begin(src)
	}
	b.presence()
	b.walk()
	if b.symbols != nil && !b.symbols.ended() || b.symbols == nil && !b.ended() {
		return errWire
	}
	return nil
}

func (b *wireBlock) presence() {
	id, mask := uint32(0), uint64(0)
	for i := range b.parts {
		p := &b.parts[i]
		if p.Base != nil && b.flag("SameSlots", 0) {
			for _, k := range wireSlots(p.Slots) {
				wireAdopt(p, k)
			}
			continue
		}
		was, alive := 1, 1
		for _, k := range wireSlots(p.Slots) {
			if p.Base != nil {
				if was = b.bit(b.x("SameSlot", was)); was == 1 {
					wireAdopt(p, k)
					continue
				}
			}
			if alive = b.bit(b.x("Alive", alive)); alive == 0 {
				p.Cur.Clear(k, b.flag("Hidden", 0))
				continue
			}
			id += 1 + uint32(b.number(b.x("ID", 0), b.x("ID", 0), b.x("IDLot", 0), b.x("IDSign", 0)))
			if !b.flag("SameMask", 0) {
				mask = 0
				for c := range b.layout.Components() {
					if b.flag("Mask", c) {
						mask |= 1 << c
					}
				}
			}
			rec := p.Cur.Put(k, id, mask, b.plan(mask).words)
			clear(rec)
		}
	}
}

// wireAdopt makes a slot as in the baseline.
func wireAdopt(p *Part, k int) {
	if p.Base.Alive>>k&1 == 0 {
		p.Cur.Clear(k, p.Base.Hidden>>k&1 != 0)
		return
	}
	rec := p.Base.Record(k)
	copy(p.Cur.Put(k, p.Base.IDs[k], p.Base.Masks[k], len(rec)), rec)
}

// wireHas reports whether a group has the entity that is in a slot of another.
func wireHas(g, cur *Group, k int) bool {
	return g != nil && g.Alive>>k&1 != 0 && cur.Alive>>k&1 != 0 && g.IDs[k] == cur.IDs[k] && g.Masks[k] == cur.Masks[k]
}

// entity returns the state of an entity before it is decoded.
func (b *wireBlock) entity(i, k int) *wireEntity {
	p := &b.parts[i]
	e := &wireEntity{part: i, slot: k, plan: b.plan(p.Cur.Masks[k]), cur: p.Cur.Record(k)}
	if wireHas(p.Base, p.Cur, k) {
		e.base = append([]int32{}, p.Base.Record(k)...) // not nil, even if it is empty
		if wireHas(p.Base2, p.Cur, k) {
			e.base2 = append([]int32{}, p.Base2.Record(k)...)
			for j := range e.base {
				e.byRecords = e.byRecords || e.base[j] != e.base2[j]
			}
		}
		e.moving = e.byRecords
		for _, r := range e.plan.rates {
			e.moving = e.moving || r.at >= 0 && wireAbs(r.zero+r.slope*int64(e.base[r.at])) >= r.slope
		}
	}
	return e
}

// find returns the first entity of the block with an id.
func (b *wireBlock) find(id uint32) (part, slot int, ok bool) {
	for i := range b.parts {
		p := &b.parts[i]
		for _, k := range wireSlots(p.Slots & p.Cur.Alive) {
			if p.Cur.IDs[k] == id {
				return i, k, true
			}
		}
	}
	return 0, 0, false
}

func (b *wireBlock) walk() {
	var left [][2]int
	for i := range b.parts {
		for _, k := range wireSlots(b.parts[i].Slots & b.parts[i].Cur.Alive) {
			left = append(left, [2]int{i, k})
		}
	}
	for pass := 0; len(left) > 0; pass++ {
		var off [][2]int
		for at := 0; at < len(left); at++ {
			x := left[at]
			if b.known[x] {
				continue // of a calm run
			}
			e := b.entity(x[0], x[1])
			if e.base != nil && e.plan.parent >= 0 {
				id := uint32(e.base[e.plan.parent])
				if id != 0 {
					if i, k, ok := b.find(id); ok && !b.known[[2]int{i, k}] && pass < 4 {
						off = append(off, x)
						continue
					}
					e.parent = b.attachment(id)
				}
			}
			b.read(e, left[at+1:])
			b.known[x] = true
			if e.base == nil {
				b.last[e.plan.mask] = append([]int32{}, e.cur...)
			}
		}
		left = off
	}
}

// read reads an entity; next are those that come behind it in this pass.
func (b *wireBlock) read(e *wireEntity, next [][2]int) {
	e.pred = make([]int32, len(e.cur))
	e.last = make([]int32, len(e.cur))
	e.ratesNow, e.spins = e.base, map[int]wireRotation{}
	switch {
	case e.base == nil:
		if l := b.last[e.plan.mask]; l != nil {
			e.last = l
		}
		copy(e.pred, e.last)
		b.changed(e, 0)
	case e.plan.hasLines:
		b.lined(e)
	case !e.moving:
		copy(e.pred, e.base)
		copy(e.cur, e.base)
		if b.stir(e, next) {
			b.changed(e, 0)
		}
	default:
		copy(e.pred, e.base)
		m := b.expected(e)
		b.predictMotion(e, m)
		i := 4*m + int(b.news&3)
		quiet := b.bit(b.x("Quiet", i))
		b.news = 2*b.news + 1 - uint32(quiet)
		switch {
		case quiet == 1:
			copy(e.cur, e.pred)
		case b.flag("Halted", 2*m):
			copy(e.cur, e.base)
		default:
			copy(e.pred, e.base)
			b.changed(e, m)
		}
	}
}

func (b *wireBlock) changed(e *wireEntity, m int) {
	b.plain(e)
	if e.plan.plain < len(e.plan.fields) {
		b.motion(e, m)
	}
}

func (e *wireEntity) nearness(to *[3]int64) int {
	d := int64(0)
	for i, at := range e.plan.place {
		if at >= 0 {
			d = max(d, wireAbs(int64(e.base[at])-to[i]))
		}
	}
	if d < 2 {
		return int(d)
	}
	n := wireSize(d)
	return min(2*n-2+int(d>>(n-2)&1), 62)
}

func (b *wireBlock) stir(e *wireEntity, next [][2]int) bool {
	near := 63
	if e.parent != nil {
		near = e.nearness(&e.parent.now)
	}
	run := [2]int{e.part, e.slot / 16}
	calm, asked := b.calm[run]
	if !asked {
		calm = b.askRun(e, near)
		b.calm[run] = calm
		if calm {
			// Those not put off are known at once.
			for _, x := range next {
				if x[0] == e.part && x[1]/16 == e.slot/16 {
					copy(b.parts[x[0]].Cur.Record(x[1]), b.parts[x[0]].Base.Record(x[1]))
					b.known[x] = true
				}
			}
		}
	}
	if calm {
		return false
	}
	around := 0
	for _, k := range []int{e.slot - 1, e.slot + 1} {
		if b.movesAt(e.part, k) {
			around += 2
		}
	}
	if e.plan.flag >= 0 {
		around += int(e.base[e.plan.flag] & 1)
	}
	last := int(b.news & 3)
	bit := b.pair(b.x("Near", 4*near+last), b.x("Around", 4*around+last))
	b.news = 2*b.news + uint32(bit)
	return bit == 1
}

// movesAt reports whether the entity in a slot moves by its records.
func (b *wireBlock) movesAt(part, k int) bool {
	p := &b.parts[part]
	return k >= 0 && k < 64 && p.Slots>>k&1 != 0 && p.Cur.Alive>>k&1 != 0 && b.entity(part, k).byRecords
}

func (b *wireBlock) askRun(e *wireEntity, near int) bool {
	p := &b.parts[e.part]
	first := e.slot &^ 15
	all := wireSlots(p.Slots & p.Cur.Alive & (0xffff << first))
	if len(all) < 2 || e.plan.rated {
		return false
	}
	for _, k := range all {
		if x := b.entity(e.part, k); x.base == nil || x.byRecords || x.plan != e.plan {
			return false
		}
	}
	around := 0
	for k := range 16 {
		if b.movesAt(e.part, first+16+k) {
			around |= 1
		}
		if b.movesAt(e.part, first-16+k) {
			around |= 2
		}
	}
	last := int(b.runs & 3)
	bit := b.pair(b.x("CalmNear", 4*near+last), b.x("Calm", 4*around+last))
	b.runs = 2*b.runs + uint32(bit)
	if bit == 1 {
		b.news = 0
	}
	return bit == 1
}

// plain reads the plain fields.
func (b *wireBlock) plain(e *wireEntity) {
	fresh := 1
	if e.base != nil {
		fresh = 0
		i := 0
		if e.moving {
			i = 1
		}
		if !b.flag("Plain", i) {
			for _, f := range e.plan.fields[:e.plan.plain] {
				copy(e.cur[f.at:f.at+f.words], e.base[f.at:])
			}
			return
		}
	}
	for i := range e.plan.fields[:e.plan.plain] {
		f := &e.plan.fields[i]
		b.column = f.column
		pred := e.last
		if e.base != nil {
			pred = e.base
		}
		switch f.kind {
		case "bool":
			e.cur[f.at] = pred[f.at] ^ int32(b.bit(f.own+fresh))
		case "ref":
			b.refField(e, f, uint32(pred[f.at]), fresh)
		default:
			for j := f.at; j < f.at+f.words; j++ {
				own := f.own + 21*fresh
				b.column = f.column + j - f.at
				d := b.number(own, b.x("NumberB", 20*fresh), b.x("NumberLot", 80*fresh), own+20)
				if f.kind == "bits" {
					e.cur[j] = pred[j] ^ d
				} else {
					e.cur[j] = f.plus(pred[j], d)
				}
			}
		}
	}
	b.column = 1
}

func (b *wireBlock) refField(e *wireEntity, f *wireField, pred uint32, fresh int) {
	v := pred
	switch {
	case b.bit(f.own+fresh) == 0:
	case pred != 0 && b.flag("RefZero", fresh):
		v = 0
	case b.ref != pred && b.flag("RefLast", fresh):
		v = b.ref
	default:
		v = b.ref + uint32(b.number(b.x("RefB", 0), b.x("RefB", 0), b.x("RefLot", 0), b.x("RefSign", 0)))
	}
	if v != 0 {
		b.ref = v
	}
	e.cur[f.at] = int32(v)
}
