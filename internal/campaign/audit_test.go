package campaign

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

const (
	// recovery is the maximum time from the last hitch until everybody plays again: datagrams under way arrive, crashed clients
	// time out, then two seconds.
	recovery = 3500 * time.Millisecond
	// rest is the maximum time until everybody has the same world.
	rest = 90 * time.Second
)

// audit checks a match while it runs and at its end.
type audit struct {
	m     *match
	err   error
	alive []components.NetID
	ever  map[components.NetID]bool // all entities so far
	idle  map[components.NetID]idleness
}

// idleness is the tick since which an entity has had the input of an absent owner.
type idleness struct {
	owner uint32
	since uint32
}

func (a *audit) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

// afterServer checks the server after each wake-up.
func (a *audit) afterServer() {
	m := a.m
	if m.ledger.err != nil {
		a.fail("%w", m.ledger.err)
	}
	w := m.crowd.Server.World()
	a.alive = a.alive[:0]
	for t := range w.Netcode().Tables {
		for _, id := range t.NetIDs {
			a.alive = append(a.alive, id)
			a.ever[id] = true
		}
	}
	slices.Sort(a.alive)
	a.neutral(w)
	if st := m.crowd.Server.Model(); policy.TraitsOf(m.server.Model).Rewinds && st.Longest > st.Window {
		a.fail("the server went back %d ticks, its window has %d", st.Longest, st.Window)
	}
}

// neutral checks that entities without a connected owner get the neutral input.
func (a *audit) neutral(w *ecs.World) {
	here := map[uint32]bool{}
	for s := range a.m.crowd.Server.Clients {
		here[s.ID] = true
	}
	// An owner leaves in a tick on which all peers agree.
	allowed := uint32(1)
	if t := policy.TraitsOf(a.m.server.Model); t.Stamped {
		allowed = uint32(3*w.TickRate()/2) + uint32(t.WindowTicks(w.TickRate()))
	}
	allowed += uint32(max(a.m.server.WakeEvery, 1))
	for e, r := range ecs.All[struct {
		Owner components.Owner `ecs:"optional"`
		In    order
	}](w) {
		id := w.NetID(e)
		if x, was := a.idle[id]; r.In == (order{}) || here[r.Owner.Client] {
			delete(a.idle, id)
		} else if !was || x.owner != r.Owner.Client {
			a.idle[id] = idleness{r.Owner.Client, w.Tick()}
		} else if n := w.Tick() - x.since; n > allowed {
			a.fail("entity %d of client %d, which is not there, has had an input for %d ticks: %+v", id, r.Owner.Client, n, r.In)
		}
	}
}

// afterClient checks a client after each of its ticks.
func (a *audit) afterClient(k *player) {
	if k.ledger.err != nil {
		a.fail("%w", k.ledger.err)
	}
	w := k.World()
	if w == nil {
		return
	}
	for e, r := range ecs.All[struct {
		Seal seal
		Echo echo `ecs:"optional"`
	}](w) {
		if r.Seal != sealed(r.Seal.A) || r.Echo != (echo{}) && r.Echo.A != r.Seal.A {
			a.fail("%v: entity %d is torn: %+v", k, w.NetID(e), r)
		}
	}
	keys := map[ecs.SpawnKey]components.NetID{}
	for e, r := range ecs.All[struct {
		Key   ecs.SpawnKey
		Shell shell
	}](w) {
		// A client that predicts nothing shows an entity until a snapshot says that it is gone, as it shows those of others. If
		// the server simulates the tick of its spawn again and gives the spawn another NetID, a small budget may leave room for
		// the new entity before that for the end of the old one.
		if other, twice := keys[r.Key]; twice && !k.thin {
			a.fail("%v: the entities %d and %d are both the spawn %+v", k, other, w.NetID(e), r.Key)
		}
		keys[r.Key] = w.NetID(e)
	}
	for e, r := range ecs.All[struct{ Purse purse }](w) {
		if r.Purse != (purse{}) && !a.m.everywhere() && (r.Purse.For != k.ID() || r.Purse.Gold != r.Purse.For*2654435761) {
			a.fail("%v has the purse of client %d, entity %d: %+v", k, r.Purse.For, w.NetID(e), r.Purse)
		}
	}
	if a.m.history != nil && k.Input()%3 == 0 && (!a.m.asleep || k.Input()%64 == 0) {
		a.m.history.compare(a, k)
	}
	if t := ecs.Single[tides](w); t.Mark != t.Turn*2654435761 {
		a.fail("%v: the tides are torn: %+v", k, t)
	}
}

// session returns the server's status of a client, if it has a session with it.
func (a *audit) session(k *player) (systems.ClientStatus, bool) {
	for s := range a.m.crowd.Server.Clients {
		if a.m.at(s.Address) == k {
			return s, true
		}
	}
	return systems.ClientStatus{}, false
}

// unaware reports whether a client may still take itself for connected although the server has ended its session: another client of
// the player took over, and the link lost the message. Sessions that survive a suspended process end after a longer silence than
// the rest of a match.
func (a *audit) unaware(k *player) bool {
	_, ok := a.session(k)
	return !ok && a.m.server.Session.Timeout > rest
}

// reached returns the number of ticks that a client has simulated.
func (a *audit) reached(k *player) uint32 {
	if a.m.everywhere() {
		return k.World().Tick()
	}
	return uint32(k.Stats().Ticks)
}

// plays checks that the server and all clients keep the tick rate.
func (a *audit) plays() error {
	m := a.m
	type mark struct {
		k    *player
		at   uint32
		used uint64
	}
	// A tick in which a buffer becomes deeper consumes no input. The depth follows the losses of the last ten seconds, in most of
	// which the links were bad. After an outage, it follows late, when all losses are older than the end of the outage.
	used := func(s systems.ClientStatus) uint64 { return s.Inputs.Consumed + s.Inputs.Holds }
	var marks []mark
	for _, k := range m.players {
		if s, ok := a.session(k); ok && k.live() && !s.Joining && k.World() != nil {
			marks = append(marks, mark{k, a.reached(k), used(s)})
		}
	}
	tick := m.crowd.Server.Tick()
	m.crowd.Run(time.Second)
	rate := m.crowd.Server.World().TickRate()
	least := rate*9/10 - max(m.server.WakeEvery, 1)
	if n := int(m.crowd.Server.Tick() - tick); n < least {
		return fmt.Errorf("the server completed %d ticks in a second at %d Hz, %v after all hitches", n, rate, recovery)
	}
	for _, x := range marks {
		s, ok := a.session(x.k)
		if !ok || !x.k.live() {
			return fmt.Errorf("%v is gone, though all is quiet: %v", x.k, x.k.Err())
		}
		if n := int(a.reached(x.k) - x.at); n < least {
			return fmt.Errorf("%v completed %d ticks in a second at %d Hz, %v after all hitches", x.k, n, rate, recovery)
		}
		if n := int(used(s) - x.used); n < least-rate/10 {
			return fmt.Errorf("of %v the server consumed %d inputs in a second at %d Hz, %v after all hitches: %+v", x.k, n, rate, recovery, s.Inputs)
		}
	}
	return nil
}

// sent is the traffic to a client, and the number of full states that the client has requested.
type sent struct{ datagrams, bytes, renewals uint64 }

// cheap checks that datagrams about a world at rest are small: some bytes each, and some per archetype, of which every entity
// may have its own. They stay small: no client receives the whole world again, not even when the numbers of sends wrap. A
// crashed client acknowledges nothing, so it is sent everything until its session times out.
func (a *audit) cheap() error {
	m := a.m
	seconds := 1
	if m.vigil {
		seconds = min(270/m.sends()+1, 14)
		for _, k := range m.players {
			k.SetLinks(m.calmLink, m.calmLink)
		}
	}
	total := func() map[*player]sent {
		all := map[*player]sent{}
		for _, k := range m.players {
			if s, ok := a.session(k); ok && k.live() {
				all[k] = sent{s.Session.DatagramsOut, s.Session.BytesOut, k.Stats().Renewals}
			}
		}
		return all
	}
	most := uint64(120 + 8*len(a.alive))
	usual := map[*player]uint64{} // the most in a second so far
	for n := range seconds {
		before := total()
		m.crowd.Run(time.Second)
		m.must(a.err)
		after := total()
		for _, k := range m.players {
			x, there := after[k]
			if !there {
				continue
			}
			x = sent{x.datagrams - before[k].datagrams, x.bytes - before[k].bytes, x.renewals - before[k].renewals}
			if x.renewals > 0 {
				return fmt.Errorf("%v asked for full states in second %d of rest", k, n)
			}
			if x.bytes > most*x.datagrams {
				return fmt.Errorf("%v is sent %d bytes in %d datagrams in a second of rest with %d entities", k, x.bytes, x.datagrams, len(a.alive))
			}
			if n > 0 && x.bytes > max(usual[k], 60*x.datagrams)*3/2 {
				return fmt.Errorf("%v is sent %d bytes in second %d of rest, before that %d at most: the world again", k, x.bytes, n, usual[k])
			}
			usual[k] = max(usual[k], x.bytes)
		}
	}
	return nil
}

// wrong returns the first error in the state after a match.
func (a *audit) wrong() error {
	m, w := a.m, a.m.crowd.Server.World()
	if err := ghosts("server", w); err != nil {
		return err
	}
	if err := m.ledger.paired(m.crowd.Server.Outcomes()); err != nil {
		return err
	}
	if err := a.counts(); err != nil {
		return err
	}
	for _, k := range m.players {
		if err := k.audited(); err != nil {
			return err
		}
		if k.gone || k.Err() != nil || a.unaware(k) {
			continue
		}
		if _, ok := a.session(k); !ok || !k.live() {
			return fmt.Errorf("%v has not noticed yet that it has no session: %v", k, k.Connected())
		}
		for _, x := range []*ecs.World{k.World(), k.View()} {
			if err := ghosts(k.ledger.name, x); err != nil {
				return err
			}
		}
		if err := systems.Difference(m.crowd.Server, k.Client.Client); err != nil {
			return fmt.Errorf("%v: %w", k, err)
		}
		if err := a.agrees(k); err != nil {
			return fmt.Errorf("%v: %w", k, err)
		}
		if err := a.obeyed(k); err != nil {
			return fmt.Errorf("%v: %w", k, err)
		}
	}
	return nil
}

// obeyed checks that the server ran a player's commands once each and in order, and gave the player its rank.
func (a *audit) obeyed(k *player) error {
	status, _ := a.session(k)
	full := status.Commands.Dropped > 0 // too many waited, so unknown ones were refused
	for _, r := range ecs.All[struct {
		Owner  components.Owner
		Cannon cannon
		Signal signal
	}](a.m.crowd.Server.World()) {
		if r.Cannon.Number != k.ID() || r.Owner.Client != k.ID() { // the gun of another player who had the number
			continue
		}
		last := k.ordered
		if last%refusedCommand == 0 && last > 0 {
			last--
		}
		if !full && (r.Signal.Wrong > 0 || last > 0 && (r.Signal.By != uint16(k.N) || r.Signal.N != last)) {
			return fmt.Errorf("of %d commands the last that was run is %d of client %d; %d were out of order", k.ordered, r.Signal.N, r.Signal.By, r.Signal.Wrong)
		}
		if want := uint8(rank); a.m.login && r.Signal.Rank != want {
			return fmt.Errorf("it has the rank %d", r.Signal.Rank)
		}
	}
	if n := uint64(k.ordered / refusedCommand); uint64(k.unheard) != n && !full || full && uint64(k.unheard) != status.Commands.Refused+status.Commands.Dropped {
		return fmt.Errorf("it heard of %d of %d refusals: %+v", k.unheard, n, status.Commands)
	}
	return nil
}

// counts checks the statistics of all peers.
func (a *audit) counts() error {
	s := a.m.crowd.Server.Stats()
	if a.m.sleep.who == "server" {
		s.FloodedMessages = 0 // all that arrived meanwhile is read at once
	}
	if s.MalformedMessages+s.SendErrors+s.FloodedMessages+s.Oversized+s.Divergences+s.Clamped > 0 {
		return fmt.Errorf("the server: %+v", s)
	}
	if e := a.m.events.Stats(); e.Late+e.Overflowed+e.Unhandled+e.Limited+e.Refused > 0 {
		return fmt.Errorf("the server's events: %+v", e)
	}
	budget := max(a.m.server.Snapshots.Budget, 1000)
	if len(a.m.budgets) > 0 {
		budget = max(budget, slices.Max(a.m.budgets))
	}
	if a.m.server.Snapshots.Budget > 0 && s.Snapshots.Largest > budget {
		return fmt.Errorf("a snapshot of %d bytes, the budget is %d", s.Snapshots.Largest, budget)
	}
	for _, k := range a.m.players {
		if refused := errors.Is(k.Err(), netsys.ErrLogin); refused && !k.ask.Refused || k.ask.Refused && k.met {
			return fmt.Errorf("%v asked for %+v: %v", k, k.ask, k.Err())
		}
		c := k.Stats()
		if c.MalformedMessages+c.SendErrors > 0 || c.Renewals > mostRenewals {
			return fmt.Errorf("%v: %+v", k, c)
		}
		if c.LongestReplay > systems.DefaultHistory {
			return fmt.Errorf("%v simulated %d ticks again at once", k, c.LongestReplay)
		}
	}
	return nil
}

// mostRenewals is the number of full states that a client may request. A request is necessary only after a long silence.
const mostRenewals = 4

// agrees compares a client's world and view with the server's world at rest: they contain all entities that the client must
// see, and none that it may not see.
func (a *audit) agrees(k *player) error {
	truth := a.m.crowd.Server.World()
	shown := []*ecs.World{k.World()}
	if !k.thin {
		shown = append(shown, k.View())
	}
	for n, w := range shown {
		name := []string{"world", "view"}[n]
		have := map[components.NetID]bool{}
		for t := range w.Netcode().Tables {
			for _, id := range t.NetIDs {
				have[id] = true
			}
		}
		for t := range truth.Netcode().Tables {
			for i, id := range t.NetIDs {
				owner := uint32(0)
				if o := ecs.Get[components.Owner](truth, t.Entities[i]); o != nil {
					owner = o.Client
				}
				own, f := owner == k.ID(), (*fact)(nil)
				if a.m.history != nil {
					if f = a.m.history.newest().find(id); f == nil {
						return fmt.Errorf("entity %d is new", id)
					}
					if may, must := f.may&bit(k.ID()) != 0, f.must&bit(k.ID()) != 0; have[id] && !may || !have[id] && must {
						return fmt.Errorf("its %s has entity %d: %v, it may: %v; %v", name, id, have[id], may, k.Presence(id))
					}
				}
				if !have[id] {
					if f == nil {
						return fmt.Errorf("its %s does not have entity %d", name, id)
					}
					continue
				}
				delete(have, id)
				e, _ := w.ByNetID(id)
				if err := a.same(truth, t.Entities[i], w, e, k.ID(), own, f); err != nil {
					return fmt.Errorf("its %s, entity %d of client %d: %w", name, id, owner, err)
				}
			}
		}
		for id := range have {
			return fmt.Errorf("its %s has entity %d, and nobody else", name, id)
		}
	}
	for id := range a.ever {
		if _, lives := truth.ByNetID(id); lives {
			continue
		}
		if p := k.Presence(id); p == systems.Present || p == systems.Stale {
			return fmt.Errorf("entity %d is %v, but dead", id, p)
		}
	}
	return nil
}

// unseen reports whether a client's world lacks a carrier on which a component of an entity depends on the server. Then the
// client may have the entity at another place.
func unseen(truth *ecs.World, e ecs.Entity, w *ecs.World, comp *ecs.Component) bool {
	return slices.ContainsFunc(ecs.CarriedIn(truth.Protocol()), func(c *ecs.Carried) bool {
		return c.Component == comp && c.Unseen(truth, e, w)
	})
}

// same compares an entity of the server with a client's, component by component.
func (a *audit) same(truth *ecs.World, e ecs.Entity, w *ecs.World, mine ecs.Entity, viewer uint32, own bool, f *fact) error {
	theirs := w.Protocol().Replicated()
	for i, c := range truth.Protocol().Replicated() {
		if c.Mode&ecs.OwnerOnly != 0 && !own {
			continue
		}
		p, q := truth.Netcode().Pointer(e, c), w.Netcode().Pointer(mine, theirs[i])
		if f != nil && !own {
			if n := slices.Index(a.m.history.secret, 1<<i); n >= 0 && p != nil {
				may, must := f.know[n].may&bit(viewer) != 0, f.know[n].must&bit(viewer) != 0
				if q != nil && !may || q == nil && must {
					return fmt.Errorf("%s: it has it: %v, it may: %v", c.Name, q != nil, may)
				} else if q == nil {
					continue
				}
			}
		}
		if (p == nil) != (q == nil) && c.Schema != nil {
			return fmt.Errorf("%s: the server has it: %v", c.Name, p != nil)
		}
		if p == nil || q == nil || c.Words == 0 || unseen(truth, e, w, c) {
			continue
		}
		for field := range c.Schema.Fields {
			f := &c.Schema.Fields[field]
			if !c.Schema.Differs(field, p, q) {
				continue
			}
			if apart, number := c.Schema.Apart(field, p, q); f.Lines > 0 && number && apart <= f.Lines {
				continue // a path of lines is within that of the truth
			}
			return fmt.Errorf("%s.%s is %s, on the server %s", c.Name, f.Path, c.Schema.Format(field, q), c.Schema.Format(field, p))
		}
	}
	return nil
}
