package policy

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"
	"time"
)

// Every model, with parameters and without, comes back as it was, filled.
func TestWireRoundTrip(t *testing.T) {
	models := 0
	check := func(p Policies) {
		models++
		b := p.Append(nil)
		if len(b) != Size {
			t.Fatalf("%v: %d bytes", p, len(b))
		}
		got, err := Parse(b)
		if err != nil || got != p.Filled() {
			t.Fatalf("%v: % x came back as %v: %v", p, b, got, err)
		}
		for cut := range b {
			if _, err := Parse(b[:cut]); !errors.Is(err, ErrPolicies) {
				t.Fatalf("%d of %d bytes: %v", cut, len(b), err)
			}
		}
	}
	combinations(func(c choices) {
		p := c.policies()
		if p.Validate() != nil {
			return
		}
		check(p)
		if p.Late == LateRewrite {
			p.Window = MaxWindow
			check(p)
		}
		if p.Timing == TimingStamped {
			p.Suggest = NoSuggest
			check(p)
			p.Suggest = MaxSuggest
			check(p)
		}
	})
	t.Logf("%d models", models)
}

// The bytes of the presets, which may not change by accident.
func TestWireVectors(t *testing.T) {
	for i, want := range []string{"000000000000", "000400000000", "000100000000", "ca00e8031e00", "ca1ae8030000", "221a00001e00"} {
		if got := hex.EncodeToString(Preset(i).Policies().Append(nil)); got != want {
			t.Errorf("%v: %s, not %s", Preset(i), got, want)
		}
	}
}

func TestWireRefuses(t *testing.T) {
	good := ServerRewind.Policies().Append(nil)
	for name, b := range map[string][]byte{
		"nothing":           nil,
		"a byte more":       append(bytes.Clone(good), 0),
		"no such timing":    {3, 0, 0, 0, 0, 0},
		"a contradiction":   {byte(StateRewind) << 6, 0, 0, 0, 0, 0},
		"bits to come":      {0, 0x80, 0, 0, 0, 0},
		"no window":         {good[0], good[1], 0, 0, good[4], good[5]},
		"too wide a window": {good[0], good[1], 0xff, 0xff, good[4], good[5]},
		"too much delay":    {good[0], good[1], good[2], good[3], 0xff, 0xff},
		"a needless window": {0, 0, 1, 0, 0, 0},
		"a needless delay":  {0, 0, 0, 0, 1, 0},
	} {
		if p, err := Parse(b); !errors.Is(err, ErrPolicies) || p != (Policies{}) {
			t.Errorf("%s: %v: %v", name, p, err)
		}
	}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, ErrPolicies) {
			t.Errorf("sent what is no model: %v", err)
		}
	}()
	Policies{State: StateRewind, Window: time.Second}.Append(nil)
}

func FuzzParse(f *testing.F) {
	for _, p := range Presets() {
		f.Add(p.Policies().Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Parse(b)
		if err != nil {
			if !errors.Is(err, ErrPolicies) {
				t.Fatal(err)
			}
			return
		}
		if err := p.Validate(); err != nil || p.Filled() != p {
			t.Fatalf("%v: %v", p, err)
		}
		if again := p.Append(nil); !bytes.Equal(again, b) {
			t.Fatalf("% x came back as % x", b, again)
		}
		if w, s := p.WindowTicks(1000), p.SuggestTicks(1000); w > 10000 || s > 1000 {
			t.Fatalf("%d and %d ticks", w, s)
		}
	})
}
