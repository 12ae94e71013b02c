package schema

import (
	"fmt"
	"slices"
)

// Motion words of a tag tell the encoder how a value moves. They change the predictions of the encoder and never a value.

// motion is the parsed motion words. lined without Lines means the default tolerance of one step.
type motion struct {
	Motion
	lined bool
}

const motionWords = `linear, axis x, rate x, lines T, along, parent`

var axes = []string{"x", "y", "z"}

// parse parses a motion word and its argument. known is false if word is not a motion word.
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
		err = fmt.Errorf("%q appears twice", word)
	}
	return words, true, err
}

// direction parses the x, y or z after word.
func direction(word string, words []string) (axis uint8, rest []string, err error) {
	if len(words) > 0 {
		if i := slices.Index(axes, words[0]); i >= 0 {
			return uint8(i + 1), words[1:], nil
		}
	}
	return 0, words, fmt.Errorf("%q needs x, y or z after it", word)
}

// checkForm checks that the words suit the form of the value.
func (m *motion) checkForm(t *tag) error {
	angle := t.angle || t.turn
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

// appendWords calls word with each motion word, without the tolerance of lines.
func (m *motion) appendWords(word func(bool, string)) {
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

// checkMotion rejects motion words of f that another field of the component has already, or that are not allowed in a list.
func (t *Table) checkMotion(f *Field) error {
	one := func(word string, has func(*Field) bool) error {
		if !has(f) {
			return nil
		}
		if f.in != nil {
			return tagError("%q does not go with the elements of a list, because elements are added and removed", word)
		}
		if i := slices.IndexFunc(t.Fields, func(g Field) bool { return has(&g) }); i >= 0 {
			return tagError("field %[2]s already has %[1]q: a component has at most one", word, t.Fields[i].Path)
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
		return tagError(`"lines" does not go with the elements of a list, because elements are added and removed`)
	}
	return nil
}
