//go:build !js

package main

import (
	"context"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems/overlay"
	"github.com/tactusgo/tactus/systems/policy"
)

// visitor is the client without a screen.
type visitor struct {
	app
	hits int
}

// visit connects to a server at an address and plays in real time until the end of the
// test, with some buttons pressed.
func visit(ctx context.Context, address string, buttons uint8) *visitor {
	v := &visitor{app: app{scene: newScene()}}
	v.panel = newPanel(&v.canvas, v.onScreen)
	v.online = newOnline(&options{connect: address, name: "Ada"}, &v.controls, func(s *game.Said) { v.chat.said(s, time.Now()) })
	v.online.net = v.panel.net
	v.controls.buttons = buttons
	go func() {
		const frame = time.Second / 60
		t := time.NewTicker(frame)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				v.online.close()
				return
			case now := <-t.C:
				v.frame(now, frame)
			}
		}
	}()
	return v
}

// frame does what a frame does, without drawing.
func (v *visitor) frame(now time.Time, dt time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.online.advance(now)
	if !v.online.connected() {
		return
	}
	v.online.client.Frame(now)
	v.scene.update(v.online, dt.Seconds())
	v.chat.feed(v.scene, ecs.Single[game.Feed](v.online.client.World()), now)
	v.verdicts.take(v.online.client, func(overlay.Hit) { v.hits++ })
}

// see looks at the visitor.
func (v *visitor) see(look func() bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return look()
}

// Under every model the client joins, walks, shoots, sees others, and is told what came
// of its shots. Where names cannot change, the server says so in the chat.
func TestEveryPreset(t *testing.T) {
	for _, p := range policy.Presets() {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			m := newMatch(t, matchConfig{bots: 3, preset: p})
			v := visit(m.ctx, m.address, game.Right|game.Up|game.Fire)
			own := func() (k known) {
				for _, k := range m.all() {
					if k.client == v.online.client.ID() {
						return k
					}
				}
				return k
			}
			until(t, "it walks and shoots", func() bool {
				return v.see(func() bool {
					return v.online.connected() && own().walked > 60 && own().shots > 2
				})
			})
			until(t, "it shows everybody, and what came of a shot", func() bool {
				return v.see(func() bool { return len(v.scene.list) > 60 && v.scene.own != nil && v.hits > 2 })
			})
			everywhere := p.Policies().Correction == policy.CorrectionInputs
			if everywhere {
				until(t, "it is told that names stay", func() bool {
					return v.see(func() bool { return v.chat.n > 0 && v.chat.notes[0].who == "server" })
				})
			} else {
				until(t, "it has its name", func() bool { _, ok := m.player("Ada"); return ok })
			}
		})
	}
}

// The match that a window without an address plays has a server and bots.
func TestHost(t *testing.T) {
	address, stop, err := host(&options{bots: 3, npcs: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	v := visit(ctx, address, 0)
	until(t, "everybody is there", func() bool { return v.see(func() bool { return len(v.scene.list) == 3+5+1 }) })
}
