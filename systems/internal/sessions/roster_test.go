package sessions

import (
	"errors"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
)

// session is a fake session.
type session struct {
	netsys.Session
	id, player uint64
	sent       uint16
	broken     error
	spectator  bool
	closed     bool
	reason     netsys.Reason // of Close
}

func (s *session) ID() uint64                  { return s.id }
func (s *session) ClientID() uint64            { return s.player }
func (s *session) Spectator() bool             { return s.spectator }
func (s *session) Stats() netsys.Stats         { return netsys.Stats{} }
func (s *session) RemoteAddr() netip.AddrPort  { return netip.AddrPort{} }
func (s *session) Channels() *channel.Endpoint { return nil }
func (s *session) Send(time.Time, []byte) (uint16, error) {
	if s.broken != nil {
		return 0, s.broken
	}
	s.sent++
	return s.sent, nil
}
func (s *session) Close(_ time.Time, why netsys.Reason) { s.closed, s.reason = true, why }

// lobby is a roster with its clock.
type lobby struct {
	*Roster
	now time.Time
}

func newLobby(clients int) *lobby {
	l := &lobby{now: time.Unix(1000, 0)}
	l.Roster = New(Config{
		MaxClients: clients, MaxDelivered: 2, Timeout: time.Second, ReconnectWindow: time.Minute,
		Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return l.now },
	})
	return l
}

// enter admits a player.
func (l *lobby) enter(t *testing.T, player uint64) (c *Client, kept Reservation, back bool) {
	t.Helper()
	c, kept, back = l.Enter(&session{id: l.Number(&session{player: player}), player: player})
	if c == nil {
		t.Fatalf("player %d was not let in", player)
	}
	return c, kept, back
}

// A player whose session timed out returns under its number with a clean state. A player that left cleanly gets another
// number.
func TestWhoComesBackStartsClean(t *testing.T) {
	l := newLobby(4)
	c, _, back := l.enter(t, 7)
	if back || c.ID != 1 {
		t.Fatalf("client %d, back %v", c.ID, back)
	}
	for range MaxMessages + 3 {
		if !l.Read(c) {
			l.Flooded(c)
		}
	}
	l.Refuse(c, errors.New("no message"))
	l.Send(c, nil)
	if l.Leave(c, netsys.ErrTimeout, 300); l.ReservedInput(1) != 300 || len(l.Reserved()) != 1 {
		t.Fatal("it is not waited for")
	}
	again, kept, back := l.enter(t, 7)
	if !back || again.ID != 1 || kept.Input != 300 || len(l.Reserved()) != 0 || l.ReservedInput(1) != 0 {
		t.Fatalf("client %d, back %v, %+v", again.ID, back, kept)
	}
	if again.Malformed != 0 || again.Flooded != 0 || !l.Read(again) {
		t.Errorf("%+v has what was before", again)
	}
	l.Polled()
	for range 5 {
		l.now = l.now.Add(time.Second)
		l.Polled()
	}
	if again.Session.(*session).closed {
		t.Error("it is dropped, although nothing was sent to it")
	}
	if l.Leave(again, errors.New("goodbye"), 400); len(l.Gone()) != 1 || l.Gone()[0] != 1 {
		t.Errorf("gone are %v", l.Gone())
	}
	if next, _, back := l.enter(t, 7); back || next.ID == 1 {
		t.Errorf("after a goodbye it is client %d, back %v", next.ID, back)
	}
	if st := l.Stats(); st.Returned != 1 || st.Flooded != 3 || st.Malformed != 1 {
		t.Errorf("%+v", st)
	}
}

// Client numbers have 31 bits. A session beyond them is closed before it can own entities of others or of the server.
func TestNumbersRunOut(t *testing.T) {
	l := newLobby(4)
	l.numbers = spectatorBit - 2
	if id := l.Number(&session{player: 4}); id != spectatorBit-1 {
		t.Errorf("the last number is %d", id)
	}
	s := &session{id: l.Number(&session{player: 5}), player: 5}
	if c, _, _ := l.Enter(s); c != nil || !s.closed || l.clients.Len()+len(l.Gone()) != 0 {
		t.Errorf("closed: %v, client %+v", s.closed, c)
	}
}

// A player with a reserved seat leaves when the window ends, or when there are too many reservations, the oldest first. A
// handshake that has started keeps the seat until it ends.
func TestPlacesAreNotKeptForEver(t *testing.T) {
	l := newLobby(2)
	for player := range uint64(3) {
		c, _, _ := l.enter(t, player+1)
		l.Leave(c, netsys.ErrTimeout, 0)
		l.now = l.now.Add(time.Second)
	}
	if len(l.Gone()) != 1 || l.Gone()[0] != 1 || len(l.Reserved()) != 2 {
		t.Fatalf("gone are %v of three, %d are waited for", l.Gone(), len(l.Reserved()))
	}
	l.ClearGone()
	l.now = l.now.Add(time.Minute - 2*time.Second)
	id := l.Number(&session{player: 2})
	l.now = l.now.Add(time.Second / 2)
	l.Polled()
	if len(l.Gone()) != 0 {
		t.Fatalf("gone are %v", l.Gone())
	}
	if _, _, back := l.Enter(&session{id: id, player: 2}); !back {
		t.Error("its handshake had begun, and it is not back")
	}
	l.now = l.now.Add(time.Minute)
	if l.Polled(); len(l.Gone()) != 1 || l.Gone()[0] != 3 {
		t.Errorf("gone are %v", l.Gone())
	}
}

// A client that acknowledges nothing for the timeout is dropped once, and its seat is reserved.
func TestWhoAcknowledgesNothingIsDropped(t *testing.T) {
	l := newLobby(4)
	c, _, _ := l.enter(t, 1)
	s := c.Session.(*session)
	l.Polled()
	for n := range 20 {
		l.Send(c, nil)
		if n == 10 {
			c.Acked()
		}
		l.now = l.now.Add(90 * time.Millisecond)
		l.Polled()
	}
	if s.closed {
		t.Fatal("it acknowledged, and is dropped")
	}
	for range 12 {
		l.Send(c, nil)
		l.now = l.now.Add(90 * time.Millisecond)
		l.Polled()
	}
	if !s.closed || l.Stats().Deaf != 1 {
		t.Errorf("closed %v, %+v", s.closed, l.Stats())
	}
	if l.Leave(c, &netsys.CloseError{Reason: s.reason}, 0); len(l.Reserved()) != 1 {
		t.Error("it is not waited for")
	}
}

// The number of messages of a client per wake-up is limited, and starts anew with the next wake-up. Too many channel messages,
// or too many malformed messages, end the session.
func TestReadingIsBounded(t *testing.T) {
	l := newLobby(4)
	c, _, _ := l.enter(t, 1)
	for range 3 {
		l.Poll()
		read := 0
		for range 2 * MaxMessages {
			if l.Read(c) {
				read++
			}
		}
		if read != MaxMessages {
			t.Fatalf("%d messages were read", read)
		}
	}
	s := c.Session.(*session)
	for range 2 {
		if !l.Deliver(c, 0) || s.closed {
			t.Fatal("the messages that there is room for are not delivered")
		}
	}
	if l.Deliver(c, 0) || !s.closed {
		t.Error("one too many was delivered")
	}
	c, _, _ = l.enter(t, 2)
	for range MaxMalformed {
		if s = c.Session.(*session); s.closed {
			t.Fatal("closed too early")
		}
		l.Refuse(c, errors.New("no message"))
	}
	if !s.closed {
		t.Error("it goes on")
	}
}

// Packets that the session refuses are counted, except for a client that has just left. Sent packets have numbers.
func TestSending(t *testing.T) {
	l := newLobby(4)
	c, _, _ := l.enter(t, 1)
	if seq, ok := l.Send(c, nil); !ok || seq != 1 {
		t.Errorf("packet %d, sent %v", seq, ok)
	}
	s := c.Session.(*session)
	for _, s.broken = range []error{netsys.ErrClosed, errors.New("too long")} {
		if _, ok := l.Send(c, nil); ok {
			t.Error("it went out")
		}
	}
	if n := l.Stats().Unsent; n != 1 {
		t.Errorf("%d were not sent", n)
	}
}
