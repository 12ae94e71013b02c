package systems

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/snapshot"
)

// told counts the lines that contain all texts.
func (j *journal) told(texts ...string) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
lines:
	for _, line := range j.lines {
		for _, text := range texts {
			if !strings.Contains(line, text) {
				continue lines
			}
		}
		n++
	}
	return n
}

// A machine that is too slow is logged immediately, and then every ten seconds.
func TestLogOverload(t *testing.T) {
	log, clientLog := &journal{}, &journal{}
	g := newGame(t, peopled, ServerConfig{Logger: log.logger()})
	g.join(ClientConfig{Logger: clientLog.logger()}, netsys.Link{})
	g.connect()
	g.run(60)
	const line = "ticks dropped"
	if log.told(line)+clientLog.told(line) != 0 {
		t.Fatalf("%q, %q", log.lines, clientLog.lines)
	}
	for range 25 { // 25 s in which each second has five ticks
		g.now = g.now.Add(time.Second)
		g.server.Advance(g.now)
		g.clients[0].Advance(g.now)
	}
	if n, m := log.told("WARN", line, "clients=1"), clientLog.told("WARN", line); n != 3 || m != 3 {
		t.Errorf("%d lines of the server, %d of the client: %q, %q", n, m, log.lines, clientLog.lines)
	}
	if log.told(line, "ticks=550 ") != 2 { // ten times 55
		t.Errorf("%q", log.lines)
	}
}

// A client whose round trip is so long that none of its inputs arrives in time is logged once, others are not.
func TestLogRoundTripTooLong(t *testing.T) {
	for want, m := range []policy.Model{policy.LocalSync{}, policy.Rollback{Window: 200 * time.Millisecond}} {
		log := &journal{}
		g := newGame(t, peopled, ServerConfig{Logger: log.logger(), Model: m})
		g.join(ClientConfig{}, netsys.Link{Latency: 50 * time.Millisecond})
		g.join(ClientConfig{}, netsys.Link{Latency: 50 * time.Millisecond})
		g.connect()
		far := netsys.Link{Latency: 4900 * time.Millisecond}
		if err := g.links[1].SetLinks(far, far); err != nil {
			t.Fatal(err)
		}
		g.run(120 * 60)
		if n := log.told("WARN", "client=2", "round_trip="); n != want || log.told("arrives in time") != want {
			t.Errorf("%v: %d lines, want %d: %q", m, n, want, log.lines)
		}
	}
}

// A server with WakeEvery 2 logs the number of dropped steps, not of dropped wake-ups.
func TestLogOverloadCountsSteps(t *testing.T) {
	log := &journal{}
	g := newGame(t, peopled, ServerConfig{Logger: log.logger(), WakeEvery: 2})
	g.run(60)
	before := g.server.Tick()
	for range 12 { // 12 s in which each second has few steps of 60
		g.now = g.now.Add(time.Second)
		g.server.Advance(g.now)
	}
	if log.told("ticks dropped", "ticks=560 ") != 1 || g.server.Tick() != before+12*4 { // ten times 56 of 60
		t.Errorf("%q", log.lines)
	}
}

// The approaching last tick of a world is logged once, with the remaining time.
func TestLogOfTheLastTicks(t *testing.T) {
	log := &journal{}
	g := newGame(t, plaza, ServerConfig{FirstTick: ecs.MaxTick - 400, Logger: log.logger()})
	g.run(60)
	if log.told("WARN", "last tick") != 1 || log.told("last tick", "ticks=399 ", "time=6.64") != 1 {
		t.Errorf("%q", log.lines)
	}
}

// Each kind of event that a client can cause at every tick is logged once per client.
func TestLogOncePerClient(t *testing.T) {
	log := &journal{}
	g := newGame(t, peopled, ServerConfig{Logger: log.logger(), Players: Players{Refuse: noShots()}, Snapshots: Snapshots{Budget: snapshot.MinBudget}})
	for range 2 {
		g.join(ClientConfig{Gather: Gather(func(_ *Client, in *push) { in.Fire = true })}, netsys.Link{})
	}
	r := rand.New(rand.NewPCG(1, 1))
	w := g.server.World()
	var all []ecs.Entity
	for range 300 {
		all = append(all, w.Spawn(place{}))
	}
	g.connect()
	for range 300 {
		for _, e := range all {
			ecs.Get[place](w, e).Y = r.Float32()*900 - 450
		}
		g.step()
	}
	for range MaxMessages + 10 {
		for _, p := range g.server.sessions.peers.All() {
			if !g.server.sessions.Read(p.Client) {
				g.server.sessions.Flooded(p.Client)
			}
		}
	}
	if st := g.server.Stats(); st.OverBudget < 50 || st.Inputs.Refused < 400 {
		t.Fatalf("%d snapshots over budget, %d inputs refused", st.OverBudget, st.Inputs.Refused)
	}
	for _, line := range []string{"INFO client joined", "INFO budget exhausted", "WARN input refused", "WARN message not read"} {
		for _, client := range []string{"client=1", "client=2"} {
			if n := log.told(line, client); n != 1 {
				t.Errorf("%q of %s: %d lines", line, client, n)
			}
		}
	}
	if log.told("input refused", "not enough magic") != 2 {
		t.Errorf("no reason: %q", log.lines)
	}
}

// A client that reports several divergences is logged once, and once more with the system that caused them.
func TestLogDivergence(t *testing.T) {
	log := &journal{}
	told := 0
	g := newGame(t, peopled, ServerConfig{
		Logger: log.logger(), Model: policy.Rollback{Desync: func(policy.Divergence) { told++ }},
	})
	g.joinPeer(1, netsys.Link{})
	g.connect()
	g.run(30)
	for n := range uint32(10) {
		g.server.reportDivergence(policy.Divergence{Player: g.clients[0].ID(), Tick: n})
		g.server.reportDivergence(policy.Divergence{Player: g.clients[0].ID(), Tick: n, System: "walk"})
	}
	if n := log.told("WARN worlds differ"); n != 2 || told != 20 || g.server.Stats().Divergences != 20 {
		t.Errorf("%d lines, %d told, %d counted: %q", n, told, g.server.Stats().Divergences, log.lines)
	}
}

// The log contains joins, leaves with the reason, and replaced sessions.
func TestLogSessions(t *testing.T) {
	log := &journal{}
	g := newGame(t, peopled, ServerConfig{Logger: log.logger(), Players: Players{ReconnectWindow: time.Second}})
	g.join(ClientConfig{Session: ClientSession{ClientID: 7}}, netsys.Link{})
	g.connect()
	g.run(10)
	second := g.join(ClientConfig{Session: ClientSession{ClientID: 7}}, netsys.Link{}) // while the first session lives
	g.until("the player is back", func() bool { return second.Connected() })
	g.run(10)
	if err := second.Close(g.now); err != nil {
		t.Fatal(err)
	}
	g.run(10)
	for _, line := range []string{"client joined client=1 address=", "client is gone; its seat is reserved client=1 reason=", "client is back client=1", "client left client=1 reason="} {
		if n := log.told(line); n != 1 {
			t.Errorf("%q: %d lines of %q", line, n, log.lines)
		}
	}
}
