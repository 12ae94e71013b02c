package netsys_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// rough is a link with losses in bursts, jitter and duplicates.
var rough = netsys.Link{
	Latency: 40 * time.Millisecond, Jitter: 20 * time.Millisecond,
	Loss: 0.1, Burst: 40 * time.Millisecond, Duplicate: 0.05,
}

// The server crashes and restarts at the same address, with the same key and other nonces. It ignores packets and recordings
// of the old session. The client times out. Then the same player gets a new session, in which no data of the old one appears.
func TestRestartWithFreshNonces(t *testing.T) {
	s := newStage(t, netsys.ServerConfig{Timeout: 2 * time.Second})
	token := s.issue(7)
	p := s.joinWith(7, rough, netsys.ClientConfig{Token: token, Timeout: 2 * time.Second})
	var recorded [][]byte
	p.wire.out = func(_ netip.AddrPort, b []byte) bool {
		recorded = append(recorded, bytes.Clone(b))
		return true
	}
	nonces := make(map[string]bool) // of what both servers sent by this token's keys
	watch := func(to netip.AddrPort, b []byte) bool {
		if sequence := string(b[1 : 1+b[0]>>4]); to == p.LocalAddr() {
			if nonces[sequence] {
				t.Errorf("a nonce comes again: %x", sequence)
			}
			nonces[sequence] = true
		}
		return true
	}
	s.wire.out = watch
	s.until("connected", p.seated)
	s.run(5*time.Second, func() {
		p.play()
		p.talk(eventChannel, 20)
	})

	_ = s.wire.Close() // as if the process had been killed
	s.serve()
	s.wire.out = watch
	old := p.atServer
	s.until("the client gives up", func() bool {
		if p.reason == nil {
			_, _ = p.Session().Send(s.now, []byte("is anybody there?"))
		}
		return p.reason != nil
	})
	if !errors.Is(p.reason, netsys.ErrTimeout) {
		t.Errorf("the client ended with %v", p.reason)
	}
	if s.server.Len() != 0 || s.server.Drops().Total() != 0 {
		t.Errorf("the new server has %d clients and dropped %v", s.server.Len(), s.server.Drops())
	}
	if s.server.DatagramDrops()[netcode.DropUnknownSender] < 60 {
		t.Errorf("the old session's packets are not counted as of nobody: %v", s.server.DatagramDrops())
	}

	// The recording, request and response included, from the old address and from another one.
	mallory := s.network.Node(netip.MustParseAddrPort("203.0.113.66:666"))
	replay := func() {
		for _, b := range recorded {
			_ = p.node.Send(s.now, s.addr, b)
			_ = mallory.Send(s.now, s.addr, b)
		}
	}
	replay()
	s.step()
	if s.server.Len() != 0 || s.server.Drops().Total() != 0 {
		t.Errorf("a recording made a session: %d, %v", s.server.Len(), s.server.Drops())
	}

	if drops := s.server.DatagramDrops(); drops[netcode.DropTokenUsed] == 0 {
		t.Errorf("the recorded request was not challenged once: %v", drops)
	}

	again := s.seat(7, rough)
	if again.atServer == old || again.atServer.ID() == 0 || again.atServer.ClientID() != 7 {
		t.Error("no new session")
	}
	s.run(5*time.Second, func() {
		again.play()
		again.talk(eventChannel, 20)
		if len(again.up.sent)%60 == 0 {
			replay()
		}
	})
	s.run(2*time.Second, nil)
	again.alive()
	if !again.delivered() {
		t.Error("messages of the new session are missing")
	}
	if n := again.atServer.Stats().Malformed; n != 0 {
		t.Errorf("%d packets count as malformed", n)
	}
}

// A player returns with a new token while the old session still lives. The old session ends, and is reported, before the new
// one begins, also on a full server. Neither an older token nor a token of another player can do that, and no data of one
// session appears in the other.
func TestTakeover(t *testing.T) {
	var s *stage
	s = newStage(t, netsys.ServerConfig{MaxClients: 2, ID: func(of netsys.Session) uint64 {
		s.events = append(s.events, fmt.Sprint("id ", of.ClientID()))
		return 0
	}})
	older := s.issue(7) // expires before the one that the session will have
	s.run(2*time.Second, nil)
	first := s.seat(7, rough)
	other := s.seat(8, rough)
	play := func(players ...*player) func() {
		return func() {
			for _, p := range players {
				p.play()
				p.talk(eventChannel, 20)
			}
		}
	}
	s.run(time.Second, play(first, other))

	late := s.joinWith(7, rough, netsys.ClientConfig{Token: older, ConnectTimeout: 3 * time.Second})
	s.run(4*time.Second, play(first, other))
	if !errors.Is(late.reason, netsys.ErrTimeout) || first.reason != nil || len(s.ends) != 0 {
		t.Fatalf("an older token: %v; the session %v, %v", late.reason, first.reason, s.ends)
	}
	before := first.atServer
	second := s.join(7, rough)
	s.until("taken over", func() bool { return second.seated() && first.reason != nil })
	if !errors.Is(first.endAtServer, netsys.ErrReplaced) || len(s.ends) != 1 {
		t.Errorf("the old session ended with %v, all with %v", first.endAtServer, s.ends)
	}
	if want := []string{"id 7", "began 7", "id 8", "began 8", "ended 7", "id 7", "began 7"}; !slices.Equal(s.events, want) {
		t.Errorf("the server was told %q, not %q", s.events, want)
	}
	if !errors.Is(first.reason, netsys.ErrReplaced) && !errors.Is(first.reason, netsys.ErrTimeout) { // nothing told it
		t.Errorf("the old client ended with %v", first.reason)
	}
	if second.atServer == before || second.atServer.ClientID() != 7 || second.Session().ID() != second.atServer.ID() {
		t.Error("the new session is the old one")
	}
	if _, err := before.Send(s.now, nil); !errors.Is(err, netsys.ErrClosed) {
		t.Errorf("the old session takes packets: %v", err)
	}
	s.run(2*time.Second, play(second, other))
	s.run(2*time.Second, nil)
	for _, p := range []*player{second, other} {
		p.alive()
		if !p.delivered() {
			t.Errorf("client %d misses messages", p.id)
		}
	}
	first.correct()
	if s.server.Len() != 2 {
		t.Errorf("%d clients", s.server.Len())
	}
}
