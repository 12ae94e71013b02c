package inspect

import (
	"bufio"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/reconcile"
)

// scrape reads the series of this package by name and labels.
func (m *match) scrape() map[string]float64 {
	m.t.Helper()
	w := m.do(request("/metrics", nil))
	if w.Code != http.StatusOK {
		m.t.Fatalf("%d %s", w.Code, w.Body)
	}
	all := map[string]float64{}
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		at := strings.LastIndexByte(lines.Text(), ' ')
		if !strings.HasPrefix(lines.Text(), "tactus_") || at < 0 {
			continue
		}
		v, err := strconv.ParseFloat(lines.Text()[at+1:], 64)
		if err != nil {
			m.t.Fatal(err)
		}
		all[lines.Text()[:at]] = v
	}
	return all
}

func TestMetrics(t *testing.T) {
	m := newMatch(t, yardConfig(1, 2), Config{})
	for client, n := range []uint64{5, 3, 4} {
		m.x.Report(uint32(client+1), reconcile.Causes{Corrections: n})
	}
	before := m.Server.Stats()
	all := m.scrape()
	after := m.Server.Stats()
	for name, want := range map[string][2]uint64{
		"tactus_ticks_total":                                           {before.Ticks, after.Ticks},
		"tactus_sends_total":                                           {before.Sends, after.Sends},
		"tactus_updates_total":                                         {before.Updates, after.Updates},
		`tactus_bytes_total{direction="in"}`:                           {before.BytesIn, after.BytesIn},
		`tactus_bytes_total{direction="out"}`:                          {before.BytesOut, after.BytesOut},
		`tactus_inputs_total{fate="consumed"}`:                         {before.Inputs.Consumed, after.Inputs.Consumed},
		`tactus_inputs_total{fate="missing"}`:                          {before.Inputs.Missing, after.Inputs.Missing},
		`tactus_datagrams_dropped_total{reason="full of used tokens"}`: {0, 0},
		`tactus_packets_dropped_total{reason="client over its rate"}`:  {0, 0},
		"tactus_clients":                                               {2, 2},
		"tactus_entities":                                              {posts + 2, posts + 2},
		"tactus_reported_corrections_total":                            {12, 12},
		"tactus_wakeup_seconds_count":                                  {before.Ticks, after.Ticks},
		`tactus_wakeup_seconds_bucket{le="+Inf"}`:                      {before.Ticks, after.Ticks},
		`tactus_system_runs_total{system="After/Send"}`:                {before.Ticks, after.Ticks},
		`tactus_info{policies="LocalSync",protocol="plaza/1"}`:         {1, 1},
		`tactus_component_bytes_total{component="Place"}`:              {1, 1 << 40},
		`tactus_system_runs_total{system="OnTick/Simulate/walk"}`:      {before.Ticks, after.Ticks},
	} {
		v, ok := all[name]
		if !ok || v < float64(want[0]) || v > float64(want[1]) {
			t.Errorf("%s: %v (there: %v), want %d to %d", name, v, ok, want[0], want[1])
		}
	}
	if rtt := all[`tactus_client_rtt_seconds{of="worst"}`]; rtt < 0.04 || rtt > 0.2 {
		t.Errorf("round trip %v s", rtt)
	}
	if again := m.scrape(); again["tactus_ticks_total"] <= all["tactus_ticks_total"] || len(again) != len(all) {
		t.Errorf("%d series, then %d", len(all), len(again))
	}

	// The classes of the histogram hold each what the smaller ones hold, and in the end everything.
	type class struct{ bound, count float64 }
	var classes []class
	for name, count := range all {
		if rest, ok := strings.CutPrefix(name, `tactus_wakeup_seconds_bucket{le="`); ok {
			bound, err := strconv.ParseFloat(strings.TrimSuffix(rest, `"}`), 64)
			if err != nil {
				t.Fatal(name)
			}
			classes = append(classes, class{bound, count})
		}
	}
	slices.SortFunc(classes, func(a, b class) int { return int(min(max(1e9*(a.bound-b.bound), -1), 1)) })
	last := 0.0
	for _, c := range classes {
		if c.count < last {
			t.Errorf("%v wake-ups took up to %v s, and %v up to less", c.count, c.bound, last)
		}
		last = c.count
	}
	if total := all["tactus_wakeup_seconds_count"]; len(classes) < 5 || last != total || classes[len(classes)-2].count == 0 {
		t.Errorf("%v of %v wake-ups in %d classes", last, total, len(classes))
	}
}

// A server that measures its wake-ups reports their durations in the metrics and on the page.
func TestTickTimeIsTold(t *testing.T) {
	var now time.Duration
	c := yardConfig(1, 1)
	c.Server.Overload.Clock = func() time.Duration { now += time.Millisecond; return now }
	m := newMatch(t, c, Config{})
	all := m.scrape()
	for _, of := range []string{"median", "p99", "p999", "worst"} {
		if v := all[`tactus_tick_time_seconds{of="`+of+`"}`]; v < 0.00096 || v > 0.0011 {
			t.Errorf("%s %v s", of, v)
		}
	}
	if _, is := all["tactus_gc_pause_seconds"]; !is {
		t.Error("nothing of garbage collection")
	}
	var a statusAnswer
	m.get("/api/status", &a)
	if x := a.Wakeups.Minute; x.P999 < 960 || x.P999 > 1100 || x.Median > x.P99 || x.P99 > x.P999 || x.P999 > x.Most {
		t.Errorf("%+v", x)
	}
}
