package overlay_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// BenchmarkTick is a tick of the same, without what a frame does: counting bytes is all
// that an overlay adds to it.
func BenchmarkTick(b *testing.B) {
	for _, name := range []string{"hidden", "shown"} {
		b.Run(name, func(b *testing.B) {
			o := newOverlay(b)
			o.Show(name == "shown")
			m := newBusy(b, o)
			for b.Loop() {
				m.step()
			}
		})
	}
}

// newBusy is a match with two hundred entities that has begun.
func newBusy(b *testing.B, o *overlay.Overlay) *match {
	m := newMatch(b, o, calm)
	for i := range 200 {
		m.server.World().Spawn(components.Position{X: float32(i), Y: 10}, components.Health{}, walk{})
	}
	m.run(5 * time.Second)
	b.ReportAllocs()
	return m
}

// BenchmarkFrame is a tick and a frame of a server with two hundred entities and two
// clients, of which one has an overlay: not looked at, hidden, shown, and drawn too.
func BenchmarkFrame(b *testing.B) {
	for _, name := range []string{"none", "hidden", "shown", "drawn"} {
		b.Run(name, func(b *testing.B) {
			o := newOverlay(b)
			o.Show(name == "shown" || name == "drawn")
			m := newBusy(b, o)
			p := &paper{w: 1280, h: 720}
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
