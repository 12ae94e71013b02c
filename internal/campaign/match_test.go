package campaign

import (
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// match is a match with the faults that its seed decides.
type match struct {
	*draw
	audit
	t         *testing.T
	crowd     *systemstest.Crowd
	r         *rand.Rand
	players   []*player // by their numbers in the crowd
	ledger    *ledger   // the server's
	events    *event.Server
	hidden    map[[2]uint32]bool // by client and entity
	glances   map[components.NetID]uint32
	lines     map[uint32]uint32 // sent to each client number, in all of its sessions
	history   *history          // nil if every client simulates everything
	interests map[string]systems.Interest
	went      hash.Hash64   // of all datagrams
	quiet     bool          // nothing happens
	resumes   time.Duration // end of the server's last halt
	slept     bool
	asleep    bool
	divided   uint64 // snapshots that needed several datagrams
	hash      uint64
	record    *record
}

// pace is the interval between two drawings of faults.
const pace = 50 * time.Millisecond

func newMatch(t *testing.T, d *draw) *match {
	m := &match{
		draw: d, t: t, r: d.stream("play"), hidden: map[[2]uint32]bool{}, glances: map[components.NetID]uint32{},
		ledger: newLedger("server"), events: event.NewServer(news(), event.ServerConfig{}),
		lines: map[uint32]uint32{}, interests: map[string]systems.Interest{}, went: fnv.New64a(),
	}
	m.audit = audit{m: m, idle: map[components.NetID]idleness{}, ever: map[components.NetID]bool{}}
	m.ledger.then = m.committed
	m.listen()
	config := d.server
	config.Events, config.Outcomes = m.events, m.ledger.register
	if d.sight != nil {
		config.Snapshots.Interest = m.interest(*d.sight)
	}
	for _, x := range d.secrets {
		config.Snapshots.ComponentInterest = append(config.Snapshots.ComponentInterest, only[x.name](m.interest(x.of)))
	}
	if d.login {
		config.Players.Login = systems.Login(admit)
	}
	if d.orders {
		config.Players.CommandRate = 1000
		config.Players.RefuseCommands = []systems.RefuseCommandFunc{systems.RefuseCommand(refuse)}
	}
	if !d.everywhere() {
		config.Schedule = func(s *ecs.Schedule) error {
			if d.blinks() {
				s.Stage("OnTick").Add(ecs.System{Name: "glance", Run: m.glance})
			}
			return s.InsertAfter("Snapshot", ecs.System{Name: "note", Run: func(w *ecs.World) { m.history.note(w) }})
		}
	}
	m.crowd = systemstest.New(t, systemstest.Config{
		Protocol: d.sea, Server: config, FrameRate: d.frames, Seed: d.seed, CountOnly: true,
		Client: func(n int) systems.ClientConfig {
			m.players = append(m.players, m.newPlayer(n))
			return m.players[n].config()
		},
		Play: systemstest.Play(func(c *systemstest.Client, in *order) {
			r := c.Rand()
			in.DX, in.DY = int8(r.IntN(3)-1), int8(c.Input()/16%3)-1
			in.Pull, in.Fire = c.Input()/8%2 == 0, r.IntN(9) == 0
			if d.server.LagComp != nil {
				in.Seen = c.Claim(in.Fire)
			}
		}),
	})
	m.crowd.Lose(m.pass)
	if !d.everywhere() {
		m.history = newHistory(m, m.crowd.Server.World().Protocol())
		d.judged = m.history.judged
	}
	if d.flood { // all flotsam exists from the start
		x := surge{draw: d, w: m.crowd.Server.World(), r: ecs.NewRand(d.seed, 0)}
		for range d.most {
			x.spawn()
		}
	}
	m.record = newRecord(m)
	m.crowd.OnServerTick(func() {
		m.afterServer()
		if err := m.record.step(); err != nil && m.err == nil {
			m.err = err
		}
	})
	m.crowd.OnClientTick(func(k *systemstest.Client) {
		m.players[k.N].act()
		m.afterClient(m.players[k.N])
	})
	m.crowd.OnFrame(func(k *systemstest.Client) { m.players[k.N].draw() })
	for range d.clients {
		m.enter(nil)
	}
	return m
}

// pass hashes a datagram.
func (m *match) pass(p systemstest.Packet) bool {
	fmt.Fprintln(m.went, p.Client.N, p.Up, p.At.UnixNano(), len(p.Data))
	m.went.Write(p.Data)
	return false
}

// admit is the server's Login.
func admit(_ netsys.Session, v *ask) error {
	if v.Refused {
		return errors.New("it asked for that")
	}
	v.Rank = rank
	return nil
}

// rank is the rank that the server gives to players in Login.
const rank = 7

// refuse refuses commands.
func refuse(_ *ecs.World, _ uint32, v *hoist) error {
	if v.N%refusedCommand == 0 {
		return errors.New("that is not heard")
	}
	return nil
}

// enter adds a client of a returning player or of a new one.
func (m *match) enter(of *player) {
	var k *systemstest.Client
	if of != nil {
		k = m.crowd.Return(of.Client)
	} else {
		k = m.crowd.Join()
	}
	m.players[k.N].Client, m.players[k.N].returned = k, of != nil
	if m.drift > 0 {
		k.SetDrift((2*m.r.Float64() - 1) * m.drift)
	}
	k.SetLinks(m.link(m.r), m.link(m.r))
}

// at returns the player with a session from an address.
func (m *match) at(a netip.AddrPort) *player {
	k := m.players[a.Port()-m.crowd.Clients[0].Address().Port()]
	k.met = true
	return k
}

// committed records which players have to receive a committed outcome.
func (m *match) committed(o outcome.Outcome[deed]) {
	for s := range m.crowd.Server.Clients {
		m.at(s.Address).due[o.Value] = o.Tick
	}
}

// listen registers the handlers of the server's events.
func (m *match) listen() {
	from := func(s event.Sender) *player { return m.at(m.crowd.Server.Session(s.Client).RemoteAddr()) }
	event.OnServer(m.events, event.Handlers[ping]{Handle: func(_ *ecs.World, s event.Sender, _ *ping) { from(s).pings++ }})
	event.OnServer(m.events, event.Handlers[remark]{Handle: func(_ *ecs.World, s event.Sender, v *remark) {
		k := from(s)
		if k.listened++; v.N != k.listened {
			k.ledger.fail("the server heard line %d as number %d", v.N, k.listened)
		}
	}})
}

// chance reports whether something happens now that happens at an average rate per second.
func (m *match) chance(often float64) bool { return m.r.Float64() < often*pace.Seconds() }

// upset draws faults: of links, clients and the server.
func (m *match) upset() {
	here := 0
	for _, k := range m.players {
		if !k.gone && k.Err() == nil {
			here++
		}
	}
	for _, k := range m.players[:len(m.players):len(m.players)] {
		if k.gone || k.Err() != nil {
			if m.chance(m.back) && here < 8 && !k.replaced {
				k.replaced = true
				m.enter(k)
			}
			continue
		}
		if m.chance(m.storm) {
			k.SetLinks(m.link(m.r), m.link(m.r))
		}
		if m.chance(m.hitch) {
			k.Stall(time.Duration(m.r.Int64N(int64(m.longest))))
		}
		switch {
		case m.chance(m.leave) && k.Connected():
			k.gone = true
			k.Leave()
		case m.chance(m.crash):
			k.gone = true
			k.Kill()
		case m.chance(m.over) && here < 8 && k.Connected():
			k.replaced = true
			m.enter(k)
		}
	}
	if m.chance(m.steps) {
		by := time.Duration(m.r.Int64N(int64(2*m.leap))) - m.leap
		if k := m.players[m.r.IntN(len(m.players))]; m.r.IntN(2) == 0 {
			m.crowd.StepClock(by)
		} else {
			k.StepClock(by)
		}
	}
	if m.chance(m.late) && here < 8 {
		m.enter(nil)
	}
	if m.chance(m.halt) && m.crowd.Elapsed() > m.resumes+2*pace { // one at a time, because it reads at most systems.MaxMessages afterwards
		most := min(3*time.Second, 200*time.Second/time.Duration(m.crowd.Server.World().TickRate()))
		d := time.Duration(m.r.Int64N(int64(most)))
		m.crowd.StallServer(d)
		m.resumes = m.crowd.Elapsed() + d
	}
	m.whisper()
	m.blink()
}

// whisper sends events to clients, and changes their budgets.
func (m *match) whisper() {
	w := m.crowd.Server.World()
	for s := range m.crowd.Server.Clients {
		if m.r.IntN(20) == 0 {
			m.lines[s.ID]++
			m.at(s.Address).told = m.lines[s.ID]
			event.Raise(w, event.ToClient(s.ID), remark{m.lines[s.ID]})
		}
		if len(m.budgets) > 1 && m.r.IntN(80) == 0 {
			if err := m.crowd.Server.SetBudget(s.ID, pick(m.r, m.budgets...)); err != nil {
				m.t.Error(err)
			}
		}
	}
}

// blink changes which entities clients may see.
func (m *match) blink() {
	for n := m.flicker * pace.Seconds(); n > 0 && m.r.Float64() < n; n-- {
		ids := m.alive
		if len(ids) == 0 {
			return
		}
		key := [2]uint32{uint32(1 + m.r.IntN(len(m.players)+1)), uint32(ids[m.r.IntN(len(ids))])}
		m.glances[components.NetID(key[1])]++
		m.hidden[key] = !m.hidden[key]
	}
}

// glance is the last system of a tick. It writes the glances in every tick, because a rewinding server undoes changes that are
// not made within ticks. It uses All, because Each would leave out entities of owners who have no input.
func (m *match) glance(w *ecs.World) {
	for e, r := range ecs.All[struct{ NetID components.NetID }](w) {
		switch n, g := m.glances[r.NetID], ecs.Get[glance](w, e); {
		case n == 0:
		case g == nil:
			ecs.Add(w, e, glance{n})
		default:
			g.Changes = n
		}
	}
}

// play runs the match until it becomes quiet.
func (m *match) play() {
	for next := time.Duration(0); m.crowd.Server.Tick() < m.calm; {
		if m.lulled(); !m.quiet {
			m.upset()
		}
		m.suspend()
		m.crowd.Run(pace)
		m.must(m.err)
		if m.crowd.Elapsed() >= next {
			next += time.Second
			m.hash = m.hash*0x100000001b3 ^ m.crowd.Hash()
			m.must(m.restores())
		}
		if m.crowd.Elapsed() > 5*m.draw.play+m.sleep.long+time.Minute {
			m.must(fmt.Errorf("after %v the server has completed tick %d of %d", m.crowd.Elapsed(), m.crowd.Server.Tick(), m.calm))
		}
	}
}

// restores saves the server and loads the save into a second server, saves that one and loads it into a third one. All three
// have the same world and tick. The second and the third are closed at the end.
func (m *match) restores() error {
	was := m.crowd.Server
	config := m.draw.server
	config.Start, config.Outcomes = m.crowd.Now(), newLedger("loaded").register
	config.Session.Random = netsys.SeededRandom(m.seed)
	for from, last := was, false; ; last = true {
		var err error
		if config.Load, err = from.Save()(); err != nil {
			return err
		}
		s, err := systems.NewServer(netsys.NewNetwork().Node(netip.MustParseAddrPort("127.0.0.1:7777")), m.sea(), config)
		if err != nil {
			return err
		}
		if d, differs := ecs.Differs(was.World(), s.World()); differs || s.Tick() != was.Tick() || s.World().Hash() != was.World().Hash() {
			return fmt.Errorf("a loaded world differs: %v", d)
		}
		if last {
			for now := config.Start; s.Tick() < was.Tick()+8; now = s.Next() {
				s.Advance(now)
			}
			return errors.Join(from.Close(config.Start), s.Close(s.Next()))
		}
		from = s
	}
}

// suspend suspends processes when it is time. Those who sleep together keep their sessions. A player who lost the session otherwise comes
// back.
func (m *match) suspend() {
	x := m.sleep
	if m.slept || x.who == "" || m.crowd.Server.Tick() < x.at {
		return
	}
	m.slept = true
	var had []*player
	for _, k := range m.players {
		k.SetNeutral(true)
		k.SetLinks(netsys.Link{}, netsys.Link{})
		k.Stall(0)
	}
	m.crowd.StallServer(0)
	m.crowd.Run(time.Second)
	for _, k := range m.players {
		if k.live() {
			had = append(had, k)
		}
	}
	if x.who != "client" {
		m.crowd.StallServer(x.long)
	}
	for n, k := range m.players {
		if x.who == "all" || x.who == "client" && n == 0 {
			k.Stall(x.long)
		}
	}
	if x.who == "client" { // nobody watches what the server sends until then, and a feed that is not read stops
		_, err := m.record.end()
		m.must(err)
	}
	was := m.quiet
	m.quiet = true
	m.asleep = true
	m.crowd.Run(x.long + time.Second)
	m.quiet, m.asleep = was, false
	m.must(m.err)
	for _, k := range had {
		if x.who == "all" && !k.live() {
			m.must(fmt.Errorf("%v has lost its session, though all slept together: %v", k, k.Err()))
		}
		if k.SetNeutral(m.quiet); !k.gone && k.Err() != nil && !k.replaced {
			k.replaced = true
			m.enter(k)
		}
	}
}

// lulled starts and ends the rest during a match.
func (m *match) lulled() {
	tick := m.crowd.Server.Tick()
	if quiet := tick >= m.lull[0] && tick < m.lull[1]; quiet != m.quiet {
		m.quiet = quiet
		for _, k := range m.players {
			k.SetNeutral(quiet)
		}
	}
}

// must ends the match when something is wrong.
func (m *match) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatalf("%v\ntick %d: %v", m.draw, m.crowd.Server.Tick(), err)
	}
}

// hush makes all links perfect and all inputs neutral.
func (m *match) hush() {
	m.quiet = true
	if most := slices.Max(append(m.budgets, 0)); most > 0 && m.budgets[0] > 0 && m.crowd.Server.Stats().Snapshots.Largest > most {
		m.must(fmt.Errorf("a snapshot of %d bytes, budgets are %v", m.crowd.Server.Stats().Snapshots.Largest, m.budgets))
	}
	m.crowd.StallServer(0)
	for _, k := range m.players {
		k.Stall(0)
		k.SetNeutral(true)
		k.SetLinks(netsys.Link{}, netsys.Link{})
	}
	for s := range m.crowd.Server.Clients {
		if m.flood && s.Budget < 1000 { // 400 entities in a few bytes a send would take minutes
			m.must(m.crowd.Server.SetBudget(s.ID, 1000))
		}
	}
}

// end lets things come to rest, and fails the test when they do not.
func (m *match) end() {
	m.hush()
	m.crowd.Run(recovery)
	m.must(m.err)
	err := m.plays()
	m.must(err)
	err = m.wrong()
	for limit := m.crowd.Elapsed() + rest; err != nil && m.crowd.Elapsed() < limit; err = m.wrong() {
		m.crowd.Run(time.Second / 2)
		m.must(m.err)
	}
	m.must(err)
	m.must(m.record.plays())
	m.hash = m.hash*0x100000001b3 ^ m.crowd.Hash()
	m.must(m.cheap())
	m.divided = m.crowd.Server.Stats().Snapshots.Divided
}
