package campaign

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
)

// rule is an interest of a match: a leaf, or the And or Or of several rules. It builds the interest of the server, and
// computes the expected answers without package interest.
type rule struct {
	name string
	of   []rule
}

// String writes the rule without spaces.
func (r rule) String() string {
	if len(r.of) == 0 {
		return r.name
	}
	parts := make([]string, len(r.of))
	for i, x := range r.of {
		parts[i] = x.String()
	}
	return r.name + "(" + strings.Join(parts, ",") + ")"
}

// drawRule draws a rule of one to three leaves.
func drawRule(r *rand.Rand, leaves ...string) rule {
	leaves = slices.Clone(leaves)
	r.Shuffle(len(leaves), func(i, j int) { leaves[i], leaves[j] = leaves[j], leaves[i] })
	leaf := func(i int) rule { return rule{name: leaves[i]} }
	op := pick(r, "and", "or")
	switch n := min(1+r.IntN(3), len(leaves)); n {
	case 1:
		return leaf(0)
	case 2:
		return rule{op, []rule{leaf(0), leaf(1)}}
	default:
		return rule{op, []rule{leaf(0), {pick(r, "and", "or"), []rule{leaf(1), leaf(2)}}}}
	}
}

// leaves lists the rules that do not consist of others.
var leaves = []string{"near", "side", "open", "aboard", "blink"}

// farthest returns the distance beyond which the Grid of a match shows nothing, in the units of spot: a piece leaves at 1.2
// times the radius, and may be larger than its cell by an eighth on each side.
func (d *draw) farthest() float32 { return d.radius*1.2 + 3*d.cell() }

func (d *draw) cell() float32 { return d.radius * 2 / 3 }

// interest builds the interest of a rule.
func (m *match) interest(r rule) systems.Interest {
	if x := m.interests[r.String()]; x != nil {
		return x // components with the same interest should share one value
	}
	var x systems.Interest
	switch r.name {
	case "and", "or":
		var of []systems.Interest
		for _, part := range r.of {
			of = append(of, m.interest(part))
		}
		if x = systems.And(of...); r.name == "or" {
			x = systems.Or(of...)
		}
	case "near":
		x = &systems.Grid[spot]{Cell: float64(m.cell()), Radius: float64(m.radius)}
	case "side":
		x = systems.Same[side]()
	case "open":
		x = systems.Filter(func(me struct{ Client systems.Viewer }, it struct{ Manifest manifest }) bool {
			return it.Manifest.shownTo(uint32(me.Client))
		})
	case "aboard":
		x = systems.Filter(func(me struct{ Side side }, it struct{ Hull *hull }) bool { return me.Side.boards(it.Hull) })
	case "blink":
		x = systems.Filter(func(me struct{ Client systems.Viewer }, it struct {
			NetID  components.NetID
			Glance *glance `ecs:"optional"`
		}) bool {
			return m.sees(uint32(me.Client), it.NetID)
		})
	default:
		panic("no rule " + r.name)
	}
	m.interests[r.String()] = x
	return x
}

// answer is a rule's answer about an entity for a client.
type answer uint8

const (
	silent answer = iota // nothing: then the entity is visible
	no
	yes
	maybe // the Grid's answer depends on its previous answers
)

// viewer holds the properties of a client on which rules depend.
type viewer struct {
	id     uint32
	points memory[spot] // of its own entities
	sides  memory[side]
	crews  []side // of its own entities now
	every  uint32 // ticks from one of its snapshots to the next
}

// memory holds values of a viewer's own entities. A viewer without own entities sees as the last ones did at its last snapshot with
// some: that is one of the sends kept here.
type memory[T any] struct {
	sends []remembered[T] // oldest first
	since uint32          // tick since which there have been values without a break; 0: there are none now
}

type remembered[T any] struct {
	tick   uint32
	values []T
}

// note adds the values at a tick, and forgets those that the snapshots of the viewer, with every ticks between them, have replaced.
func (m *memory[T]) note(tick, every uint32, values []T) {
	if values == nil {
		m.since = 0
		return
	}
	if m.since == 0 {
		m.since = tick
	}
	m.sends = append(m.sends, remembered[T]{tick, values})
	if tick-m.since >= every {
		m.sends = slices.DeleteFunc(m.sends, func(x remembered[T]) bool { return tick-x.tick >= every })
	}
}

// ask returns the answer about the values of the viewer: maybe, if it depends on which of the kept ones the server has.
func (m *memory[T]) ask(about func([]T) answer) answer {
	sends := m.sends
	switch {
	case len(sends) == 0:
		return about(nil)
	case m.since != 0:
		sends = sends[len(sends)-1:]
	}
	a := about(sends[0].values)
	for _, x := range sends[1:] {
		if about(x.values) != a {
			return maybe
		}
	}
	return a
}

// looked is an entity with the components on which rules depend. A component that it does not have is nil.
type looked struct {
	id       components.NetID
	e        ecs.Entity
	Owner    uint32
	Spot     *spot
	Side     *side
	Manifest *manifest
	Hull     *hull
	Seal     *seal
}

// answer returns a rule's answer about an entity for a viewer.
func (m *match) answer(r rule, v *viewer, it *looked) answer {
	be := func(ok bool) answer {
		if ok {
			return yes
		}
		return no
	}
	switch r.name {
	case "and", "or":
		var found [4]bool
		for _, part := range r.of {
			found[m.answer(part, v, it)] = true
		}
		order := []answer{no, maybe, yes}
		if r.name == "or" {
			order = []answer{yes, maybe, no}
		}
		for _, x := range order {
			if found[x] {
				return x
			}
		}
		return silent
	case "near":
		if it.Spot == nil {
			return silent
		}
		return v.points.ask(func(points []spot) answer {
			result := no
			for _, at := range points {
				x, y := at.X-it.Spot.X, at.Y-it.Spot.Y
				if x*x+y*y <= m.radius*m.radius {
					return yes
				} else if far := m.farthest(); x*x+y*y <= far*far {
					result = maybe
				}
			}
			return result
		})
	case "side":
		if it.Side == nil {
			return silent
		}
		return v.sides.ask(func(sides []side) answer { return be(slices.Contains(sides, *it.Side)) })
	case "open":
		if it.Manifest == nil {
			return silent
		}
		return be(it.Manifest.shownTo(v.id))
	case "aboard":
		if it.Hull == nil {
			return silent
		}
		return be(slices.ContainsFunc(v.crews, func(s side) bool { return s.boards(it.Hull) }))
	default:
		return be(m.sees(v.id, it.id))
	}
}

// shownTo is the rule "open".
func (m *manifest) shownTo(client uint32) bool { return m.Open || uint32(m.State) == client%3 }

// boards is the rule "aboard".
func (s side) boards(h *hull) bool { return uint32(h.Aboard)%2 == uint32(s.N)%2 }

// glance counts the changes of the rule "blink" for an entity.
type glance struct{ Changes uint32 }

// sees is the rule "blink".
func (m *match) sees(client uint32, id components.NetID) bool {
	return !m.never(client, id) && !m.hidden[[2]uint32{client, uint32(id)}]
}

// only lists the components that a match may hide from clients.
var only = map[string]func(systems.Interest) systems.ComponentInterest{
	"bag":      systems.Only[bag],
	"echo":     systems.Only[echo],
	"flotsam":  systems.Only[flotsam],
	"hull":     systems.Only[hull],
	"lit":      systems.Only[lit],
	"manifest": systems.Only[manifest],
	"owner":    systems.Only[components.Owner],
	"roll":     systems.Only[roll],
	"side":     systems.Only[side],
	"signal":   systems.Only[signal],
	"spot":     systems.Only[spot],
}

// secret is a component that only some clients may see.
type secret struct {
	name string
	of   rule
}

func (s secret) String() string { return fmt.Sprintf("%s:%v", s.name, s.of) }

// history holds the server's world at each send, and which clients may have known it then.
type history struct {
	m        *match
	every    uint32 // ticks from one number of a send to the next
	last     uint32 // tick of the newest send
	gap      uint32 // ticks from the send before to that
	sends    uint64 // that have been noted
	moments  [256]moment
	things   []looked // at the newest send
	tracks   map[components.NetID]*track
	private  uint64   // mask of the owner-only components
	secret   []uint64 // the component of each of draw.secrets, as a mask
	hidden   uint64   // all secret components
	shell    uint64
	compared int
}

// moment is the world at a send.
type moment struct {
	tick  uint32
	facts []fact // in the order of their ids
}

// fact is an entity at a send. Sets of clients have a bit for each.
type fact struct {
	id        components.NetID
	owner     uint32
	mask      uint64 // components
	seal      seal
	may, must uint64     // clients that may see it, and clients that must
	know      [3]clients // by secret component
}

// clients are bit sets of the clients that may know something, and of those that must.
type clients struct{ may, must uint64 }

// track is the history of an entity.
type track struct {
	last    uint32 // tick of the newest send at which it lived
	owner   uint32
	shell   bool
	private uint64     // its owner-only components
	stable  uint32     // the tick since which its owner and private are the same
	from    [64]uint32 // by client: the tick since which it must see the entity, 0: it need not
	ever    uint64     // clients that might have seen it at some time
}

func bit(client uint32) uint64 { return 1 << (client % 64) }

func newHistory(m *match, p *ecs.Protocol) *history {
	h := &history{m: m, tracks: map[components.NetID]*track{}}
	for i, c := range p.Replicated() {
		if c.Mode&ecs.OwnerOnly != 0 {
			h.private |= 1 << i
		}
	}
	h.shell = 1 << ecs.ComponentOf[shell](p).Replicated()
	for _, s := range m.secrets {
		i := slices.IndexFunc(p.Replicated(), func(c *ecs.Component) bool { return strings.EqualFold(c.Name, s.name) })
		if i < 0 {
			panic("no component " + s.name)
		}
		h.secret = append(h.secret, 1<<i)
		h.hidden |= 1 << i
	}
	return h
}

// at returns the world at a tick, or nil if it is unknown.
func (h *history) at(tick uint32) *moment {
	if x := &h.moments[tick/max(h.every, 1)%uint32(len(h.moments))]; x.tick == tick && tick > 0 {
		return x
	}
	return nil
}

// find returns an entity at the send, or nil if it did not exist.
func (x *moment) find(id components.NetID) *fact {
	i, there := slices.BinarySearchFunc(x.facts, id, func(f fact, id components.NetID) int { return int(f.id) - int(id) })
	if !there {
		return nil
	}
	return &x.facts[i]
}

// newest returns the world at the newest send.
func (h *history) newest() *moment {
	return h.at(h.last)
}

// note records the world after a send. It is a system of the server after Snapshot.
func (h *history) note(w *ecs.World) {
	s := h.m.crowd.Server
	if n := s.Stats().Sends; n == h.sends {
		return
	} else {
		h.sends = n
	}
	if h.every == 0 {
		h.every = uint32(w.TickRate() / cmp.Or(s.Config().Snapshots.SendRate, w.TickRate()/s.Config().WakeEvery))
	}
	tick := w.Tick() + 1 // the state is the one in which that tick begins
	h.gap, h.last = tick-h.last, tick
	x := &h.moments[tick/h.every%uint32(len(h.moments))]
	x.tick, x.facts = tick, x.facts[:0]
	things := h.look(w)
	present := h.present()
	for i := range things {
		it := &things[i]
		f := fact{id: it.id, owner: it.Owner, mask: w.Netcode().Mask(it.e)}
		if it.Seal != nil {
			f.seal = *it.Seal
		}
		if h.m.sight == nil {
			f.may = ^uint64(0) // a joining client may get the state of a send before its session
		}
		for _, v := range present {
			own, b := f.owner == v.id, bit(v.id)
			mark := func(c *clients, r *rule) {
				a := silent
				if r != nil && !own {
					a = h.m.answer(*r, v, it)
				}
				if a != no {
					c.may |= b
				}
				if a == silent || a == yes {
					c.must |= b
				}
			}
			var all clients
			mark(&all, h.m.sight)
			f.may, f.must = f.may|all.may, f.must|all.must
			for i := range h.m.secrets {
				mark(&f.know[i], &h.m.secrets[i].of)
			}
		}
		h.follow(tick, &f, present)
		x.facts = append(x.facts, f)
	}
}

// look returns the entities of the server in the order of their ids.
func (h *history) look(w *ecs.World) []looked {
	h.things = h.things[:0]
	for t := range w.Netcode().Tables {
		for i, id := range t.NetIDs {
			e := t.Entities[i]
			it := looked{id, e, 0, ecs.Get[spot](w, e), ecs.Get[side](w, e), ecs.Get[manifest](w, e), ecs.Get[hull](w, e), ecs.Get[seal](w, e)}
			if o := ecs.Get[components.Owner](w, e); o != nil {
				it.Owner = o.Client
			}
			h.things = append(h.things, it)
		}
	}
	slices.SortFunc(h.things, func(a, b looked) int { return int(a.id) - int(b.id) })
	return h.things
}

// present updates the viewers, and returns those with a session.
func (h *history) present() (present []*viewer) {
	for s := range h.m.crowd.Server.Clients {
		k := h.m.at(s.Address)
		if k.viewer == nil || k.viewer.id != s.ID {
			k.viewer = &viewer{id: s.ID}
		}
		v := k.viewer
		v.crews = v.crews[:0]
		points, sides := []spot(nil), []side(nil)
		for i := range h.things {
			it := &h.things[i]
			if it.Owner != s.ID {
				continue
			}
			if it.Spot != nil {
				points = append(points, *it.Spot)
			}
			if it.Side != nil {
				sides, v.crews = append(sides, *it.Side), append(v.crews, *it.Side)
			}
		}
		before := v.every
		v.every = uint32(float64(h.m.crowd.Server.Config().TickRate) / s.SendRate)
		v.points.note(h.last, max(before, v.every), points)
		v.sides.note(h.last, max(before, v.every), sides)
		present = append(present, v)
	}
	return present
}

// follow updates the track of an entity after a send.
func (h *history) follow(tick uint32, f *fact, present []*viewer) {
	t := h.tracks[f.id]
	if t == nil {
		t = &track{}
		h.tracks[f.id] = t
	}
	if shell := f.mask&h.shell != 0; t.last+h.gap < tick || t.shell != shell {
		*t = track{ever: t.ever, shell: shell} // it is new, or the server went back and made another one of it
	}
	t.last = tick
	if private := f.mask & h.private; t.stable == 0 || t.owner != f.owner || t.private != private {
		t.owner, t.private, t.stable = f.owner, private, tick
	}
	t.ever |= f.may
	var here uint64
	for _, v := range present {
		here |= bit(v.id)
	}
	for m := ^(f.must & here); m != 0; m &= m - 1 {
		t.from[bits.TrailingZeros64(m)] = 0
	}
	for m := f.must & here; m != 0; m &= m - 1 {
		if from := &t.from[bits.TrailingZeros64(m)]; *from == 0 {
			*from = tick
		}
	}
}

// watched records what a client has of an entity and must keep while the server shows it. Each field is the tick since which
// the server has shown it without a break, or 0 if the client does not have it yet.
type watched struct {
	world, view held
	private     uint32
	seen        uint64 // the newest check that found it
}

// held is since when a client has had something in its world or view, and since when it has not had it any more.
type held struct {
	since uint32
	lost  int64
}

// compare checks a client's world against the states from which it was made.
func (h *history) compare(a *audit, k *player) {
	if _, loaded := k.Loaded(); !loaded {
		return // entities that were its own until it left wait for all the others
	}
	w, me := k.World(), bit(k.ID())
	k.checks++
	for t := range w.Netcode().Tables {
		for i, id := range t.NetIDs {
			if id == 0 {
				continue
			}
			tick, known := k.StateTick(id)
			if !known {
				continue
			}
			at := k.watched[id]
			if at == nil {
				at = &watched{}
				k.watched[id] = at
			}
			at.seen = k.checks
			x := h.at(tick)
			if x == nil {
				continue // the state is older than what is kept here
			}
			h.compared++
			h.entity(a, k, x, t.Entities[i], id)
			track := h.tracks[id]
			if ecs.Has[shell](w, t.Entities[i]) {
				continue // the client may predict its end
			}
			if from := track.from[k.ID()%64]; from != 0 && tick >= from {
				at.world.since = from
			}
			if track.owner != k.ID() || track.private == 0 || !h.alive(id) {
				continue
			}
			switch has := w.Netcode().Mask(t.Entities[i]) & h.private; {
			case has != track.private && at.private == track.stable:
				a.fail("%v: its entity %d has lost a component that only its owner may know: it has %b of %b, which have been the same since tick %d", k, id, has, track.private, track.stable)
			case has == track.private && min(tick, k.ConfirmedTick()) >= track.stable:
				at.private = track.stable
			}
		}
	}
	h.kept(a, k, "world", func(x *watched) *held { return &x.world })
	systems.NewestEntities(k.Client.Client, func(id uint32, _ uint64) {
		x := h.at(k.ServerTick())
		if x == nil {
			return
		}
		if f := x.find(components.NetID(id)); f == nil || f.may&me == 0 {
			a.fail("%v was told of entity %d at tick %d, which it may not see: %+v", k, id, x.tick, f)
		}
	})
	h.whereabouts(a, k)
}

// alive reports whether an entity was there at the newest send.
func (h *history) alive(id components.NetID) bool {
	x := h.newest()
	return x != nil && h.tracks[id].last == x.tick
}

// absence is how long an entity may be missing from a client's world or view though the client can see it, when its components
// change or its client is about to time out.
const absence = 2 * time.Second

// kept demands that everything that a client had and that the server has shown ever since is still there.
func (h *history) kept(a *audit, k *player, where string, of func(*watched) *held) {
	if h.m.flood {
		return // what is lost comes when its turn comes
	}
	lost := components.NetID(0)
	for id, x := range k.watched {
		y := of(x)
		switch t := h.tracks[id]; {
		case y.since == 0 || x.seen == k.checks:
			y.lost = 0
		case !h.alive(id) || t.from[k.ID()%64] != y.since:
			*y = held{}
		case y.lost == 0:
			y.lost = k.Now().UnixNano()
		case k.Now().UnixNano()-y.lost > int64(absence) && (lost == 0 || id < lost):
			lost = id
		}
	}
	if lost != 0 {
		a.fail("%v: entity %d is no longer in its %s, which it has been able to see since tick %d; it is %v", k, lost, where, h.tracks[lost].from[k.ID()%64], k.Presence(lost))
	}
}

// entity compares an entity of a client's world with the server's at the tick of its state.
func (h *history) entity(a *audit, k *player, x *moment, e ecs.Entity, id components.NetID) {
	w, me, f := k.World(), bit(k.ID()), x.find(id)
	if f == nil {
		a.fail("%v has entity %d of tick %d, when there was none", k, id, x.tick)
		return
	}
	own := f.owner == k.ID() // it may wait for own state, which comes later
	mask := w.Netcode().Mask(e)
	if s := ecs.Get[seal](w, e); s != nil && *s != f.seal && !(own && h.was(id, x.tick, *s)) {
		a.fail("%v has %+v of entity %d at tick %d, on the server it was %+v", k, *s, id, x.tick, f.seal)
	}
	if f.may&me == 0 {
		a.fail("%v has entity %d of tick %d, which it might not see", k, id, x.tick)
	}
	if own || f.mask&h.shell != 0 {
		return
	}
	if mask&h.private != 0 {
		a.fail("%v has of entity %d of client %d what only that may know: %b", k, id, f.owner, mask&h.private)
	}
	if mask&^h.private&^h.hidden != f.mask&^h.private&^h.hidden {
		a.fail("%v has entity %d with the components %b at tick %d, on the server it has %b", k, id, mask, x.tick, f.mask)
	}
	for i, c := range h.secret {
		switch has := mask&c != 0; {
		case has && (f.mask&c == 0 || f.know[i].may&me == 0):
			a.fail("%v has %s of entity %d at tick %d, which it might not know", k, h.m.secrets[i].name, id, x.tick)
		case !has && f.mask&c != 0 && f.know[i].must&me != 0:
			a.fail("%v does not have %s of entity %d at tick %d, which it might know", k, h.m.secrets[i].name, id, x.tick)
		}
	}
}

// drawn checks that nothing disappears from a client's view while the client may see it.
func (h *history) drawn(a *audit, k *player) {
	if _, loaded := k.Loaded(); !loaded || k.World() == nil {
		return
	}
	k.checks++
	for t := range k.View().Netcode().Tables {
		for i, id := range t.NetIDs {
			track := h.tracks[id]
			if id == 0 || track == nil {
				continue
			}
			if track.ever&bit(k.ID()) == 0 {
				a.fail("%v draws entity %d, which it never might see", k, id)
			}
			if p := ecs.Get[purse](k.View(), t.Entities[i]); p != nil && *p != (purse{}) && p.For != k.ID() {
				a.fail("%v draws entity %d with the purse of client %d", k, id, p.For)
			}
			if x := k.watched[id]; x != nil && x.world.since != 0 {
				x.seen = k.checks
				if k.DrawnTick() >= float64(x.world.since) {
					x.view.since = x.world.since
				}
			}
		}
	}
	h.kept(a, k, "view", func(x *watched) *held { return &x.view })
}

// was reports whether an entity had a seal at a tick or before.
func (h *history) was(id components.NetID, tick uint32, s seal) bool {
	for i := range h.moments {
		if x := &h.moments[i]; x.tick <= tick {
			if f := x.find(id); f != nil && f.seal == s {
				return true
			}
		}
	}
	return false
}

// whereabouts demands that a client knows where entities are, of some at a time.
func (h *history) whereabouts(a *audit, k *player) {
	for id, t := range h.tracks {
		if (uint32(id)-k.Input()/4)%8 != 0 {
			continue
		}
		at := k.Presence(id)
		_, there := k.World().ByNetID(id)
		switch died := t.last < k.ServerTick(); {
		case there != (at == systems.Present || at == systems.Stale):
			a.fail("%v: entity %d is %v, in its world: %v", k, id, at, there)
		case at == systems.Present && died:
			a.fail("%v: entity %d is %v at tick %d, but died after tick %d", k, id, at, k.ServerTick(), t.last)
		case at == systems.OutOfInterest && !died && h.m.sight == nil && h.m.secrets == nil:
			a.fail("%v: entity %d is %v, though nothing is hidden", k, id, at)
		case at != systems.NotLoaded && t.ever&bit(k.ID()) == 0:
			a.fail("%v: entity %d is %v, though it never may be seen", k, id, at)
		}
	}
}

// judged checks a view of lag compensation: entities of other players are as in the older of the two states that it shows.
func (h *history) judged(v lagcomp.View) {
	from, _ := v.States()
	x := h.at(from)
	if x == nil || policy.TraitsOf(h.m.server.Model).Rewinds {
		return
	}
	for e, r := range lagcomp.All[struct{ Seal seal }](v) {
		if o, owned := lagcomp.Get[components.Owner](v, e); owned && o.Client == v.Client() {
			continue
		}
		if f := x.find(v.NetID(e)); f == nil || f.seal != r.Seal {
			h.m.fail("a view of client %d between the states of %d and later has entity %d as %+v, it was %+v", v.Client(), from, v.NetID(e), r.Seal, f)
		}
	}
}
