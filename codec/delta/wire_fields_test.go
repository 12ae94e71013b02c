package delta

import (
	"math"
	"math/bits"
	"reflect"

	"github.com/tactusgo/tactus/codec/schema"
)

// wireField is a field with the properties that the document distinguishes.
type wireField struct {
	kind   string
	at     int // word in the record
	words  int
	own    int // first context of its own
	column int // of raw and zstd: that of its first word
	count  int64
	axis   int // 1, 2, 3, or 0
	rate   int
	parent bool
	along  bool
	min    float64
	step   float64
	bits   int // of a rotation's components
}

// wireFieldsOf returns the fields of a component.
func wireFieldsOf(l *Layout, c int) (fs []wireField) {
	t := l.tables[c]
	switch {
	case t == nil:
	case l.raw:
		return wireRawFields(t)
	default:
		for i := range t.Fields {
			f := &t.Fields[i]
			w := wireField{kind: "number", at: f.Word, words: f.Words, axis: int(f.Axis), rate: int(f.Rate), parent: f.Parent, along: f.Along, min: f.Min, step: f.Step}
			switch {
			case f.Lines > 0:
				w.kind = "line"
			case f.Axis > 0:
				w.kind = "axis"
			case f.Form == schema.FormQuat:
				w.kind, w.bits = "rotation", (f.Bits-2)/3
			case f.Form == schema.FormRef:
				w.kind = "ref"
			case f.Form == schema.FormGrid && f.Values() == 2:
				w.kind = "bool"
			case f.Form == schema.FormFlags, f.Form == schema.FormText:
				w.kind = "bits"
			case f.Linear:
				w.kind = "linear"
			}
			if f.Angle && f.Form == schema.FormGrid {
				w.count = f.Values()
			}
			fs = append(fs, w)
		}
	}
	return fs
}

// wireRawFields returns the fields of a component at full precision.
func wireRawFields(t *schema.Table) (fs []wireField) {
	for i := range (t.RawSize() + 3) / 4 {
		fs = append(fs, wireField{kind: "number", at: i, words: 1})
	}
	at := 0
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Form == schema.FormText || f.Form == schema.FormCount {
			return fs
		}
		for range f.Len {
			if f.Kind == reflect.Float32 && at%4 == 0 {
				fs[at/4].kind = "linear"
			}
			switch f.Kind {
			case reflect.Bool, reflect.Int8, reflect.Uint8:
				at++
			case reflect.Int16, reflect.Uint16:
				at += 2
			case reflect.Int64, reflect.Uint64, reflect.Float64:
				at += 8
			default:
				at += 4
			}
		}
	}
	return fs
}

// wirePlan is the plan of a set of components.
type wirePlan struct {
	mask          uint64
	words         int
	fields        []wireField
	plain, motion int // so many fields are plain, and so many plain or of motion
	place         [3]int
	grid          [3]float64
	orientation   int // field, or −1
	flag          int // word, or −1
	parent        int
	rates         [3]wireRate
	rated, steers bool
	hasLines      bool
	sets          []*wireSet
	angle         *wireField // of lines
	flat          bool

	// State within a block.
	kind        int // of lines; −1 before it comes up
	step        int64
	speed, pace int32
}

type wireRate struct {
	at          int
	zero, slope int64
}

// plan returns the plan of a set of components.
func (b *wireBlock) plan(mask uint64) *wirePlan {
	if p := b.plans[mask]; p != nil {
		return p
	}
	p := &wirePlan{mask: mask, place: [3]int{-1, -1, -1}, orientation: -1, flag: -1, parent: -1, kind: -1, speed: -1, pace: -1}
	b.plans[mask] = p
	var all []wireField
	tables, columns := b.fieldContexts(), 2
	for c := range b.layout.Components() {
		for i, f := range wireFieldsOf(b.layout, c) {
			f.own, f.column = tables[[2]int{c, i}], columns+f.at
			if mask>>c&1 != 0 {
				f.at += p.words
				all = append(all, f)
			}
		}
		columns += b.layout.Words(c)
		if mask>>c&1 != 0 {
			p.words += b.layout.Words(c)
		}
	}
	for phase := 1; phase <= 6; phase++ {
		for _, f := range all {
			if wirePhase(&f) == phase {
				p.fields = append(p.fields, f)
			}
		}
		switch phase {
		case 2:
			p.plain = len(p.fields)
		case 5:
			p.motion = len(p.fields)
		}
	}
	p.hasLines = p.motion < len(p.fields)
	for i := range p.fields {
		f := &p.fields[i]
		if f.axis > 0 && p.place[f.axis-1] < 0 {
			p.place[f.axis-1], p.grid[f.axis-1] = f.at, f.step
		}
		if f.kind == "rotation" && p.orientation < 0 {
			p.orientation = i
		}
		if f.kind == "bool" && p.flag < 0 {
			p.flag = f.at
		}
		if f.parent && p.parent < 0 {
			p.parent = f.at
		}
		p.steers = p.steers || f.kind == "axis" || f.kind == "rotation"
	}
	for i := range p.rates {
		p.rates[i].at = -1
	}
	for i := range p.fields {
		p.addRate(&p.fields[i], b.layout.rate)
	}
	p.addSets()
	return p
}

func wirePhase(f *wireField) int {
	switch f.kind {
	case "line":
		return 6
	case "rotation":
		return 5
	case "axis":
		return 4
	case "linear":
		if f.rate == 0 {
			return 3
		}
	case "ref":
		if f.parent {
			return 1
		}
	}
	return 2
}

func (p *wirePlan) addRate(f *wireField, rate int) {
	if f.rate == 0 || f.words != 1 {
		return
	}
	switch f.kind {
	case "number", "bool", "ref", "linear":
	default:
		return
	}
	i := f.rate - 1
	if p.place[i] < 0 || p.rates[i].at >= 0 || rate <= 0 {
		return
	}
	words := 65536 / (p.grid[i] * float64(rate))
	zero, slope := math.Round(f.min*words), math.Round(f.step*words)
	if math.Abs(zero) < 1<<40 && slope > 0 && slope < 1<<24 {
		p.rates[i] = wireRate{f.at, int64(zero), int64(slope)}
		p.rated = true
	}
}

func (p *wirePlan) even() bool {
	return p.place[0] >= 0 && p.place[1] >= 0 && p.place[2] >= 0 && p.grid[0] == p.grid[1] && p.grid[1] == p.grid[2]
}

// fieldContexts returns where the contexts of each field begin, by component and
// index; they follow those that all fields share.
func (b *wireBlock) fieldContexts() map[[2]int]int {
	at := map[[2]int]int{}
	next := b.named["fields"]
	for c := range b.layout.Components() {
		for i, f := range wireFieldsOf(b.layout, c) {
			at[[2]int{c, i}] = next
			switch f.kind {
			case "axis":
			case "bool", "ref":
				next += 2
			default:
				next += 42
			}
		}
	}
	return at
}

func (f *wireField) wrap(v int64) int32 {
	if f.count > 0 {
		if v %= f.count; v < 0 {
			v += f.count
		}
	}
	return int32(v)
}

// minus returns the difference of two words.
func (f *wireField) minus(a, b int32) int32 {
	d := a - b
	if f.count > 0 {
		if half := int32(f.count / 2); d > half {
			d -= int32(f.count)
		} else if d < -half {
			d += int32(f.count)
		}
	}
	return d
}

// plus returns the sum of a word and a difference.
func (f *wireField) plus(a, d int32) int32 { return f.wrap(int64(a + d)) }

func wireSlots(s uint64) (ks []int) {
	for ; s != 0; s &= s - 1 {
		ks = append(ks, bits.TrailingZeros64(s))
	}
	return ks
}
