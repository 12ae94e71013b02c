package trial

import (
	"cmp"
	"slices"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/compare/world"
)

// script is what the players of a comparison do: walk somewhere for a while, aim elsewhere, shoot now and then. It
// follows from the seed and the time alone, so every model gets the same.
type script struct {
	seed   uint64
	from   time.Time // before, players stand
	scenes [][]scene // of each player, by time
}

// scene is what a player does until something else.
type scene struct {
	at time.Duration
	in world.Input
}

// newScript makes the scenes of so many players for a time.
func newScript(seed uint64, players int, from time.Time, d time.Duration) *script {
	s := &script{seed: seed, from: from, scenes: make([][]scene, players)}
	for n := range s.scenes {
		draw := ecs.NewRand(seed, 1<<40|uint64(n))
		aim := 0
		for at := time.Duration(0); at < d; {
			// Every aim is another one than the last hundred, so that it is known by it which scene is seen.
			aim = (aim + 3 + draw.IntN(3)) % 360
			in := world.Input{DX: int8(draw.IntN(3) - 1), DY: int8(draw.IntN(3) - 1), Aim: uint16(aim)}
			s.scenes[n] = append(s.scenes[n], scene{at, in})
			at += time.Duration(10+draw.IntN(30)) * step
		}
	}
	return s
}

// input is what a player does at a time.
func (s *script) input(n int, now time.Time) world.Input {
	i := s.scene(n, now)
	if i < 0 {
		return world.Input{}
	}
	in := s.scenes[n][i].in
	// A trigger is pulled in the first two ticks of a scene; the gun's rest makes one shot of it.
	in.Fire = now.Sub(s.from)-s.scenes[n][i].at < 2*step
	return in
}

// scene is the number of the scene that a player is in at a time; -1 before the first.
func (s *script) scene(n int, now time.Time) int {
	d := now.Sub(s.from)
	if d < 0 {
		return -1
	}
	i, found := slices.BinarySearchFunc(s.scenes[n], d, func(c scene, d time.Duration) int { return cmp.Compare(c.at, d) })
	if found {
		return i
	}
	return i - 1
}
