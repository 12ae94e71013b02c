package systems

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// An entity that changes its scope blends in a straight line within 12 ticks. Its drawn pose depends on the time, not on the
// frames that were drawn before.
func TestPoseIsLeftByTimeNotByFrames(t *testing.T) {
	for _, frames := range []int{1, 2, 5, 24, 100} {
		g := newGame(t, peopled, ServerConfig{})
		c := g.join(ClientConfig{}, netsys.Link{})
		g.connect()
		g.run(60)
		e, _ := c.Own(c.World())
		v, _ := c.Own(c.View())
		r := c.mirror.Entities.Of(uint32(c.World().NetID(e)))
		was := *ecs.Get[place](c.View(), v)
		c.interpolator.Reshaped(r, true)
		ecs.Get[place](c.World(), e).X = was.X + 12
		over := 12 * testTick
		for i := 1; i <= frames; i++ {
			at := over * time.Duration(i) / time.Duration(frames) * 3 / 4
			c.Frame(g.now.Add(at))
			want := float64(was.X) + 12*at.Seconds()/over.Seconds()
			if x := ecs.Get[place](c.View(), v).X; math.Abs(float64(x)-want) > 1e-4 {
				t.Errorf("frame %d of %d: at %v, want %v", i, frames, x, want)
			}
		}
		if c.Frame(g.now.Add(over)); ecs.Get[place](c.View(), v).X != was.X+12 {
			t.Errorf("after %v: at %v", over, *ecs.Get[place](c.View(), v))
		}
		if x := ecs.Get[place](c.World(), e).X; x != was.X+12 {
			t.Errorf("what is simulated was moved to %v", x)
		}
	}
}
