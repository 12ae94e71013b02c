package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/internal/race"
)

// A small run: every row is there, hashes do not depend on workers, and ticks allocate nothing.
func TestScale_RowsAreThere(t *testing.T) {
	var out, progress bytes.Buffer
	if code := run(strings.Fields("-clients 16 -entities 32 -npcs 8 -ticks 48 -json"), &out, &progress); code != 0 {
		t.Fatalf("exit code %d: %s", code, &progress)
	}
	var r report
	var fields map[string]any
	if err := errors.Join(json.Unmarshal(out.Bytes(), &r), json.Unmarshal(out.Bytes(), &fields)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"clients", "arena", "entities", "cores", "two_workers_ratio", "allocs_per_tick"} {
		if _, ok := fields[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
	sizes := func(c *curve) (clients, entities []int) {
		for _, p := range append([]cost{c.Base}, c.Points...) {
			clients, entities = append(clients, p.Clients), append(entities, p.Entities)
		}
		return clients, entities
	}
	for _, c := range []struct {
		name              string
		curve             *curve
		clients, entities []int
	}{
		{"clients", r.Clients, []int{0, 2, 4, 8, 16}, []int{24, 24, 24, 24, 24}},
		{"arena", r.Arena, []int{0, 2, 4, 8, 16}, []int{8, 10, 12, 16, 24}},
		{"entities", r.Entities, []int{2, 2, 2, 2, 2}, []int{2, 6, 10, 18, 34}},
	} {
		clients, entities := sizes(c.curve)
		if !equal(clients, c.clients) || !equal(entities, c.entities) {
			t.Errorf("%s: %v clients, %v entities", c.name, clients, entities)
		}
		for _, p := range c.curve.Points {
			if p.CPU <= 0 || p.BytesPerS <= 0 || p.WorldHash == "" || p.WireHash == c.curve.Base.WireHash {
				t.Errorf("%s: %+v", c.name, p)
			}
		}
	}
	if len(r.Cores.Points) != 3 || runtime.NumCPU() > 1 && r.Cores.Exponent == 0 || !r.Cores.SameHashes || r.TwoWorkersRatio <= 0 {
		t.Errorf("%+v", r.Cores)
	}
	if r.AllocsPerTick != 0 && !race.Enabled {
		t.Errorf("%v allocations a tick", r.AllocsPerTick)
	}
	var table bytes.Buffer
	if err := r.print(&table); err != nil || strings.Count(table.String(), "\n") != 1+3*6+3+1 {
		t.Errorf("%v\n%s", err, &table)
	}
}

// Rows that are not asked for are not there.
func TestScale_OneRow(t *testing.T) {
	var out, progress bytes.Buffer
	if code := run(strings.Fields("-clients 8 -npcs 8 -ticks 3 -rows cores -json"), &out, &progress); code != 0 {
		t.Fatalf("exit code %d: %s", code, &progress)
	}
	var fields map[string]any
	if err := json.Unmarshal(out.Bytes(), &fields); err != nil || fields["clients"] != nil || fields["cores"] == nil || fields["two_workers_ratio"] == nil {
		t.Errorf("%v: %s", err, &out)
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestExponent(t *testing.T) {
	x := []float64{1, 2, 4, 8}
	for _, c := range []struct {
		y    []float64
		want float64
	}{
		{[]float64{3, 6, 12, 24}, 1},
		{[]float64{5, 20, 80, 320}, 2},
		{[]float64{7, 7, 7, 7}, 0},
		{[]float64{-1, 6, 12, 0}, 1}, // what has no logarithm is left out
		{[]float64{0, 0, 0, 9}, 0},
	} {
		if got := exponent(x, c.y); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: %v, want %v", c.y, got, c.want)
		}
	}
}

// The fit ignores numbers of workers that exceed the processors.
func TestCores_Fit(t *testing.T) {
	c := cores{Points: []cost{{Workers: 1, Wall: 800}, {Workers: 2, Wall: 400}, {Workers: 4, Wall: 900}}}
	for processors, want := range map[int]float64{1: 0, 2: -1, 3: -1, 4: math.Log2(900.0/800) / 2} {
		if c.fit(processors); math.Abs(c.Exponent-want) > 1e-9 {
			t.Errorf("%d processors: %v", processors, c.Exponent)
		}
	}
}

func TestScale_RefusesBadFlags(t *testing.T) {
	for flags, want := range map[string]string{
		"-clients 7": "8 to 10000", "-entities 0": "8 to 100000", "-npcs 0": "1 to 100000", "-ticks 0": "1 to 100000", "more": "no arguments", "-rows clients,cpus": "clients, arena, entities, cores",
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(flags), &out, &errs); code != 2 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d, %q", flags, code, &errs)
		}
	}
}
