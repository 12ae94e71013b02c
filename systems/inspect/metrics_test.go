package inspect

import (
	"bufio"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/tactusgo/tactus/systems/policy"
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
	m.x.Report(1, reconcile.Causes{Corrections: 5})
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
		"tactus_reported_corrections_total":                            {5, 5},
		"tactus_wakeup_seconds_count":                                  {before.Ticks, after.Ticks},
		`tactus_wakeup_seconds_bucket{le="+Inf"}`:                      {before.Ticks, after.Ticks},
		`tactus_system_runs_total{system="After/Send"}`:                {before.Ticks, after.Ticks},
		`tactus_info{policies="LocalSync",protocol="yard/1"}`:          {1, 1},
		`tactus_component_bytes_total{component="Position"}`:           {1, 1 << 40},
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
}

// An inspector that was closed gives an error in place of old figures.
func TestMetricsAfterClose(t *testing.T) {
	m := newMatch(t, yardConfig(1, 1), Config{})
	m.x.config.Wait = time.Millisecond
	m.x.Close()
	if w := m.do(request("/metrics", nil)); w.Code == http.StatusOK {
		t.Errorf("%d %.200s", w.Code, w.Body)
	}
}

// Names, units, types and help texts are as Prometheus wants them, under every preset.
func TestMetricsLint(t *testing.T) {
	for _, preset := range policy.Presets() {
		m := presetMatch(t, preset)
		w := m.do(request("/metrics", nil))
		problems, err := promlint.New(w.Body).Lint()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			if strings.HasPrefix(p.Metric, "tactus_") {
				t.Errorf("%v: %s: %s", preset, p.Metric, p.Text)
			}
		}
	}
}
