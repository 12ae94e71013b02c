package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
)

// Block is a part of the field that neither bodies nor shots pass, in units.
type Block struct{ X, Y, W, H float32 }

// Cover lists the blocks of [CombatProtocol]: a cross in the middle, and a quarter of the others in each corner.
var Cover = blocks()

func blocks() []Block {
	all := []Block{{X: 960, Y: 860, W: 80, H: 280}, {X: 860, Y: 960, W: 280, H: 80}}
	for _, b := range []Block{
		{X: 300, Y: 260, W: 40, H: 240}, {X: 340, Y: 260, W: 160, H: 40}, {X: 620, Y: 180, W: 40, H: 180},
		{X: 180, Y: 640, W: 220, H: 40}, {X: 560, Y: 560, W: 120, H: 120}, {X: 780, Y: 420, W: 40, H: 160},
	} {
		left, top := Size-b.X-b.W, Size-b.Y-b.H
		all = append(all, b, Block{left, b.Y, b.W, b.H}, Block{b.X, top, b.W, b.H}, Block{left, top, b.W, b.H})
	}
	return all
}

// stop moves a body out of the blocks, to the nearest edge.
func stop(p *components.Position) {
	for _, b := range Cover {
		left, right := p.X-(b.X-Radius), b.X+b.W+Radius-p.X
		up, down := p.Y-(b.Y-Radius), b.Y+b.H+Radius-p.Y
		if left <= 0 || right <= 0 || up <= 0 || down <= 0 {
			continue
		}
		switch min(left, right, up, down) {
		case left:
			p.X -= left
		case right:
			p.X += right
		case up:
			p.Y -= up
		default:
			p.Y += down
		}
	}
}

// reach returns how far a shot flies, in units: up to a block, or [Range]. cos and sin are its direction.
func reach(from components.Position, cos, sin float64) float64 {
	far := float64(Range)
	for _, b := range Cover {
		in, out := 0.0, far // distances at which the shot enters and leaves the block
		for _, axis := range [...]struct{ low, size, at, step float64 }{
			{float64(b.X), float64(b.W), float64(from.X), cos}, {float64(b.Y), float64(b.H), float64(from.Y), sin},
		} {
			near, away := (axis.low-axis.at)/axis.step, (axis.low+axis.size-axis.at)/axis.step
			if math.IsNaN(near) || math.IsNaN(away) { // along an edge
				in, out = 1, 0
				break
			}
			in, out = max(in, min(near, away)), min(out, max(near, away))
		}
		if in <= out {
			far = in
		}
	}
	return far
}
