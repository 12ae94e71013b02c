package schema

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// tag is a parsed net tag, before the type of its field is known.
type tag struct {
	skip, raw, angle, edge, hold, server bool

	form Form // for forms that have their own word
	n    int  // the number after enum, flags, unit or quat
	turn bool // degrees: a full turn

	// The range of a number.
	ranged, stepped, tolerant bool
	min, max, step, tol       float64

	motion
}

const (
	tagForms = `"MIN..MAX step S", "MIN..MAX", "enum N", "flags N", "degrees S", "unit B", "quat B", "ref", "raw" or "-"`
	tagWords = `step S, tol T, angle, edge, hold, server, ` + motionWords
)

// parseTag reads a tag. The grammar, words separated by spaces:
//
//	tag   = "-" | "count" | "text" | [ form ] { word }
//	form  = "raw" | "ref" | range | "enum" N | "flags" N
//	      | "degrees" S | "unit" B | "quat" B
//	range = MIN ".." MAX                        MIN < MAX, decimal
//	word  = "step" S | "tol" T | "angle" | "edge" | "hold"    each once
//	      | "server" | "linear" | "axis" A | "rate" A | "lines" [ T ] | "along" | "parent"
//	A     = "x" | "y" | "z"
//
// A tag without a form is for bools. Errors wrap ErrTag.
func parseTag(s string) (tag, error) {
	words := strings.Fields(s)
	t, words, err := parseForm(words)
	if err == nil && !t.skip {
		err = t.parseWords(words)
	}
	if err == nil {
		err = t.checkForm()
	}
	if err != nil {
		return tag{}, fmt.Errorf("%w %q: %w", ErrTag, s, err)
	}
	return t, nil
}

// parseForm parses the form at the start of a tag and returns the remaining words.
func parseForm(words []string) (t tag, rest []string, err error) {
	if len(words) == 0 {
		return t, nil, fmt.Errorf("it is empty: write %s", tagForms)
	}
	first, rest := words[0], words[1:]
	switch first {
	case "-", "count", "text":
		if len(rest) > 0 {
			return t, nil, fmt.Errorf("nothing may follow %q", first)
		}
		t.skip = first == "-"
		t.form = map[string]Form{"count": FormCount, "text": FormText}[first]
		return t, rest, nil
	case "raw", "ref":
		t.raw, t.form = first == "raw", map[string]Form{"ref": FormRef}[first]
		return t, rest, nil
	case "degrees":
		t.turn = true
		t.step, rest, err = positive(first, rest, false)
		return t, rest, err
	}
	for form, n := range map[Form][2]int{FormEnum: {2, math.MaxInt32}, FormFlags: {1, 64}, FormUnit: {2, maxVectorBits}, FormQuat: {4, maxVectorBits}} {
		if first == form.String() {
			t.form = form
			t.n, rest, err = count(first, rest, n[0], n[1])
			return t, rest, err
		}
	}
	if lo, hi, ok := strings.Cut(first, ".."); ok {
		if t.min, err = number(lo); err == nil {
			t.max, err = number(hi)
		}
		if err != nil {
			return t, nil, fmt.Errorf("range %q: %w", first, err)
		}
		if !(t.min < t.max) {
			return t, nil, fmt.Errorf("range %q: the first number must be the smaller", first)
		}
		t.ranged = true
		return t, rest, nil
	}
	return t, words, nil
}

// parseWords parses the words after the form.
func (t *tag) parseWords(words []string) (err error) {
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		seen := map[string]*bool{
			"angle": &t.angle, "edge": &t.edge, "hold": &t.hold, "step": &t.stepped, "tol": &t.tolerant, "server": &t.server,
		}[word]
		switch {
		case seen == nil:
			var known bool
			if words, known, err = t.motion.parse(word, words); known && err == nil {
				continue
			} else if err != nil {
				return err
			}
			return fmt.Errorf("unknown word %q: begin with %s, then any of %s", word, tagForms, tagWords)
		case *seen:
			return fmt.Errorf("%q appears twice", word)
		}
		*seen = true
		switch word {
		case "step":
			t.step, words, err = positive(word, words, false)
		case "tol":
			t.tol, words, err = positive(word, words, true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkForm checks that the words are allowed with the form.
func (t *tag) checkForm() error {
	var form string
	var allowed []string
	switch {
	case t.form == FormEnum, t.form == FormFlags, t.form == FormRef:
		form, allowed = t.form.String(), []string{"edge"}
	case t.form == FormUnit, t.form == FormQuat:
		form, allowed = t.form.String(), []string{"tol", "hold"}
	case t.turn:
		form, allowed = "an angle of a full turn", []string{"tol", "edge", "hold"}
	case !t.ranged && (t.stepped || t.angle):
		return fmt.Errorf("step and angle need a range before them")
	default:
		return t.motion.checkForm(t)
	}
	for _, w := range []struct {
		word string
		has  bool
	}{{"step", t.stepped}, {"tol", t.tolerant}, {"angle", t.angle}, {"edge", t.edge}, {"hold", t.hold}} {
		if w.has && !slices.Contains(allowed, w.word) {
			return fmt.Errorf("%q does not go with %s: use only %s", w.word, form, strings.Join(allowed, ", "))
		}
	}
	return t.motion.checkForm(t)
}

// count parses the whole number lo..hi after word.
func count(word string, words []string, lo, hi int) (n int, rest []string, err error) {
	if len(words) == 0 {
		return 0, nil, fmt.Errorf("%q needs a whole number %d..%d after it", word, lo, hi)
	}
	n, err = strconv.Atoi(words[0])
	if err != nil || n < lo || n > hi {
		return 0, nil, fmt.Errorf("%s %s: it must be a whole number %d..%d", word, words[0], lo, hi)
	}
	return n, words[1:], nil
}

// positive parses the number after word: above 0, or at least 0 if zero is true.
func positive(word string, words []string, zero bool) (v float64, rest []string, err error) {
	if len(words) == 0 {
		return 0, nil, fmt.Errorf("%q needs a number after it", word)
	}
	v, err = number(words[0])
	switch {
	case err != nil:
		return 0, nil, fmt.Errorf("%s: %w", word, err)
	case v < 0 && zero:
		return 0, nil, fmt.Errorf("%s %s: it must not be below zero", word, words[0])
	case v <= 0 && !zero:
		return 0, nil, fmt.Errorf("%s %s: it must be above zero", word, words[0])
	}
	return v, words[1:], nil
}

// number parses a finite decimal number.
func number(s string) (float64, error) {
	if strings.ContainsAny(s, "xXpP_iInN") {
		return 0, fmt.Errorf("%q is not a decimal number", s)
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a decimal number", s)
	}
	if v == 0 {
		v = 0 // not −0
	}
	return v, nil
}

// String returns the canonical tag without tolerance.
func (t tag) String() string {
	var words []string
	word := func(has bool, s string) {
		if has {
			words = append(words, s)
		}
	}
	switch {
	case t.skip:
		return "-"
	case t.raw:
		word(true, "raw")
	case t.ranged:
		word(true, decimal(t.min)+".."+decimal(t.max))
	case t.turn:
		word(true, "degrees "+decimal(t.step))
	case t.form != FormGrid:
		word(true, t.form.String())
		word(t.n > 0, strconv.Itoa(t.n))
	}
	word(t.stepped, "step "+decimal(t.step))
	word(t.angle, "angle")
	word(t.edge, "edge")
	word(t.hold, "hold")
	word(t.server, "server")
	t.motion.appendWords(word)
	return strings.Join(words, " ")
}

// decimal returns the shortest decimal that parses as v, with an exponent for very small and very large numbers.
func decimal(v float64) string {
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e15) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
