package policy

import (
	"errors"
	"strings"
	"testing"
)

// Each preset is a model, no two are the same, and the default is the zero value.
func TestPresets(t *testing.T) {
	seen := map[Policies]Preset{}
	for i, p := range Presets() {
		if int(p) != i {
			t.Errorf("place %d: %v", i, p)
		}
		policies := p.Policies()
		if err := policies.Validate(); err != nil {
			t.Errorf("%v: %v", p, err)
		}
		if twin, ok := seen[policies]; ok {
			t.Errorf("%v and %v are the same", twin, p)
		}
		seen[policies] = p
		if got := policies.Filled().Model(); got != p.String() {
			t.Errorf("the model of %v is %s", p, got)
		}
		for _, name := range []string{p.String(), strings.ToLower(p.String()), strings.ToUpper(p.String())} {
			if got, err := ParsePreset(name); got != p || err != nil {
				t.Errorf("%q is %v: %v", name, got, err)
			}
		}
	}
	if len(seen) != 6 || LocalSync.Policies() != (Policies{}) {
		t.Errorf("%d presets, LocalSync is %v", len(seen), LocalSync.Policies())
	}
}

func TestNoPreset(t *testing.T) {
	p := LocalSync.Policies()
	if p.Timing = TimingArrival; p.Model() != "correction state" {
		t.Errorf("the model of %v is %s", p, p.Model())
	}
	_, err := ParsePreset("greedy")
	if !errors.Is(err, ErrPolicies) || !strings.Contains(err.Error(), `"greedy"`) || !strings.Contains(err.Error(), "Lockstep") {
		t.Error(err)
	}
	if got := presets.String(); got != "Preset(6)" {
		t.Error(got)
	}
	defer func() {
		if recover() == nil {
			t.Error("policies of no preset")
		}
	}()
	presets.Policies()
}
