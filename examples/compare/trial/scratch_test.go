package trial

import (
	"github.com/tactusgo/tactus/systems/policy"
	"testing"
)

func TestScratch(t *testing.T) {
	o := Options{Latencies: []int{2, 5, 10}, Players: 4, Seconds: 20, Seed: 1}
	t.Log(mispredictions(o))
	t.Log(spike(o))
	for _, n := range sweptPlayers {
		t.Log(point(o, n, 5))
	}
	f, err := fairness(o)
	t.Logf("%+v %v", f, err)
	for _, p := range policy.Presets() {
		x, err := preset(o, p)
		t.Logf("%+v %v", x, err)
	}
}
