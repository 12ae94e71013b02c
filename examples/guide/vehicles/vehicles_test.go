package vehicles_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/guide/vehicles"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// driver returns the owner of the car, and the cars.
func driver(w *ecs.World) (owner uint32, cars int) {
	for _, c := range ecs.All[struct {
		Owner components.Owner
		_     ecs.With[vehicles.Car]
	}](w) {
		owner, cars = c.Owner.Client, cars+1
	}
	return owner, cars
}

// seats returns the taken seats by client.
func seats(w *ecs.World) map[uint32]vehicles.Seat {
	all := map[uint32]vehicles.Seat{}
	for _, s := range ecs.All[struct {
		Owner components.Owner
		Seat  vehicles.Seat
	}](w) {
		if s.Seat.Car != 0 {
			all[s.Owner.Client] = s.Seat
		}
	}
	return all
}

// Three players on a bad link board a car. A passenger shoots at what its screen shows above it, and hits it. The driver
// leaves the game: the car stays, and a passenger who boards it again drives.
func TestVehicles(t *testing.T) {
	use, drive, shots := map[int]bool{}, int8(0), map[components.NetID]bool{}
	crowd := systemstest.New(t, systemstest.Config{
		Protocol: vehicles.Protocol,
		Populate: vehicles.Populate,
		Server:   systems.ServerConfig{LagComp: &lagcomp.Config{}},
		Play: systemstest.Play(func(c *systemstest.Client, in *vehicles.Input) {
			in.Use, use[c.N] = use[c.N], false
			in.DX = drive
			if id := aim(c); c.N == 2 && id != 0 && !shots[id] {
				shots[id], in.Fire = true, true
			}
			in.Seen = c.Claim(in.Fire)
		}),
		Clients: 3,
		Link:    systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05),
		Seed:    1,
	})
	crowd.Connect()
	crowd.Run(2 * time.Second)
	for n := range 3 {
		use[n] = true
		crowd.Run(time.Second)
	}
	w := crowd.Server.World()
	if owner, _ := driver(w); owner != crowd.Clients[0].ID() || len(seats(w)) != 3 {
		t.Fatalf("client %d drives, the seats are %v", owner, seats(w))
	}
	crowd.Mark()
	drive = 1
	crowd.Run(4 * time.Second)
	drive = 0
	crowd.Run(time.Second)
	crowd.NoCorrections()
	for _, s := range ecs.All[struct {
		Owner   components.Owner
		Soldier vehicles.Soldier
	}](w) {
		if want := len(shots); s.Owner.Client == crowd.Clients[2].ID() && (want < 10 || int(s.Soldier.Hits) != want) {
			t.Errorf("%d hits of %d shots", s.Soldier.Hits, want)
		}
	}

	crowd.Clients[0].Leave()
	crowd.Run(time.Second)
	if owner, cars := driver(w); owner != 0 || cars != 1 || len(seats(w)) != 2 {
		t.Errorf("without the driver, client %d drives %d cars with %v", owner, cars, seats(w))
	}
	for range 2 { // get out, and board again
		use[1] = true
		crowd.Run(time.Second)
	}
	if owner, _ := driver(w); owner != crowd.Clients[1].ID() {
		t.Errorf("client %d drives", owner)
	}
	crowd.Settle()
	crowd.Converged()
}

// aim returns the target that the screen of a client shows above its soldier, or 0.
func aim(c *systemstest.Client) components.NetID {
	e, _ := c.Own(c.View())
	me := ecs.Get[vehicles.Place](c.View(), e)
	for e, x := range ecs.All[struct {
		Place vehicles.Place
		_     ecs.With[vehicles.Target]
	}](c.View()) {
		if me != nil && x.Place.X > me.X-4 && x.Place.X < me.X+4 {
			return c.View().NetID(e)
		}
	}
	return 0
}
