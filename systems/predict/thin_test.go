package predict_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// thinField plays 12 seconds on a bad link, with thin clients or with full ones.
func thinField(t *testing.T, seed uint64, p policy.Model, thin bool) *systemstest.Crowd {
	config := fieldtest.PresetConfig(p, seed, 3, fieldtest.BadLink())
	if thin {
		config.Client = func(int) systems.ClientConfig { return systems.ClientConfig{Schedule: systems.Thin} }
	}
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(12 * time.Second)
	return c
}

// The server cannot tell thin clients from others: the same inputs, the same world, and
// the same bytes each way, but where clients report results; and they see that world.
func TestThinClientsPlayAlike(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, fieldtest.Ahead(policy.LocalSync{}, policy.CorrectOnMismatch{}), 1, func(t *testing.T, p policy.Model, seed uint64) {
		thin, full := thinField(t, seed, p, true), thinField(t, seed, p, false)
		if a, b := thin.Server.World().Hash(), full.Server.World().Hash(); a != b {
			t.Errorf("the server's world is %x with thin clients, %x with others", a, b)
		}
		for n, k := range thin.Clients {
			other := full.Clients[n]
			a, b := k.Traffic(), other.Traffic()
			if !policy.Is[policy.CorrectOnMismatch](p) && a != b {
				t.Errorf("%v: traffic %+v, of another %+v", k, a, b)
			}
			s := k.Stats()
			if s.Resimulated+s.Corrections != 0 || s.Inputs != other.Stats().Inputs {
				t.Errorf("%v: %+v", k, s)
			}
		}
		for _, k := range thin.Clients {
			if tick, now := k.World().Tick(), thin.Server.Tick(); tick > now || tick+60 < now {
				t.Errorf("%v: its world is at tick %d, the server's at %d", k, tick, now)
			}
		}
		fieldtest.MustConverge(thin)
		k := thin.Clients[0]
		if own, ok := k.Own(k.View()); !ok || ecs.Has[components.Predicted](k.World(), own) {
			t.Errorf("own entity %v, found %v", own, ok)
		}
	})
}

// Where everybody simulates everything there are no thin clients, and they say so.
func TestThinIsRefusedWhereEverybodySimulates(t *testing.T) {
	for _, p := range fieldtest.PeerPresets {
		config := fieldtest.PresetConfig(p, 1, 1, fieldtest.BadLink())
		config.Client = func(int) systems.ClientConfig { return systems.ClientConfig{Schedule: systems.Thin} }
		c := systemstest.New(t, config)
		if c.RunUntil(10*time.Second, func() bool { return c.Clients[0].Err() != nil }); !errors.Is(c.Clients[0].Err(), systems.ErrConfig) {
			t.Errorf("%v: %v", p, c.Clients[0].Err())
		}
	}
}
