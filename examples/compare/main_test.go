package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/examples/compare/trial"
	"github.com/tactusgo/tactus/systems/policy"
)

func TestWrongFlags(t *testing.T) {
	for _, args := range []string{
		"-latencies 2,x", "-latencies 0,2", "-latencies 2,31", "-latencies 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "-players 1", "-players 17",
		"-seconds 0", "-seed one", "-unknown", "more",
	} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil || errors.Is(err, flag.ErrHelp) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// The JSON object has the fields that its readers use, and the tables have the same figures.
func TestComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("plays all matches")
	}
	var out, progress bytes.Buffer
	if code := run(strings.Fields("-json -seconds 1 -players 3 -latencies 3,4,9"), &out, &progress); code != 0 || progress.Len() == 0 {
		t.Fatalf("exit code %d: %s", code, progress.String())
	}
	type peers map[string]float64
	var r struct {
		Isolated, Steady map[string]peers
		Presets          []map[string]any
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		got  peers
		want [4]float64
	}{
		{"isolated.rollback", r.Isolated["rollback"], [4]float64{16, 19, 20, 25}},
		{"isolated.localsync", r.Isolated["localsync"], [4]float64{}},
		{"steady.rollback_merged", r.Steady["rollback_merged"], [4]float64{9, 12, 13, 13}},
		{"steady.localsync", r.Steady["localsync"], [4]float64{}},
	} {
		for i, name := range []string{"server", "p1", "p2", "p3"} {
			if got, ok := c.got[name]; !ok || got != c.want[i] {
				t.Errorf("%s.%s: got %v, want %v", c.what, name, got, c.want[i])
			}
		}
	}
	if len(r.Presets) != len(policy.Presets()) {
		t.Fatalf("%d presets", len(r.Presets))
	}
	for i, p := range policy.Presets() {
		if r.Presets[i]["preset"] != p.String() {
			t.Errorf("preset %d is %v, want %v", i, r.Presets[i]["preset"], p)
		}
		for _, field := range []string{"corrections", "p99_visual_error", "input_delay_ms", "resimulated_ticks", "bytes"} {
			if _, ok := r.Presets[i][field].(float64); !ok {
				t.Errorf("%v has no %s", p, field)
			}
		}
	}
	var all trial.Results
	var tables bytes.Buffer
	if err := json.Unmarshal(out.Bytes(), &struct{ Presets *[]trial.Preset }{&all.Presets}); err != nil {
		t.Fatal(err)
	}
	if err := tabulate(&tables, all); err != nil || !strings.Contains(tables.String(), "Lockstep") {
		t.Errorf("%v\n%s", err, &tables)
	}
}
