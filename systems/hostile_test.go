package systems

import (
	"errors"
	"log/slog"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// badMessages returns messages that no client sends.
func badMessages(i *intruder) [][]byte {
	good := i.input(1, push{})
	h := wire.SnapshotHeader{Send: 1}
	many := slices.Clone(good)
	many[7] = 33
	none := slices.Clone(good)
	none[7] = 0
	return [][]byte{
		nil, {0}, {wire.KindInput}, {wire.KindSnapshot}, {99}, good[:len(good)-1], append(slices.Clone(good), 0),
		many, none, wire.AppendSnapshotHeader(nil, &h), make([]byte, netsys.MaxPayload),
	}
}

// Malformed messages in a valid session are counted. The first is logged, and after too many the session ends. Other clients
// are not affected.
func TestMalformedMessages(t *testing.T) {
	log := &journal{}
	g := newGame(t, peopled, ServerConfig{Logger: log.logger()})
	c := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect()
	i := g.intrude()
	sent := 0
	for _, b := range badMessages(i) {
		i.send(b)
		sent++
		i.tick()
		if got := g.server.Stats().MalformedMessages; got != uint64(sent) {
			t.Fatalf("message %x: %d counted of %d", b[:min(len(b), 20)], got, sent)
		}
	}
	for sent < MaxMalformed-1 {
		i.send([]byte{wire.KindSnapshot})
		if sent++; sent%100 == 0 {
			i.tick()
		}
	}
	i.tick()
	if i.reason != nil || g.server.sessions.peers.Len() != 2 {
		t.Fatalf("closed too early: %v", i.reason)
	}
	i.send([]byte{99}, []byte{99}, []byte{99})
	i.tick()
	i.tick()
	var closed *netsys.CloseError
	if !errors.As(i.reason, &closed) || closed.Reason != netsys.ReasonProtocol || !closed.Remote {
		t.Errorf("the intruder was told %v", i.reason)
	}
	s := g.server.Stats()
	if s.MalformedMessages != MaxMalformed || log.count(slog.LevelWarn) != 1 || s.FloodedMessages != 0 {
		t.Errorf("%d malformed, %d warnings, %d flooded", s.MalformedMessages, log.count(slog.LevelWarn), s.FloodedMessages)
	}
	if _, there := g.pawnOf(t, i.id); there || g.server.sessions.peers.Len() != 1 {
		t.Errorf("%d clients, the intruder's pawn is there: %v", g.server.sessions.peers.Len(), there)
	}
	g.mustConverge()
	if st := c.Stats(); st.Corrections > 0 {
		t.Errorf("the honest client was corrected %d times", st.Corrections)
	}
}

// every is of no game.
type every struct{ Bool bool }
