package systems

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/policy"
)

// poke is the shortest command with a value.
type poke struct {
	N uint8 `net:"0..99"`
}

// poked returns a protocol with a command.
func poked(protocol func() *ecs.Protocol, join func(w *ecs.World, client uint32)) func() *ecs.Protocol {
	return func() *ecs.Protocol {
		p := joining(protocol, join)()
		ecs.Command(p, func(*ecs.World, uint32, *poke) {})
		return p
	}
}

// pokes returns a packet of commands, numbered from first on.
func pokes(first uint64, n int) []byte {
	b := codec.AppendUvarint([]byte{commands.PacketKind}, first)
	return append(b, make([]byte, 2*n)...)
}

// hostileMessages returns messages of every type that a client can send, by name: n is the number of the message.
func hostileMessages(i *intruder, own components.NetID) map[string]func(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	fill := func(first byte) []byte {
		b := make([]byte, netsys.MaxPayload)
		for k := range b {
			b[k] = byte(rng.Uint32())
		}
		b[0] = first
		return b
	}
	always := func(b []byte) func(int) []byte { return func(int) []byte { return b } }
	all := map[string]func(n int) []byte{
		"commands=32":     func(n int) []byte { return pokes(uint64(32*n+1), 32) },
		"commands=549":    func(n int) []byte { return pokes(uint64(549*n+1), 549) },
		"commands=old":    always(pokes(1, 32)),
		"commands=wrong":  func(n int) []byte { return append(pokes(uint64(32*n+1), 31), 0, 200) },
		"input":           func(n int) []byte { return i.input(uint16(n), push{DX: 1}) },
		"input=random":    always(fill(wire.KindInput)),
		"input=zeros":     always(append([]byte{wire.KindInput}, make([]byte, netsys.MaxPayload-1)...)),
		"changes=random":  always(fill(wire.KindChanges | 31<<wire.KindBits)),
		"notices=random":  always(fill(wire.KindNotices)),
		"snapshot=random": always(fill(wire.KindSnapshot)),
		"unknown=random":  always(fill(99)),
		"ones":            always(bytes.Repeat([]byte{255}, netsys.MaxPayload)),
	}
	if own != 0 {
		ids := make([]components.NetID, wire.MaxChanges)
		for k := range ids {
			ids[k] = own
		}
		all["changes=31"] = func(n int) []byte { return changesOf(i, uint16(n), ids, cursor{X: float32(n % 100)}) }
	}
	return all
}

// BenchmarkHostileBytes measures the server's work for each byte of a message in an authentic packet, of every type that a client
// can send: ns/byte. Decryption is not included.
func BenchmarkHostileBytes(b *testing.B) {
	for _, model := range []policy.Model{policy.LocalSync{}, policy.CorrectOnMismatch{}, policy.ServerRewind{}, policy.Rollback{}, policy.Lockstep{}} {
		protocol := poked(canvas, spawnPainter)
		relayed := policy.TraitsOf(model).RelaysInputs
		if relayed {
			protocol = poked(plaza, spawnPawn)
		}
		g := newGame(b, protocol, ServerConfig{Model: model})
		i := g.intrude()
		g.run(10)
		var own components.NetID
		if !relayed {
			own = g.server.World().NetID(painterOf(g.server.World(), i.id))
		}
		p := g.server.sessions.byID[i.id]
		h := (*serverHandler)(g.server)
		for name, message := range hostileMessages(i, own) {
			b.Run(fmt.Sprintf("%s/%s", model, name), func(b *testing.B) {
				sent, n := 0, 0
				for b.Loop() {
					b.StopTimer()
					data := message(n)
					n++
					sent += len(data)
					g.server.sessions.Poll() // each message is in another wake-up, and none ends the session
					p.Malformed = 0
					b.StartTimer()
					h.Received(g.now, p.Session, netsys.Packet{Seq: uint16(n), Newest: true, Data: data})
					h.catchUp()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(sent), "ns/byte")
			})
		}
	}
}

// A client that floods the server with commands, valid or not, is closed after a few wake-ups. One that only exceeds its rate is
// not: its surplus commands count as flooded.
func TestFloodsOfCommands(t *testing.T) {
	for name, x := range map[string]struct {
		packet func(n int) []byte
		each   int // packets of a tick
		closed bool
	}{
		"too many in a packet": {func(n int) []byte { return pokes(uint64(549*n+1), 549) }, 200, true},
		"too many packets":     {func(n int) []byte { return pokes(uint64(32*n+1), 32) }, 4, true},
		"above the rate":       {func(n int) []byte { return pokes(uint64(n+1), 1) }, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGame(t, poked(plaza, spawnPawn), ServerConfig{})
			g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
			g.connect()
			i := g.intrude()
			sent := 0
			for range 20 {
				for range x.each {
					i.send(x.packet(sent))
					sent++
				}
				i.tick()
			}
			if closed := i.reason != nil; closed != x.closed {
				t.Errorf("closed %v: %v", closed, i.reason)
			}
			st := g.server.Stats()
			if !x.closed && (st.Commands.Dropped == 0 || st.FloodedMessages != st.Commands.Dropped || st.MalformedMessages > 0) {
				t.Errorf("%+v, %d flooded, %d malformed", st.Commands, st.FloodedMessages, st.MalformedMessages)
			}
			g.mustConverge()
		})
	}
}
