package systems

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
)

// seated is a game that records joins and leaves on the server.
type seated struct {
	*game
	joined, left []uint32
}

func newSeated(t *testing.T, c ServerConfig) *seated {
	s := &seated{}
	s.game = newGame(t, func() *ecs.Protocol {
		note := func(w *ecs.World, list *[]uint32, id uint32) {
			if w == s.server.World() {
				*list = append(*list, id)
			}
		}
		p := joining(plaza, func(w *ecs.World, id uint32) { note(w, &s.joined, id); spawnPawn(w, id) })()
		p.Leave(func(w *ecs.World, id uint32) { note(w, &s.left, id) })
		return p
	}, c)
	return s
}

// play adds a client that walks.
func (s *seated) play(player uint64, link netsys.Link) *Client {
	return s.join(ClientConfig{Session: ClientSession{ClientID: player, Timeout: 20 * time.Second}, Gather: gatherPush()}, link)
}

// vanish stops the first client without closing its session.
func (s *seated) vanish() { s.clients, s.links = s.clients[1:], s.links[1:] }

// pawnID returns the NetID and the position of a client's pawn on the server.
func (s *seated) pawnID(id uint32) (components.NetID, place) {
	s.t.Helper()
	type row struct {
		Own *components.Owner
		At  *place
	}
	w := s.server.World()
	for e, r := range ecs.Each[row](w) {
		if r.Own.Client == id {
			return w.NetID(e), *r.At
		}
	}
	s.t.Fatalf("client %d has no pawn", id)
	return 0, place{}
}

// Under every model a player returns to its seat with a new token, whether its old session still lives, as after a crash, or has
// timed out. The number and the entity are the same. An absent player stands still, and the others play on. When the reservation
// ends, the player leaves the game.
func TestPlayersComeBack(t *testing.T) {
	for _, model := range models {
		for how, lives := range map[string]bool{"the session lives": true, "the session has timed out": false} {
			t.Run(fmt.Sprintf("%v, %s", model, how), func(t *testing.T) {
				c := ServerConfig{Seed: 1, Model: model, Players: Players{ReconnectWindow: 8 * time.Second}, Session: ServerSession{Timeout: time.Second}}
				s := newSeated(t, c)
				link := netsys.Link{Latency: 40 * time.Millisecond, Loss: 0.02}
				old := s.play(7, link)
				other := s.play(8, link)
				s.connect()
				s.run(200)
				id := old.ID()
				pawn, at := s.pawnID(id)
				input := old.Input()
				if !lives {
					s.vanish()
					s.run(180)
					_, at = s.pawnID(id)
					tick := s.server.Tick()
					s.run(120)
					if _, now := s.pawnID(id); now != at || len(s.server.sessions.Reserved()) != 1 || s.server.Tick() < tick+115 {
						t.Errorf("got an absent player that went from %v to %v, %d seats, and %d ticks; want it to stand still, 1 and 120",
							at, now, len(s.server.sessions.Reserved()), s.server.Tick()-tick)
					}
				}
				back := s.play(7, link)
				s.until("the player is back", back.Connected)
				s.run(300)
				if lives {
					if old.Err() == nil {
						t.Error("the old session goes on")
					}
					s.vanish()
				}
				same, now := s.pawnID(id)
				if back.ID() != id || same != pawn || now == at || back.Input() < input || s.server.Stats().Returned != 1 {
					t.Errorf("got client %d with pawn %d at %v, input %d, returned %d times; want client %d with pawn %d, away from %v, after input %d, once",
						back.ID(), same, now, back.Input(), s.server.Stats().Returned, id, pawn, at, input)
				}
				if len(s.joined) != 2 || len(s.left) > 0 || other.Err() != nil {
					t.Errorf("got joins of %v, leaves of %v and %v for the other player; want 2, none and nil", s.joined, s.left, other.Err())
				}
				s.settle()
				if err := s.converged(); err != nil {
					t.Error(err)
				}
				s.clients[0], s.clients[1] = back, other
				s.vanish()
				s.until("the reservation has ended", func() bool { return len(s.left) > 0 && len(s.server.sessions.Reserved()) == 0 })
				s.run(60)
				if _, there := s.pawnOf(t, id); there || s.left[0] != id {
					t.Errorf("got leaves of %v and a pawn: %v; want those of %d, and none", s.left, there, id)
				}
			})
		}
	}
}

// Without a ReconnectWindow a takeover is a leave and a join.
func TestTakeoverWithoutHold(t *testing.T) {
	s := newSeated(t, ServerConfig{})
	old := s.play(7, netsys.Link{})
	s.connect()
	s.run(60)
	id := old.ID()
	c := s.play(7, netsys.Link{})
	s.until("the new session is there", c.Connected)
	s.run(10)
	_, there := s.pawnOf(t, id)
	if _, mine := s.pawnOf(t, c.ID()); c.ID() == id || there || !mine || old.Err() == nil || len(s.left) != 1 || s.left[0] != id {
		t.Errorf("client %d, before %d, whose pawn is there: %v; left %v", c.ID(), id, there, s.left)
	}
}

// A seat is reserved for its player only. A token of another player gets another number and other entities. A clean leave and
// a kick reserve no seat.
func TestTokenOfAnotherPlayer(t *testing.T) {
	s := newSeated(t, ServerConfig{Session: ServerSession{Timeout: time.Second}, Players: Players{ReconnectWindow: time.Minute}})
	c := s.play(7, netsys.Link{})
	s.connect()
	s.run(60)
	id := c.ID()
	pawn, _ := s.pawnID(id)
	s.clients, s.links = nil, nil
	s.until("the session has timed out", func() bool { return s.server.sessions.peers.Len() == 0 })
	stranger := s.play(8, netsys.Link{})
	s.connect()
	s.run(60)
	if again, _ := s.pawnID(id); stranger.ID() == id || again != pawn || len(s.joined) != 2 {
		t.Errorf("client %d, the other %d; joined %v", stranger.ID(), id, s.joined)
	}
	if err := stranger.Close(s.now); err != nil {
		t.Fatal(err)
	}
	s.clients, s.links = nil, nil
	s.run(5)
	kicked := s.play(9, netsys.Link{})
	s.connect()
	s.run(5)
	s.server.Session(kicked.ID()).Close(s.now, netsys.ReasonKicked)
	s.run(5)
	if len(s.left) != 2 || s.left[0] != stranger.ID() || s.left[1] != kicked.ID() || len(s.server.sessions.Reserved()) != 1 {
		t.Errorf("left %v, %d seats", s.left, len(s.server.sessions.Reserved()))
	}
}
