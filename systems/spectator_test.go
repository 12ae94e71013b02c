package systems

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/recording"
)

// terrible is a bad link for tests.
var terrible = netsys.Link{Latency: 80 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.1, Duplicate: 0.05}

// spectatorMatch plays two players for 20 s, with spectators that come and go meanwhile if spectators is true, and returns the match
// and its last spectator.
func spectatorMatch(t *testing.T, model policy.Model, spectators bool) (g *game, last *Client) {
	g = newGame(t, peopled, ServerConfig{Model: model, Seed: 3, Players: Players{Spectators: 2, ReconnectWindow: time.Minute}})
	g.join(ClientConfig{Gather: gatherPush()}, terrible)
	watch := func() {
		if spectators {
			last = g.join(ClientConfig{Spectate: true, Gather: gatherPush()}, terrible)
		} else {
			g.joins++
		}
	}
	watch()
	g.run(300)
	g.join(ClientConfig{Gather: gatherPush()}, terrible)
	g.run(300)
	if spectators {
		if err := last.Close(g.now); err != nil {
			t.Error(err)
		}
		g.clients = append(g.clients[:1], g.clients[2:]...)
		g.links = append(g.links[:1], g.links[2:]...)
	}
	watch()
	g.run(600)
	return g, last
}

// A spectator changes nothing in the world under any model, owns nothing, and sees the world as the server has it.
func TestSpectator(t *testing.T) {
	for _, model := range []policy.Model{policy.LocalSync{}, policy.ServerRewind{}, policy.CorrectOnMismatch{}, policy.Rollback{}, policy.Lockstep{}} {
		t.Run(model.String(), func(t *testing.T) {
			t.Parallel()
			without, _ := spectatorMatch(t, model, false)
			with, spectator := spectatorMatch(t, model, true)
			if model.String() != (policy.Lockstep{}).String() && with.server.World().Hash() != without.server.World().Hash() {
				t.Error("the world depends on spectators")
			}
			if a, b := with.server.Tick(), without.server.Tick(); a != b {
				t.Errorf("tick %d with spectators, %d without", a, b)
			}
			with.mustConverge()
			if id := uint32(spectator.Session().ID()); !sessions.IsSpectator(id) {
				t.Errorf("client number %#x", id)
			}
			pawns := 0
			for _, x := range ecs.All[ownerRow](spectator.World()) {
				if pawns++; sessions.IsSpectator(x.Owner.Client) {
					t.Error("the spectator owns an entity")
				}
			}
			if pawns != 2 {
				t.Errorf("the spectator sees %d pawns", pawns)
			}
			if n := with.server.Stats().MalformedMessages; n != 0 {
				t.Errorf("%d malformed messages", n)
			}
		})
	}
}

// A server without room for spectators refuses them. A spectator takes no player's place, and a full server still admits spectators.
func TestSpectatorsHaveTheirOwnPlaces(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{MaxClients: 1, Players: Players{Spectators: 1}})
	in := []*Client{g.join(ClientConfig{Spectate: true}, netsys.Link{}), g.join(ClientConfig{}, netsys.Link{})}
	g.connect()
	out := []*Client{g.join(ClientConfig{Spectate: true}, netsys.Link{}), g.join(ClientConfig{}, netsys.Link{})}
	g.run(120)
	for i, c := range in {
		if !c.Connected() {
			t.Errorf("client %d is not connected: %v", i, c.Err())
		}
	}
	for i, c := range out {
		if !errors.Is(c.Err(), netsys.ErrServerFull) {
			t.Errorf("client %d: %v", i, c.Err())
		}
	}
}

// However many clients join at the same moment, no more players and spectators enter than are allowed, and neither role takes
// the places of the other. The others are told that the server is full.
func TestPlacesOfClientsThatJoinAtOnce(t *testing.T) {
	for _, places := range []struct{ players, spectators int }{{2, 4}, {2, 1}, {3, 0}} {
		for seed := range uint64(4) {
			g := newGame(t, peopled, ServerConfig{MaxClients: places.players, Seed: seed, Players: Players{Spectators: places.spectators}})
			link := netsys.Link{Latency: 20 * time.Millisecond, Jitter: time.Duration(seed) * 5 * time.Millisecond, Loss: 0.05 * float64(seed)}
			for n := range 8 {
				g.join(ClientConfig{Spectate: n < 4}, link)
			}
			g.run(60 * 10)
			in := map[bool]int{}
			for n, c := range g.clients {
				switch {
				case c.Connected():
					in[n < 4]++
				case !errors.Is(c.Err(), netsys.ErrServerFull):
					t.Errorf("%+v, seed %d: client %d ended with %v", places, seed, n, c.Err())
				}
			}
			if in[false] != places.players || in[true] != places.spectators {
				t.Errorf("%+v, seed %d: %d players and %d spectators are in", places, seed, in[false], in[true])
			}
		}
	}
}

// A place that an admitted client never takes is free again after the handshake's time.
func TestPlaceOfClientThatNeverEnters(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{MaxClients: 1, Players: Players{Spectators: 1}})
	g.join(ClientConfig{}, netsys.Link{Latency: 30 * time.Millisecond})
	admitted := func() (n int) {
		for range g.server.link.endpoint.Admitted() {
			n++
		}
		return n
	}
	g.until("it is admitted", func() bool { return admitted() == 1 })
	g.clients, g.links = nil, nil
	g.join(ClientConfig{}, netsys.Link{})
	g.run(60)
	g.run(60 * 10)
	if !errors.Is(g.clients[0].Err(), netsys.ErrServerFull) || admitted() != 0 {
		t.Errorf("beside it: %v, %d admitted", g.clients[0].Err(), admitted())
	}
	g.clients, g.links = nil, nil
	g.join(ClientConfig{}, netsys.Link{})
	g.connect()
}

// A reserved seat goes to nobody else, however many others ask for it at any time, come and go. Its player returns to it.
func TestReservedSeatIsKept(t *testing.T) {
	for _, spectators := range []int{0, 2} {
		g := newGame(t, peopled, ServerConfig{
			MaxClients: 3, Session: ServerSession{Timeout: time.Second}, Players: Players{Spectators: spectators, ReconnectWindow: time.Minute},
		})
		join := func(player uint64) *Client {
			return g.join(ClientConfig{Session: ClientSession{ClientID: player}}, netsys.Link{Latency: 20 * time.Millisecond})
		}
		first := join(1)
		g.connect().run(10)
		id := uint32(first.Session().ID())
		for player := uint64(2); player < 8; player++ { // of which each goes away
			g.clients, g.links = nil, nil
			g.run(120)
			join(player)
			g.run(60)
		}
		g.clients, g.links = nil, nil
		g.run(120)
		if n := len(g.server.sessions.Reserved()); n != 3 {
			t.Errorf("%d seats are reserved", n)
		}
		back := join(1)
		for player := uint64(10); player < 16; player++ {
			join(player)
		}
		g.run(120)
		if !back.Connected() || uint32(back.Session().ID()) != id {
			t.Errorf("the player is not back: %v", back.Err())
		}
		if n := g.server.sessions.peers.Len(); n != 1 {
			t.Errorf("%d clients are in", n)
		}
	}
}

// A spectator sees everything, whatever the interest hides from players, or only what the player of Players.Sight sees.
func TestSightOfSpectators(t *testing.T) {
	var sight uint32
	g := newGame(t, peopled, ServerConfig{
		Players:   Players{Spectators: 2, Sight: func(netsys.Session) uint32 { return sight }},
		Snapshots: Snapshots{Interest: seenIf(func(_ ecs.Entity, client uint32) bool { return client == 2 })},
	})
	w := g.server.World()
	for i := range 100 {
		w.Spawn(components.Owner{}, place{X: float32(i)}, tint{}, veil{})
	}
	g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	everything := g.join(ClientConfig{Spectate: true}, netsys.Link{})
	g.run(60)
	sight = 1
	one := g.join(ClientConfig{Spectate: true}, netsys.Link{})
	g.run(120)
	count := func(c *Client) (n int) {
		for range ecs.All[struct{ At place }](c.World()) {
			n++
		}
		return n
	}
	if a, b := count(everything), count(one); a != 101 || b != 1 {
		t.Errorf("%d of 101 entities in sight, and %d of player 1's one", a, b)
	}
	g.mustConverge()
}

// A recording of what a player sees does not depend on what the interest hides from that player.
func TestHiddenIsNotRecorded(t *testing.T) {
	record := func(hidden float32) []byte {
		g := newGame(t, peopled, ServerConfig{Snapshots: Snapshots{Interest: seenIf(func(ecs.Entity, uint32) bool { return false })}})
		for range 50 {
			g.server.World().Spawn(place{X: hidden}, tint{uint8(hidden)}, veil{})
		}
		g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
		g.connect().run(60)
		var file bytes.Buffer
		w := recording.NewWriter(&file, recording.Config{})
		if err := g.server.Record(w, 1); err != nil {
			t.Fatal(err)
		}
		for range 400 {
			for r := range ecs.All[struct {
				NetID components.NetID
				Veil  veil
			}](g.server.World()) {
				ecs.Get[place](g.server.World(), r).Y += hidden / 100
			}
			g.step()
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	if a, b := record(3), record(77); !bytes.Equal(a, b) || len(a) < 1000 {
		t.Errorf("recordings of %d and %d bytes", len(a), len(b))
	}
}

// A recording of what a player sees contains the owner-only components of that player if this is requested, and never those of
// other players.
func TestOwnerOnlyIsRecordedOnRequest(t *testing.T) {
	for _, model := range []policy.Model{policy.LocalSync{}, policy.Buffered{}, policy.ServerRewind{}, policy.CorrectOnMismatch{}} {
		t.Run(model.String(), func(t *testing.T) {
			for _, own := range []bool{false, true} {
				g := newGame(t, bazaar, ServerConfig{Model: model})
				for range 2 {
					g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
				}
				g.connect()
				var file bytes.Buffer
				writer := recording.NewWriter(&file, recording.Config{OwnerOnly: own})
				if err := g.server.Record(writer, 1); err != nil {
					t.Fatal(err)
				}
				for range 600 {
					for r, x := range ecs.All[struct{ Coffer coffer }](g.server.World()) {
						ecs.Get[coffer](g.server.World(), r).Coins = x.Coffer.Coins + 1
					}
					g.step()
				}
				if err := writer.Close(); err != nil {
					t.Fatal(err)
				}
				r, err := recording.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
				if err != nil {
					t.Fatal(err)
				}
				replay, err := NewReplay(r, bazaar(), ClientConfig{})
				if err != nil {
					t.Fatal(err)
				}
				for _, at := range []time.Duration{3 * time.Second, 8 * time.Second, time.Second} {
					if err := replay.Seek(at); err != nil {
						t.Fatal(err)
					}
					var pawns, coffers int
					for e, x := range ecs.All[ownerRow](replay.Client().View()) {
						pawns++
						c := ecs.Get[coffer](replay.Client().View(), e)
						if c == nil {
							continue
						}
						coffers++
						if want := float64(at.Seconds() * 60); x.Owner.Client != 1 || math.Abs(float64(c.Coins)-77-want) > 60 {
							t.Errorf("client %d has %d coins after %v", x.Owner.Client, c.Coins, at)
						}
					}
					if pawns != 2 || own != (coffers == 1) {
						t.Errorf("own %v: %d pawns and %d coffers at %v", own, pawns, coffers, at)
					}
				}
			}
		})
	}
}
