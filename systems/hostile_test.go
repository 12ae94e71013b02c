package systems

import (
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// siege is a match of two honest clients, and what somebody throws at the server
// in each tick; the hash is over all that the honest ones have.
func siege(t *testing.T, attack func(g *game, captured [][]byte, throw func(b []byte))) (hash uint64, s ServerStats, thrown uint64, log *journal) {
	log = &journal{}
	g := newGame(t, peopled, ServerConfig{Seed: 5, Logger: log.logger()})
	stranger := g.network.Node(netip.MustParseAddrPort("127.0.0.1:6666"))
	honest := g.network.Node(netip.MustParseAddrPort("127.0.0.1:5555"))
	var captured [][]byte
	wire := tapped{honest, func(b []byte) []byte {
		captured = append(captured, slices.Clone(b))
		return b
	}}
	k, err := NewClient(wire, g.addr, peopled(), ClientConfig{Gather: gatherPush(), Start: g.now, Session: ClientSession{Random: netsys.SeededRandom(8)}})
	if err != nil {
		t.Fatal(err)
	}
	g.clients = append(g.clients, k)
	g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.links = append(g.links, g.links[0]) // one for each client
	g.connect()
	g.run(120)
	before := thrownAway(g.server.Stats())
	for n := range 240 {
		if attack != nil && n < 200 {
			attack(g, captured, func(b []byte) {
				for _, from := range []*netsys.Node{stranger, honest} {
					_ = from.Send(g.now, g.addr, b)
					thrown++
				}
			})
		}
		g.step()
		for _, c := range g.clients {
			hash = hash*31 + c.World().Hash()
		}
		hash = hash*31 + g.server.World().Hash()
	}
	g.settle()
	if err := g.converged(); err != nil {
		t.Error(err)
	}
	for n, c := range g.clients {
		if st := c.Stats(); st.Corrections > 0 || c.Err() != nil {
			t.Errorf("client %d: %d corrections, %v", n, st.Corrections, c.Err())
		}
	}
	s = g.server.Stats()
	if n := thrownAway(s) - before; n != thrown {
		t.Errorf("%d thrown, %d counted: %v, %v", thrown, n, s.Drops, s.DatagramDrops)
	}
	return hash, s, thrown, log
}

// thrownAway counts what was thrown away for any reason.
func thrownAway(s ServerStats) uint64 { return s.Drops.Total() + s.DatagramDrops.Total() }

// Nothing that a stranger throws at a server changes a match, not even in the
// name of a player whose traffic he has seen; all of it is counted by reason, and
// none of it fills the log.
func TestDatagramsFromStrangers(t *testing.T) {
	t.Parallel()
	want, calm, _, quiet := siege(t, nil)
	r := rand.New(rand.NewPCG(1, 8))
	pos := 0
	attacks := map[string]func(g *game, captured [][]byte, throw func([]byte)){
		"truncated": func(_ *game, captured [][]byte, throw func([]byte)) {
			for _, b := range [][]byte{captured[0], captured[len(captured)-1]} { // a Hello, and inputs
				for range 10 {
					throw(b[:pos%len(b)])
					pos++
				}
			}
		},
		"flipped": func(_ *game, captured [][]byte, throw func([]byte)) {
			b := slices.Clone(captured[len(captured)-1])
			for range 8 { // 200 ticks of 8 bits are more than its length
				b[pos/8%len(b)] ^= 1 << (pos % 8)
				throw(b)
				b[pos/8%len(b)] ^= 1 << (pos % 8)
				pos++
			}
		},
		"flipped hello": func(_ *game, captured [][]byte, throw func([]byte)) {
			b := slices.Clone(captured[0])
			for range 42 {
				b[pos/8%len(b)] ^= 1 << (pos % 8)
				throw(b)
				b[pos/8%len(b)] ^= 1 << (pos % 8)
				pos++
			}
		},
		"zeros": func(_ *game, _ [][]byte, throw func([]byte)) {
			throw(make([]byte, pos%1500))
			pos += 7
		},
		"noise": func(_ *game, _ [][]byte, throw func([]byte)) {
			for range 44 { // 64 KiB a tick
				b := make([]byte, 1+r.IntN(netsys.MaxDatagram))
				for i := range b {
					b[i] = byte(r.Uint32())
				}
				throw(b)
			}
		},
	}
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			pos = 0
			hash, s, thrown, log := siege(t, attack)
			if hash != want || thrown == 0 {
				t.Errorf("the match is another one: %x, not %x", hash, want)
			}
			if s.Inputs != calm.Inputs || s.MalformedMessages+s.FloodedMessages > 0 {
				t.Errorf("inputs %+v, without attack %+v", s.Inputs, calm.Inputs)
			}
			said := map[string]bool{} // of a stranger's tokens there is a line for each reason
			log.lines = slices.DeleteFunc(log.lines, func(line string) bool {
				once := strings.HasPrefix(line, "WARN connect token refused from=127.0.0.1:6666 ") && !said[line]
				said[line] = true
				return once
			})
			if len(log.lines) != len(quiet.lines) || len(said) > len(quiet.lines)+4 {
				t.Errorf("%d lines were logged, %d without attack: %q", len(log.lines), len(quiet.lines), log.lines)
			}
		})
	}
	// The same packet a second time is a duplicate, from the player's address, and
	// a stranger's from any other.
	hash, s, thrown, _ := siege(t, func(_ *game, captured [][]byte, throw func([]byte)) {
		throw(captured[len(captured)-1])
	})
	if hash != want || s.DatagramDrops[netcode.DropReplay]*2 != thrown || s.DatagramDrops[netcode.DropUnknownSender]*2 != thrown {
		t.Errorf("replays: hash %x, not %x; %d thrown, %v", hash, want, thrown, s.DatagramDrops)
	}
}

// A client that was built differently is refused with an error that says where
// the two part, and costs the server nothing else.
func TestForeignClients(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{})
	other := func() *ecs.Protocol {
		p := ecs.NewProtocol("plaza/1")
		ecs.Replicate[place](p, ecs.Predicted|ecs.Interpolated)
		ecs.Replicate[every](p, 0)
		ecs.Input[push](p)
		return p
	}
	c := g.joinWith(other(), ClientConfig{}, netsys.Link{})
	g.run(60)
	err := c.Err()
	var schema *netsys.SchemaError
	if !errors.Is(err, netsys.ErrSchema) || !errors.As(err, &schema) {
		t.Fatalf("another schema: %v", err)
	}
	if !strings.Contains(err.Error(), "shots") || !strings.Contains(err.Error(), "every") {
		t.Errorf("the error names no difference: %v", err)
	}
	s := g.server.Stats()
	if g.server.sessions.peers.Len() != 0 {
		t.Errorf("%v, %d clients", s.Drops, g.server.sessions.peers.Len())
	}
}

// badMessages are messages that no client sends.
func badMessages(i *intruder) [][]byte {
	good := i.input(1, push{})
	h := wire.SnapshotHeader{Send: 1}
	many := slices.Clone(good)
	many[6] = 33
	none := slices.Clone(good)
	none[6] = 0
	return [][]byte{
		nil, {0}, {wire.KindInput}, {wire.KindSnapshot}, {99}, good[:len(good)-1], append(slices.Clone(good), 0),
		many, none, wire.AppendSnapshotHeader(nil, &h), make([]byte, netsys.MaxPayload),
	}
}

// Malformed messages in a valid session are counted; the first is logged, and the
// one that is too many ends the session. Nobody else notices.
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
