package matches_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// A custom Reconcile that simulates nothing again changes the predictions instead. The server sometimes moves the player: each
// time is one correction, and later states agree.
func TestOwnReconcileAmends(t *testing.T) {
	for _, preset := range []policy.Model{policy.LocalSync{}, policy.Buffered{}, policy.ServerRewind{}} {
		t.Run(preset.String(), func(t *testing.T) {
			pushed := map[uint32]bool{} // ticks in which the server moves the player
			config := fieldtest.PresetConfig(preset, 1, 1, fieldtest.Lag(9))
			config.Protocol = fieldtest.ProtocolWith(fieldtest.Authority(func(w *ecs.World) {
				for _, p := range ecs.Each[fieldtest.Pushable](w) {
					if w.Tick()%120 == 0 && w.Tick() > 400 && w.Tick() < 800 {
						p.Pos.Y++
						pushed[w.Tick()] = true
					}
				}
			}))
			config.Client = func(int) systems.ClientConfig {
				return systems.ClientConfig{Systems: systems.ClientSystems{Reconcile: amending}}
			}
			c := fieldtest.Start(t, config, 5*time.Second)
			k := c.Clients[0]
			before := k.Stats()
			c.Run(10 * time.Second)
			st := k.Stats()
			if n := st.Corrections - before.Corrections; len(pushed) < 3 || n != uint64(len(pushed)) || st.Resimulated != before.Resimulated || st.Confirmed-before.Confirmed < 100 {
				t.Errorf("%d pushes, %d corrections, %d confirmed, %d ticks simulated again", len(pushed), n, st.Confirmed-before.Confirmed, st.Resimulated-before.Resimulated)
			}
			fieldtest.MustConverge(c)
		})
	}
}

// amending returns a Reconcile that moves players by the error of their prediction.
func amending(p systems.ClientParts) func(*ecs.World) {
	return func(*ecs.World) {
		for told := range p.Predictor.Confirmed {
			if told.Unpredicted {
				told.Reject()
			}
			for v := range told.Values {
				if at, was, is := reconcile.Read[components.Position](v); is && !told.Unpredicted && !v.Agrees() {
					reconcile.Amend(v, func(x *components.Position) { x.X, x.Y = x.X+at.X-was.X, x.Y+at.Y-was.Y })
				}
			}
		}
		for input := range p.Predictor.Rewind {
			p.Predictor.Step(input)
		}
	}
}
