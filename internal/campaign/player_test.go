package campaign

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// player is a client with records of everything that it sent and received.
type player struct {
	*systemstest.Client
	m        *match
	r        *rand.Rand
	ledger   *ledger
	events   *event.Client
	gone     bool // the client has stopped
	replaced bool // the player has another client
	returned bool // it continues a player's earlier client, and receives the events that this one has missed
	thin     bool
	met      bool // the server had a session with it

	ask     ask
	viewer  *viewer // on the server
	watched map[components.NetID]*watched
	checks  uint64 // of watched
	ordered uint16 // sent commands
	unheard uint16 // reported refusals of commands

	heard    map[deed]int
	due      map[deed]uint32 // tick of each deed that the server committed during its session
	said     uint32          // lines to the server
	listened uint32          // lines that the server has handled
	told     uint32          // the newest line to it
	lines    uint32
	pings    int // that the server has handled
	frames   int // calls of Partial

	sparks *ecs.Attachments[shell, spark] // one on each shell in the view
	lit    int
	ended  int
}

// spark is attached to a shell.
type spark struct{}

// newPlayer returns the records of the n-th client.
func (m *match) newPlayer(n int) *player {
	k := &player{
		m: m, r: rand.New(rand.NewPCG(m.seed, uint64(n))), ledger: newLedger(fmt.Sprintf("client %d", n)),
		events: event.NewClient(news(), event.ClientConfig{}), heard: map[deed]int{}, due: map[deed]uint32{},
		watched: map[components.NetID]*watched{}, ask: ask{Watches: m.spectators && n%3 == 2, Refused: m.login && n%5 == 4},
	}
	k.thin = m.thin && n%2 == 1
	k.ledger.late = !m.everywhere()
	k.sparks = ecs.NewAttachments[shell](func(ecs.Entity, *spark) { k.ended++ })
	event.OnClient(k.events, func(w *ecs.World, at event.Origin, v *deed) {
		k.finds(w, at, v.Gun, v.Shot)
		for e, s := range ecs.All[struct{ Shell shell }](w) {
			if !at.Unconfirmed && k.confirmed(w, e) && v.What != fired && s.Shell.Gun == v.Gun && s.Shell.Shot == v.Shot && s.Shell.Nth == v.Nth {
				k.ledger.fail("%+v of tick %d, but the shell is there: %+v", *v, at.Tick, s.Shell)
			}
		}
		if k.heard[*v]++; k.heard[*v] > 1 {
			k.ledger.fail("heard %d times of %+v", k.heard[*v], *v)
		}
	})
	event.OnClient(k.events, func(_ *ecs.World, _ event.Origin, v *remark) {
		if k.returned && k.lines == 0 {
			k.lines = v.N - 1 // these arrived in an earlier session
		}
		if k.lines++; v.N != k.lines {
			k.ledger.fail("heard line %d as number %d", v.N, k.lines)
		}
	})
	event.OnClient(k.events, func(w *ecs.World, at event.Origin, v *glimpse) {
		if e, there := w.ByNetID(v.ID); there && ecs.Has[cannon](w, e) {
			k.finds(w, at, ecs.Get[cannon](w, e).Number, v.Shot)
		}
		if at.About != v.ID {
			k.ledger.fail("a glimpse of entity %d is about %d", v.ID, at.About)
		}
	})
	return k
}

// finds checks at the delivery of an event that the client's world shows what the event says: the gun, if it is there, has fired the shot.
func (k *player) finds(w *ecs.World, at event.Origin, gun uint32, shot uint16) {
	if at.Unconfirmed {
		return
	}
	truth := k.m.crowd.Server.World()
	for e, r := range ecs.All[struct{ Cannon cannon }](w) {
		if r.Cannon.Number != gun || r.Cannon.Shots >= shot || !k.confirmed(w, e) {
			continue
		}
		// Not the gun of a later player with the same number, which has not fired so often.
		if s, there := truth.ByNetID(w.NetID(e)); there && ecs.Has[cannon](truth, s) && ecs.Get[cannon](truth, s).Shots >= shot {
			k.ledger.fail("shot %d of gun %d at tick %d, in the world entity %d has fired %d", shot, gun, at.Tick, w.NetID(e), r.Cannon.Shots)
		}
	}
}

// confirmed reports whether an entity of the client's world is as the server has confirmed it: unlike one that the client alone simulates,
// which may be mispredicted.
func (k *player) confirmed(w *ecs.World, e ecs.Entity) bool {
	return k.m.everywhere() || w.Netcode().Suspended(e)
}

// connectTimeout is the time for which clients try to connect in matches with sessions that survive a long silence.
const connectTimeout = 20 * time.Second

// config returns the configuration of the client.
func (k *player) config() systems.ClientConfig {
	m := k.m
	c := systems.ClientConfig{
		Events: k.events, Outcomes: k.ledger.register, Session: systems.ClientSession{Timeout: m.server.Session.Timeout}, Login: k.ask,
		OnRefused: func(r systems.Refusal) {
			if r.Command != "" {
				k.unheard++
			}
		},
	}
	if m.sleep.who != "" {
		// By default a client tries to connect for as long as a session may be silent: here up to two days. A server whose clock has
		// been set beyond the lifetime of the client's token never answers.
		c.Session.ConnectTimeout = connectTimeout
	}
	if !m.everywhere() {
		c.Systems = m.own
	}
	if m.scope {
		c.Prediction.Scope = func(w *ecs.World, e ecs.Entity) systems.Scope { return systems.Scope(w.NetID(e) % 3) }
	}
	if m.assume {
		c.Prediction.Assume = systems.Assume(func(c *systems.Client, _ ecs.Entity, in *order) {
			if !m.quiet {
				in.DX = int8(c.World().Tick()/8%3) - 1
			}
		})
	}
	if k.thin {
		c.Schedule = systems.Thin
	} else if m.partial {
		c.Prediction.Partial = systems.Gather(func(c *systems.Client, in *order) {
			w := c.World()
			if !w.Partial() || w.Step() > 1/float32(w.TickRate()) {
				k.ledger.fail("asked for the input of a frame outside of a partial tick")
			}
			if k.frames++; !m.quiet {
				in.DX, in.Fire = int8(k.frames%3)-1, k.frames%2 == 0
			}
		})
	}
	return c
}

// live reports whether the player has a session, as far as its client knows.
func (k *player) live() bool { return !k.gone && k.Err() == nil && k.Connected() }

// act makes a player send events and commands, and change scopes, after a tick.
func (k *player) act() {
	if k.m.quiet || !k.live() {
		return
	}
	if k.r.IntN(50) == 0 {
		k.said++
		event.Raise(k.World(), event.ToServer(), remark{k.said})
	}
	if k.m.orders && k.r.IntN(20) == 0 && systems.Command(k.Client.Client, hoist{uint16(k.N), k.ordered + 1}) == nil {
		k.ordered++
	}
	if k.m.asks && k.r.IntN(300) == 0 {
		k.AskSendRate(pick(k.r, 0, 1, 5, 20, 30))
	}
	if k.m.scope && k.r.IntN(40) == 0 {
		w := k.World()
		for e, r := range ecs.All[struct{ Owner components.Owner }](w) {
			if r.Owner.Client != k.ID() || k.r.IntN(3) == 0 {
				k.SetScope(e, systems.Scope(k.r.IntN(3)))
				break
			}
		}
	}
}

// draw attaches a spark to each shell of the view, and checks that there are no others.
func (k *player) draw() {
	if !k.Connected() {
		return
	}
	if k.m.history != nil && !k.thin {
		k.m.history.drawn(&k.m.audit, k)
	}
	k.sparks.Sweep(k.View())
	shown := 0
	for e := range ecs.All[struct{ Shell shell }](k.View()) {
		if shown++; k.sparks.Of(e) == nil {
			k.sparks.Attach(k.View(), e, spark{})
			k.lit++
		}
	}
	if n := k.sparks.Len(); n != shown || k.lit != n+k.ended {
		k.ledger.fail("%d shells are shown, and %d sparks; %d were lit, %d ended", shown, n, k.lit, k.ended)
	}
}

// audited returns an error if a player's records contradict the server's after the match.
func (k *player) audited() error {
	server, name := k.m.ledger, k.ledger.name
	if k.ledger.err != nil {
		return k.ledger.err
	}
	for d := range k.ledger.committed {
		tick, ok := server.ticks[d]
		if !ok {
			return fmt.Errorf("%s: committed %+v of its tick %d, and the server did not", name, d, k.ledger.ticks[d])
		}
		if k.m.everywhere() && tick != k.ledger.ticks[d] {
			return fmt.Errorf("%s: committed %+v of tick %d, the server that of tick %d", name, d, k.ledger.ticks[d], tick)
		}
	}
	for d := range k.heard {
		if server.committed[d] == 0 {
			return fmt.Errorf("%s: heard of %+v, which the server did not commit", name, d)
		}
	}
	if !k.live() || !k.met || k.m.unaware(k) {
		return nil
	}
	if n := k.sparks.Len(); n > 0 {
		return fmt.Errorf("%s: %d sparks are left", name, n)
	}
	for d, tick := range k.due {
		if k.heard[d] == 0 {
			return fmt.Errorf("%s: never heard of %+v of tick %d", name, d, tick)
		}
	}
	for d := range k.heard {
		if _, due := k.due[d]; !due && !k.returned {
			return fmt.Errorf("%s: heard of %+v, which was before its time", name, d)
		}
	}
	st := k.events.Stats()
	switch {
	case k.lines != k.told && (k.told > 0 || !k.returned):
		return fmt.Errorf("%s: heard %d of %d lines", name, k.lines, k.told)
	case k.listened != k.said:
		return fmt.Errorf("%s: the server heard %d of %d lines", name, k.listened, k.said)
	case uint64(k.pings)+uint64(k.said) != st.Raised || st.Unsent+st.Overflowed+st.Unhandled > 0:
		return fmt.Errorf("%s: the server handled %d pings and %d lines: %+v", name, k.pings, k.said, st)
	}
	return k.ledger.paired(k.Outcomes())
}
