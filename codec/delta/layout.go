package delta

import (
	"fmt"
	"math/bits"

	"github.com/tactusgo/tactus/codec/schema"
)

// MaxComponents is the number of components that a [Layout] can have: a
// component mask is one uint64.
const MaxComponents = 64

// Layout is what coders know of a protocol: the words of each replicated
// component, what they mean, and how sends relate to simulation steps. An
// entity's record is the words of the components it has, in component order,
// without gaps. A Layout does not change and may be shared.
type Layout struct {
	tables []*schema.Table
	words  []int
	known  uint64 // mask of all components
	steps  int    // simulation steps between two sends
	rate   int    // sends a second
	raw    bool   // words are the bytes of AppendRaw
	second bool   // a field is predicted from two baselines
	sum    uint64 // hash, 0 for that of the tables
}

// NewLayout returns the layout of components with these field tables, in order of
// registration; a nil table is a component of which only the presence is sent.
// steps is the number of simulation steps between two sends, rate the number of
// sends a second. It panics above [MaxComponents] components.
func NewLayout(tables []*schema.Table, steps, rate int) *Layout {
	return newLayout(tables, steps, rate, func(t *schema.Table) int { return t.Words })
}

// NewRawLayout is the layout of the same components at full precision: a record
// holds the bytes of [schema.Table.AppendRaw] as little-endian words, the last of
// a component filled up with zeros.
func NewRawLayout(tables []*schema.Table, steps, rate int) *Layout {
	l := newLayout(tables, steps, rate, func(t *schema.Table) int { return (t.RawSize() + 3) / 4 })
	l.raw, l.second = true, false
	for _, t := range tables {
		l.second = l.second || t != nil && len(rawFloats(t)) > 0
	}
	return l
}

func newLayout(tables []*schema.Table, steps, rate int, width func(*schema.Table) int) *Layout {
	if len(tables) > MaxComponents {
		panic(fmt.Sprintf("snapshot: layout of %d components: at most %d can be replicated", len(tables), MaxComponents))
	}
	l := &Layout{tables: tables, words: make([]int, len(tables)), steps: steps, rate: rate}
	for i, t := range tables {
		if t != nil {
			l.words[i] = width(t)
			for k := range t.Fields {
				kind := newField(&t.Fields[k]).kind
				l.second = l.second || kind == kindLinear || kind == kindAxis || kind == kindQuat
			}
		}
		l.known |= 1 << i
	}
	return l
}

// Components returns the number of components.
func (l *Layout) Components() int { return len(l.words) }

// Words returns the number of words of a component.
func (l *Layout) Words(component int) int { return l.words[component] }

// Known reports whether mask has only components of this layout.
func (l *Layout) Known(mask uint64) bool { return mask&^l.known == 0 }

// RecordWords returns the length of the record of an entity with the components
// in mask. It panics when one of them is not [Layout.Known].
func (l *Layout) RecordWords(mask uint64) int {
	n := 0
	for ; mask != 0; mask &= mask - 1 {
		n += l.words[bits.TrailingZeros64(mask)]
	}
	return n
}

// Offset returns where the words of a component begin in the record of an entity
// with the components in mask. It means nothing if mask lacks the component.
func (l *Layout) Offset(mask uint64, component int) int {
	return l.RecordWords(mask & (1<<component - 1))
}

// Second reports whether a field of the layout is predicted from two baselines:
// whether a block gains from [Part.Base2].
func (l *Layout) Second() bool { return l.second }
