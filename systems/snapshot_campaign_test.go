package systems

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
)

// match is a game in the harbour that goes as badly as its seed says.
type match struct {
	*game
	seascape
	audit
	r       *rand.Rand
	hidden  map[[2]uint32]bool // by client and entity
	secret  int                // one in so many entities is hidden from one in two clients
	flicker float64            // how many visibilities change in a tick
	paused  []time.Time        // by client: until when it stands still
	gone    []bool             // by client
	budgets []int
	stormy  bool
}

// pickOne is one of several.
func pickOne[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func newMatch(t *testing.T, seed uint64) *match {
	r := rand.New(rand.NewPCG(seed, 2024))
	m := &match{r: r, hidden: map[[2]uint32]bool{}}
	m.seascape = seascape{
		r: r, most: pickOne(r, 0, 3, 20, 70, 70, 150, 400), churn: pickOne(r, 0, 0.1, 0.5, 1),
		reshape: pickOne(r, 0, 0.05, 0.5), changes: pickOne(r, 0, 0.002, 0.02), owners: pickOne(r, 5, 30, 30, 100),
	}
	m.stormy = r.IntN(4) > 0
	m.budgets = pickOne(r, []int{defaultBudget}, []int{defaultBudget, 200, 1200}, []int{600, 1000, 300}, []int{200, 230, 300, 400})
	config := ServerConfig{
		Seed: seed, Timeout: time.Minute, Policies: policy.Policies{Timing: policy.InputTiming(r.IntN(2))}, LeavePolicy: LeavePolicy(r.IntN(2)), WakeEvery: pickOne(r, 1, 1, 2, 3),
		SendRate: pickOne(r, 10, 20, 20, 5), Budget: m.budgets[0], Coders: pickOne(r, delta.AnyCoder, delta.AnyCoder, delta.ZstdOnly),
		Join: func(w *ecs.World, client uint32) {
			m.joined = max(m.joined, client)
			if client%3 != 0 {
				m.add(w.Spawn(components.Owner{Client: client}, place{X: float32(client)}, shots{}, push{}, chestOf(client, 1), aim{For: client}))
			}
		},
	}
	if config.WakeEvery == 2 {
		config.SendRate = pickOne(r, 30, 10)
	}
	if config.WakeEvery == 1 && r.IntN(4) == 0 {
		config.SendRate = 60
	}
	if r.IntN(3) == 0 {
		config.Priority = func(w *ecs.World, e ecs.Entity, client uint32) float32 {
			return float32(1+(uint32(w.NetID(e))+client)%4) * 0.6
		}
	}
	if r.IntN(2) == 0 {
		m.secret, m.flicker = pickOne(r, 2, 5, 30), pickOne(r, 0, 0.2, 4)
		config.Visible = func(w *ecs.World, e ecs.Entity, client uint32) bool { return m.sees(client, uint32(w.NetID(e))) }
	}
	m.audit = audit{visible: m.sees, logs: map[uint32]*clientLog{}, died: map[uint32]uint32{}, moved: map[uint32]moved{}, fair: 60}
	config.Schedule = m.schedule
	if r.IntN(3) == 0 { // the numbers of sends begin anew soon
		config.FirstTick = (1<<16 - uint32(20+r.IntN(100))) * uint32(60/config.SendRate)
	}
	m.game = newGame(t, harbour, config)
	m.s, m.w = m.server, m.server.World()
	for range m.most * 3 / 4 {
		m.spawn()
	}
	for range 1 + r.IntN(6) {
		m.enter()
	}
	return m
}

// sees is the visibility hook: what a client may know of.
func (m *match) sees(client, id uint32) bool {
	if m.secret > 0 && id%uint32(m.secret) == 0 && (id+client)%2 == 0 {
		return false
	}
	return !m.hidden[[2]uint32{client, id}]
}

// enter adds a client.
func (m *match) enter() {
	m.join(ClientConfig{Gather: gatherPush(), Timeout: time.Minute}, netsys.Link{})
	m.paused, m.gone = append(m.paused, time.Time{}), append(m.gone, false)
	m.weather(len(m.clients) - 1)
}

// weather changes the link of a client: bad, worse, or cut off.
func (m *match) weather(n int) {
	link := func() netsys.Link {
		if !m.stormy || m.r.IntN(5) == 0 {
			return netsys.Link{Latency: time.Duration(m.r.IntN(80)) * time.Millisecond}
		}
		latency := time.Duration(1+m.r.IntN(250)) * time.Millisecond
		k := netsys.Link{Latency: latency, Jitter: latency * time.Duration(m.r.IntN(101)) / 100, Loss: m.r.Float64() * 0.6, Duplicate: m.r.Float64() * 0.3}
		switch m.r.IntN(8) {
		case 0:
			k.Loss = 1
		case 1, 2:
			k.Burst = time.Duration(50+m.r.IntN(1000)) * time.Millisecond
		}
		return k
	}
	if err := m.links[n].SetLinks(link(), link()); err != nil {
		m.t.Fatal(err)
	}
}

// events is what happens beside the world in a tick.
func (m *match) events(tick int) {
	for n := int(m.flicker) + m.r.IntN(2); m.flicker > 0 && n > 0 && len(m.live) > 0; n-- {
		if m.r.Float64() < m.flicker {
			key := [2]uint32{uint32(1 + m.r.IntN(int(m.joined)+1)), m.live[m.r.IntN(len(m.live))].id}
			m.hidden[key] = !m.hidden[key]
		}
	}
	for n, k := range m.clients {
		if m.r.IntN(150) == 0 {
			m.weather(n)
		}
		if m.r.IntN(500) == 0 {
			m.paused[n] = m.now.Add(time.Duration(m.r.IntN(4000)) * time.Millisecond)
		}
		if m.r.IntN(200) == 0 && k.Connected() {
			_ = m.server.SetBudget(k.ID(), pickOne(m.r, m.budgets...)) // which may not know it yet
		}
		if m.r.IntN(2500) == 0 && !m.gone[n] {
			if m.gone[n] = true; m.r.IntN(2) == 0 {
				_ = k.Close(m.now)
			}
		}
	}
	if m.r.IntN(300) == 0 && len(m.clients) < 8 {
		m.enter()
	}
	if tick > 60 && m.r.IntN(700) == 0 {
		m.frozen = true
	} else if m.r.IntN(20) == 0 {
		m.frozen = false
	}
}

// pass lets a tick pass.
func (m *match) pass() {
	m.now = m.now.Add(testTick)
	if !m.frozen {
		m.server.Advance(m.now)
	}
	for n, k := range m.clients {
		if m.gone[n] || m.now.Before(m.paused[n]) {
			continue
		}
		k.Advance(m.now)
		if m.r.IntN(3) > 0 {
			k.Frame(m.now)
		}
		if m.r.IntN(8) == 0 {
			m.client(k)
		}
		for range 4 {
			if len(m.live) > 0 {
				m.presence(k, m.live[m.r.IntN(len(m.live))].id)
			}
			if len(m.dead) > 0 {
				m.presence(k, m.dead[m.r.IntN(len(m.dead))])
			}
		}
	}
	if m.err != nil {
		m.t.Fatal(m.err)
	}
}

// settle lets things come to rest; it reports what is not as it should be then.
func (m *match) settle() (err error) {
	m.frozen = false
	for n := range m.links {
		m.paused[n] = time.Time{}
		if err := m.links[n].SetLinks(netsys.Link{}, netsys.Link{}); err != nil {
			m.t.Fatal(err)
		}
	}
	for tick := range 30 * 60 {
		if m.pass(); tick%30 == 29 {
			for _, p := range m.server.sessions.peers {
				if len(m.live) > 70 || len(p.snapshot.Baselines().World) > 20 { // a few bytes a send would take minutes
					if budget, _ := p.snapshot.Budget(); budget < 1000 {
						m.server.snapshots.SetBudget(p.snapshot, 1000)
					}
				}
			}
			if err = m.equal(); err == nil {
				return nil
			}
		}
	}
	return err
}

// equal reports the first client that is not equal to the server.
func (m *match) equal() error {
	m.prune()
	for n, k := range m.clients {
		if m.gone[n] || m.logs[k.link.id] == nil { // cut off before the server was sure of it
			continue
		}
		if err := Difference(m.server, k); err != nil {
			return fmt.Errorf("client %d: %w", k.link.id, err)
		}
		if err := viewAgrees(k); err != nil {
			return fmt.Errorf("client %d: %w", k.link.id, err)
		}
		for _, x := range m.live {
			p, seen := k.Presence(components.NetID(x.id)), m.sees(k.link.id, x.id) || ecs.Has[components.Owner](m.w, x.e) && ecs.Get[components.Owner](m.w, x.e).Client == k.link.id
			if (p == Present || p == Stale) != seen {
				return fmt.Errorf("client %d: entity %d is %v, it may see it: %v", k.link.id, x.id, p, seen)
			}
		}
		for _, id := range m.dead {
			if p := k.Presence(components.NetID(id)); p == Present || p == Stale {
				return fmt.Errorf("client %d: entity %d is %v, but dead", k.link.id, id, p)
			}
		}
	}
	return nil
}

// mostRenewals is how often a client may ask for full states: a server that knows what
// its clients hold is asked after the longest of silences only.
const mostRenewals = 4

// campaignTotals sums over all matches of a campaign.
type campaignTotals struct {
	matches, clients, snapshots, datagrams, over, compared, renewals, spawns atomic.Uint64
}

// Whatever happens to the world, to the packets and to the peers, every client
// holds the server's world in the end, and at no time has anybody a state that never
// was, or that they may not have; see match for what can happen. A thousand matches:
//
//	TACTUS_SEEDS=1000 go test ./systems -run TestSnapshotCampaign -v -timeout 30m
func TestSnapshotCampaign(t *testing.T) {
	var sum campaignTotals
	var broken atomic.Bool
	t.Cleanup(func() {
		t.Logf("%d matches, %d clients, %d snapshots in %d datagrams, %d of them over budget, %d states of entities compared, %d renewals, %d spawns",
			sum.matches.Load(), sum.clients.Load(), sum.snapshots.Load(), sum.datagrams.Load(), sum.over.Load(), sum.compared.Load(), sum.renewals.Load(), sum.spawns.Load())
	})
	seeds(t, 20, 20, func(t *testing.T, seed uint64) {
		if testing.Short() && broken.Load() {
			t.Skip("another match has failed")
		}
		defer func() { broken.Store(broken.Load() || t.Failed()) }()
		m := newMatch(t, seed)
		for tick := range 400 + m.r.IntN(300) {
			m.disturb()
			m.events(tick)
			m.pass()
		}
		if err := m.settle(); err != nil {
			t.Error(err)
		}
		st := m.server.Stats()
		if st.MalformedMessages+st.SendErrors+st.FloodedMessages+st.Oversized > 0 {
			t.Errorf("%+v", st)
		}
		for _, k := range m.clients {
			if st := k.Stats(); st.MalformedMessages > 0 || st.Renewals > mostRenewals {
				t.Errorf("client %d was sent %d messages that it had to refuse, and asked for %d renewals", k.link.id, st.MalformedMessages, st.Renewals)
			}
			sum.renewals.Add(k.Stats().Renewals)
		}
		sum.matches.Add(1)
		sum.clients.Add(uint64(len(m.clients)))
		sum.snapshots.Add(st.Updates)
		sum.datagrams.Add(st.Snapshots.Datagrams)
		sum.over.Add(st.OverBudget)
		sum.compared.Add(m.compared)
		sum.spawns.Add(uint64(len(m.live) + len(m.dead)))
	})
}
