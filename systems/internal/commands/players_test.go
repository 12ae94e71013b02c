package commands_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Chair is the seat of a player: the number of players present at its join. Stake is an entity that the player leaves behind.
type (
	Chair struct {
		Place uint16 `net:"0..1000"`
	}
	Stake struct {
		Of uint32 `net:"raw"`
	}
)

// table returns the field in which players take the next seat and place a stake, which stays when they leave.
func table() *ecs.Protocol {
	return fieldtest.ProtocolWith(fieldtest.Predicted[Chair], func(p *ecs.Protocol) {
		ecs.Replicate[Stake](p, 0)
		p.Leave(func(w *ecs.World, client uint32) {
			for e, r := range ecs.All[struct {
				Owner components.Owner
				Stake Stake
			}](w) {
				if r.Owner.Client == client {
					ecs.Remove[components.Owner](w, e)
				}
			}
		})
	}, fieldtest.OnJoin(func(w *ecs.World, client uint32) {
		last := uint16(0)
		for _, r := range ecs.All[struct{ Chair Chair }](w) {
			last = max(last, r.Chair.Place)
		}
		fieldtest.JoinWith(Chair{Place: last + 1})(w, client)
		w.Spawn(components.Owner{Client: client}, Stake{Of: client})
	}))()
}

// Players join and leave by the protocol alone, on every peer that simulates them and on any link. All worlds agree, joining
// players see the earlier ones, and entities that Leave takes from their owner stay on all peers, including late joiners.
func TestPlayersComeAndGo(t *testing.T) {
	t.Parallel()
	for _, model := range fieldtest.Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}, policy.Lockstep{}) {
		t.Run(model.String(), func(t *testing.T) {
			systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
				config := fieldtest.PresetConfig(model, seed, 3, fieldtest.RoughLink())
				config.Protocol, config.Server.Session.Timeout = table, 2*time.Second
				c := systemstest.New(t, config)
				c.Connect()
				c.Run(3 * time.Second)
				c.Clients[0].Leave()
				c.Run(time.Second)
				c.Join()
				c.Clients[1].Kill()
				c.Run(4 * time.Second)
				c.Join()
				c.Connect()
				c.Run(3 * time.Second)
				c.Settle()
				c.Converged()
				for _, k := range c.Clients[2:] {
					chairs, stakes, free := map[uint16]bool{}, 0, 0
					for _, r := range ecs.All[struct{ Chair Chair }](k.World()) {
						chairs[r.Chair.Place] = true
					}
					for e := range ecs.All[struct{ Stake Stake }](k.World()) {
						if stakes++; !ecs.Has[components.Owner](k.World(), e) {
							free++
						}
					}
					if len(chairs) != 3 || stakes != 5 || free != 2 {
						t.Errorf("%v has %d chairs, %d stakes, %d of them nobody's", k, len(chairs), stakes, free)
					}
				}
			})
		})
	}
}
