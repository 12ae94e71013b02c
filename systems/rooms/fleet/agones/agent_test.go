package agones

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/rooms"
)

// place is where a player is, push what it sends.
type (
	place struct {
		X float32 `net:"-512..512 step 0.01"`
	}
	push struct {
		DX int8 `net:"-1..1"`
	}
)

func field() *ecs.Protocol {
	p := ecs.NewProtocol("field/1")
	ecs.Replicate[place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[push](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, place{}, push{})
	})
	return p
}

// cluster is a process with rooms, its agent and Agones' stand-in, in virtual time.
type cluster struct {
	*rooms.Server
	t      *testing.T
	now    time.Time
	agones *standIn
	agent  *agent
	idle   time.Duration // the agent's next step is due after
}

func newCluster(t *testing.T, c Config) *cluster {
	t.Helper()
	x := &cluster{t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), agones: newStandIn(t)}
	var err error
	x.Server, err = rooms.New(rooms.Config{
		Kinds:   []rooms.Kind{{Name: "field", Protocol: field, Capacity: 4, Linger: time.Second}},
		Promise: 10 * time.Minute, Now: func() time.Time { return x.now }, Random: netsys.SeededRandom(1),
	}, netsys.NewNetwork().Node(netip.AddrPort{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Server.Close(x.now); err != nil {
			t.Error(err)
		}
	})
	c.Port = x.agones.config().Port
	if c, err = c.filled(); err != nil {
		t.Fatal(err)
	}
	x.agent = newAgent(c, x.Server)
	return x
}

// run lets time pass.
func (x *cluster) run(d time.Duration) {
	x.t.Helper()
	for end := x.now.Add(d); x.now.Before(end); {
		for x.idle <= 0 {
			x.idle = x.agent.step(x.t.Context(), x.now)
		}
		x.now, x.idle = x.now.Add(50*time.Millisecond), x.idle-50*time.Millisecond
		x.Advance(x.now)
	}
}

// seat gives a player a seat.
func (x *cluster) seat(player uint64) *rooms.Room {
	x.t.Helper()
	all, err := x.Join("field", nil, rooms.Player{ID: player})
	if err != nil {
		x.t.Fatal(err)
	}
	return x.Room(all[0].Seat.Room)
}

// expect compares the state that Agones has.
func (x *cluster) expect(when, state string, rooms, capacity, players int64) {
	x.t.Helper()
	x.agones.with(func() {
		r, p := *x.agones.counts[Rooms], *x.agones.counts[Players]
		if x.agones.state != state || r != [2]int64{rooms, capacity} || p[0] != players {
			x.t.Errorf("%s: %s with rooms %v and players %v; want %s with rooms [%d %d] and %d players", when, x.agones.state, r, p, state, rooms, capacity, players)
		}
	})
}

// A process is ready, is allocated while a player has a seat or the process drains, and shuts down when it has drained.
// Counters contain its rooms and players, and it reports its health every two seconds.
func TestLife(t *testing.T) {
	x := newCluster(t, Config{Rooms: 8})
	x.run(3 * time.Second)
	x.expect("at first", "Ready", 0, 8, 0)
	r := x.seat(17)
	x.seat(18)
	x.run(1100 * time.Millisecond)
	x.expect("with players", "Allocated", 1, 8, 2)
	for _, id := range []uint64{17, 18} {
		if err := r.Kick(id); err != nil {
			t.Fatal(err)
		}
	}
	x.run(4 * time.Second)
	x.expect("empty again", "Ready", 0, 8, 0)
	r = x.seat(19)
	x.Drain()
	x.run(10 * time.Second)
	x.expect("draining", "Allocated", 1, 1, 1)
	if err := r.Kick(19); err != nil {
		t.Fatal(err)
	}
	x.run(3 * time.Second)
	x.expect("drained", "Shutdown", 0, 0, 0)
	if n := x.agones.called("POST /ready"); n != 2 {
		t.Errorf("ready %d times", n)
	}
	x.run(20 * time.Second)
	x.expect("for good", "Shutdown", 0, 0, 0)
	if n := x.agones.called("POST /shutdown"); n != 1 {
		t.Errorf("told %d times that it goes", n)
	}
	x.agones.with(func() {
		if passed := int(x.now.Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) / healthInterval); x.agones.health < passed || x.agones.health > passed+2 {
			t.Errorf("%d signs of life in %d times 2 s", x.agones.health, passed)
		}
	})
}

// A process drains if its Fleet labels it as surplus, and if its GameServer is deleted.
func TestAgonesDrains(t *testing.T) {
	for name, x := range map[string]struct {
		set    func(s *standIn)
		drains bool
	}{
		"a label":        {func(s *standIn) { s.labels[Drain] = "true" }, true},
		"an annotation":  {func(s *standIn) { s.notes[Drain] = "1.2.3" }, true},
		"a label not to": {func(s *standIn) { s.labels[Drain] = "false" }, false},
		"another label":  {func(s *standIn) { s.labels["version"] = "2" }, false},
		"deleted":        {func(s *standIn) { s.state = "Shutdown" }, true},
	} {
		c := newCluster(t, Config{})
		c.seat(1)
		c.run(2 * time.Second)
		c.agones.with(func() { x.set(c.agones) })
		c.run(gameServerInterval + time.Second)
		if c.Draining() != x.drains {
			t.Errorf("%s: draining %v", name, c.Draining())
		}
	}
}

// A call that Agones refuses is repeated at increasing intervals while other calls continue. State that Agones has lost, or
// that somebody has changed, is reported again.
func TestFaults(t *testing.T) {
	x := newCluster(t, Config{})
	down := true
	x.agones.fails = func(string) bool { return down }
	x.seat(1)
	x.run(60 * time.Second)
	if n := x.agones.called("POST /ready"); n < 8 || n > 15 {
		t.Errorf("tried %d times to be ready in a minute", n)
	}
	if n := x.agones.called("POST /health"); n < 29 || n > 35 {
		t.Errorf("tried %d times to be alive in a minute", n)
	}
	x.agones.with(func() { down = false })
	x.run(mostPause + 3*time.Second)
	x.expect("up again", "Allocated", 1, 100, 1)

	x.agones.with(func() { x.agones.state, *x.agones.counts[Rooms] = "Ready", [2]int64{7, 100} })
	x.run(gameServerInterval + 2*time.Second)
	x.expect("after somebody else's change", "Allocated", 1, 100, 1)

	x.agones.with(func() {
		x.agones.fails = func(path string) bool { return path == "/v1beta1/counters/"+Rooms }
		*x.agones.counts[Rooms] = [2]int64{7, 100}
	})
	before, lives := x.agones.called("PATCH /v1beta1/counters/"+Rooms), x.agones.called("POST /health")
	x.seat(2)
	x.run(30 * time.Second)
	x.expect("one counter is refused", "Allocated", 7, 100, 2)
	if n := x.agones.called("PATCH /v1beta1/counters/"+Rooms) - before; n < 4 || n > 12 {
		t.Errorf("tried %d times in half a minute", n)
	}
	if n := x.agones.called("POST /health") - lives; n != 15 {
		t.Errorf("%d signs of life in half a minute", n)
	}
}

// Without counters in the manifest none are reported.
func TestManifestSaysWhatIsTold(t *testing.T) {
	x := newCluster(t, Config{})
	x.agones.with(func() { x.agones.counts = nil })
	x.seat(1)
	x.run(5 * time.Second)
	for _, what := range []string{"counters/" + Rooms, "counters/" + Players} {
		if n := x.agones.called("PATCH /v1beta1/" + what); n != 0 {
			t.Errorf("%s was told %d times", what, n)
		}
	}
	if n := x.agones.called("POST /allocate"); n != 1 {
		t.Errorf("allocated %d times", n)
	}
}
