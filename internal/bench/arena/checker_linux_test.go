package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// looked is a match in virtual time at which a checker looks, and the server itself, which knows what it told.
type looked struct {
	*systemstest.Crowd
	checker
	bots   map[int]*bot
	asked  int     // states of which the server was asked
	server []error // what is wrong with these
	ghost  bool    // there is an entity of which nobody is told
}

// ghost is its number; it stands where the first player does, from ghostCame on.
const (
	ghost     = 1 << 20
	ghostCame = 60
)

// look makes a match of players that come, one a tick, and plays it for so many ticks. Snapshots have few bytes.
func look(t *testing.T, ghost, grid bool, players, ticks int) *looked {
	m := &looked{
		checker: checker{truths: &truths{steps: 3}, grid: grid, has: make(map[components.NetID]bool)},
		bots:    make(map[int]*bot), ghost: ghost,
	}
	v, budget, before := game.Variant{Players: players}, netsys.MaxPayload, scatter
	var seen systems.Interest
	if grid {
		v.Size, budget, before = 400, 200, func(*ecs.World) {}
		seen = &systems.Grid[components.Position]{Cell: gridCell, Radius: gridRadius, Leave: gridLeave}
	}
	m.Crowd = systemstest.New(t, systemstest.Config{
		Protocol: v.Protocol, Seed: 1,
		Populate: func(w *ecs.World) { v.Populate(w, players, 600) },
		Client: func(n int) systems.ClientConfig {
			return systems.ClientConfig{Gather: game.NewBot(1, n, players).Gather(), Schedule: systems.Thin}
		},
		Server: systems.ServerConfig{
			MaxClients: players, Snapshots: systems.Snapshots{SendRate: 20, Budget: budget, Interest: seen}, Overload: systems.Overload{Off: true},
			Schedule: func(s *ecs.Schedule) error {
				return errors.Join(s.InsertBefore("Snapshot", ecs.System{Name: "scatter", Run: before}),
					s.InsertAfter("Snapshot", ecs.System{Name: "truth", Run: m.tell}))
			},
		},
	})
	m.OnClientTick(m.after)
	for n := range ticks {
		if n < players {
			m.Join()
		}
		m.RunTicks(1)
	}
	return m
}

// scatter puts all but players somewhere else.
func scatter(w *ecs.World) {
	for e, r := range ecs.Each[struct {
		Pos *components.Position
		_   ecs.Without[components.Owner]
	}](w) {
		draw := w.Rand(e)
		*r.Pos = components.Position{X: game.Size * draw.Float32(), Y: game.Size * draw.Float32()}
	}
}

// tell notes the truth of a send.
func (m *looked) tell(w *ecs.World) {
	tick := m.Server.Tick()
	if tick%3 != 0 {
		return
	}
	x := &told{tick: tick, at: make(map[components.NetID]row)}
	player := components.NetID(0)
	for e, r := range ecs.All[toldRow](w) {
		id := w.NetID(e)
		x.at[id] = row{r.Pos.X, r.Pos.Y, r.Head.Angle, r.Health.Points}
		if ecs.Has[components.Owner](w, e) && (player == 0 || id < player) {
			player = id
		}
	}
	if m.ghost && tick >= ghostCame {
		x.at[ghost] = x.at[player]
	}
	m.truths.store(x)
}

// after checks a client after its tick, as in a match on sockets, and asks the server.
func (m *looked) after(k *systemstest.Client) {
	b := m.bots[k.N]
	if b == nil {
		b = &bot{Client: k.Client}
		m.bots[k.N] = b
	}
	tick := m.check(b)
	if known, _ := m.Server.Knowledge(b.ID(), 1); tick == 0 || m.grid || known.Joining || tick != known.Send*m.truths.steps {
		return
	}
	m.asked++
	if err := systems.Difference(m.Server, b.Client); err != nil {
		m.server = append(m.server, err)
	}
}

// If snapshots do not hold everything, new players wait for their turn. The server says of every state of a client that it is
// complete, and the checker agrees.
func TestChecker_NewcomersWait(t *testing.T) {
	for _, grid := range []bool{false, true} {
		newcomersWait(t, grid)
	}
}

func newcomersWait(t *testing.T, grid bool) {
	m := look(t, false, grid, 40, 200)
	if over := m.Server.Stats().OverBudget; m.States < 1000 || over < 1000 || m.Waiting == 0 || m.asked < 1000 && !grid {
		t.Fatalf("%d states asked about, %d over budget, %d entities wait: nothing is proven", m.asked, over, m.Waiting)
	}
	if len(m.server) > 0 || m.Different > 0 {
		t.Errorf("the server: %v; the checker: %d, %s", m.server, m.Different, m.Difference)
	}
}

// An entity that a client still lacks long after it came is missing.
func TestChecker_FindsWhatIsMissing(t *testing.T) {
	m := look(t, true, false, 6, 3*longestWait+ghostCame-30)
	if m.Different > 0 || m.Waiting == 0 {
		t.Fatalf("too early: %s; %d entities wait", m.Difference, m.Waiting)
	}
	m.RunTicks(60)
	if m.Different == 0 || !strings.Contains(m.Difference, "entity 1048576 is missing, and came long ago") {
		t.Errorf("%d: %q", m.Different, m.Difference)
	}
}

// A position, a heading or a health that is not the server's is found.
func TestChecker_FindsWhatDiffers(t *testing.T) {
	for name, spoil := range map[string]func(*row){
		"position": func(r *row) { r.x += 2 * most },
		"heading":  func(r *row) { r.heading += 300 },
		"health":   func(r *row) { r.health-- },
		"nothing":  func(*row) {},
	} {
		m := look(t, false, false, 2, 60)
		spoiled := false
		m.OnServerTick(func() {
			for _, told := range m.truths.ring {
				if told == nil || told.tick < m.Server.Tick()-3 {
					continue
				}
				for id, r := range told.at {
					spoil(&r)
					told.at[id] = r
				}
				spoiled = true
			}
		})
		m.RunTicks(12)
		if different := m.Different > 0; !spoiled || different != (name != "nothing") {
			t.Errorf("%s: %d different: %s", name, m.Different, m.Difference)
		}
	}
}

// The checker finds an entity that is near a client and stays missing.
func TestChecker_FindsWhatIsMissingNear(t *testing.T) {
	m := look(t, true, true, 6, ghostCame+3*nearWait-15)
	if m.Different > 0 {
		t.Fatalf("too early: %s", m.Difference)
	}
	m.RunTicks(60)
	if m.Different == 0 || !strings.Contains(m.Difference, "entity 1048576 is near, and is missing") {
		t.Errorf("%d: %q", m.Different, m.Difference)
	}
}
