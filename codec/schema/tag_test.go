package schema

import (
	"errors"
	"strings"
	"testing"
)

func TestParseTag(t *testing.T) {
	for text, want := range map[string]tag{
		"-512..512 step 0.01":    {ranged: true, min: -512, max: 512, stepped: true, step: 0.01},
		"  0..9   edge  ":        {ranged: true, max: 9, edge: true},
		"0.5..1.5 step .5":       {ranged: true, min: 0.5, max: 1.5, stepped: true, step: 0.5},
		"1...5e1":                {ranged: true, min: 1, max: 5}, // "1" and ".5e1"
		"-0..1":                  {ranged: true, max: 1},
		"raw hold tol 2":         {tolerant: true, tol: 2, raw: true, hold: true},
		"0..359 angle tol 0":     {ranged: true, max: 359, tolerant: true, angle: true},
		"-":                      {skip: true},
		"edge":                   {edge: true},
		"server":                 {server: true},
		"0..9 server hold":       {ranged: true, max: 9, server: true, hold: true},
		"hold edge":              {edge: true, hold: true},
		"-1e3..1E+3 step 1e-2":   {ranged: true, min: -1000, max: 1000, stepped: true, step: 0.01},
		"0..9 hold step 3 tol 1": {ranged: true, max: 9, stepped: true, step: 3, tolerant: true, tol: 1, hold: true},
	} {
		got, err := parseTag(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
}

// The error of an invalid tag states the problem and the valid forms.
func TestParseTagErrors(t *testing.T) {
	for text, says := range map[string]string{
		"":                       "empty",
		"  ":                     `"MIN..MAX step S"`,
		"- hold":                 "nothing may follow",
		"5":                      `unknown word "5"`,
		"0..1 stp 3":             "step S, tol T, angle, edge, hold",
		"1..0":                   "must be the smaller",
		"1..1":                   "must be the smaller",
		"..1":                    `"" is not a decimal`,
		"0..":                    `"" is not a decimal`,
		"0..inf":                 `"inf" is not a decimal`,
		"nan..1":                 `"nan" is not a decimal`,
		"0..0x10":                `"0x10" is not a decimal`,
		"0..1_000":               "is not a decimal",
		"0..1e999":               "is not a decimal",
		"0..1 step":              "needs a number",
		"0..1 step 0":            "above zero",
		"0..1 step -1":           "above zero",
		"0..1 tol -1":            "below zero",
		"0..1 step 1 step 1":     "twice",
		"0..1 edge edge":         "twice",
		"0..1 server server":     "twice",
		"count server":           "nothing may follow",
		"raw step 1":             "need a range",
		"angle":                  "need a range",
		"raw 0..1":               `unknown word "0..1"`,
		"0..1 raw":               `unknown word "raw"`,
		"-512 .. 512 step 0.01":  `unknown word "-512"`,
		"0..1 \"quoted\" step 1": "unknown word",
	} {
		_, err := parseTag(text)
		if !errors.Is(err, ErrTag) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want something on %s", text, err, says)
		}
	}
}

// A tag that is understood has a canonical spelling that means the same.
func FuzzParseTag(f *testing.F) {
	f.Add("0..2000 step 0.01 axis x lines 0.0625")
	f.Add("0..9 angle lines along")
	f.Add("degrees 1 linear tol 2")
	f.Add("ref parent")
	f.Add("unit 10 server")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseTag(text)
		if err != nil {
			if !errors.Is(err, ErrTag) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		// The spelling leaves tolerances out, and a tag of nothing else is empty.
		got.tolerant, got.tol, got.Lines = false, 0, 0
		again, err := parseTag(got.String())
		if got == (tag{}) {
			return
		}
		if err != nil || again != got {
			t.Fatalf("%q is %+v, spelled %q, which is %+v, %v", text, got, got.String(), again, err)
		}
	})
}
