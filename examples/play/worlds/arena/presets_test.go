//go:build !js

package arena

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/play/internal/host"
	"github.com/tactusgo/tactus/examples/play/internal/playtest"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
	"github.com/tactusgo/tactus/systems/policy"
)

// visitor is the client without a screen.
type visitor struct {
	mu     sync.Mutex
	stage  *stage.Stage
	scene  *scene
	client *systems.Client
	hits   int
}

// visit connects to a server at an address and plays in real time until the end of the
// test, with some buttons pressed.
func visit(ctx context.Context, address string, buttons uint32) *visitor {
	v := &visitor{stage: stage.New(World(), &stage.Options{Connect: address, Name: "Ada"})}
	v.scene = v.stage.Scene().(*scene)
	v.stage.Controls.Press(buttons)
	go func() {
		t := time.NewTicker(time.Second / 60)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				v.stage.Leave()
				return
			case now := <-t.C:
				v.frame(now)
			}
		}
	}()
	return v
}

// frame does what a frame does, without drawing.
func (v *visitor) frame(now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.client = v.stage.Blink(now); v.client != nil {
		v.scene.look(v.client, func(overlay.Hit) { v.hits++ })
	}
}

// see looks at the visitor.
func (v *visitor) see(look func() bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return look()
}

// Under every model the client joins, walks, shoots, sees others, and is told what came
// of its shots, and has its name.
func TestEveryPreset(t *testing.T) {
	for _, p := range policy.Presets() {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			m := playtest.New(t, playtest.Config{Bots: 3, Preset: p})
			v := visit(m.Ctx, m.Address, game.Right|game.Up|game.Fire)
			own := func() (k playtest.Known) {
				for _, k := range m.All() {
					if k.Client == v.client.ID() {
						return k
					}
				}
				return k
			}
			playtest.Until(t, "it walks and shoots", func() bool {
				return v.see(func() bool { return v.client != nil && own().Walked > 60 && own().Shots > 2 })
			})
			playtest.Until(t, "it shows everybody, and what came of a shot", func() bool {
				return v.see(func() bool { return len(v.scene.list) > 60 && v.scene.own != nil && v.hits > 2 })
			})
			playtest.Until(t, "it has its name", func() bool { _, ok := m.Player("Ada"); return ok })
		})
	}
}

// The match that a window without an address plays has a server and bots.
func TestHost(t *testing.T) {
	address, stop, err := host.Start("arena", &stage.Options{Bots: 3, NPCs: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	v := visit(ctx, address, 0)
	playtest.Until(t, "everybody is there", func() bool { return v.see(func() bool { return len(v.scene.list) == 3+5+1 }) })
}
