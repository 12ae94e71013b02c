package systems

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/event"
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

// relayKind is the first byte of a message of package relay.
const relayKind = 3

// inputOf returns a whole message with the newest n inputs, each another one, and with the longest report if the model has reports.
func inputOf(i *intruder, newest uint16, n int, reports bool) []byte {
	t := i.game.server.protocol.Input().Schema
	m := wire.Input{Newest: newest, Count: n, Words: make([]int32, n*t.Words)}
	for k := range n {
		t.Quantize(m.Words[k*t.Words:], t.Words, unsafe.Pointer(&push{DX: int8(k%3) - 1, DY: int8(k/3%3) - 1, Fire: k%2 == 0}), 1)
	}
	coder := wire.NewInputCoder(t)
	coder.Reported = reports
	m.Report = wire.Report{Result: bytes.Repeat([]byte{0xa5}, wire.MaxResult), Bits: 8 * wire.MaxResult}
	return coder.Append(nil, &m, 0, nil)
}

// relayedInputs returns a message of package relay with as many inputs as possible from a tick on. It continues from no state. Its changes
// are random, or there are none.
func relayedInputs(first uint16, random []byte) []byte {
	var w codec.Writer
	w.Reset(append(make([]byte, 0, netsys.MaxPayload), relayKind))
	w.Bits(0, 8)
	w.Bits(0b10010, 5) // ready, and inputs
	w.Bits(uint64(first), 16)
	w.Bits(0b01111_11110, 10) // 255 of them
	w.Bits(0, 5)              // the first one is predicted as the neutral input
	w.Bool(len(random) > 0)
	for _, b := range random {
		w.Bits(uint64(b), 8)
	}
	return w.Bytes()
}

// hostileMessages returns messages of every kind in docs/spec/wire-format.md, as a client can send them, by name: n is the number of the
// message.
func hostileMessages(i *intruder, reports bool) map[string]func(n int) []byte {
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
	return map[string]func(n int) []byte{
		"input=1":        func(n int) []byte { return inputOf(i, uint16(n), 1, reports) },
		"input=32":       func(n int) []byte { return inputOf(i, uint16(32*n), wire.MaxRedundancy, reports) },
		"input=random":   always(fill(wire.KindInput)),
		"input=usual":    always(fill(wire.KindInput | 1<<wire.KindBits)),
		"input=relative": always(fill(wire.KindInput | wire.InputRelative<<wire.KindBits)),
		"input=zeros":    always(append([]byte{wire.KindInput}, make([]byte, netsys.MaxPayload-1)...)),
		"relay=random":   always(fill(relayKind)),
		"relay=changes": func(int) []byte {
			return relayedInputs(uint16(i.game.server.Tick())+8, fill(255)[:netsys.MaxPayload-7])
		},
		"relay=255":       func(int) []byte { return relayedInputs(uint16(i.game.server.Tick())+8, nil) },
		"snapshot=random": always(fill(wire.KindSnapshot)),
		"divided=random":  always(fill(wire.KindDivided)),
		"unknown=random":  always(fill(0)),
		"unknown=4":       always(fill(4)),
		"unknown=5":       always(fill(5)),
		"unknown=6":       always(fill(6)),
		"ones":            always(bytes.Repeat([]byte{255}, netsys.MaxPayload)),
	}
}

// hostileChannels returns messages of channels, by name, for a server with the events of calls: events on channel 0, and commands.
func hostileChannels() map[string][]byte {
	rng := rand.New(rand.NewPCG(3, 4))
	fill := func(first byte) []byte {
		b := make([]byte, netsys.MaxPayload)
		for k := range b {
			b[k] = byte(rng.Uint32())
		}
		b[0] = first
		return b
	}
	return map[string][]byte{
		"event=call":    {2, 7, 1, 2, 3, 4}, // the third registered one, of input 7
		"event=longer":  fill(2),
		"event=wrong":   fill(1), // only the server sends it
		"event=unknown": fill(100),
		"event=ones":    bytes.Repeat([]byte{255}, netsys.MaxPayload),

		"command=poke":   {0, 5},
		"command=wrong":  {0, 200},
		"command=longer": fill(0),
	}
}

// BenchmarkHostileBytes measures the server's work for each byte of a message in an authentic packet, of every kind that a client
// can send: ns/byte. Decryption is not included: package netsys measures it, with the packets that the server does not decode.
func BenchmarkHostileBytes(b *testing.B) {
	for _, model := range []policy.Model{policy.LocalSync{}, policy.Buffered{}, policy.CorrectOnMismatch{}, policy.ServerRewind{}, policy.Rollback{}, policy.Lockstep{}} {
		events := event.NewServer(calls(), event.ServerConfig{})
		event.OnServer(events, event.Handlers[call]{Handle: func(*ecs.World, event.Sender, *call) {}})
		g := newGame(b, poked(plaza, spawnPawn), ServerConfig{Model: model, Events: events})
		i := g.intrude()
		g.run(10)
		p := g.server.sessions.byID[i.id]
		h := (*serverHandler)(g.server)
		measure := func(name string, message func(n int) []byte, receive func(n int, message []byte)) {
			b.Run(fmt.Sprintf("%s/%s", model, name), func(b *testing.B) {
				sent, n := 0, 0
				for b.Loop() {
					b.StopTimer()
					data := message(n)
					n++
					sent += len(data)
					if n%8 == 0 {
						i.tick()
					}
					g.server.sessions.Poll() // each message is in another wake-up, and none ends the session
					p.Malformed = 0
					if g.server.sessions.byID[i.id] != p {
						b.Fatalf("the session has ended: %v", i.reason)
					}
					b.StartTimer()
					receive(n, data)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(sent), "ns/byte")
			})
		}
		messages := hostileMessages(i, policy.TraitsOf(model).Reports)
		for _, name := range slices.Sorted(maps.Keys(messages)) {
			measure(name, messages[name], func(n int, data []byte) {
				h.Received(g.now, p.Session, netsys.Packet{Seq: uint16(n), Newest: true, Data: data})
				h.catchUp()
			})
		}
		for name, message := range hostileChannels() {
			number := 0
			if strings.HasPrefix(name, "command") {
				number = channel.Control
			}
			measure(name, func(int) []byte { return message }, func(_ int, data []byte) { h.Message(g.now, p.Session, number, data) })
		}
	}
}

// The benchmark has messages of all kinds that the low three bits of the first byte can name.
func TestHostileMessagesOfEveryKind(t *testing.T) {
	g := newGame(t, poked(plaza, spawnPawn), ServerConfig{})
	i := g.intrude()
	for _, reports := range []bool{false, true} {
		kinds := map[byte]bool{}
		for _, message := range hostileMessages(i, reports) {
			kinds[message(0)[0]&wire.KindMask] = true
		}
		for kind := range byte(wire.KindMask + 1) {
			if !kinds[kind] {
				t.Errorf("no message of kind %d", kind)
			}
		}
	}
}

// A client that sends more commands in a wake-up than its queue holds is closed. One that only exceeds its rate is not: its surplus
// commands count as flooded.
func TestFloodsOfCommands(t *testing.T) {
	g := newGame(t, poked(plaza, spawnPawn), ServerConfig{})
	g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect()
	i := g.intrude()
	for range 60 {
		_ = i.Session().Channels().Send(channel.Control, []byte{0, 5})
		i.tick()
	}
	if st := g.server.Stats(); i.reason != nil || st.Commands.Dropped == 0 || st.FloodedMessages != st.Commands.Dropped || st.MalformedMessages > 0 {
		t.Errorf("closed: %v, %+v, %d flooded, %d malformed", i.reason, st.Commands, st.FloodedMessages, st.MalformedMessages)
	}
	session := g.server.Session(i.id)
	for range 2*channel.ControlQueue + 1 {
		(*serverHandler)(g.server).Message(g.now, session, channel.Control, []byte{0, 5})
	}
	for range 10 {
		i.tick()
	}
	if i.reason == nil {
		t.Error("the flood goes on")
	}
	g.mustConverge()
}
