package trial

import ("testing";"github.com/tactusgo/tactus/examples/compare/yard";"github.com/tactusgo/tactus/systems/policy")

func TestScratch(t *testing.T) {
	o := Options{Latencies: []int{2,5,10}, Players: 4, Seconds: 10, Seed: 1}
	for _, p := range []policy.Preset{policy.LocalSync, policy.Rollback} {
		x, err := isolated(o, p.Policies())
		t.Log(p, x, err)
		x, err = steady(o, p.Policies(), yard.Rules{}, 120)
		t.Log(p, x, err)
		x, err = steady(o, p.Policies(), yard.Rules{Gusts: 60}, 600)
		t.Log(p, x, err)
	}
}
