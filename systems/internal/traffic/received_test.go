package traffic_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/reconcile"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// The bytes that a client counts by component equal those that the server sent, and it counts nothing while counting is off.
func TestClientsCountWhatTheyReceive(t *testing.T) {
	c := systemstest.New(t, fieldtest.Config(1, 1, systemstest.RoundTrip(20*time.Millisecond, 0, 0)))
	k := c.Clients[0]
	var got, before systems.Received
	k.CountBytes(true)
	c.Connect()
	c.Run(30 * time.Second)
	var sent systems.Traffic
	c.Server.Traffic(&sent)
	k.Received(&got)
	sum := got.Rest
	for i, x := range got.Components {
		sum += x.World + x.Own
		if want := sent.Components[i]; x.Name != want.Name || x.World < 0.85*want.Sent-40 || x.World > 1.15*want.Sent+40 {
			t.Errorf("%+v was received, %+v sent", x, want)
		}
	}
	if got.Bytes == 0 || got.Bytes > sent.Bytes || got.Bytes+200 < sent.Bytes || got.Rest < 0 {
		t.Errorf("%d bytes were received, %d sent: %+v", got.Bytes, sent.Bytes, got)
	}
	if d := sum - float64(got.Bytes); d > 1e-3 || d < -1e-3 {
		t.Errorf("%v bytes in all, %d received", sum, got.Bytes)
	}
	for _, x := range got.Components {
		if predicted := x.Name == "Position" || x.Name == "Jumps"; predicted != (x.Own > 0) || x.Name == "Position" && x.World < 100 {
			t.Errorf("%+v", x)
		}
	}
	k.CountBytes(false)
	k.Received(&before)
	c.Run(5 * time.Second)
	if k.Received(&got); got.Bytes != before.Bytes || got.Rest != before.Rest {
		t.Errorf("%d bytes were counted, %d when it ended", got.Bytes, before.Bytes)
	}
}

// Counting bytes and reading the counters allocates nothing.
func TestCountingAllocatesNothing(t *testing.T) {
	fieldtest.SkipUnderRace(t)
	c := systemstest.New(t, fieldtest.Config(1, 2, systemstest.RoundTrip(100*time.Millisecond, 10*time.Millisecond, 0.02)))
	k := c.Clients[0]
	k.CountBytes(true)
	c.Connect()
	c.Run(30 * time.Second)
	var got systems.Received
	var blame reconcile.Causes
	k.Received(&got)
	k.ReadCauses(&blame)
	testgame.AllocatesNothing(t, func() {
		c.RunTicks(300)
		k.Received(&got)
		k.ReadCauses(&blame)
	})
}
