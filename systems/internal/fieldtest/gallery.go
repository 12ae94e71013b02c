package fieldtest

import (
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Gun counts its shots. A gun that the server has jammed does not fire.
type Gun struct {
	Shots  uint16 `net:"0..65535"`
	Jammed uint8  `net:"0..1"`
}

// Fuse has the number of ticks that a bullet has left and which of the gun's shots it is. Rescued marks bullets that
// the server gave more time, which no client can predict.
type Fuse struct {
	Left    uint8  `net:"0..255"`
	Shot    uint16 `net:"0..65535"`
	Rescued uint8  `net:"0..1"`
}

// Gunner is a player with a gun.
type Gunner struct {
	Owner *components.Owner
	At    *components.Position
	Gun   *Gun
	In    *Walk
}

// Flying is a bullet in the air.
type Flying struct {
	At   *components.Position
	Fuse *Fuse
}

type bullet struct {
	Owner components.Owner
	At    components.Position
	Fuse  Fuse
}

// GalleryConfig returns a match in which players shoot by pressing Jump. Every second bullet lives longer than a round
// trip. With jams, the server jams guns at random.
func GalleryConfig(seed uint64, clients int, jams bool, more ...Part) systemstest.Config {
	config := Config(seed, clients, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.05))
	config.Populate = nil
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Prediction: systems.Prediction{Smoothing: interpolate.Smoothing{Off: true}}}
	}
	parts := []Part{OnJoin(JoinWith(Gun{})), Predicted[Gun], Predicted[Fuse], Simulate("fly", func(w *ecs.World) {
		for e, b := range ecs.Each[Flying](w) {
			b.At.Y += 2
			if b.Fuse.Left--; b.Fuse.Left == 0 {
				w.Despawn(e)
			}
		}
	}), Simulate("fire", func(w *ecs.World) {
		for _, g := range ecs.Each[Gunner](w) {
			if !g.In.Jump || g.Gun.Jammed > 0 {
				continue
			}
			g.Gun.Shots++
			ecs.Spawn(w, bullet{*g.Owner, *g.At, Fuse{8 + 40*uint8(g.Gun.Shots%2), g.Gun.Shots, 0}})
		}
	})}
	jam := Authority(func(w *ecs.World) {
		for e, r := range ecs.Each[struct{ Gun *Gun }](w) {
			if draw := w.Rand(e); draw.IntN(30) == 0 {
				r.Gun.Jammed ^= 1
			}
		}
		for e, b := range ecs.Each[Flying](w) {
			if draw := w.Rand(e); b.Fuse.Left < 4 && b.Fuse.Rescued == 0 && draw.IntN(12) == 0 {
				b.Fuse.Left, b.Fuse.Rescued = 250, 1
			}
		}
	})
	if jams {
		parts = append(parts, jam)
	}
	config.Protocol = ProtocolWith(append(parts, more...)...)
	return config
}
