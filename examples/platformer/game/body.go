package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// The character, in metres and seconds.
const (
	Radius, Height = 0.35, 1.4 // half of the width; height
	step           = 0.36      // height of a step that it can walk onto
	speed, grip    = 5, 40     // of walking, and acceleration
	leap, gravity  = 10, 25    // give a jump of 2 m
	fallSpeed      = 20        // largest: less than a step per tick, so that no player falls through a floor
	eager          = 0.12      // seconds that an early press still counts before landing
	abyss          = -10       // height at which a falling player starts again
)

// Input is the input of a player for one tick. The direction is relative to the camera, so the input contains its yaw.
type Input struct {
	Forward, Right int8    `net:"-1..1"`
	Yaw            float32 `net:"degrees 1"` // 0: the camera looks east, 90: south
	Jump           bool    `net:"edge"`      // pressed
}

// Values of Body.On; platform i is OnPlatform + i.
const InAir, OnGround, OnPlatform = 0, 1, 2

// Body is a character. On a platform its place is relative to the platform and stays constant while the platform moves. [Protocol] has
// the tags of At and Vel.
type Body struct {
	On           uint8   `net:"0..15"`
	At           Vec     // the feet, from the middle of the platform, else of the world
	Vel          Vec     // relative to the ground or platform
	Turn         float32 `net:"degrees 1"`               // where the face looks
	Press        float32 `net:"0..0.25 step 0.001 hold"` // seconds that a press still counts: a float in a byte
	Jumps, Rides uint16  `net:"0..65535"`                // so far
	Coins        uint16  `net:"0..65535 server"`         // decided by the server
}

// World returns the body's place in the world, at a time in seconds after the start.
func (b *Body) World(seconds float64) Vec { return b.At.add(Below(b.On, seconds)) }

// Below returns the middle of the platform on which a body stands, or of the world, at a time in seconds after the start.
func Below(on uint8, seconds float64) Vec {
	if i := int(on) - OnPlatform; i >= 0 && i < len(Platforms) {
		return Platforms[i].At(seconds)
	}
	return Vec{}
}

// player is a row.
type player struct {
	Owner *components.Owner
	Body  *Body
	Leaps *components.Teleports // of the numbers in At: nothing is drawn between
	In    *Input
}

// walk moves characters. World.Step is shorter than a tick when a frame is drawn between two ticks.
func walk(w *ecs.World) {
	dt, now := w.Step(), seconds(w)
	after := now + float64(dt)
	for _, f := range ecs.Each[player](w) {
		b, was := f.Body, f.Body.On
		at := b.World(after) // a platform moves the bodies that stand on it
		b.drive(f.In, dt)
		if b.Press > 0 && was != InAir {
			b.On, b.Vel.Y, b.Press = InAir, leap, 0
			b.Jumps++
		}
		if at = b.land(b.slide(at, dt), after); at.Y < abyss {
			at, b.Vel = start, Vec{}
			f.Leaps.Count++
		}
		if b.On != was && max(b.On, was) >= OnPlatform { // from here on all is over something else
			moved := Below(was, after).sub(Below(was, now)).sub(Below(b.On, after).sub(Below(b.On, now)))
			b.Vel = b.Vel.add(moved.times(1 / dt))
			f.Leaps.Count++
			if b.On >= OnPlatform {
				b.Rides++
			}
		}
		b.At = at.sub(Below(b.On, after))
	}
}

func seconds(w *ecs.World) float64 { return float64(w.Tick()) / float64(w.TickRate()) }

// drive turns and accelerates by the input. In the air without input, a character keeps its velocity.
func (b *Body) drive(in *Input, dt float32) {
	if b.On == InAir {
		b.Vel.Y = max(b.Vel.Y-float32(gravity*dt), -fallSpeed)
	}
	want, most := Vec{}, float32(grip*dt)
	if in.Forward != 0 || in.Right != 0 {
		s, c := math.Sincos(math.Atan2(float64(in.Right), float64(in.Forward)) + float64(in.Yaw)*math.Pi/180)
		want = Vec{float32(c * speed), 0, float32(s * speed)}
		b.Turn = float32(math.Atan2(s, c) * 180 / math.Pi)
	} else if b.On == InAir {
		most = 0
	}
	more := Vec{want.X - b.Vel.X, 0, want.Z - b.Vel.Z}
	b.Vel = b.Vel.add(more.times(min(most/max(float32(more.long()), most, 0.001), 1)))
	if b.Press = max(b.Press-dt, 0); in.Jump {
		b.Press = eager
	}
}

// slide moves axis by axis and stops at obstacles. Platforms are thin and never obstacles.
func (b *Body) slide(at Vec, dt float32) Vec {
	for _, axis := range [...]struct{ at, vel *float32 }{{&at.X, &b.Vel.X}, {&at.Z, &b.Vel.Z}, {&at.Y, &b.Vel.Y}} {
		from := *axis.at
		*axis.at += float32(*axis.vel * dt)
		for i := range Solids {
			if s := &Solids[i]; *axis.vel != 0 && s.meets(at) && s.Min.Y < at.Y+Height && s.Top(at.X) > at.Y+step {
				*axis.at, *axis.vel = from, 0
			}
		}
	}
	return at
}

// land puts falling feet on the highest surface within the height of a step. Standing characters stay on the ground.
func (b *Body) land(at Vec, after float64) Vec {
	low, high := at.Y, at.Y+step
	if b.On != InAir {
		low -= step
	}
	b.On = InAir
	try := func(s *Solid, on int) {
		if y := s.Top(at.X); s.meets(at) && b.Vel.Y <= 0 && y >= low && y <= high {
			b.On, at.Y, low = uint8(on), y, y
		}
	}
	for i := range Solids {
		try(&Solids[i], OnGround)
	}
	for i := range Platforms {
		m, half := Platforms[i].At(after), Vec{Half, 0, Half}
		try(&Solid{Min: m.sub(half), Max: m.add(half)}, OnPlatform+i)
	}
	if b.On != InAir {
		b.Vel.Y = 0
	}
	return at
}
