package ratio

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func figures() []Figure {
	measure := func(rounds int) (float64, string) { return float64(rounds) / 3, "a against b" }
	return []Figure{
		{Name: "one", About: "this against that", Most: 1.5, Measure: measure},
		{Name: "two", About: "that against this", Least: 3, Measure: measure},
	}
}

func TestMain_JSON(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := Main("p", "About.", 7, figures(), []string{"-json", "-rounds", "2"}, &stdout, &stderr); code != 0 {
		t.Fatal(code, stderr.String())
	}
	var got map[string]float64
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || len(got) != 2 || got["one"] != 0.667 || got["two"] != 0.667 {
		t.Errorf("%v: %s", err, stdout.String())
	}
}

func TestMain_Table(t *testing.T) {
	var stdout, stderr bytes.Buffer
	Main("p", "About.", 7, figures(), nil, &stdout, &stderr)
	for _, want := range []string{"one", "2.33", "≤ 1.5", "≥ 3", "a against b"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in\n%s", want, stdout.String())
		}
	}
}

func TestMain_Arguments(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := Main("p", "About.", 7, figures(), []string{"-h"}, &stdout, &stderr); code != 0 || !strings.Contains(stderr.String(), "that against this") {
		t.Errorf("-h: %d\n%s", code, stderr.String())
	}
	for _, args := range [][]string{{"-rounds", "0"}, {"x"}, {"-nonsense"}} {
		if code := Main("p", "About.", 7, figures(), args, &stdout, &stderr); code != 2 {
			t.Errorf("%v: %d", args, code)
		}
	}
	if stdout.Len() > 0 {
		t.Errorf("stdout has %q", stdout.String())
	}
}

// The sides take turns, and warm-up runs do not count.
func TestMedians(t *testing.T) {
	var fast, slow int
	m := Medians(3, func() { fast++ }, func() { slow++; time.Sleep(2 * time.Millisecond) })
	if len(m) != 2 || !(m[0] > 0) || m[1] < 2e6 || fast < 4 || slow < 4 {
		t.Errorf("medians %v after %d and %d calls", m, fast, slow)
	}
}

func TestPlaced(t *testing.T) {
	made := 0
	m := Placed(5, func() []func() {
		made++
		return []func(){func() {}, func() { time.Sleep(2 * time.Millisecond) }}
	})
	if made != 5 || len(m) != 2 || m[0] > m[1] {
		t.Errorf("made %d times, medians %v", made, m)
	}
}
