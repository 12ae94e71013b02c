package schema

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// tag is what a net tag says, before the type of its field is considered.
type tag struct {
	skip, raw, ranged, stepped, tolerant, angle, edge, hold bool

	min, max, step, tol float64
}

const (
	tagForms = `"MIN..MAX", "MIN..MAX step S", "raw" or "-"`
	tagWords = `step S, tol T, angle, edge, hold`
)

// parseTag reads a tag. The grammar, words separated by spaces:
//
//	tag   = "-" | [ "raw" | range ] { word }
//	range = MIN ".." MAX                        MIN < MAX, decimal
//	word  = "step" S | "tol" T | "angle" | "edge" | "hold"    each once
//
// A tag without raw or a range is for bools. Errors wrap ErrTag.
func parseTag(s string) (tag, error) {
	var t tag
	words := strings.Fields(s)
	fail := func(format string, a ...any) (tag, error) {
		return tag{}, fmt.Errorf("%w %q: %s", ErrTag, s, fmt.Sprintf(format, a...))
	}
	if len(words) == 0 {
		return fail("it is empty: write %s", tagForms)
	}
	switch first := words[0]; {
	case first == "-":
		if len(words) > 1 {
			return fail("nothing may follow \"-\"")
		}
		t.skip = true
		return t, nil
	case first == "raw":
		t.raw = true
		words = words[1:]
	case strings.Contains(first, ".."):
		lo, hi, _ := strings.Cut(first, "..")
		var err error
		if t.min, err = number(lo); err == nil {
			t.max, err = number(hi)
		}
		if err != nil {
			return fail("range %q: %v", first, err)
		}
		if !(t.min < t.max) {
			return fail("range %q: the first number must be the smaller", first)
		}
		t.ranged = true
		words = words[1:]
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch word {
		case "angle", "edge", "hold":
			flag := map[string]*bool{"angle": &t.angle, "edge": &t.edge, "hold": &t.hold}[word]
			if *flag {
				return fail("%q stands twice", word)
			}
			*flag = true
		case "step", "tol":
			seen, to := &t.stepped, &t.step
			if word == "tol" {
				seen, to = &t.tolerant, &t.tol
			}
			if *seen {
				return fail("%q stands twice", word)
			}
			if len(words) == 0 {
				return fail("%q needs a number after it", word)
			}
			v, err := number(words[0])
			if err != nil {
				return fail("%s: %v", word, err)
			}
			if v < 0 || word == "step" && v == 0 {
				return fail("%s %s: it must be above zero", word, words[0])
			}
			*seen, *to = true, v
			words = words[1:]
		default:
			return fail("unknown word %q: begin with %s, then any of %s", word, tagForms, tagWords)
		}
	}
	if !t.ranged && (t.stepped || t.angle) {
		return fail("step and angle need a range before them")
	}
	return t, nil
}

// number reads a finite decimal number.
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

// String returns the canonical spelling of the tag without its tolerance.
func (t tag) String() string {
	var b strings.Builder
	word := func(s string) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s)
	}
	switch {
	case t.skip:
		return "-"
	case t.raw:
		word("raw")
	case t.ranged:
		word(decimal(t.min) + ".." + decimal(t.max))
	}
	if t.stepped {
		word("step " + decimal(t.step))
	}
	if t.angle {
		word("angle")
	}
	if t.edge {
		word("edge")
	}
	if t.hold {
		word("hold")
	}
	return b.String()
}

// decimal is the shortest decimal that reads back as v, with an exponent only for
// numbers that nobody reads digit by digit.
func decimal(v float64) string {
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e15) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
