package interest

import (
	"errors"
	"fmt"
	"slices"
)

// Interest says what a client may know of.
type Interest interface {
	compile(p *Program) (node, error)
}

// ErrInterest is wrapped by errors about an interest that cannot be.
var ErrInterest = errors.New("interest")

// op is what a node of a program does.
type op uint8

const (
	opAnd op = iota
	opOr
	opGrid
	opSame
	opFilter
	opHas
)

// node is an interest made ready.
type node struct {
	op    op
	leaf  int    // of its kind
	of    []node // operands; those that ask filters last
	bound int    // of And: the operand that finds the groups
	hides bool   // of Or: what no operand says yes of is hidden
}

// combined is And, Or and HiddenUnless.
type combined struct {
	op    op
	of    []Interest
	hides bool
}

// And is what all operands agree on.
func And(of ...Interest) Interest { return combined{op: opAnd, of: of} }

// Or is what one operand is enough for.
func Or(of ...Interest) Interest { return combined{op: opOr, of: of} }

// HiddenUnless is what one operand says yes of, and hides everything else.
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
	n.bound = max(slices.IndexFunc(n.of, func(x node) bool { return x.bounds() }), 0)
	return n, nil
}

// cost orders operands: places find the fewest groups, and filters are asked for what is left.
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

// said is what is known of 64 slots: of which something was said, and of which yes.
type said struct{ says, yes uint64 }

const all = ^uint64(0)

// sees are the slots that are seen: what nobody says anything of is.
func (s said) sees() uint64 { return s.yes | ^s.says }

// and and or combine what two operands said.
func (s said) and(o said) said {
	says := s.says | o.says
	return said{says, s.sees() & o.sees() & says}
}

func (s said) or(o said) said { return said{s.says | o.says, s.yes&s.says | o.yes&o.says} }

// close hides the slots of which nothing was said.
func (s said) close() said { return said{all, s.yes & s.says} }
