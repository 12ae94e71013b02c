package systems

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// beat contains the step of an entity's state. fuse contains the same step, and only some clients may see it.
type beat struct {
	Step uint16 `net:"0..65535"`
}

type fuse struct {
	Step uint16 `net:"0..65535"`
}

// mines returns the protocol: players of two teams among mines.
func mines() *ecs.Protocol {
	p := halls()
	ecs.Replicate[beat](p, 0)
	ecs.Replicate[fuse](p, 0)
	return p
}

// mine is the state of a mine, or of a pawn, after a step.
type mine struct {
	lit   bool
	team  uint8
	owner uint32
	at    place
}

// minefield is a match that records the state of all mines after each step.
type minefield struct {
	*game
	r     *rand.Rand
	walk  bool // mines walk
	all   []ecs.Entity
	step  uint16
	mines map[uint16]map[components.NetID]mine
	own   map[uint16]map[uint32][]mine // what clients own, pawns and mines
	moved map[components.NetID]uint16  // the step at which something became of a mine that moves it to another group
	known map[[2]uint32]bool           // by client and mine: it has had it
}

func newMinefield(t *testing.T, seed uint64, c ServerConfig) *minefield {
	m := &minefield{
		game: newGame(t, mines, c), r: rand.New(rand.NewPCG(seed, 7)), known: map[[2]uint32]bool{}, moved: map[components.NetID]uint16{},
		mines: map[uint16]map[components.NetID]mine{}, own: map[uint16]map[uint32][]mine{},
	}
	for range 120 {
		m.lay()
	}
	return m
}

func (m *minefield) spot() place {
	return place{X: m.r.Float32()*400 - 200, Y: m.r.Float32()*400 - 200}
}

// lay spawns a mine.
func (m *minefield) lay() {
	w := m.server.World()
	e := w.Spawn(m.spot(), beat{}, hall{uint8(m.r.IntN(2))})
	if m.r.IntN(4) > 0 {
		ecs.Add(w, e, fuse{})
	}
	if m.r.IntN(20) == 0 {
		ecs.Add(w, e, components.Owner{Client: uint32(1 + m.r.IntN(3))})
	}
	m.all = append(m.all, e)
}

// play runs a step: mines spawn, despawn, walk, change teams and gain or lose fuses, and players change teams.
func (m *minefield) play() {
	w := m.server.World()
	for range m.r.IntN(4) {
		i := m.r.IntN(len(m.all))
		e := m.all[i]
		m.moved[w.NetID(e)] = m.step + 1
		switch m.r.IntN(8) {
		case 0:
			w.Despawn(e)
			m.all[i] = m.all[len(m.all)-1]
			m.all = m.all[:len(m.all)-1]
			m.lay()
			m.moved[w.NetID(m.all[len(m.all)-1])] = m.step + 1
		case 1, 2:
			ecs.Get[hall](w, e).Number ^= 1
		case 3, 4:
			if ecs.Has[fuse](w, e) {
				ecs.Remove[fuse](w, e)
			} else {
				ecs.Add(w, e, fuse{})
			}
		default:
			*ecs.Get[place](w, e) = m.spot()
		}
	}
	m.step++
	now, own := map[components.NetID]mine{}, map[uint32][]mine{}
	for _, p := range ecs.Each[struct {
		Owner *components.Owner
		Push  *push
		Hall  *hall
		At    *place
	}](w) {
		if m.r.IntN(60) == 0 {
			p.Hall.Number ^= 1
		}
		if m.step > 60 {
			p.At.X, p.At.Y = min(max(p.At.X+m.r.Float32()*12-6, -200), 200), min(max(p.At.Y+m.r.Float32()*12-6, -200), 200)
		}
		own[p.Owner.Client] = append(own[p.Owner.Client], mine{team: p.Hall.Number, at: *p.At})
	}
	for _, e := range m.all {
		at := ecs.Get[place](w, e)
		if m.walk {
			at.X, at.Y = at.X+m.r.Float32()*4-2, at.Y+m.r.Float32()*4-2
		}
		ecs.Get[beat](w, e).Step = m.step
		x := mine{team: ecs.Get[hall](w, e).Number, at: *at}
		if f := ecs.Get[fuse](w, e); f != nil {
			f.Step, x.lit = m.step, true
		}
		if o := ecs.Get[components.Owner](w, e); o != nil {
			x.owner = o.Client
			own[x.owner] = append(own[x.owner], x)
		}
		now[w.NetID(e)] = x
	}
	m.mines[m.step], m.own[m.step] = now, own
	m.game.step()
}

// whether returns whether a player must see a component of a mine, and whether the player must not.
type whether func(me, it mine) (must, not bool)

// away returns the distance of a mine from a player.
func away(me, it mine) float64 {
	return math.Hypot(float64(me.at.X-it.at.X), float64(me.at.Y-it.at.Y))
}

// veilRule is a component interest with its expected results, for fuses and for places.
type veilRule struct {
	config ServerConfig
	fuses  whether
	places whether
}

// veils returns the rules of the tests.
func veils() map[string]veilRule {
	team := func(me, it mine) (must, not bool) { return me.team == it.team, me.team != it.team }
	near := func(me, it mine) (must, not bool) { return away(me, it) < 59, away(me, it) > 75+50*math.Sqrt2+1 }
	grid := &Grid[place]{Cell: 40, Radius: 60, Leave: 75}
	crew := Filter(func(me struct{ Hall *hall }, it struct{ Hall *hall }) bool { return *me.Hall == *it.Hall })
	only := func(all ...ComponentInterest) ServerConfig {
		return ServerConfig{Snapshots: Snapshots{ComponentInterest: all}}
	}
	within := only(Only[fuse](Same[hall]()))
	within.Snapshots.Interest = &Grid[place]{Cell: 60, Radius: 120}
	return map[string]veilRule{
		"team":        {config: only(Only[fuse](Same[hall]())), fuses: team},
		"filter":      {config: only(Only[fuse](crew)), fuses: team},
		"within":      {config: within, fuses: team},
		"near":        {config: only(Only[fuse](grid)), fuses: near},
		"place":       {config: only(Only[place](grid)), places: near},
		"both":        {config: only(Only[place](grid), Only[fuse](Same[hall]())), places: near, fuses: team},
		"hidden team": {config: only(Only[hall](Same[hall]()), Only[fuse](Same[hall]())), fuses: team},
	}
}

// check checks each mine of a client: the client has those components that it may see as of the mine's step, and no mine is
// missing because of hidden components. It returns how often a restricted component was shown and hidden.
func (m *minefield) check(c *Client, fuses, places whether, seesAll bool) (told, untold int) {
	m.t.Helper()
	w := c.World()
	if _, loaded := c.Loaded(); !loaded {
		return 0, 0
	}
	for e, x := range ecs.All[struct{ Beat beat }](w) {
		id, step, f := w.NetID(e), x.Beat.Step, ecs.Get[fuse](w, e)
		it, there := m.mines[step][id]
		if own := m.own[step][c.ID()]; !there || !slices.ContainsFunc(own, func(x mine) bool { return x.owner == 0 }) {
			continue // it joined then
		}
		if f != nil && (!it.lit || f.Step != step) {
			m.t.Fatalf("client %d has mine %d as of step %d, with a fuse as of %d; it was lit: %v", c.ID(), id, step, f.Step, it.lit)
		}
		for _, rule := range []struct {
			whether
			has, may bool
		}{{fuses, f != nil, it.lit}, {places, ecs.Has[place](w, e), true}} {
			must, not := it.owner == c.ID() || rule.whether == nil, it.owner != c.ID() && rule.whether != nil
			if not {
				for _, me := range m.own[step][c.ID()] {
					yes, no := rule.whether(me, it)
					must, not = must || yes, not && no
				}
			}
			if rule.has && not || !rule.has && rule.may && must {
				m.t.Fatalf("client %d, with %+v, has mine %d, %+v, as of step %d, with what may be kept from it: %v", c.ID(), m.own[step][c.ID()], id, it, step, rule.has)
			}
			if rule.may && rule.has {
				told++
			} else if rule.may {
				untold++
			}
		}
	}
	if p := m.server.sessions.byID[c.ID()]; !seesAll || p.snapshot.Joining() {
		return told, untold
	}
	for id := range m.mines[m.step] {
		if at, moved := m.moved[id]; moved && m.step-at < 90 {
			continue
		}
		key := [2]uint32{c.ID(), uint32(id)}
		_, there := w.ByNetID(id)
		if !there && m.known[key] {
			m.t.Fatalf("step %d: client %d has lost mine %d, which is %v", m.step, c.ID(), id, c.Presence(id))
		}
		m.known[key] = there
	}
	return told, untold
}

// A client always has exactly those components of its visible entities that it may see, as of their state. Loss, changes of
// team and visibility, spawns and despawns do not change this, and no entity disappears because the client may see fewer or
// more of its components.
func TestComponentInterestUnderWay(t *testing.T) {
	t.Parallel()
	for name, rule := range veils() {
		t.Run(name, func(t *testing.T) {
			seeds(t, 4, func(t *testing.T, seed uint64) { underWay(t, rule, name != "near", seed) })
		})
	}
}

// The same holds if entities move to another group and back before the client acknowledges the first move, if entities change
// at every send while the client joins, and under heavy loss.
func TestComponentInterestThereAndBack(t *testing.T) {
	for name, seed := range map[string]uint64{"place": 5, "both": 10, "near": 7} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			underWay(t, veils()[name], name != "near", seed)
		})
	}
}

// underWay plays a match with a rule. Mines walk if walk is true and the rule hides no places.
func underWay(t *testing.T, rule veilRule, walk bool, seed uint64) {
	config := rule.config
	config.Seed = seed
	if seed%3 == 0 {
		config.Snapshots.Budget = 400
	}
	m := newMinefield(t, seed, config)
	m.blind = true
	m.walk = rule.places == nil && walk
	link := netsys.Link{Latency: 60 * time.Millisecond, Jitter: 40 * time.Millisecond, Loss: float64(seed%4) * 0.08, Duplicate: 0.05}
	told, untold := 0, 0
	for n := range 300 {
		if n == 0 || n == 10 || n == 150 {
			m.join(ClientConfig{Gather: gatherPush()}, link)
		}
		m.play()
		for _, c := range m.clients {
			a, b := m.check(c, rule.fuses, rule.places, config.Snapshots.Interest == nil && config.Snapshots.Budget == 0)
			told, untold = told+a, untold+b
		}
		for _, p := range m.server.sessions.peers.All() {
			if n == 149 && config.Snapshots.Budget == 0 && p.snapshot.Joining() {
				t.Errorf("client %d has not joined yet", p.ID)
			}
		}
	}
	if told < 2000 || untold < 500 {
		t.Errorf("%d times something was told that may be kept back, %d times not", told, untold)
	}
	for _, c := range m.clients {
		if st := c.Stats(); st.MalformedMessages > 0 || st.Renewals > 0 {
			t.Errorf("%+v", st)
		}
	}
	m.mustConverge()
	for _, c := range m.clients {
		m.check(c, rule.fuses, rule.places, config.Snapshots.Interest == nil)
	}
}

// A client receives the same bytes from two worlds that differ only in components that it may not see: their values, their
// presence, their changes and who else sees them.
func TestHiddenComponentsSendNothing(t *testing.T) {
	t.Parallel()
	crew := Filter(func(me struct{ Hall *hall }, it struct{ Hall *hall }) bool { return *me.Hall == *it.Hall })
	for name, config := range map[string]ServerConfig{
		"team":   {Snapshots: Snapshots{ComponentInterest: []ComponentInterest{Only[fuse](Same[hall]())}}},
		"filter": {Snapshots: Snapshots{ComponentInterest: []ComponentInterest{Only[fuse](crew)}}},
		"two":    {Snapshots: Snapshots{ComponentInterest: []ComponentInterest{Only[fuse](Same[hall]()), Only[trail](And(Same[hall](), crew))}}},
		"by itself": {
			Snapshots: Snapshots{
				Interest:          &Grid[place]{Cell: 80, Radius: 200},
				ComponentInterest: []ComponentInterest{Only[fuse](Same[fuse]()), Only[hall](Same[hall]())},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			seeds(t, 3, func(t *testing.T, seed uint64) {
				config := config
				config.Seed = seed
				if seed%2 == 1 {
					config.Snapshots.Budget = 260
				}
				a, b := whatItIsTold(t, config, false), whatItIsTold(t, config, true)
				if len(a) < 50 {
					t.Fatalf("%d messages", len(a))
				}
				for i := range a {
					if i >= len(b) || !bytes.Equal(a[i], b[i]) {
						t.Fatalf("message %d of %d is\n%x\nand with other hidden components\n%x", i, len(a), a[i], b[min(i, len(b)-1)])
					}
				}
			})
		})
	}
}

// whatItIsTold returns the messages of the server to the first client. The client is in team 1. All mines are in team 0, and
// the client may not see their fuses and trails. If lit is true, some mines have these components from time to time.
func whatItIsTold(t *testing.T, config ServerConfig, lit bool) (heard [][]byte) {
	shown, hidden := rand.New(rand.NewPCG(config.Seed, 1)), rand.New(rand.NewPCG(config.Seed, 2))
	g := newGame(t, mines, config)
	g.blind = true
	w := g.server.World()
	link := netsys.Link{Latency: 30 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: float64(config.Seed%3) * 0.05}
	g.overhear(func(client uint32, b []byte) {
		if client == 1 {
			heard = append(heard, bytes.Clone(b))
		}
	})
	var all []ecs.Entity
	lay := func() {
		e := w.Spawn(place{X: shown.Float32()*200 - 100, Y: shown.Float32() * 100}, beat{}, hall{})
		if shown.IntN(3) == 0 {
			ecs.Add(w, e, tint{uint8(shown.IntN(200))})
		}
		all = append(all, e)
	}
	for range 80 {
		lay()
	}
	g.join(ClientConfig{Gather: gatherPush()}, link)
	g.join(ClientConfig{Gather: gatherPush()}, link)
	sent := 0
	for n := range 250 {
		for _, e := range all {
			at := ecs.Get[place](w, e)
			at.X, at.Y = at.X+shown.Float32()-0.5, at.Y+shown.Float32()-0.5
			ecs.Get[beat](w, e).Step = uint16(n) / 30
			if f := ecs.Get[fuse](w, e); f != nil && n%4 == 0 {
				f.Step = uint16(hidden.IntN(4)) << 14
				sent++
			}
			if x := ecs.Get[trail](w, e); x != nil {
				x.X += hidden.Float32()
			}
		}
		if n%5 == 0 {
			i := shown.IntN(len(all))
			w.Despawn(all[i])
			all = slices.Delete(all, i, i+1)
			lay()
		}
		for range 4 {
			switch e := all[hidden.IntN(len(all))]; {
			case !lit:
			case hidden.IntN(2) == 0 && ecs.Has[fuse](w, e):
				ecs.Remove[fuse](w, e)
			case ecs.Has[trail](w, e):
				ecs.Remove[trail](w, e)
			default:
				ecs.Add(w, e, fuse{})
				if len(config.Snapshots.ComponentInterest) == 2 && config.Snapshots.Interest == nil {
					ecs.Add(w, e, trail{})
				}
			}
		}
		g.step()
	}
	if lit != (sent > 200) {
		t.Fatalf("%d fuses in all", sent)
	}
	return heard
}
