package inspect

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/reconcile"
)

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
