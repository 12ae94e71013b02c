package game

import "github.com/tactusgo/tactus/ecs"

// Food lies about. It is the server's.
type Food struct {
	X float32 `net:"0..96 step 0.125"`
	Y float32 `net:"0..64 step 0.125"`
}

// feed runs on the server alone, again for ticks that are simulated again: it writes nothing but
// state. Snakes grow by what they eat and by whom they kill, and begin anew when they have died.
func feed(w *ecs.World) {
	for _, p := range ecs.EachInOrder[player](w) {
		switch {
		case p.Snake.Dead == 1:
			p.Snake.Length = hatch
			if killer, ok := w.ByNetID(p.Snake.By); ok {
				g := ecs.Get[Snake](w, killer)
				g.Kills++
				g.Length = min(g.Length+2, longest)
			}
		case p.Snake.Dead == 0:
			for e, f := range ecs.Each[struct{ Food *Food }](w) {
				if near(p.Snake, f.Food.X, f.Food.Y) {
					draw := w.Rand(e)
					*f.Food = Food{X: 2 + draw.Float32()*(SizeX-4), Y: 2 + draw.Float32()*(SizeY-4)}
					p.Snake.Length = min(p.Snake.Length+1, longest)
				}
			}
		}
	}
}
