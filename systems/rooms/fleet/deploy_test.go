package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

const (
	deployStep = 50 * time.Millisecond
	deployHz   = 10
	// matchTicks is how long a match is, at least; rooms differ by up to as much again, so that not all end at once.
	matchTicks = 40
	// playersOf is how many play in a match.
	playersOf = 4
)

// errOver is why a match ends.
var errOver = errors.New("the match is over")

// deploy is a fleet that is replaced while people play.
type deploy struct {
	*testbed
	schema  [3]string // by version
	version map[*member]int
	guests  []*visitor

	over    map[rooms.ID]error // why rooms have ended
	matches int                // that were played to the end
	refused map[string]int
	longest time.Duration // that somebody was without a seat
}

// visitor plays one match after another with its version of the game.
type visitor struct {
	id      uint64
	version int
	call    *call           // for a seat
	client  *systems.Client // nil: it has no seat
	seat    rooms.Seat
	asks    time.Time // not before
	without time.Time // a seat, since
	seen    bool      // it has seen itself in this match
}

// games are the game by version.
var games = [...]func() *ecs.Protocol{1: roomstest.Field, 2: hats}

// start starts a process.
func (d *deploy) start(name string, version int) *member {
	kind := rooms.Kind{
		Name: "field", Protocol: games[version], Capacity: playersOf, Linger: 2 * time.Second,
		Server: systems.ServerConfig{TickRate: deployHz, Snapshots: systems.Snapshots{SendRate: deployHz}},
		Set: func(r *rooms.Room, c *systems.ServerConfig) error {
			c.Schedule = func(s *ecs.Schedule) error {
				return s.InsertAfter("ServerApply", ecs.System{Name: "whistle", Run: func(w *ecs.World) {
					if w.Tick() >= matchTicks+uint32(r.ID()%matchTicks) {
						r.End(errOver)
					}
				}})
			}
			return nil
		},
	}
	kind.Ended = func(r *rooms.Room, why error) {
		d.over[r.ID()] = why
		if errors.Is(why, errOver) {
			d.matches++
		}
	}
	m := d.add(name, rooms.Config{Kinds: []rooms.Kind{kind}})
	d.version[m] = version
	return m
}

// pass lets time pass.
func (d *deploy) pass(by time.Duration) {
	d.t.Helper()
	for end := d.now.Add(by); d.now.Before(end); {
		d.now = d.now.Add(deployStep)
		for _, m := range d.members {
			switch {
			case m.stopped:
			case m.server != nil:
				m.server.Advance(d.now)
			default:
				m.fleet.Advance(d.now)
			}
		}
		for _, g := range d.guests {
			switch {
			case g.client != nil:
				d.play(g)
			case g.call != nil:
				d.come(g)
			case g.call == nil && !d.now.Before(g.asks):
				d.ask(g)
			}
		}
	}
}

// ask asks any process for a seat.
func (d *deploy) ask(g *visitor) {
	l := d.members[0].fleet // that of a process without rooms
	if m := d.members[int(g.id)%len(d.members)]; !m.stopped && !(m.server != nil && m.server.Draining()) {
		l = m.fleet
	}
	w := rooms.Wish{Kind: "field", Schema: d.schema[g.version], Players: []rooms.Player{{ID: g.id}}}
	g.call = d.testbed.start(func(ctx context.Context) ([]rooms.Admission, error) { return l.Join(ctx, w) })
}

// come takes the answer.
func (d *deploy) come(g *visitor) {
	all, err := g.call.all, g.call.err
	g.call = nil
	switch {
	case errors.Is(err, rooms.ErrSchema):
		// Its version is too old: it gets the newer one. That may be so only where nobody speaks the old one to newcomers.
		for m, version := range d.version {
			if !m.stopped && !m.server.Draining() && version == g.version {
				d.t.Errorf("player %d is refused, and process %s speaks its version", g.id, m.name)
			}
		}
		d.refused["schema"]++
		g.version = 2
		return
	case err != nil:
		d.refused[err.Error()]++
		g.asks = d.now.Add(time.Second)
		return
	}
	d.longest = max(d.longest, d.now.Sub(g.without))
	for m, version := range d.version {
		if !m.stopped && m.server.Room(all[0].Seat.Room) != nil && version != g.version {
			d.t.Errorf("player %d of version %d gets a seat in version %d", g.id, g.version, version)
		}
	}
	g.seat, g.seen = all[0].Seat, false
	g.client, err = systems.NewClient(d.net.Node(netip.AddrPort{}), netip.AddrPort{}, games[g.version](), systems.ClientConfig{
		Session: systems.ClientSession{Token: all[0].Token}, Start: d.now, Gather: systems.Gather(func(_ *systems.Client, in *roomstest.Push) { in.DX = 1 }),
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// play is a visitor with a seat: its session ends with the match, and with nothing else.
func (d *deploy) play(g *visitor) {
	g.client.Advance(d.now)
	if _, ok := g.client.Own(g.client.World()); ok {
		g.seen = true
	}
	err := g.client.Err()
	if err == nil {
		return
	}
	// A player who joins while the room ends is told the end before it receives its own entity.
	told, ok := errors.AsType[*netsys.CloseError](err)
	if over := errors.Is(d.over[g.seat.Room], errOver); !over || g.seen && (!ok || told.Reason != rooms.ReasonEnded) {
		d.t.Errorf("%v: player %d has lost its seat in room %v: %v; the room: %v", d.now.Sub(birth), g.id, g.seat.Room, err, d.over[g.seat.Room])
	}
	g.client, g.without, g.asks = nil, d.now, d.now.Add(time.Duration(g.id%10)*100*time.Millisecond)
	if g.id%7 == 0 && d.version[d.members[len(d.members)-1]] == 2 {
		g.version = 2 // some get the newer version by themselves, as soon as there is one
	}
}

// Four processes are replaced by a newer version, one after the other, while players play consecutive matches, 400 of them
// with TACTUS_LONG. No match is cut short, and no player loses a seat. A player with the older version plays on while some
// process supports it, and is finally refused with the reason.
func TestRollingDeploy(t *testing.T) {
	players := 40
	if os.Getenv("TACTUS_LONG") != "" {
		players = 400
	}
	d := &deploy{
		testbed: newTestbed(t, 7), schema: [3]string{1: rooms.SchemaOf(roomstest.Field()), 2: rooms.SchemaOf(hats())}, version: make(map[*member]int),
		over: make(map[rooms.ID]error), refused: make(map[string]int),
	}
	for id := range players {
		d.guests = append(d.guests, &visitor{id: uint64(id) + 1, version: 1, without: d.now, asks: d.now.Add(time.Second)})
	}
	d.door()
	var old []*member
	for i := range 4 {
		old = append(old, d.start(fmt.Sprint("old-", i), 1))
	}
	d.pass(6 * time.Second)
	for i, m := range old {
		d.start(fmt.Sprint("new-", i), 2)
		d.pass(time.Second)
		left, began, drained := len(m.server.Rooms()), d.now, false
		m.server.Drain()
		for !drained && d.now.Sub(began) < 2*time.Minute {
			d.pass(deployStep)
			select {
			case <-m.server.Drained():
				drained = true
			default:
			}
		}
		if longest := 2 * matchTicks * time.Second / deployHz; !drained || d.now.Sub(began) > longest+30*time.Second || left == 0 {
			t.Fatalf("process %d drains for %v and has %d of %d rooms left", i, d.now.Sub(began), len(m.server.Rooms()), left)
		}
		m.stopped = true
		if err := m.server.Close(d.now); err != nil {
			t.Error(err)
		}
	}
	d.pass(8 * time.Second)
	seated, newer := 0, 0
	for _, g := range d.guests {
		if g.client != nil {
			seated++
		}
		if g.version == 2 {
			newer++
		}
	}
	t.Logf("%v: %d matches, refused %v, longest without a seat %v", d.now.Sub(birth), d.matches, d.refused, d.longest)
	again := -d.refused["schema"] // who asked just as a process began to drain, and asks again after a second
	for _, n := range d.refused {
		again += n
	}
	if newer != players || seated < players/2 || d.refused["schema"] == 0 || again > players/20 {
		t.Errorf("%d of %d have the newer version, %d play, refused %v", newer, players, seated, d.refused)
	}
	if d.matches < players/playersOf*4 || d.longest > 5*time.Second {
		t.Errorf("%d matches, and somebody was without a seat for %v", d.matches, d.longest)
	}
	for id, why := range d.over {
		if !errors.Is(why, errOver) && !errors.Is(why, rooms.ErrEmpty) && !errors.Is(why, rooms.ErrDrained) {
			t.Errorf("room %v has ended because of %v", id, why)
		}
	}
}
