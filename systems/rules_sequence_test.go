package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// The server holds ticks while a buffer grows, so that sequences and ticks move
// apart. Predictions are matched by sequence, so none of it is a misprediction.
func TestNetcodeA6_HoldsShiftTicksNotPredictions(t *testing.T) {
	config := onField(1, 2, lag(2))
	// Every input moves the player, so being off by one tick shows.
	config.Play = steady(Walk{DX: 1, DY: -1})
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(2 * time.Second)
	c.Mark()
	for n := 4; n <= 24; n += 2 { // never so much at once that inputs are missing
		c.SetLinks(lag(n), lag(n))
		c.Run(3 * time.Second)
	}
	for _, k := range c.Clients {
		if f := k.Figures(); f.Holds < 5 || f.Confirmed < 600 || f.Missing != 0 {
			t.Errorf("%v: %d holds, %d own states confirmed, %d inputs missing", k, f.Holds, f.Confirmed, f.Missing)
		}
	}
	c.NoCorrections()
	c.Settle()
	c.Converged()
}

// What has no own state in it confirms nothing, whatever else it holds and
// acknowledges.
func TestNetcodeA6_WithoutOwnStateNothingIsConfirmed(t *testing.T) {
	config := onField(1, 1, lag(4))
	// A crowd that moves by chance takes several datagrams; own state is in the
	// first.
	config.Populate = drifters(600)
	config.Protocol = fieldWith(shake)
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(2 * time.Second)

	k := c.Clients[0]
	first := firstOfSnapshot()
	c.Lose(func(p systemstest.Packet) bool { return !p.Up && first(p) })
	c.RunTicks(12) // what was under way
	c.Mark()
	tick, server, acks := k.ConfirmedTick(), k.ServerTick(), k.Status().Session.LossOut
	sent := k.Traffic().Session.PayloadOut
	c.RunTicks(60)
	f := k.Figures()
	if f.Confirmed != 0 || f.Corrections != 0 || k.ConfirmedTick() != tick {
		t.Errorf("%d own states confirmed and %d corrected, without any; tick %d, before %d", f.Confirmed, f.Corrections, k.ConfirmedTick(), tick)
	}
	if f.Snapshots < 19 || k.ServerTick() < server+57 || acks > 0.8 {
		t.Errorf("%d snapshots taken in up to tick %d, loss %.2f: the rest should have come through", f.Snapshots, k.ServerTick(), acks)
	}
	// The acknowledgements that came with them trimmed what is sent again: a
	// packet holds what a round trip may still lose, not what was never confirmed.
	const overhead, input = 7, 4
	if mean := float64(k.Traffic().Session.PayloadOut-sent) / 60; mean > overhead+16*input {
		t.Errorf("%.1f bytes of inputs a tick: acknowledged inputs are sent again", mean)
	}
	c.Lose(nil)
	c.Settle()
	c.Converged()
	c.NoCorrections()
}

// firstOfSnapshot tells the first datagram of each snapshot on a link without
// jitter, where all of one arrive at the same time.
func firstOfSnapshot() func(p systemstest.Packet) bool {
	var at time.Time
	return func(p systemstest.Packet) bool {
		fresh := !p.At.Equal(at)
		at = p.At
		return fresh
	}
}

// shake moves what nobody owns by chance, so that no snapshot is small.
func shake(w *ecs.World) {
	type shaken struct {
		Pos *components.Position
		_   ecs.Without[components.Owner]
	}
	for e, s := range ecs.Each[shaken](w) {
		r := w.Rand(e)
		s.Pos.X, s.Pos.Y = 100*r.Float32(), 100*r.Float32()
	}
}
