package matches_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// theSix are the systems that the netcode consists of. The value is true for a server's system.
var theSix = map[string]bool{
	"InputGather": false, "Predict": false, "Reconcile": false, "Interpolate": false, "ServerApply": true, "Snapshot": true,
}

// trace plays a match on a bad link and returns a hash of all datagrams and views.
func trace(t *testing.T, p policy.Model, change func(*ecs.Schedule) error, server bool) (sum uint64, err error) {
	config := fieldtest.Config(3, 3, fieldtest.BadLink())
	config.Protocol, config.Server.Model = fieldtest.Pushes(300), p
	play := systems.ClientConfig{Schedule: change, Prediction: systems.Prediction{Partial: systems.Gather(func(_ *systems.Client, in *fieldtest.Walk) { in.DX = 1 })}}
	if config.Client = func(int) systems.ClientConfig { return play }; server {
		play.Schedule, config.Server.Schedule = nil, change
		if _, err := systems.NewServer(netsys.NewNetwork().Node(netip.AddrPort{}), config.Protocol(), config.Server); errors.Is(err, systems.ErrConfig) {
			return 0, err
		}
	}
	c, h := systemstest.New(t, config), fnv.New64a()
	c.Lose(func(p systemstest.Packet) bool { h.Write(p.Data); return false })
	c.OnFrame(func(k *systemstest.Client) {
		if k.View() != nil {
			fmt.Fprintln(h, k.View().Hash())
		}
	})
	c.Run(4 * time.Second)
	return h.Sum64(), c.Clients[0].Err()
}

// Without one of the six systems a match goes differently or is refused. Lockstep predicts no inputs, so its clients do not
// need Reconcile.
func TestEachOfTheSixDoesItsWork(t *testing.T) {
	t.Parallel()
	refused := map[string][]string{
		"ServerRewind": {"ServerApply"},
		"Rollback":     {"ServerApply", "Predict", "Reconcile"},
		"Lockstep":     {"ServerApply", "Predict"},
	}
	for _, p := range fieldtest.Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}, policy.Lockstep{}) {
		whole, err := trace(t, p, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		for name, server := range theSix {
			got, err := trace(t, p, func(s *ecs.Schedule) error { return s.Remove(name) }, server)
			if want := slices.Contains(refused[p.String()], name); errors.Is(err, systems.ErrConfig) != want {
				t.Errorf("%v without %s: %v", p, name, err)
			} else if idle := policy.Is[policy.Lockstep](p) && name == "Reconcile"; !want && (got == whole) != idle {
				t.Errorf("%v without %s goes the same way: %v", p, name, got == whole)
			}
		}
	}
}

// Under rollback, only Reconcile simulates ticks again, except when a client joins.
func TestRollbackReconciles(t *testing.T) {
	t.Parallel()
	config := fieldtest.Config(3, 3, fieldtest.BadLink())
	config.Server.Model = policy.Rollback{}
	var inside, outside uint64
	config.Client = func(n int) systems.ClientConfig {
		return systems.ClientConfig{Schedule: func(s *ecs.Schedule) error {
			last := uint64(0)
			count := func(sum *uint64) func(func(*ecs.World)) func(*ecs.World) {
				return func(run func(*ecs.World)) func(*ecs.World) {
					return func(w *ecs.World) {
						last = w.Resimulated()
						run(w)
						*sum += w.Resimulated() - last
					}
				}
			}
			return errors.Join(s.Wrap("Reconcile", count(&inside)), s.Wrap("Predict", count(&outside)))
		}}
	}
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(2 * time.Second)
	inside, outside = 0, 0
	c.Run(10 * time.Second)
	if inside < 1000 || outside != 0 {
		t.Errorf("%d ticks simulated again in Reconcile, %d in Predict", inside, outside)
	}
}
