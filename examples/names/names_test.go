package names_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

type input struct {
	X int8 `net:"-1..1"`
}

func protocol() *ecs.Protocol {
	p := ecs.NewProtocol("names")
	names.Add(p)
	ecs.Input[input](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, names.Named{}, input{})
	})
	return p
}

// All clients know the name that a player chose, under every model. The name goes with its player.
func TestNames(t *testing.T) {
	for _, model := range policy.Presets() {
		t.Run(model.String(), func(t *testing.T) {
			t.Parallel()
			config := systemstest.Config{Protocol: protocol, Clients: 3}
			config.Server.Model = model
			c := systemstest.New(t, config)
			c.Connect()
			ada, bo := c.Clients[0], c.Clients[1]
			known := func() map[uint32]string {
				all := map[uint32]string{}
				for _, p := range ecs.All[struct {
					Owner components.Owner
					Who   names.Named
				}](bo.World()) {
					all[p.Owner.Client] = p.Who.Name.String()
				}
				return all
			}
			for _, step := range []struct{ ask, want string }{
				{"Ada", "Ada"},
				{"", "Ada"},
				{" \t\n ", "Ada"},
				{"\x00\x07\u202e", "Ada"},
				{" A\nd\u202ea\x00 ", "Ada"},
				{"Grace\x1b[31m", "Grace[31m"},
				{"Nobody has this long name", "Nobody has this"}, // of the 16 bytes, the last is a space
				{"ÄÖÜäöüßéè", "ÄÖÜäöüßé"},
			} {
				var r names.Rename
				r.Name.Set(step.ask)
				if err := systems.Command(ada.Client, r); err != nil {
					t.Fatal(err)
				}
				c.Run(time.Second)
				if all := known(); len(all) != 3 || all[ada.ID()] != step.want || all[bo.ID()] != "" {
					t.Errorf("%q: %v, want %q", step.ask, all, step.want)
				}
			}
			ada.Leave()
			c.Run(time.Second)
			if all := known(); len(all) != 2 || all[ada.ID()] != "" {
				t.Errorf("after leaving: %v", all)
			}
		})
	}
}
