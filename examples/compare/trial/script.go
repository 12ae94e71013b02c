package trial

import (
	"cmp"
	"slices"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/compare/world"
)

// script has the inputs of the players of a comparison. They walk, aim and shoot. The inputs depend only on the seed and the
// time, so every model gets the same inputs.
type script struct {
	seed   uint64
	from   time.Time // players stand before this time
	scenes [][]scene // of each player, by time
}

// scene is the input of a player from a time on, until the next scene.
type scene struct {
	at time.Duration
	in world.Input
}

// newScript returns the scenes of players for the duration d after from.
func newScript(seed uint64, players int, from time.Time, d time.Duration) *script {
	s := &script{seed: seed, from: from, scenes: make([][]scene, players)}
	for n := range s.scenes {
		random := ecs.NewRand(seed, 1<<40|uint64(n))
		aim := 0
		for at := time.Duration(0); at < d; {
			// An aim does not repeat within a hundred scenes, so a meter recognizes the scene by the aim.
			aim = (aim + 3 + random.IntN(3)) % 360
			in := world.Input{DX: int8(random.IntN(3) - 1), DY: int8(random.IntN(3) - 1), Aim: uint16(aim)}
			s.scenes[n] = append(s.scenes[n], scene{at, in})
			at += time.Duration(10+random.IntN(30)) * step
		}
	}
	return s
}

// input returns the input of player n at a time.
func (s *script) input(n int, now time.Time) world.Input {
	i := s.scene(n, now)
	if i < 0 {
		return world.Input{}
	}
	in := s.scenes[n][i].in
	// The trigger is pulled in the first two ticks of a scene. The pause between shots allows one shot.
	in.Fire = now.Sub(s.from)-s.scenes[n][i].at < 2*step
	return in
}

// scene returns the index of the scene of player n at a time, or -1 before the first scene.
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
