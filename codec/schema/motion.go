package schema

import (
	"fmt"
	"slices"
)

// Words of a tag that say how a value moves, for predictors: they change what is
// expected on the wire, and never what a value is.

// motion is what the words say; without Lines, lines are as near as a step.
type motion struct {
	Motion
	lined bool
}

const motionWords = `linear, axis x, rate x, lines T, along, parent`

// axes are the names of the directions in space.
var axes = []string{"x", "y", "z"}

// parse reads a word about motion and what belongs to it. It returns known false
// when word is none.
func (m *motion) parse(word string, words []string) (rest []string, known bool, err error) {
	var twice bool
	switch word {
	case "linear":
		twice, m.Linear = m.Linear, true
	case "along":
		twice, m.Along = m.Along, true
	case "parent":
		twice, m.Parent = m.Parent, true
	case "axis":
		twice = m.Axis > 0
		m.Axis, words, err = direction(word, words)
	case "rate":
		twice = m.Rate > 0
		m.Rate, words, err = direction(word, words)
	case "lines":
		twice, m.lined = m.lined, true
		if len(words) > 0 {
			if _, e := number(words[0]); e == nil {
				m.Lines, words, err = positive(word, words, false)
			}
		}
	default:
		return words, false, nil
	}
	if twice {
		err = fmt.Errorf("%q stands twice", word)
	}
	return words, true, err
}

// direction reads the x, y or z that follows word.
func direction(word string, words []string) (axis uint8, rest []string, err error) {
	if len(words) > 0 {
		if i := slices.Index(axes, words[0]); i >= 0 {
			return uint8(i + 1), words[1:], nil
		}
	}
	return 0, words, fmt.Errorf("%q needs x, y or z after it", word)
}

// agree holds the words against those for what the value is.
func (m *motion) agree(t *tag) error {
	angle := t.angle || t.turn != 0
	number := t.ranged || angle
	for _, w := range []struct {
		word string
		has  bool
		ok   bool
		need string
	}{
		{"linear", m.Linear, number, "a number in a range or an angle"},
		{"axis", m.Axis > 0, number && !angle, "a number in a range that is no angle"},
		{"rate", m.Rate > 0, number && !angle, "a number in a range that is no angle"},
		{"lines", m.lined, number, "a number in a range or an angle"},
		{"along", m.Along, angle, "an angle"},
		{"parent", m.Parent, t.form == FormRef, "a ref"},
	} {
		if w.has && !w.ok {
			return fmt.Errorf("%q needs %s before it", w.word, w.need)
		}
	}
	switch {
	case m.Linear && m.Axis > 0:
		return fmt.Errorf(`"linear" does not go with axis, which is linear already`)
	case m.Linear && m.lined:
		return fmt.Errorf(`"linear" does not go with lines, which say how the value goes on`)
	case m.Axis > 0 && m.Rate > 0:
		return fmt.Errorf(`"axis" does not go with rate: a value is the one or the other`)
	}
	return nil
}

// spell hands the words to word, without the tolerance of lines.
func (m *motion) spell(word func(bool, string)) {
	word(m.Linear, "linear")
	if m.Axis > 0 {
		word(true, "axis "+axes[m.Axis-1])
	}
	if m.Rate > 0 {
		word(true, "rate "+axes[m.Rate-1])
	}
	word(m.lined, "lines")
	word(m.Along, "along")
	word(m.Parent, "parent")
}

// alone refuses words that a component may have once, or not in a list.
func (t *Table) alone(f *Field) error {
	one := func(word string, has func(*Field) bool) error {
		if !has(f) {
			return nil
		}
		if f.in != nil {
			return bad("%q does not go with the elements of a list, which come and go", word)
		}
		if i := slices.IndexFunc(t.Fields, func(g Field) bool { return has(&g) }); i >= 0 {
			return bad("%q is what %s is already: a component has one", word, t.Fields[i].Path)
		}
		return nil
	}
	for i, name := range axes {
		axis := uint8(i + 1)
		if err := one("axis "+name, func(g *Field) bool { return g.Axis == axis }); err != nil {
			return err
		}
		if err := one("rate "+name, func(g *Field) bool { return g.Rate == axis }); err != nil {
			return err
		}
	}
	if err := one("along", func(g *Field) bool { return g.Along }); err != nil {
		return err
	}
	if err := one("parent", func(g *Field) bool { return g.Parent }); err != nil {
		return err
	}
	if f.Lines > 0 && f.in != nil {
		return bad(`"lines" does not go with the elements of a list, which come and go`)
	}
	return nil
}
