package platformer

import (
	"math"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/platformer/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/systems"
)

// Colours of the level.
var (
	sky    = paint.RGB(0x7fb2e6)
	meadow = paint.RGB(0x4f9a5b)
	rock   = paint.RGB(0x8a8fa8)
	wood   = paint.RGB(0xb98a58)
	deck   = paint.RGB(0xd9c25f)
	gold   = paint.RGB(0xffd24a)
)

// drawLevel draws boxes in tiles, so that each tile is entirely in front of or behind a character, ramps as planks, and
// platforms at their current positions.
func (s *scene) drawLevel() {
	s.drawClouds()
	for i := range game.Solids {
		b := &game.Solids[i]
		switch {
		case b.Slope > 0:
			s.drawRamp(b)
		case b.Max.Y == 0 || b.Max.Y == 3 || b.Max.Y == 6.5 || b.Max.Y == 0.5:
			t := rock
			if b.Max.Y <= 0.5 {
				t = meadow
			}
			s.drawTiles(b, 4, t)
		default:
			s.drawTiles(b, 10, wood)
		}
	}
	for i := range game.Platforms {
		p := &game.Platforms[i]
		size := 2.0 * game.Half
		s.space.Box(vec(p.At(s.time)).Add(paint.Vec{Y: -0.15}), paint.Vec{X: size, Y: 0.3, Z: size}, 0, deck)
	}
}

// drawClouds draws what floats below and around the level, slowly.
func (s *scene) drawClouds() {
	for i := range 14 {
		f := float64(i)
		x := math.Mod(f*23+0.6*s.time, 110) - 50
		at := paint.Vec{X: x, Y: -9 - 5*math.Sin(f*2.3), Z: 44*math.Sin(f*1.7) - 2}
		for k := range 3 {
			g := float64(k)
			s.space.Box(at.Add(paint.Vec{X: 3*g - 3, Y: 0.5 * math.Sin(g*2+f), Z: 1.5 * math.Cos(g*3+f)}),
				paint.Vec{X: 5 - g, Y: 1.2, Z: 3.5}, 0, paint.White.Fade(0.75))
		}
	}
}

// drawTiles draws a box in tiles of at most so many metres.
func (s *scene) drawTiles(b *game.Solid, most float64, t paint.Tint) {
	low, high := vec(b.Min), vec(b.Max)
	low.Z, high.Z = high.Z, low.Z
	nx, nz := int(math.Ceil((high.X-low.X)/most)), int(math.Ceil((high.Z-low.Z)/most))
	size := paint.Vec{X: (high.X - low.X) / float64(nx), Y: high.Y - low.Y, Z: (high.Z - low.Z) / float64(nz)}
	for x := range nx {
		for z := range nz {
			middle := paint.Vec{X: low.X + size.X*(float64(x)+0.5), Y: (low.Y + high.Y) / 2, Z: low.Z + size.Z*(float64(z)+0.5)}
			s.space.Box(middle, size, 0, t.Toward(paint.Black, 0.07*float64((x+z)%2)))
		}
	}
}

// drawRamp draws a ramp as planks.
func (s *scene) drawRamp(b *game.Solid) {
	const plank = 0.25
	for x := b.Min.X; x < b.Max.X-plank/2; x += plank {
		low, high := vec(b.Min), vec(b.Max)
		top := float64(b.Top(x + plank/2))
		middle := paint.Vec{X: float64(x + plank/2), Y: (low.Y + top) / 2, Z: (low.Z + high.Z) / 2}
		s.space.Box(middle, paint.Vec{X: plank, Y: top - low.Y, Z: math.Abs(high.Z - low.Z)}, 0, wood.Toward(paint.Black, 0.12*float64(int(x/plank)&1)))
	}
}

// drawCoins draws the remaining coins and the bell.
func (s *scene) drawCoins(c *systems.Client) {
	for _, v := range ecs.All[struct{ Coin game.Coin }](c.View()) {
		if v.Coin.BackAt > c.ServerTick() || int(v.Coin.Number) >= len(game.Coins) {
			continue
		}
		at := vec(game.Coins[v.Coin.Number]).Add(paint.Vec{Y: 0.08 * math.Sin(3*s.time+float64(v.Coin.Number))})
		if v.Coin.Number == 0 {
			s.space.Ball(at.Add(paint.Vec{Y: 0.1}), 0.8, gold)
			s.space.Box(at.Add(paint.Vec{Y: -0.25}), paint.Vec{X: 0.9, Y: 0.16, Z: 0.9}, s.time, gold.Toward(paint.Black, 0.2))
			continue
		}
		s.space.Box(at, paint.Vec{X: 0.5, Y: 0.5, Z: 0.1}, 2.5*s.time+float64(v.Coin.Number), gold.Toward(paint.White, 0.3))
		s.space.Shadow(paint.Vec{X: at.X, Y: s.ground(at) + 0.02, Z: at.Z}, 0.5, 0.25)
	}
}

// spark is a particle of a collected coin.
type spark struct {
	at   paint.Vec
	life float64 // remaining seconds
	tint paint.Tint
}

const sparkLife = 0.7

// drawSparks draws the particles and moves them.
func (s *scene) drawSparks(dt float64) {
	for i := range s.sparks {
		p := &s.sparks[i]
		if p.life <= 0 {
			continue
		}
		p.life -= dt
		age := 1 - max(p.life, 0)/sparkLife
		for k := range 8 {
			sin, cos := math.Sincos(float64(k)*math.Pi/4 + 0.4*float64(i))
			at := p.at.Add(paint.Vec{X: cos * age * 1.3, Y: 1.2*age - 1.6*age*age + 0.3*sin*age, Z: sin * age * 1.3})
			s.space.Ball(at, 0.18*(1-age*0.6), p.tint.Fade(1-age))
		}
	}
}
