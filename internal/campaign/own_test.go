package campaign

import (
	"runtime"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// alike are custom systems that do the same as the built-in ones, with the exported parts.
var alike = systems.ClientSystems{
	Predict: func(p systems.ClientParts) func(*ecs.World) {
		return func(*ecs.World) {
			for next := p.Predictor.Applied() + 1; next <= p.Predictor.Due(); next++ {
				p.Predictor.Step(next)
			}
		}
	},
	Reconcile: func(p systems.ClientParts) func(*ecs.World) {
		return func(*ecs.World) {
			for told := range p.Predictor.Confirmed {
				wrong := told.Unpredicted
				for v := range told.Values {
					wrong = wrong || !v.Agrees()
				}
				if wrong {
					told.Reject()
				}
			}
			for input := range p.Predictor.Rewind {
				p.Predictor.Step(input)
			}
		}
	},
}

// A match with a custom Predict, Reconcile or both that behave like the built-in ones is the same to the byte. A few matches
// run by default, and all with TACTUS_LONG.
func TestOwnSystems(t *testing.T) {
	t.Parallel()
	seeds := []uint64{102, 133, 224, 123, 15} // of each model that lets clients predict
	if long() {
		seeds = fingerprinted
	}
	compared := 0
	for i, seed := range seeds {
		d := newDraw(t, seed)
		d.own = []systems.ClientSystems{alike, {Reconcile: alike.Reconcile}, alike, {Predict: alike.Predict}}[i%4]
		switch {
		case policy.Is[policy.Rollback](d.preset) || policy.Is[policy.Lockstep](d.preset):
		case runtime.GOARCH != "amd64":
			fight(t, d)
		default:
			compared++
			if now := line(d, fingerprint(t, d)); !strings.Contains(prints(t), now) {
				t.Errorf("with systems of one's own this match does not go as it did:\n%s", now)
			}
		}
	}
	if (compared < 3 || long() && compared < 8) && runtime.GOARCH == "amd64" {
		t.Errorf("%d matches compared", compared)
	}
}
