package systems

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
)

// seated is a game that records joins and leaves.
type seated struct {
	*game
	joined, left []uint32
	events       map[uint32]uint32 // number of the last event of each client
}

// eventChannel is the reliable, ordered channel of the default configuration.
var eventChannel = channel.Config{}.Channel("event")

func newSeated(t *testing.T, c ServerConfig) *seated {
	s := &seated{events: map[uint32]uint32{}}
	c.Session.OnMessage = func(_ *Server, id uint32, number int, b []byte) error {
		if n := binary.LittleEndian.Uint32(b); number != eventChannel || n != s.events[id]+1 {
			t.Errorf("client %d: event %d on channel %d after %d", id, n, number, s.events[id])
		}
		s.events[id]++
		return nil
	}
	s.game = newGame(t, func() *ecs.Protocol {
		p := joining(plaza, func(w *ecs.World, id uint32) { s.joined = append(s.joined, id); spawnPawn(w, id) })()
		p.Leave(func(_ *ecs.World, id uint32) { s.left = append(s.left, id) })
		return p
	}, c)
	return s
}

// play adds a client that walks and expects events in order. up and down count the events that it sends and that are sent to
// it.
func (s *seated) play(player uint64, link netsys.Link) (c *Client, up, down, heard *uint32) {
	up, down, heard = new(uint32), new(uint32), new(uint32)
	c = s.join(ClientConfig{
		Session: ClientSession{
			ClientID: player,
			Timeout:  20 * time.Second,
			OnMessage: func(_ *Client, _ int, b []byte) error {
				if n := binary.LittleEndian.Uint32(b); n != *heard+1 {
					s.t.Errorf("player %d heard event %d after %d", player, n, *heard)
				}
				*heard++
				return nil
			},
		}, Gather: gatherPush(),
	}, link)
	return c, up, down, heard
}

// say sends the next event. A full queue is not an error.
func say(t testing.TB, s netsys.Session, last *uint32) {
	err := s.Channels().Send(eventChannel, binary.LittleEndian.AppendUint32(nil, *last+1))
	switch {
	case err == nil:
		*last++
	case !errors.Is(err, channel.ErrFull):
		t.Error(err)
	}
}

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

// After an outage of three seconds the session continues: with the same entity and the same input numbers. The client
// simulates no more ticks again than the round trip and the buffer require.
func TestOutageOfThreeSeconds(t *testing.T) {
	s := newSeated(t, ServerConfig{Session: ServerSession{Timeout: 6 * time.Second}, Players: Players{ReconnectWindow: time.Minute}})
	link := netsys.Link{Latency: 50 * time.Millisecond}
	c, up, down, heard := s.play(7, link)
	other, _, _, _ := s.play(8, link)
	s.connect()
	s.run(300)
	id := c.ID()
	pawn, _ := s.pawnID(id)
	session, calm := s.server.Session(id), other.Stats()
	dead := netsys.Link{Loss: 1}
	if err := s.links[0].SetLinks(dead, dead); err != nil {
		t.Fatal(err)
	}
	for range 180 {
		say(t, c.Session(), up)
		say(t, session, down)
		s.step()
	}
	if err := s.links[0].SetLinks(link, link); err != nil {
		t.Fatal(err)
	}
	s.run(300)
	if s.server.Session(id) != session || c.Err() != nil || len(s.joined) != 2 || len(s.left) > 0 {
		t.Errorf("joined %v, left %v, %v", s.joined, s.left, c.Err())
	}
	if again, _ := s.pawnID(id); again != pawn {
		t.Errorf("pawn %d, before %d", again, pawn)
	}
	p := s.server.sessions.find(session)
	t.Logf("%d ticks simulated again at once", c.Stats().LongestReplay)
	if most := uint64(6+6+1+3) + uint64(p.inputs.Waiting()); c.Stats().LongestReplay > most {
		t.Errorf("%d ticks were simulated again at once, at most %d", c.Stats().LongestReplay, most)
	}
	if p.inputs.Waiting() > 8 {
		t.Errorf("%d inputs wait five seconds after the outage", p.inputs.Waiting())
	}
	if st := other.Stats(); st.Corrections != calm.Corrections || st.Stalls != calm.Stalls {
		t.Errorf("the other player noticed: %+v", st)
	}
	s.settle()
	if s.events[id] != *up || *heard != *down {
		t.Errorf("%d of %d events have arrived, %d of %d", s.events[id], *up, *heard, *down)
	}
	if err := s.converged(); err != nil {
		t.Error(err)
	}
}

// If a player connects with a new token while the old session lives, as after a crash, the player keeps the entity without a
// gap, and input counts continue.
func TestTakeoverKeepsEntity(t *testing.T) {
	s := newSeated(t, ServerConfig{Players: Players{ReconnectWindow: 5 * time.Second}})
	link := netsys.Link{Latency: 30 * time.Millisecond}
	old, _, _, _ := s.play(7, link)
	s.play(8, link)
	s.connect()
	s.run(300)
	id := old.ID()
	pawn, at := s.pawnID(id)
	consumed := s.server.sessions.find(s.server.Session(id)).inputs.Consumed()
	c, up, _, _ := s.play(7, link)
	s.until("the new session is there", c.Connected)
	s.run(10)
	if old.Err() == nil {
		t.Error("the old session goes on")
	}
	again, now := s.pawnID(id)
	if c.ID() != id || again != pawn || len(s.joined) != 2 || len(s.left) > 0 {
		t.Errorf("client %d with pawn %d, before %d with %d; joined %v, left %v", c.ID(), again, id, pawn, s.joined, s.left)
	}
	if dx := now.X - at.X; dx > 4 || dx < -4 {
		t.Errorf("the pawn was at %v, is at %v", at, now)
	}
	if c.Input() < consumed {
		t.Errorf("inputs are counted from %d, after %d", c.Input(), consumed)
	}
	s.clients, s.links = s.clients[1:], s.links[1:]
	s.run(60)
	settled := c.Stats().Corrections
	for range 300 {
		say(t, c.Session(), up)
		s.step()
	}
	if st := c.Stats(); st.Corrections != settled || s.server.Stats().Returned != 1 {
		t.Errorf("%d corrections after the first second; %+v", st.Corrections-settled, s.server.Stats())
	}
	s.settle()
	if s.events[id] != *up {
		t.Errorf("%d of %d events have arrived", s.events[id], *up)
	}
	if err := s.converged(); err != nil {
		t.Error(err)
	}
}

// Without a ReconnectWindow a takeover is a leave and a join.
func TestTakeoverWithoutHold(t *testing.T) {
	s := newSeated(t, ServerConfig{})
	old, _, _, _ := s.play(7, netsys.Link{})
	s.connect()
	s.run(60)
	id := old.ID()
	c, _, _, _ := s.play(7, netsys.Link{})
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
	c, _, _, _ := s.play(7, netsys.Link{})
	s.connect()
	s.run(60)
	id := c.ID()
	pawn, _ := s.pawnID(id)
	s.clients, s.links = nil, nil
	s.until("the session has timed out", func() bool { return s.server.sessions.peers.Len() == 0 })
	stranger, _, _, _ := s.play(8, netsys.Link{})
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
	kicked, _, _, _ := s.play(9, netsys.Link{})
	s.connect()
	s.run(5)
	s.server.Session(kicked.ID()).Close(s.now, netsys.ReasonKicked)
	s.run(5)
	if len(s.left) != 2 || s.left[0] != stranger.ID() || s.left[1] != kicked.ID() || len(s.server.sessions.Reserved()) != 1 {
		t.Errorf("left %v, %d seats", s.left, len(s.server.sessions.Reserved()))
	}
}
