package interest

import (
	"errors"
	"fmt"
	"slices"
)

// Interest is a rule about what a client may see.
type Interest interface {
	compile(p *Program) (node, error)
}

// ErrInterest is wrapped by errors about an invalid interest.
var ErrInterest = errors.New("interest")

// op is the kind of a node.
type op uint8

const (
	opAnd op = iota
	opOr
	opGrid
	opSame
	opFilter
	opHas
)

// node is a compiled interest.
type node struct {
	op    op
	leaf  int    // index among the leaves of its kind
	of    []node // operands, by cost
	hides bool   // of Or: entities to which no operand applies are hidden
}

// combined is an And, Or or HiddenUnless.
type combined struct {
	op    op
	of    []Interest
	hides bool
}

// And returns the interest in entities for which no operand answers no.
func And(of ...Interest) Interest { return combined{op: opAnd, of: of} }

// Or returns the interest in entities for which at least one operand answers yes.
func Or(of ...Interest) Interest { return combined{op: opOr, of: of} }

// HiddenUnless returns the interest in entities for which at least one operand answers yes. It hides all other entities, except
// singletons to which no operand applies.
func HiddenUnless(of ...Interest) Interest { return combined{op: opOr, of: of, hides: true} }

func (c combined) compile(p *Program) (node, error) {
	n := node{op: c.op, hides: c.hides}
	if len(c.of) == 0 {
		return n, fmt.Errorf("%w: And, Or and HiddenUnless need an operand: give one, or leave the interest nil", ErrInterest)
	}
	for _, x := range c.of {
		if x == nil {
			return n, fmt.Errorf("%w: an operand of And, Or or HiddenUnless is nil: leave it out", ErrInterest)
		}
		of, err := x.compile(p)
		if err != nil {
			return n, err
		}
		n.of = append(n.of, of)
	}
	slices.SortStableFunc(n.of, func(a, b node) int { return a.cost() - b.cost() })
	return n, nil
}

// cost ranks operands, so that filters are asked last.
func (n *node) cost() int {
	switch n.op {
	case opGrid:
		return 0
	case opSame, opHas:
		return 1
	case opFilter:
		return 3
	}
	return 2
}

// said holds the answers of an operand for the slots of a group: says are the slots to which the operand applies, yes those for
// which it answers yes.
type said struct{ says, yes uint64 }

const all = ^uint64(0)

// sees returns the visible slots, which include those to which the operand does not apply.
func (s said) sees() uint64 { return s.yes | ^s.says }

// and returns the answers of And for two operands.
func (s said) and(o said) said {
	says := s.says | o.says
	return said{says, s.sees() & o.sees() & says}
}

// or returns the answers of Or for two operands.
func (s said) or(o said) said { return said{s.says | o.says, s.yes&s.says | o.yes&o.says} }

// close hides the slots to which no operand applies, except some.
func (s said) close(except uint64) said { return said{all, s.yes&s.says | except&^s.says} }
