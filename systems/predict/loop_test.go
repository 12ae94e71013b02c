package predict_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
)

// loop is a match of clients that run their ticks in frames at any times, like a game's loop. Input between ticks shows in its
// frame.
type loop struct {
	t       testing.TB
	now     time.Time
	network *netsys.Network
	address netip.AddrPort
	server  *systems.Server
	players []*player
}

// player is a client of a loop.
type player struct {
	*systems.Client
	loop   *loop
	link   *netsys.Conditioner
	held   fieldtest.Walk // what its player holds down
	throws bool           // a stone now and then
	every  time.Duration  // from frame to frame, in play
	due    time.Time      // its next frame, in play
	drawn  time.Time      // its last one
	inputs int
}

// strollSpeed is how many units a second players walk, and stones fly, in a loop.
const strollSpeed = 100

// Stone is the number of a stone of its owner, and its remaining ticks.
type Stone struct {
	Number uint16 `net:"0..65535"`
	Left   uint8  `net:"0..255"`
}

// stroll makes players walk at their speed at any tick rate, look where N says, and throw
// stones, which fly as fast.
func stroll(p *ecs.Protocol) {
	ecs.Replicate[components.Heading](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Stone](p, ecs.Predicted)
	p.Simulate("stroll", func(w *ecs.World) {
		for e, s := range ecs.Each[struct {
			Pos   *components.Position
			Stone *Stone
		}](w) {
			s.Pos.X += strollSpeed * w.Step()
			if s.Stone.Left--; s.Stone.Left == 0 {
				w.Despawn(e)
			}
		}
		for _, s := range ecs.Each[struct {
			Own  *components.Owner
			Pos  *components.Position
			Head *components.Heading
			In   *fieldtest.Walk
		}](w) {
			s.Pos.X += float32(s.In.DX) * strollSpeed * w.Step()
			s.Head.Angle = s.In.N
			if s.In.Jump {
				w.Spawn(*s.Own, components.Position{}, Stone{uint16(w.Tick()), 40})
			}
		}
	})
}

func joinLoop(w *ecs.World, client uint32) {
	w.Spawn(components.Owner{Client: client}, components.Position{}, components.Heading{}, fieldtest.Walk{})
}

// newLoop returns a loop at time 0, without players.
func newLoop(t testing.TB, c systems.ServerConfig) *loop {
	t.Helper()
	l := &loop{t: t, now: time.Unix(0, 0), network: netsys.NewNetwork(), address: netip.MustParseAddrPort("10.0.0.1:7777")}
	c.Start, c.Session.Random = l.now, netsys.SeededRandom(1)
	var err error
	if l.server, err = systems.NewServer(l.network.Node(l.address), fieldtest.ProtocolFrom(stroll, fieldtest.OnJoin(joinLoop))(), c); err != nil {
		t.Fatal(err)
	}
	return l
}

// join adds a player with a frame rate in play, with partial ticks or not.
func (l *loop) join(link netsys.Link, frames float64, partial bool) *player {
	l.t.Helper()
	n := uint64(len(l.players))
	wire, err := netsys.Condition(l.network.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: n + 1, In: link, Out: link})
	if err != nil {
		l.t.Fatal(err)
	}
	p := &player{loop: l, link: wire, every: time.Duration(float64(time.Second) / frames), due: l.now.Add(time.Duration(3+4*n) * time.Millisecond)}
	c := systems.ClientConfig{Start: l.now, Session: systems.ClientSession{Random: netsys.SeededRandom(1000 + n)}}
	c.Gather = systems.Gather(func(_ *systems.Client, in *fieldtest.Walk) {
		*in = p.held
		p.inputs++
		in.Jump = p.throws && p.inputs%31 == 0
	})
	if partial {
		c.Prediction.Partial = systems.Gather(func(_ *systems.Client, in *fieldtest.Walk) { *in = p.held })
	}
	if p.Client, err = systems.NewClient(wire, l.address, fieldtest.ProtocolFrom(stroll, fieldtest.OnJoin(joinLoop))(), c); err != nil {
		l.t.Fatal(err)
	}
	l.players = append(l.players, p)
	return p
}

// serve lets the server run up to a time.
func (l *loop) serve(end time.Time) {
	for at := l.server.Next(); !at.After(end); at = l.server.Next() {
		for _, p := range l.players {
			p.link.Flush(at)
		}
		l.server.Advance(at)
	}
	l.now = end
}

// frame lets time pass and draws a frame.
func (p *player) frame(passes time.Duration) {
	p.loop.serve(p.loop.now.Add(passes))
	p.Advance(p.loop.now)
	p.Frame(p.loop.now)
	p.drawn = p.loop.now
}

// play lets all players draw at their rates for so long, and shows each frame, with the time
// since the one before.
func (l *loop) play(d time.Duration, see func(p *player, passed time.Duration)) {
	for end := l.now.Add(d); ; {
		p := l.players[0]
		for _, q := range l.players[1:] {
			if q.due.Before(p.due) {
				p = q
			}
		}
		if p.due.After(end) {
			return
		}
		was := p.drawn
		p.frame(p.due.Sub(l.now))
		p.due = p.due.Add(p.every)
		see(p, p.drawn.Sub(was))
	}
}

// at returns where the player is drawn, and where it looks.
func (p *player) at() (x float64, angle uint16) {
	p.loop.t.Helper()
	e, ok := p.Own(p.View())
	if !ok {
		p.loop.t.Fatal("the view has no player")
	}
	return float64(fieldtest.Position(p.View(), e).X), ecs.Get[components.Heading](p.View(), e).Angle
}
