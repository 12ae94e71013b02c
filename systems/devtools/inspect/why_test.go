package inspect

import (
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems"
)

// Baselines and packets under way are described only if there are any.
func TestWhyTellsWhatThereIs(t *testing.T) {
	const underWay, whole, differs, predicted = "are not acknowledged", "has the full state", "the difference from the send", "prediction of two sends"
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
		text := strings.Join(describeKnowledge(&c.k, &systems.ServerConfig{Snapshots: systems.Snapshots{SendRate: 20}}), "\n")
		for _, part := range []string{underWay, whole, differs, predicted} {
			if want := slices.Contains(c.want, part); strings.Contains(text, part) != want {
				t.Errorf("%+v: says %q is %v:\n%s", c.k, part, !want, text)
			}
		}
	}
}

func TestWhy(t *testing.T) {
	for _, c := range []struct {
		k    systems.Knowledge
		want string
	}{
		{systems.Knowledge{Exists: true, Hidden: true}, "interest hides"},
		{systems.Knowledge{Exists: true, TooBig: true, Budget: 300}, "fits no snapshot of 300 bytes"},
		{systems.Knowledge{Exists: true, Joining: true}, "is joining"},
		{systems.Knowledge{Exists: true}, "has not sent"},
		{systems.Knowledge{Exists: true, Send: 9, Sent: 7}, "acknowledged no state"},
		{systems.Knowledge{Exists: true, Send: 9, Held: 9}, "acknowledged the newest send"},
		{systems.Knowledge{Exists: true, Send: 9, Held: 5, Sent: 8, Unacknowledged: 2}, "the send 4 before the newest, 200 ms earlier"},
		{systems.Knowledge{Exists: true, Send: 9, Baseline: 8, Second: true}, "prediction of two sends"},
		{systems.Knowledge{Exists: true, OverBudget: true, Priority: 2, Gained: 6}, "gains priority 2 per send, and has gained 6"},
		{systems.Knowledge{Exists: true, Own: true}, "acknowledged no predicted"},
		{systems.Knowledge{Exists: true, Own: true, Send: 3, OwnHeld: 3}, "owner-only components of the newest send"},
	} {
		if text := strings.Join(describeKnowledge(&c.k, &systems.ServerConfig{Snapshots: systems.Snapshots{SendRate: 20}}), "\n"); !strings.Contains(text, c.want) {
			t.Errorf("%+v: %q has no %q", c.k, text, c.want)
		}
	}
}
