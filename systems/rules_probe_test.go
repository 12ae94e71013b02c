package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/systemstest"
)

func TestProbe(t *testing.T) {
	for seed := uint64(1); seed <= 3; seed++ {
		b := time.Now()
		c := systemstest.New(t, onField(seed, 4, bad()))
		c.Connect()
		t.Log("connected", c.Elapsed())
		c.Run(10 * time.Second)
		for _, k := range c.Clients {
			t.Logf("%v warm %+v depth %.1f", k, k.Figures(), k.Figures().MeanDepth())
		}
		c.Mark()
		c.Run(60 * time.Second)
		for _, k := range c.Clients {
			t.Logf("%v %+v depth %.1f wait %d", k, k.Figures(), k.Figures().MeanDepth(), k.Status().Waiting)
		}
		c.NothingMissing()
		c.NoCorrections()
		c.NoStalls()
		c.Settle()
		c.Converged()
		t.Logf("%x %v", c.Hash(), time.Since(b))
	}
}
