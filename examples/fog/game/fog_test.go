package game

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// match returns a match on a bad link. A client with a number in spectators wants to see everything.
func match(t *testing.T, seed uint64, play systemstest.Script, players, spectators int) *systemstest.Crowd {
	config := systemstest.Config{
		Protocol: Protocol,
		Play:     play,
		Clients:  players + spectators,
		Client: func(n int) systems.ClientConfig {
			return systems.ClientConfig{Login: Login{Truth: n >= players}}
		},
		Link: systemstest.RoundTrip(300*time.Millisecond, 80*time.Millisecond, 0.05),
		Seed: seed,
	}
	serve(&config.Server, true)
	return systemstest.New(t, config)
}

// On a bad link, a client never holds a state of a player from a tick in which its team did not see that player. It holds
// the players that its team sees, and no others, at the latest eight snapshots after a change: a player who leaves sight and
// its cell of the grid together could be in a lost packet, and a link that loses much carries few bytes, so players take
// turns. A client that sees everything holds all players.
func TestClientsKnowWhatTheirTeamSees(t *testing.T) {
	const players, judge, late = 8, 8, 8 * 3 // ticks of eight snapshots
	systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) {
		bots := map[int]*bot{}
		crowd := match(t, seed, systemstest.Play(func(c *systemstest.Client, in *Input) {
			if bots[c.N] == nil {
				bots[c.N] = &bot{draw: ecs.NewRand(seed, uint64(c.N))}
			}
			bots[c.N].think(c.Client, in)
		}), players, 1)
		crowd.Connect()

		w := crowd.Server.World()
		seenBy := map[uint32]map[components.NetID][2]bool{} // by the tick and the player: the teams
		crowd.OnServerTick(func() {
			now := map[components.NetID][2]bool{}
			for e, it := range ecs.All[known](w) {
				var teams [2]bool
				for _, eye := range ecs.All[known](w) {
					teams[eye.Team.ID] = teams[eye.Team.ID] || eye.Owner == it.Owner || sees(eye.Pos, eye.Gaze, it.Pos)
				}
				now[w.NetID(e)] = teams
			}
			seenBy[crowd.Server.Tick()] = now
		})
		type pair struct {
			client int
			player components.NetID
		}
		type sight struct {
			sees  bool
			since uint32
		}
		sights := map[pair]sight{} // as of the client's snapshots
		seen, hidden := 0, 0
		crowd.OnClientTick(func(c *systemstest.Client) {
			if _, ok := c.Loaded(); !ok {
				return
			}
			var team Team
			if own, _ := c.Own(c.World()); c.N != judge {
				team = *ecs.Get[Team](c.World(), own)
			}
			for _, e := range ecs.All[struct{ Owner components.Owner }](c.World()) {
				if e.Owner.Client == crowd.Clients[judge].ID() && c.N != judge {
					t.Fatalf("%v knows of the client that sees everything", c)
				}
			}
			tick := c.ServerTick()
			for id, teams := range seenBy[tick] {
				_, held := c.World().ByNetID(id)
				if at, ok := c.StateTick(id); ok && c.N != judge && seenBy[at] != nil && !seenBy[at][id][team.ID] {
					t.Fatalf("%v of team %d holds player %d as of tick %d, when its team did not see it", c, team.ID, id, at)
				}
				now := sight{c.N == judge || teams[team.ID], tick}
				if last, ok := sights[pair{c.N, id}]; ok && last.sees == now.sees {
					now.since = last.since
				}
				sights[pair{c.N, id}] = now
				if held != now.sees && tick > now.since+late {
					t.Fatalf("%v of team %d holds player %d as of tick %d: %v; its team sees the player since tick %d: %v",
						c, team.ID, id, tick, held, now.since, now.sees)
				}
				if now.sees {
					seen++
				} else {
					hidden++
				}
			}
		})
		crowd.Run(30 * time.Second)
		if seen < 10_000 || hidden < 10_000 {
			t.Errorf("players were seen %d times and hidden %d times: too little to prove anything", seen, hidden)
		}
		if s := ecs.Single[Match](w).Score; s[0]+s[1] == 0 {
			t.Error("nobody was caught")
		}
		crowd.Settle()
		crowd.Converged()
	})
}

// Without -truth the server refuses to show a client everything. The error says why.
func TestTruthIsRefused(t *testing.T) {
	config := systemstest.Config{Protocol: Protocol, Clients: 1, Client: func(int) systems.ClientConfig {
		return systems.ClientConfig{Login: Login{Truth: true}}
	}}
	serve(&config.Server, false)
	crowd := systemstest.New(t, config)
	crowd.Run(2 * time.Second)
	if err := crowd.Clients[0].Err(); !errors.Is(err, netsys.ErrLogin) || !strings.Contains(err.Error(), "start it with -truth") {
		t.Errorf("the client ends with %v", err)
	}
}

// Players see neither behind their back, nor through walls, nor beyond their sight.
func TestSees(t *testing.T) {
	eye := components.Position{X: 30, Y: 160}
	for to, want := range map[components.Position]bool{
		{X: 110, Y: 160}: true, {X: 110, Y: 230}: true,
		{X: 15, Y: 160}: false, {X: 50, Y: 230}: false, // outside of the cone
		{X: 150, Y: 160}: false, // behind a wall
		{X: 170, Y: 20}:  true,  // past it
		{X: 240, Y: 30}:  false, // too far
	} {
		if got := sees(eye, Gaze{[2]float32{1, 0}}, to); got != want {
			t.Errorf("from %v to %v: %v, want %v", eye, to, got, want)
		}
	}
}

// Players who look at an opponent cannot be caught by the opponent.
func TestCatch(t *testing.T) {
	for _, looks := range []bool{true, false} {
		w := ecs.NewWorld(Protocol(), ecs.Config{TickRate: 60})
		spawn := func(x float32, team uint8, east float32) ecs.Entity {
			return w.Spawn(components.Owner{Client: uint32(team) + 1}, components.Position{X: x, Y: 40}, Gaze{[2]float32{east, 0}},
				components.Teleports{}, Team{team}, Caught{}, Seen{}, Input{Look: map[float32]uint16{1: 0, -1: 1 << 15}[east]})
		}
		hunter := spawn(300, 0, 1)
		victim := spawn(330, 1, map[bool]float32{true: -1, false: 1}[looks])
		systemstest.Step(w, 1)
		if caught := ecs.Single[Match](w).Score[0] == 1; caught == looks {
			t.Errorf("the victim looks at the hunter: %v; it is caught: %v, at %v", looks, caught, *ecs.Get[components.Position](w, victim))
		}
		if by := ecs.Get[Caught](w, victim).By; by == 1 == looks {
			t.Errorf("the victim looks at the hunter: %v; it was caught by client %d", looks, by)
		}
		if p := ecs.Get[components.Position](w, hunter); p.X != 300 {
			t.Errorf("the hunter is at %v", *p)
		}
	}
}

// The command plays without a window.
func TestHeadless(t *testing.T) {
	r, err := runner.Headless(t.Context(), World(), "-virtual", "-duration", "20s", "-rtt", "500ms", "-jitter", "84ms", "-loss", "0.05")
	if err != nil || !r.Converged {
		t.Fatalf("converged: %+v, %v", r, err)
	}
}
