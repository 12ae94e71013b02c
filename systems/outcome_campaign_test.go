package systems

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// battle is a match of the skirmish that goes as badly as its seed says.
type battle struct {
	*game
	r        *rand.Rand
	preset   policy.Preset
	soldiers []*soldier
	paused   []time.Time
	ledger   *ledger // the server's
	events   *event.Server
	calm     bool // nobody fires or moves
	players  uint64
}

func newBattle(t *testing.T, seed uint64) *battle {
	presets := policy.Presets()
	b := &battle{
		r: rand.New(rand.NewPCG(seed, 5)), preset: presets[seed%uint64(len(presets))],
		ledger: newLedger("server"), events: event.NewServer(skirmishEvents(), event.ServerConfig{}),
	}
	b.ledger.then = b.committed
	policies := b.preset.Policies()
	if policies.Missing != policy.MissingWait {
		policies.Outcomes = policy.OutcomesPastHorizon
	}
	config := ServerConfig{
		Seed: seed, Policies: policies, Events: b.events, Outcomes: b.ledger.register,
		Timeout: time.Duration(2+b.r.IntN(20)) * time.Second, Join: b.enlist, LeavePolicy: LeavePolicy(b.r.IntN(2)),
		Budget: pickOne(b.r, 0, 0, 600, 200), SendRate: pickOne(b.r, 20, 20, 60, 10),
	}
	if b.r.IntN(2) == 0 {
		config.Hold = 3 * time.Second
	}
	b.listen()
	b.game = newGame(t, skirmish, config)
	for range 2 + b.r.IntN(3) {
		b.enter(0)
	}
	return b
}

// enlist is the Join of all peers.
func (b *battle) enlist(w *ecs.World, client uint32) {
	w.Spawn(components.Owner{Client: client}, spot{X: int16(client%8) * 3}, cannon{}, order{})
}

// committed notes who is to hear of what the server has committed.
func (b *battle) committed(o outcome.Outcome[deed]) {
	for _, p := range b.server.peers {
		b.soldier(p.session).due[o.Value] = o.Tick
	}
}

// soldier is who has a session at the server.
func (b *battle) soldier(s netsys.Session) *soldier {
	for n, k := range b.soldiers {
		if b.nodes[n].LocalAddr() == s.RemoteAddr() {
			k.session = s
			return k
		}
	}
	b.t.Fatalf("a session of %v, whom nobody knows", s.RemoteAddr())
	return nil
}

// listen makes the handlers of the server's events.
func (b *battle) listen() {
	from := func(s event.Sender) *soldier { return b.soldier(b.server.Session(s.Client)) }
	event.OnServer(b.events, event.Handlers[ping]{Handle: func(_ *ecs.World, s event.Sender, _ *ping) { from(s).pings++ }})
	event.OnServer(b.events, event.Handlers[remark]{Handle: func(_ *ecs.World, s event.Sender, v *remark) {
		k := from(s)
		if k.listened++; v.N != k.listened {
			k.ledger.fail("the server heard line %d as number %d", v.N, k.listened)
		}
	}})
}

// enter adds a player; one that is known already takes over from its old client.
func (b *battle) enter(player uint64) {
	if player == 0 {
		b.players++
		player = b.players
	}
	n := len(b.soldiers)
	k := &soldier{n: n, heard: map[deed]int{}, due: map[deed]uint32{}, ledger: newLedger(fmt.Sprintf("client %d, player %d", n, player))}
	k.ledger.late = !everywhere(b.server.policies)
	k.sparks = ecs.NewAttachments[shell](func(ecs.Entity, *spark) { k.ended++ })
	k.events = event.NewClient(skirmishEvents(), event.ClientConfig{})
	k.news(k.events)
	r := rand.New(rand.NewPCG(uint64(n), b.r.Uint64()))
	k.Client = b.join(ClientConfig{
		ClientID: player, Events: k.events, Outcomes: k.ledger.register, Timeout: time.Minute,
		Join: b.enlist, LeavePolicy: b.server.config.LeavePolicy,
		Gather: Gather(func(_ *ecs.World, in *order) {
			if dx, fire := int8(r.IntN(3)-1), r.IntN(9) == 0; !b.calm {
				in.DX, in.Fire = dx, fire
			}
		}),
	}, netsys.Link{})
	b.soldiers, b.paused = append(b.soldiers, k), append(b.paused, time.Time{})
	b.weather(n)
}

// weather changes the link of a client: good, bad, worse, or cut off.
func (b *battle) weather(n int) {
	link := func() netsys.Link {
		latency := time.Duration(1+b.r.IntN(150)) * time.Millisecond
		k := netsys.Link{Latency: latency, Jitter: latency * time.Duration(b.r.IntN(101)) / 100, Loss: b.r.Float64() * 0.4, Duplicate: b.r.Float64() * 0.3}
		switch b.r.IntN(8) {
		case 0:
			k.Loss = 1
		case 1, 2:
			k.Burst = time.Duration(50+b.r.IntN(500)) * time.Millisecond
		case 3, 4, 5:
			k.Loss, k.Jitter = 0, 0
		}
		return k
	}
	if err := b.links[n].SetLinks(link(), link()); err != nil {
		b.t.Fatal(err)
	}
}

// disturb is what happens to the peers in a tick.
func (b *battle) disturb() {
	for n, k := range b.soldiers {
		if k.gone {
			continue
		}
		if b.r.IntN(150) == 0 {
			b.weather(n)
		}
		if b.r.IntN(500) == 0 {
			b.paused[n] = b.now.Add(time.Duration(b.r.IntN(3000)) * time.Millisecond)
		}
		switch {
		case b.r.IntN(2000) == 0 && k.Connected():
			k.gone = true
			_ = k.Close(b.now)
		case b.r.IntN(2000) == 0:
			k.gone = true // without a word
		case b.r.IntN(1500) == 0 && len(b.soldiers) < 8 && k.Connected():
			k.gone = true
			b.enter(k.config.ClientID)
		}
		if k.live() && k.Input()%37 == 5 && b.r.IntN(2) == 0 {
			k.said++
			event.Raise(k.World(), event.ToServer(), remark{k.said})
		}
	}
	for _, p := range b.server.peers {
		if k := b.soldier(p.session); b.r.IntN(60) == 0 {
			k.told++
			event.Raise(b.server.World(), event.ToClient(p.id), remark{k.told})
		}
	}
	if b.r.IntN(250) == 0 && len(b.soldiers) < 7 {
		b.enter(0)
	}
	if b.r.IntN(700) == 0 {
		b.frozen = true
	} else if b.r.IntN(20) == 0 {
		b.frozen = false
	}
}

// pass lets a tick pass.
func (b *battle) pass() {
	b.now = b.now.Add(testTick)
	if !b.frozen {
		b.server.Advance(b.now)
	}
	for n, k := range b.soldiers {
		if k.gone || b.now.Before(b.paused[n]) {
			continue
		}
		k.Advance(b.now)
		k.Frame(b.now)
		k.draw()
	}
	if b.ledger.err != nil {
		b.t.Fatal(b.ledger.err)
	}
}

// end lets things come to rest, and reports what is not as it should be then.
func (b *battle) end() (err error) {
	b.calm, b.frozen = true, false
	for n := range b.links {
		b.paused[n] = time.Time{}
		if err := b.links[n].SetLinks(netsys.Link{}, netsys.Link{}); err != nil {
			b.t.Fatal(err)
		}
	}
	for tick := range 60 * 60 {
		if b.pass(); tick%60 == 59 {
			if err = b.wrong(); err == nil {
				return nil
			}
		}
	}
	return err
}

// wrong reports the first thing that is not as it should be when all is over.
func (b *battle) wrong() error {
	w := b.server.World()
	if err := ghosts("server", w); err != nil {
		return err
	}
	if err := b.ledger.paired(b.server.Outcomes()); err != nil {
		return err
	}
	peers := everywhere(b.server.policies)
	for _, k := range b.soldiers {
		if err := k.audited(b.ledger, peers); err != nil {
			return err
		}
		if !k.live() {
			continue
		}
		if err := k.ledger.paired(k.Outcomes()); err != nil {
			return err
		}
		for _, x := range []*ecs.World{k.World(), k.View()} {
			if err := ghosts(k.ledger.name, x); err != nil {
				return err
			}
		}
		if err := Difference(b.server, k.Client); err != nil {
			return fmt.Errorf("%s: %w", k.ledger.name, err)
		}
	}
	return nil
}

// battleTotals sums over the matches of a model.
type battleTotals struct {
	matches, clients, committed, foreseen, cancelled, resimulated, events atomic.Uint64
}

func (s *battleTotals) add(b *battle) {
	s.matches.Add(1)
	s.clients.Add(uint64(len(b.soldiers)))
	s.committed.Add(uint64(len(b.ledger.committed)))
	s.cancelled.Add(uint64(b.ledger.cancelled))
	s.events.Add(b.events.Stats().Handled)
	for _, k := range b.soldiers {
		s.foreseen.Add(uint64(len(k.ledger.committed)))
		s.cancelled.Add(uint64(k.ledger.cancelled))
		s.events.Add(k.events.Stats().Handled)
		s.resimulated.Add(k.Stats().Resimulated)
	}
}

// Whatever the links and the players do: every event is handled exactly once, every
// outcome that began is committed or withdrawn, clients commit nothing that the server did
// not, and of what was mispredicted nothing is left. Each match is under one of the presets,
// in turn. A thousand matches:
//
//	TACTUS_SEEDS=1000 go test ./systems -run TestOutcomeCampaign -v -timeout 30m
//
//mutant:rule Outcome1 systems/mode_peers_client.go
//mutant:from t.Next()-1, t.Horizon()), t.Horizon())
//mutant:to t.Next()-1, t.Horizon()), t.Next())
//mutant:rule Outcome2 systems/outcome/kind.go
//mutant:from k.log.stats.Cancelled++
//mutant:to if tick%16 == 0 { continue }; k.log.stats.Cancelled++
//mutant:rule Outcome3 systems/event/server.go
//mutant:from if p.err == nil && s.reaches(&o.to, p.client) {
//mutant:to if p.err == nil && s.reaches(&o.to, p.client) && len(s.outbox) < 4 {
func TestOutcomeCampaign(t *testing.T) {
	sums := make([]battleTotals, len(policy.Presets()))
	t.Cleanup(func() {
		for i, p := range policy.Presets() {
			s := &sums[i]
			t.Logf("%v: %d matches, %d clients, %d outcomes committed by servers, %d by clients, %d withdrawn, %d events handled, %d ticks simulated again by clients",
				p, s.matches.Load(), s.clients.Load(), s.committed.Load(), s.foreseen.Load(), s.cancelled.Load(), s.events.Load(), s.resimulated.Load())
		}
	})
	seeds(t, 12, 24, func(t *testing.T, seed uint64) {
		b := fight(t, seed)
		sums[b.preset].add(b)
	})
}

// fight plays a match to its end.
func fight(t *testing.T, seed uint64) *battle {
	b := newBattle(t, seed)
	for range 400 + b.r.IntN(300) {
		b.disturb()
		b.pass()
	}
	if err := b.end(); err != nil {
		t.Errorf("seed %d, %v: %v", seed, b.preset, err)
	}
	return b
}

// A client of a server that rewinds commits nothing that late inputs of others can still
// undo there. In these matches they do, to what has been confirmed.
//
//mutant:rule B5 systems/outcomes.go
//mutant:from return min(m.forwardClient.horizon(), m.own.tick-min(m.own.tick, window))
//mutant:to return max(m.forwardClient.horizon(), m.own.tick-min(m.own.tick, window))
func TestNetcodeB5_ConfirmedOutcomesCanBeRewritten(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{27, 75, 87, 99, 285, 291} {
		if b := fight(t, seed); b.preset != policy.ServerRewind {
			t.Errorf("seed %d is under %v", seed, b.preset)
		}
	}
}
