package systems

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// intruder has a session and sends arbitrary payloads.
type intruder struct {
	*netsys.Client
	game   *game
	id     uint32
	got    int
	reason error
}

func (i *intruder) Connected(_ time.Time, s netsys.Session)             { i.id = uint32(s.ID()) }
func (i *intruder) Received(time.Time, netsys.Session, netsys.Packet)   { i.got++ }
func (i *intruder) Message(time.Time, netsys.Session, int, []byte)      {}
func (i *intruder) Acked(netsys.Session, uint16)                        {}
func (i *intruder) Disconnected(_ time.Time, _ netsys.Session, e error) { i.reason = e }

// intrude connects an intruder to the game.
func (g *game) intrude() *intruder {
	g.t.Helper()
	config := netsys.ClientConfig{Schema: g.protocol().Lines(), Random: netsys.SeededRandom(uint64(g.network.Unroutable() + 77))}
	if events := g.server.config.Events; events != nil {
		config.Messages = events.Registry().Lines()
	}
	c, err := netsys.NewClient(g.network.Node(netip.AddrPort{}), g.addr, config)
	if err != nil {
		g.t.Fatal(err)
	}
	i := &intruder{Client: c, game: g}
	g.until("the intruder has a session", func() bool {
		i.Poll(g.now, i)
		return i.id != 0 || i.reason != nil
	})
	return i
}

// send sends payloads. It ignores errors, because the session may end.
func (i *intruder) send(payloads ...[]byte) {
	for _, b := range payloads {
		_, _ = i.Session().Send(i.game.now, b)
	}
}

// tick runs the game and the intruder for a tick.
func (i *intruder) tick() {
	i.game.step()
	i.Poll(i.game.now, i)
}

// input returns a valid message with one input.
func (i *intruder) input(seq uint16, in push) []byte {
	t := i.game.server.protocol.Input().Schema
	m := wire.Input{Newest: seq, Count: 1, Words: make([]int32, t.Words)}
	t.Quantize(m.Words, t.Words, unsafe.Pointer(&in), 1)
	return wire.NewInputCoder(t).Append(nil, &m, 0, nil)
}

// pawnOf returns the position of a client's pawn on the server.
func (g *game) pawnOf(t testing.TB, client uint32) (at place, found bool) {
	t.Helper()
	type row struct {
		Own *components.Owner
		At  *place
	}
	for _, r := range ecs.Each[row](g.server.World()) {
		if r.Own.Client == client {
			return *r.At, true
		}
	}
	return at, false
}

// journal is a log that stores its lines.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) logger() *slog.Logger                     { return slog.New(j) }
func (j *journal) Enabled(context.Context, slog.Level) bool { return true }
func (j *journal) WithAttrs([]slog.Attr) slog.Handler       { return j }
func (j *journal) WithGroup(string) slog.Handler            { return j }
func (j *journal) Handle(_ context.Context, r slog.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	line := r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool { line += " " + a.String(); return true })
	j.lines = append(j.lines, line)
	return nil
}

// count returns the number of lines of a level.
func (j *journal) count(level slog.Level) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, l := range j.lines {
		if len(l) > len(level.String()) && l[:len(level.String())] == level.String() {
			n++
		}
	}
	return n
}
