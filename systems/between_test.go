package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/reconcile"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A window is what the server had of an entity at the two ticks that it is drawn between,
// on a bad link and while groups change; the drawn place lies between the two. What the
// client simulates has none, and none has a component that it lacks. The ghost stands where the
// prediction after its input was.
func TestWindowsAreWhatTheServerHad(t *testing.T) {
	systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) {
		c := systemstest.New(t, onField(seed, 3, systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05)))
		truth := map[uint32]map[components.NetID]components.Position{}
		c.OnServerTick(func() { truth[c.Server.Tick()] = places(c.Server.World()) })
		windows, alone, own, compared := 0, 0, 0, 0
		c.OnFrame(func(k *systemstest.Client) {
			for id, at := range places(k.View()) {
				e, _ := k.View().ByNetID(id)
				from, to, ok := systems.Between[components.Position](k.Client, e)
				d, _ := k.Drawing(e)
				if d.Simulated || d.From == 0 {
					if ok {
						t.Fatalf("%v: entity %d has a window of %v and %v, drawn as %+v", k, id, from, to, d)
					}
					own++
					continue
				}
				was, is := truth[d.From][id], truth[d.To][id]
				if d.To == 0 {
					is = was
					alone++
				}
				if !ok || apart(from, was) > tolerance || apart(to, is) > tolerance {
					t.Fatalf("%v: entity %d between %v and %v, the server had it at %v and %v: %+v", k, id, from, to, was, is, d)
				}
				if d.To != 0 {
					share := float32((k.DrawnTick() - float64(d.From)) / float64(d.To-d.From))
					want := components.Position{X: from.X + (to.X-from.X)*share, Y: from.Y + (to.Y-from.Y)*share}
					if apart(at, want) > 1e-3 {
						t.Fatalf("%v: entity %d is drawn at %v, %v of the way from %v to %v is %v", k, id, at, share, from, to, want)
					}
				}
				windows++
			}
		})
		predicted := map[[2]uint32]components.Position{}
		c.OnClientTick(func(k *systemstest.Client) {
			e, ok := k.Own(k.World())
			if !ok {
				return
			}
			predicted[[2]uint32{k.ID(), k.Input()}] = place(k.World(), e)
			ghost, ok := systems.Confirmed[components.Position](k.Client, e)
			if was, known := predicted[[2]uint32{k.ID(), k.ConfirmedInput()}]; ok && known && c.Elapsed() > 5*time.Second {
				if compared++; apart(ghost, was) > tolerance {
					t.Fatalf("%v: predicted at %v after input %d, the server had it at %v", k, was, k.ConfirmedInput(), ghost)
				}
			}
		})
		c.Connect()
		c.Run(20 * time.Second)
		if windows < 10000 || own < 1000 || compared < 1000 {
			t.Errorf("%d windows, %d of them without a later state, %d own, %d compared", windows, alone, own, compared)
		}
		k := c.Clients[0]
		drifter := components.NetID(0)
		for id := range places(k.View()) {
			e, _ := k.View().ByNetID(id)
			if _, _, ok := systems.Between[Jumps](k.Client, e); !ok && drifter == 0 {
				if _, _, there := systems.Between[components.Position](k.Client, e); there {
					drifter = id
				}
			}
		}
		if drifter == 0 {
			t.Error("drifters have a window of a component that they lack")
		}
	})
}

// What a client counts of what it received is what the server sent it, by component, and
// nothing while it does not count.
func TestClientsCountWhatTheyReceive(t *testing.T) {
	systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) {
		c := systemstest.New(t, onField(seed, 1, systemstest.RoundTrip(20*time.Millisecond, 0, 0)))
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
	})
}

// Counting and reading what was counted allocates nothing.
func TestCountingAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	c := systemstest.New(t, onField(1, 2, systemstest.RoundTrip(100*time.Millisecond, 10*time.Millisecond, 0.02)))
	k := c.Clients[0]
	k.CountBytes(true)
	c.Connect()
	c.Run(30 * time.Second)
	var got systems.Received
	var blame reconcile.Causes
	k.Received(&got)
	k.ReadCauses(&blame)
	if n := testing.AllocsPerRun(1, func() {
		c.RunTicks(300)
		k.Received(&got)
		k.ReadCauses(&blame)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
