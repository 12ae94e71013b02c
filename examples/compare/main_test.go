package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/examples/compare/trial"
	"github.com/tactusgo/tactus/systems/policy"
)

func TestWrongFlags(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"-latencies 2,x", "whole ticks"},
		{"-latencies 0,2", "1 to 30 ticks"},
		{"-latencies 2,31", "1 to 30 ticks"},
		{"-latencies 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "1 to 16"},
		{"-players 1", "2 to 16"},
		{"-players 17", "2 to 16"},
		{"-seconds 0", "1 to 600"},
		{"-plot chart.gif", ".svg"},
		{"-seed one", "seed"},
		{"-unknown", "unknown"},
		{"more", "unexpected"},
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(c.args), &out, &errs); code != 2 {
			t.Errorf("%s: exit code %d, want 2", c.args, code)
		}
		if !strings.Contains(errs.String(), c.says) || out.Len() > 0 {
			t.Errorf("%s: says %q and prints %q, want a word of %q", c.args, errs.String(), out.String(), c.says)
		}
	}
}

func TestHelp(t *testing.T) {
	var out bytes.Buffer
	if code := run([]string{"-h"}, &out, io.Discard); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, word := range []string{"-json", "-plot", "-latencies", "-players", "-seconds", "-seed", "fairness"} {
		if !strings.Contains(out.String(), word) {
			t.Errorf("-h does not tell of %s", word)
		}
	}
}

// The JSON object has the fields that its readers use, and every chart is an image.
func TestComparison(t *testing.T) {
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("plays all matches, as the tests of package trial play them one by one: set TACTUS_LONG=1")
	}
	file := filepath.Join(t.TempDir(), "chart.svg")
	args := []string{"-json", "-seconds", "1", "-players", "3", "-latencies", "3,4,9", "-plot", file}
	var out, progress bytes.Buffer
	if code := run(args, &out, &progress); code != 0 || !strings.Contains(progress.String(), "1 of ") {
		t.Fatalf("exit code %d: %s", code, progress.String())
	}
	if n := strings.Count(out.String(), "\n"); n != 1 {
		t.Errorf("%d lines, want one", n)
	}
	type peers map[string]float64
	var r struct {
		Isolated, Steady map[string]peers
		Sweeps           []struct {
			Players, Latency    int
			Rollback, LocalSync struct {
				Total float64
				Peers peers
			}
		} `json:"sweep_players"`
		Latencies []json.RawMessage `json:"sweep_latency"`
		Presets   []map[string]any
		Fairness  map[string]any
		Spike     map[string]any
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
	if len(r.Sweeps) < 3 || len(r.Latencies) < 3 {
		t.Errorf("sweeps of %d and %d matches", len(r.Sweeps), len(r.Latencies))
	}
	for _, p := range r.Sweeps {
		if p.Rollback.Total <= p.LocalSync.Total || len(p.Rollback.Peers) != p.Players+1 || len(p.LocalSync.Peers) != p.Players+1 {
			t.Errorf("sweep_players: %+v", p)
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
	for _, field := range []string{"greedy", "rewind", "lockstep"} {
		if s, ok := r.Fairness[field].(string); !ok || s == "" {
			t.Errorf("fairness has no %s", field)
		}
	}
	if r.Spike["rollback"] == nil || r.Spike["localsync"] == nil {
		t.Errorf("spike: %v", r.Spike)
	}
	chart, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, chart)
}

func wellFormed(t *testing.T, image []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(image)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("the chart is no XML: %v", err)
		}
	}
}

func TestTables(t *testing.T) {
	var out bytes.Buffer
	r := results(2)
	r.Presets, r.Fairness.Duels = []trial.Preset{{Preset: "Lockstep"}}, []trial.Duel{{Model: "greedy"}}
	if err := tabulate(&out, r); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"server", "p1 (0)", "LocalSync", "Lockstep", "greedy", "More latency"} {
		if !strings.Contains(out.String(), word) {
			t.Errorf("the tables do not tell of %q", word)
		}
	}
}

// A chart of nothing, or of many, is an image too.
func TestChartOfAnything(t *testing.T) {
	wellFormed(t, plot(results(0)))
	wellFormed(t, plot(results(16)))
}

// results returns the results of a comparison with a number of players.
func results(players int) (r trial.Results) {
	peers := trial.Peers{Players: make([]float64, players)}
	r.Latencies = make([]int, players)
	r.Isolated.Rollback, r.Isolated.LocalSync, r.Steady.Rollback, r.Steady.LocalSync = peers, peers, peers, peers
	r.Spike.Rollback, r.Spike.LocalSync = trial.Spiked{Calm: peers, Spiked: peers}, trial.Spiked{Calm: peers, Spiked: peers}
	return r
}
