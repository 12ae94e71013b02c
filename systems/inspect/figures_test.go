package inspect

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/reconcile"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// After Close a server's systems are what they were before there was an inspector, all of them.
func TestCloseGivesBackEverySystem(t *testing.T) {
	c := systemstest.New(t, yardConfig(1, 1))
	code := func() (all []uintptr) {
		c.Server.Schedule().WrapAll(func(_ []string, run func(*ecs.World)) func(*ecs.World) {
			all = append(all, reflect.ValueOf(run).Pointer())
			return nil
		})
		return all
	}
	before := code()
	x, err := New(c.Server, Config{})
	if err != nil {
		t.Fatal(err)
	}
	for i, run := range code() {
		if run == before[i] {
			t.Errorf("system %d is not timed", i)
		}
	}
	x.Close()
	if after := code(); !slices.Equal(after, before) {
		t.Errorf("after Close systems run %x, before there was an inspector %x", after, before)
	}
}

// What is said of baselines and of packets under way is said where there are some, and only there.
func TestWhyTellsWhatThereIs(t *testing.T) {
	const underWay, whole, differs, predicted = "are not acknowledged", "tells it in full", "how it differs from the send", "two sends predict"
	for _, c := range []struct {
		k    systems.Knowledge
		want []string
	}{
		{systems.Knowledge{Send: 9}, []string{whole}},
		{systems.Knowledge{Send: 9, Sent: 8, Held: 8}, []string{whole}},
		{systems.Knowledge{Send: 9, Unacknowledged: 2, Held: 8}, []string{whole}},
		{systems.Knowledge{Send: 9, Sent: 8, Unacknowledged: 2, Held: 5, Baseline: 5}, []string{underWay, differs}},
		{systems.Knowledge{Send: 9, Sent: 8, Held: 8, Baseline: 8, Second: true}, []string{predicted}},
		{systems.Knowledge{Send: 9, Sent: 8, Held: 8, Second: true}, []string{whole}},
	} {
		c.k.Exists = true
		text := strings.Join(why(&c.k, &systems.ServerConfig{SendRate: 20}), "\n")
		for _, part := range []string{underWay, whole, differs, predicted} {
			if want := slices.Contains(c.want, part); strings.Contains(text, part) != want {
				t.Errorf("%+v: says %q is %v:\n%s", c.k, part, !want, text)
			}
		}
	}
}

// What clients report adds up; the classes of the histogram hold each what the smaller ones hold, and in the
// end everything.
func TestMetricsAddUp(t *testing.T) {
	m := newMatch(t, yardConfig(1, 2), Config{})
	for client, n := range []uint64{5, 3, 4} {
		m.x.Report(uint32(client+1), reconcile.Causes{Corrections: n})
	}
	all := m.scrape()
	if n := all["tactus_reported_corrections_total"]; n != 12 {
		t.Errorf("%v corrections reported, want 12", n)
	}
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

// A server that wakes for every second tick has the time of two for it.
func TestRoomOfAWakeup(t *testing.T) {
	c := yardConfig(1, 1)
	c.Server.WakeEvery = 2
	m := newMatch(t, c, Config{})
	var a statusAnswer
	if m.get("/api/status", &a); a.Wakeups.Room < 33_333 || a.Wakeups.Room > 33_334 {
		t.Errorf("%v µs for a wake-up, 30 a second", a.Wakeups.Room)
	}
}

// The axes of policies that mean something are told, and no others; what is told at once is never withdrawn.
func TestAxesOfPresets(t *testing.T) {
	for _, preset := range policy.Presets() {
		p := preset.Policies().Filled()
		m := presetMatch(t, preset)
		var a statusAnswer
		m.get("/api/status", &a)
		there := make(map[string]bool)
		for _, x := range a.Model.Axes {
			there[x.Name] = true
		}
		if there["window"] != (p.Late == policy.LateRewrite) || there["suggest"] != (p.Timing == policy.TimingStamped) {
			t.Errorf("%v: axes %v", preset, a.Model.Axes)
		}
		for _, part := range a.Model.Parts {
			if part.Title == "Outcomes" && len(part.Figures) > 0 && (part.Note != "") != (p.Outcomes == policy.OutcomesAtOnce) {
				t.Errorf("%v: %+v", preset, part)
			}
		}
	}
}

// A profile may be given its seconds.
func TestProfileOfSeconds(t *testing.T) {
	m := newMatch(t, yardConfig(1, 1), Config{})
	for seconds, code := range map[string]int{"1": http.StatusOK, "60": http.StatusOK, "61": http.StatusBadRequest, "-1": http.StatusBadRequest} {
		if w := m.do(request("/debug/pprof/heap?seconds="+seconds, nil)); w.Code != code {
			t.Errorf("%s seconds: %d", seconds, w.Code)
		}
	}
}
