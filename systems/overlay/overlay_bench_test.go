package overlay_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
)

// BenchmarkFrame is a tick and a frame of a server with two hundred entities and two
// clients, of which one has an overlay: not looked at, hidden, shown, and drawn too.
func BenchmarkFrame(b *testing.B) {
	for _, name := range []string{"none", "hidden", "shown", "drawn"} {
		b.Run(name, func(b *testing.B) {
			o := newOverlay(b)
			o.Show(name == "shown" || name == "drawn")
			m := newMatch(b, o, calm)
			for i := range 200 {
				m.server.World().Spawn(components.Position{X: float32(i), Y: 10}, components.Health{}, walk{})
			}
			m.run(5 * time.Second)
			p := &paper{w: 1280, h: 720}
			b.ReportAllocs()
			for b.Loop() {
				m.step()
				if name != "none" {
					o.Sample(m.now)
				}
				if name == "drawn" {
					o.Draw(p)
				}
			}
		})
	}
}
