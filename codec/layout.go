package codec

import (
	"fmt"
	"math/bits"
	"slices"
)

// MaxComponents is the number of components that a [Layout] can have: a
// component mask is one uint64.
const MaxComponents = 64

// Layout is the shape of a protocol's replicated components: the number of words
// of each, in the order of registration. An entity's record is the words of the
// components it has, in component order, without gaps. A Layout does not change
// and may be shared.
type Layout struct {
	words []int
	known uint64 // mask of all components
}

// NewLayout returns the layout of components with these numbers of words; zero
// is a component without fields. It panics above [MaxComponents] components or
// for a negative number.
func NewLayout(words []int) *Layout {
	if len(words) > MaxComponents {
		panic(fmt.Sprintf("codec: NewLayout of %d components: at most %d can be replicated", len(words), MaxComponents))
	}
	l := &Layout{words: slices.Clone(words)}
	for i, n := range words {
		if n < 0 {
			panic(fmt.Sprintf("codec: NewLayout: component %d with %d words", i, n))
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
