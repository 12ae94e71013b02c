package rooms_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	deployStep = 50 * time.Millisecond
	deployHz   = 10
	// matchTicks is how long a match is, at least; rooms differ, so that not all end at once.
	matchTicks = 60
	// seatsOf is how many play in a match.
	seatsOf = 4
)

// errOver is why a match ends.
var errOver = errors.New("the match is over")

// stride is the input, stand where a player is, and hat is what the newer version of the game has besides.
type (
	stride struct {
		DX int8 `net:"-1..1"`
	}
	stand struct {
		X float32 `net:"-512..512 step 0.01"`
	}
	hat struct {
		Color uint8 `net:"0..7"`
	}
)

// version is a game of that version.
func version(n int) *ecs.Protocol {
	p := ecs.NewProtocol("deploy/1")
	ecs.Replicate[stand](p, ecs.Predicted|ecs.Interpolated)
	if n > 1 {
		ecs.Replicate[hat](p, ecs.Interpolated)
	}
	ecs.Input[stride](p)
	p.Simulate("stride", func(w *ecs.World) {
		for _, r := range ecs.Each[struct {
			At *stand
			In *stride
		}](w) {
			r.At.X += float32(r.In.DX) / 8
		}
	})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, stand{}, stride{})
	})
	return p
}

// deploy is a fleet that is replaced while people play, in virtual time: several servers on one network, with one directory.
type deploy struct {
	t         *testing.T
	now       time.Time
	net       *netsys.Network
	directory *rooms.Memory
	key       netcode.Key
	schema    [3]string // by version
	processes []*deployed
	guests    []*visitor

	over    map[rooms.ID]error // why rooms have ended
	matches int                // that were played to the end
	refused map[string]int
	longest time.Duration // that somebody was without a seat
}

// deployed is a process.
type deployed struct {
	*rooms.Server
	version int
	closed  bool
}

// visitor is who plays one match after the other, with the version of the game that it has.
type visitor struct {
	id      uint64
	version int
	client  *systems.Client // nil: it has no seat
	seat    rooms.Seat
	asks    time.Time // not before
	without time.Time // a seat, since
	seen    bool      // it has seen itself in this match
}

func newDeploy(t *testing.T, players int) *deploy {
	d := &deploy{
		t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), net: netsys.NewNetwork(), key: netcode.GenerateKey(netsys.SeededRandom(7)),
		over: make(map[rooms.ID]error), refused: make(map[string]int),
	}
	d.directory = rooms.NewMemory(func() time.Time { return d.now })
	for v := 1; v <= 2; v++ {
		d.schema[v] = rooms.SchemaOf(version(v))
	}
	for id := range players {
		d.guests = append(d.guests, &visitor{id: uint64(id) + 1, version: 1, without: d.now})
	}
	return d
}

// start starts a process.
func (d *deploy) start(name string, of int) *deployed {
	d.t.Helper()
	kind := rooms.Kind{
		Name: "match", Protocol: func() *ecs.Protocol { return version(of) }, Capacity: seatsOf, Linger: 2 * time.Second,
		Server: systems.ServerConfig{TickRate: deployHz, SendRate: deployHz},
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
	s, err := rooms.New(rooms.Config{
		Kinds: []rooms.Kind{kind}, Process: name, Key: d.key, Directory: d.directory,
		Now: func() time.Time { return d.now }, Random: netsys.SeededRandom(uint64(len(d.processes)) + 1),
	}, d.net.Node(netip.AddrPort{}))
	if err != nil {
		d.t.Fatal(err)
	}
	p := &deployed{Server: s, version: of}
	d.processes = append(d.processes, p)
	d.t.Cleanup(func() { d.stop(p) })
	return p
}

// stop closes a process.
func (d *deploy) stop(p *deployed) {
	if p.closed {
		return
	}
	p.closed = true
	if err := p.Close(d.now); err != nil {
		d.t.Error(err)
	}
}

// seat asks for a seat of the fleet, by what the directory says: of a process that speaks the schema and takes newcomers,
// the one with the most players that has place.
func (d *deploy) seat(w rooms.Wish) ([]rooms.Admission, error) {
	all, err := d.directory.List(context.Background(), rooms.ProcessPrefix)
	if err != nil {
		return nil, err
	}
	err = fmt.Errorf("%w: %s", rooms.ErrSchema, w.Schema)
	for _, r := range all {
		var e rooms.ProcessEntry
		if err := json.Unmarshal(r.Value, &e); err != nil {
			return nil, err
		}
		if e.Draining || !slices.ContainsFunc(e.Kinds, func(k rooms.KindEntry) bool { return k.Kind == w.Kind && k.Schema == w.Schema }) {
			continue
		}
		at := slices.IndexFunc(d.processes, func(p *deployed) bool { return !p.closed && p.Process() == e.Process })
		if at < 0 {
			continue
		}
		var seats []rooms.Admission
		if seats, err = rooms.Here(d.processes[at].Server).Join(context.Background(), w); err == nil {
			return seats, nil
		}
	}
	return nil, err
}

// run lets time pass.
func (d *deploy) run(for_ time.Duration) {
	d.t.Helper()
	for end := d.now.Add(for_); d.now.Before(end); {
		d.now = d.now.Add(deployStep)
		for _, p := range d.processes {
			if !p.closed {
				p.Advance(d.now)
			}
		}
		for _, g := range d.guests {
			if g.client == nil {
				d.come(g)
			} else {
				d.play(g)
			}
		}
	}
}

// come is a visitor without a seat.
func (d *deploy) come(g *visitor) {
	if d.now.Before(g.asks) {
		return
	}
	all, err := d.seat(rooms.Wish{Kind: "match", Schema: d.schema[g.version], Players: []rooms.Player{{ID: g.id}}})
	switch {
	case errors.Is(err, rooms.ErrSchema):
		// It is told that its version is too old, and gets the newer one. That is so only where nobody speaks the old one to
		// newcomers any more.
		for _, p := range d.processes {
			if !p.closed && !p.Draining() && p.version == g.version && d.now.Sub(g.without) > time.Second {
				d.t.Errorf("%v: player %d is refused, and process %s speaks its version", d.elapsed(), g.id, p.Process())
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
	for _, p := range d.processes {
		if p.Room(all[0].Seat.Room) != nil && p.version != g.version {
			d.t.Errorf("player %d of version %d gets a seat in version %d", g.id, g.version, p.version)
		}
	}
	g.seat, g.seen = all[0].Seat, false
	g.client, err = systems.NewClient(d.net.Node(netip.AddrPort{}), netip.AddrPort{}, version(g.version), systems.ClientConfig{
		Token: all[0].Token, Start: d.now, Gather: systems.Gather(func(_ *systems.Client, in *stride) { in.DX = 1 }),
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
	told, ok := errors.AsType[*netsys.CloseError](err)
	if !ok || told.Reason != rooms.ReasonEnded || !errors.Is(d.over[g.seat.Room], errOver) || !g.seen {
		d.t.Errorf("%v: player %d has lost its seat in room %v: %v; the room: %v; it had played: %v", d.elapsed(), g.id, g.seat.Room, err, d.over[g.seat.Room], g.seen)
	}
	g.client, g.without, g.asks = nil, d.now, d.now.Add(time.Duration(g.id%10)*100*time.Millisecond)
	if g.id%7 == 0 && d.processes[len(d.processes)-1].version == 2 {
		g.version = 2 // some get the newer version by themselves, as soon as there is one
	}
}

func (d *deploy) elapsed() time.Duration {
	return d.now.Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
}

// Four processes are replaced by a newer version, one after the other, while 400 people play match after match: no match is
// cut short and nobody loses a seat; who has the older version plays on where that is spoken, and in the end is refused
// with the reason.
func TestRollingDeploy(t *testing.T) {
	players := 400
	if testing.Short() {
		players = 80
	}
	d := newDeploy(t, players)
	var old []*deployed
	for i := range 4 {
		old = append(old, d.start(fmt.Sprint("old-", i), 1))
	}
	d.run(8 * time.Second)
	for i, p := range old {
		d.start(fmt.Sprint("new-", i), 2)
		d.run(2 * time.Second) // the directory knows it
		left := len(p.Rooms())
		p.Drain()
		began, drained := d.now, false
		for !drained && d.now.Sub(began) < 2*time.Minute {
			d.run(deployStep)
			select {
			case <-p.Drained():
				drained = true
			default:
			}
		}
		if longest := 2 * matchTicks * time.Second / deployHz; !drained || d.now.Sub(began) > longest+30*time.Second {
			t.Fatalf("process %d drains for %v and has %d of %d rooms left", i, d.now.Sub(began), len(p.Rooms()), left)
		}
		d.stop(p)
	}
	d.run(8 * time.Second)
	seated, newer := 0, 0
	for _, g := range d.guests {
		if g.client != nil {
			seated++
		}
		if g.version == 2 {
			newer++
		}
	}
	t.Logf("%v: %d matches, refused %v, longest without a seat %v", d.elapsed(), d.matches, d.refused, d.longest)
	if newer != players || seated < players/2 || d.refused["schema"] == 0 || d.refused["schema"] > players {
		t.Errorf("%d of %d have the newer version, %d play, refused %v", newer, players, seated, d.refused)
	}
	if d.matches < players/seatsOf*4 {
		t.Errorf("%d matches", d.matches)
	}
	if d.longest > 5*time.Second {
		t.Errorf("somebody was without a seat for %v", d.longest)
	}
	for id, why := range d.over {
		if !errors.Is(why, errOver) && !errors.Is(why, rooms.ErrEmpty) && !errors.Is(why, rooms.ErrDrained) {
			t.Errorf("room %v has ended because of %v", id, why)
		}
	}
}
