package systems_test

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/systemstest"
)

// The delay is the largest transit of the last ten seconds, without what fewer than
// four half seconds of it saw, and k send intervals, as many as are lost in a row less
// than once in a million: no less and no more.
func TestNetcodeE4_DelayIsTransitAndCover(t *testing.T) {
	const gap, near, far = 3, 4, 22 // ticks
	c := systemstest.New(t, onField(1, 3, lag(near)))
	c.Connect()
	c.Run(15 * time.Second)
	frames := 0
	within := func(transit float64) {
		for _, k := range c.Clients {
			cover := math.Ceil(math.Log(1e-6) / math.Log(min(max(k.Traffic().Session.LossIn, 0.01), 0.5)))
			want := transit + cover*gap
			// After tick n the server has completed n+1 ticks.
			age := c.Elapsed().Seconds()*60 - (k.DrawnTick() - 1)
			// What was drawn last is up to a tick old.
			if age < want-0.02 || age > want+1+0.02 {
				t.Fatalf("%v after %v: draws a state of %.2f ticks ago; a transit of %v ticks and %v gaps of %d ask for %.0f",
					k, c.Elapsed(), age, transit, cover, gap, want)
			}
			frames++
		}
	}
	for range 100 {
		c.RunTicks(1)
		within(near)
	}
	c.SetLinks(lag(far), lag(far))
	c.Run(9 * time.Second) // the delay grows by 5 % of the time that passes, at most
	c.RunTicks(1)
	within(far)
	c.SetLinks(lag(near), lag(near))
	at := c.Elapsed()
	for c.Elapsed() < at+8*time.Second {
		c.RunTicks(10)
		within(far)
	}
	c.Run(12 * time.Second)
	c.RunTicks(1)
	within(near)
	if frames < 300+100 {
		t.Errorf("%d frames compared", frames)
	}
}
