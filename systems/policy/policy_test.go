package policy

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"
)

// variants calls f with every combination of the options that are sent, each with a few windows and delays.
func variants(f func(m Model)) {
	flags := []bool{false, true}
	missing := []Missing{Repeat, Neutral, Supersede}
	for _, a := range flags {
		for _, b := range flags {
			for _, m := range missing {
				for _, remotes := range flags {
					f(LocalSync{Arrival: a, Missing: m, PredictOutcomes: b, CoSimulate: remotes})
					f(CorrectOnMismatch{Arrival: a, Missing: m, PredictOutcomes: b, Damped: remotes})
				}
				f(Buffered{Arrival: a, Missing: m, PredictOutcomes: b})
			}
			for _, window := range []time.Duration{0, 300 * time.Millisecond, MaxWindow} {
				for _, suggest := range []time.Duration{0, NoSuggest, MaxSuggest} {
					f(Rollback{Window: window, Suggest: suggest, Neutral: a, FinalAfterWindow: b})
					f(Lockstep{Suggest: suggest})
					for _, r := range []Remotes{Interpolated, Damped, CoSimulated} {
						f(ServerRewind{Window: window, Suggest: suggest, Neutral: a, Remotes: r, FinalAfterWindow: b})
						f(ServerRewind{Window: NoWindow, Suggest: suggest, Neutral: a, Remotes: r})
					}
				}
			}
		}
	}
}

func TestPresets(t *testing.T) {
	seen := map[Traits]Model{}
	for _, m := range Presets() {
		traits := TraitsOf(m)
		if err := m.Validate(); err != nil {
			t.Errorf("%v: %v", m, err)
		}
		if twin, ok := seen[traits]; ok {
			t.Errorf("%v and %v are the same", twin, m)
		}
		seen[traits] = m
		for _, name := range []string{m.String(), strings.ToLower(m.String()), strings.ToUpper(m.String())} {
			if got, err := ParsePreset(name); err != nil || got.String() != m.String() {
				t.Errorf("%q is %v: %v", name, got, err)
			}
		}
	}
	if len(seen) != 6 || TraitsOf(nil) != (Traits{}) || TraitsOf(LocalSync{}) != (Traits{}) {
		t.Errorf("%d presets, LocalSync is %v", len(seen), TraitsOf(LocalSync{}))
	}
	_, err := ParsePreset("greedy")
	if !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), `"greedy"`) || !strings.Contains(err.Error(), "Lockstep") {
		t.Error(err)
	}
	if m := Presets()[4]; !Is[Rollback](m) || Is[Lockstep](m) {
		t.Errorf("%v is no Rollback", m)
	}
}

func TestValidate(t *testing.T) {
	variants(func(m Model) {
		if err := m.Validate(); err != nil {
			t.Errorf("%v %+v: %v", m, m, err)
		}
	})
	for _, c := range []struct {
		m    Model
		want string
	}{
		{LocalSync{Missing: 3}, "Missing 3 is unknown: use Repeat"},
		{Buffered{Missing: 9}, "Missing 9"},
		{Buffered{Damping: Damping{Rate: -1}}, "use a Rate of 0 to 1000"},
		{Buffered{Damping: Damping{Snap: -1}}, "Damping"},
		{CorrectOnMismatch{Missing: 3}, "Missing 3"},
		{ServerRewind{Remotes: 3}, "Remotes 3 is unknown"},
		{ServerRewind{Window: -time.Second}, "Window -1s is not"},
		{ServerRewind{Window: MaxWindow + time.Millisecond}, "Window 10.001s is not"},
		{ServerRewind{Window: time.Second + 1}, "is not whole milliseconds"},
		{ServerRewind{Window: NoWindow, FinalAfterWindow: true}, "set it to false"},
		{Rollback{Window: NoWindow}, "Window -1ns is not"},
		{Rollback{Suggest: MaxSuggest + time.Millisecond}, "Suggest 1.001s is not"},
		{Lockstep{Suggest: time.Microsecond}, "Suggest 1µs is not"},
		{Lockstep{Suggest: -2}, "Suggest -2ns is not"},
		{Lockstep{Stall: -1}, "Stall -1ns is not between"},
		{Lockstep{Stall: MaxStall + 1}, "is not between 0 and 1m0s"},
	} {
		if err := c.m.Validate(); !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %+v: %v, not %q", c.m, c.m, err, c.want)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		m               Model
		window, suggest int // at 60 a second
	}{
		{LocalSync{}, 0, 0},
		{ServerRewind{}, 60, 2},
		{ServerRewind{Window: NoWindow, Suggest: NoSuggest}, 0, 0},
		{Rollback{}, 60, 0},
		{Lockstep{}, 0, 2},
		{Rollback{Window: 17 * time.Millisecond, Suggest: 25 * time.Millisecond}, 2, 2},
		{Rollback{Window: MaxWindow, Suggest: 24 * time.Millisecond}, 600, 1},
	} {
		traits := TraitsOf(c.m)
		if w, s := traits.WindowTicks(60), traits.SuggestTicks(60); w != c.window || s != c.suggest {
			t.Errorf("%+v: %d and %d ticks, not %d and %d", c.m, w, s, c.window, c.suggest)
		}
	}
}

// Rule B5: a tick is final when it precedes the newest known input of every player, or has left the window.
func TestFirstOpen(t *testing.T) {
	for _, c := range []struct {
		m                         Model
		newest, outstanding, want uint32
	}{
		{LocalSync{}, 100, 40, 101},
		{Lockstep{}, 100, 101, 101},
		{ServerRewind{Window: NoWindow}, 100, 40, 101},
		{ServerRewind{}, 100, 90, 90},
		{ServerRewind{}, 100, 101, 101}, // nothing is outstanding
		{ServerRewind{}, 100, 120, 101}, // nor what lies ahead
		{ServerRewind{}, 100, 10, 41},   // a silent player delays it no longer than the window
		{ServerRewind{}, 20, 1, 1},
		{ServerRewind{FinalAfterWindow: true}, 100, 90, 41},
		{ServerRewind{FinalAfterWindow: true}, 100, 101, 41},
		{ServerRewind{FinalAfterWindow: true}, 20, 15, 0},
		{LocalSync{PredictOutcomes: true}, 100, 10, 10},
		{LocalSync{PredictOutcomes: true}, 100, 200, 101},
	} {
		if got := TraitsOf(c.m).FirstOpen(60, c.newest, c.outstanding); got != c.want {
			t.Errorf("%v %+v: after tick %d, with %d outstanding: %d, not %d", c.m, c.m, c.newest, c.outstanding, got, c.want)
		}
	}
}

func TestTraitsString(t *testing.T) {
	const want = "input timing stamped, late input rewrite, missing input repeat, server state rewind, correction state, " +
		"remotes interpolated, outcomes past the horizon, horizon players, window 1s, suggest 30ms"
	if got := TraitsOf(ServerRewind{}).String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := TraitsOf(Rollback{}).String(); !strings.HasSuffix(got, "window 1s, suggest 0s") {
		t.Error(got)
	}
	if got := TraitsOf(Lockstep{}).String(); !strings.Contains(got, "missing input wait") {
		t.Error(got)
	}
}

// Every model is decoded with the same traits.
func TestWireRoundTrip(t *testing.T) {
	seen := map[Traits]bool{}
	variants(func(m Model) {
		b := Append(nil, m)
		if len(b) != Size {
			t.Fatalf("%v: %d bytes", m, len(b))
		}
		got, err := Parse(b)
		if err != nil || TraitsOf(got) != TraitsOf(m) || got.String() != m.String() {
			t.Fatalf("%v %+v: % x came back as %v %+v: %v", m, m, b, got, got, err)
		}
		for cut := range b {
			if _, err := Parse(b[:cut]); !errors.Is(err, ErrModel) {
				t.Fatalf("%d of %d bytes: %v", cut, len(b), err)
			}
		}
		seen[TraitsOf(m)] = true
	})
	t.Logf("%d different models", len(seen))
}

// Of all values of the bytes that choose, those of a model are accepted, and no others.
func TestWireAcceptsModelsOnly(t *testing.T) {
	models := map[[2]byte]bool{}
	variants(func(m Model) { models[[2]byte(Append(nil, m))] = true })
	accepted := 0
	for x := range 256 {
		for y := range 256 {
			for _, rest := range []string{"\x00\x00\x00\x00", "\xe8\x03\x00\x00", "\x00\x00\x1e\x00", "\xe8\x03\x1e\x00"} {
				b := append([]byte{byte(x), byte(y)}, rest...)
				if _, err := Parse(b); err == nil {
					accepted++
					if !models[[2]byte(b)] {
						t.Errorf("% x is accepted", b)
					}
				} else if !errors.Is(err, ErrModel) {
					t.Errorf("% x: %v", b, err)
				}
			}
		}
	}
	if accepted < len(models) {
		t.Errorf("%d encodings are accepted, of %d models", accepted, len(models))
	}
	t.Logf("%d of 65536 values", len(models))
}

// The bytes of the presets may not change by accident.
func TestWireVectors(t *testing.T) {
	for i, want := range []string{"000000000000", "000400000000", "000100000000", "ca00e8031e00", "ca1ae8030000", "221a00001e00"} {
		if got := hex.EncodeToString(Append(nil, Presets()[i])); got != want {
			t.Errorf("%v: %s, not %s", Presets()[i], got, want)
		}
	}
}

func TestWireRefuses(t *testing.T) {
	good := Append(nil, ServerRewind{})
	for name, b := range map[string][]byte{
		"nothing":                    nil,
		"a byte more":                append(bytes.Clone(good), 0),
		"unknown timing":             {3, 0, 0, 0, 0, 0},
		"a rewind of buffered input": {1 << 6, 0, 0, 0, 0, 0},
		"reserved bits":              {0, 0x80, 0, 0, 0, 0},
		"no window":                  {good[0], good[1], 0, 0, good[4], good[5]},
		"too large a window":         {good[0], good[1], 0xff, 0xff, good[4], good[5]},
		"too long a delay":           {good[0], good[1], good[2], good[3], 0xff, 0xff},
		"a window without rewriting": {0, 0, 1, 0, 0, 0},
		"a delay without stamps":     {0, 0, 0, 0, 1, 0},
	} {
		if m, err := Parse(b); !errors.Is(err, ErrModel) || m != nil {
			t.Errorf("%s: %v: %v", name, m, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, m := range Presets() {
		f.Add(Append(nil, m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Parse(b)
		if err != nil {
			if !errors.Is(err, ErrModel) {
				t.Fatal(err)
			}
			return
		}
		if err := m.Validate(); err != nil {
			t.Fatalf("%v: %v", m, err)
		}
		if again := Append(nil, m); !bytes.Equal(again, b) {
			t.Fatalf("% x came back as % x", b, again)
		}
		if w, s := TraitsOf(m).WindowTicks(1000), TraitsOf(m).SuggestTicks(1000); w > 10000 || s > 1000 {
			t.Fatalf("%d and %d ticks", w, s)
		}
	})
}
