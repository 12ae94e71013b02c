package systems

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/serverapply"
)

var errMagic = errors.New("not enough magic")

var badLink = netsys.Link{Latency: 120 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.2, Duplicate: 0.05}

var honestAddr = netip.MustParseAddrPort("127.0.0.1:5555")

// noShots refuses inputs that fire.
func noShots() RefuseFunc {
	return Refuse(func(_ *ecs.World, _ uint32, in *push) error {
		if in.Fire {
			return errMagic
		}
		return nil
	})
}

// A refused input has only the effect of the held input. The client is notified of each refusal once, in order and with the
// reason, on any link.
func TestNetcodeB1_RefusedInputs(t *testing.T) {
	seeds(t, 20, func(t *testing.T, seed uint64) {
		for _, timing := range inputTimings {
			var told []Refusal
			g := newGame(t, peopled, ServerConfig{Seed: seed, Players: Players{Refuse: noShots()}, Model: timing.model()})
			g.joins = 16 * int(seed) // a link of its own for each seed
			fired := map[uint32]bool{}
			n := 0
			c := g.join(ClientConfig{OnRefused: func(r Refusal) { told = append(told, r) }, Gather: Gather(func(c *Client, in *push) {
				n++
				if in.DX = 1; n > 60 && n%40 == 0 && n < 1200 {
					in.Fire = true
					fired[c.Input()] = true
				}
			})}, badLink)
			g.connect()
			g.run(1500)
			var s InputStats
			for st := range g.server.Clients {
				s = st.Inputs
			}
			for i, r := range told {
				if r.Cause != RefusedInput || r.Reason != errMagic.Error() || !fired[r.Input] || i > 0 && told[i-1].Input >= r.Input {
					t.Fatalf("%+v after %+v", r, told[:i])
				}
			}
			if uint64(len(told)) != s.Refused || s.Refused < 10 || c.Stats().Refusals != s.Refused {
				t.Errorf("%v: told of %d of %d", timing, len(told), s.Refused)
			}
			for e := range ecs.All[ownerRow](g.server.World()) {
				if n := ecs.Get[shots](g.server.World(), e).Count; n != 0 {
					t.Errorf("%d shots in spite of it", n)
				}
			}
			g.mustConverge()
		}
	})
}

// A client cannot make the server send notices without limit: refusals beyond the rate are only counted.
func TestNetcodeB1_RefusalsAreBounded(t *testing.T) {
	told := 0
	g := newGame(t, peopled, ServerConfig{Players: Players{Refuse: noShots()}})
	g.join(ClientConfig{
		OnRefused: func(Refusal) { told++ },
		Gather:    Gather(func(_ *Client, in *push) { in.Fire = true }),
	}, netsys.Link{})
	g.connect()
	g.run(20 * 60)
	s := g.server.Stats()
	if told < 200 || told > 20*notice.Rate+notice.Burst+10 || uint64(told)+s.Untold < s.Inputs.Refused-1 || s.Inputs.Refused < 1100 {
		t.Errorf("told of %d, not of %d, of %d", told, s.Untold, s.Inputs.Refused)
	}

	// Nor does one that acknowledges nothing make it keep more.
	i := g.intrude()
	for n := range 100 {
		i.send(i.input(uint16(n+1), push{Fire: true}))
		g.step()
	}
	if n := g.server.sessions.byID[i.id].Session.Channels().Channel(channel.Control).Queued; n < notice.Burst || n > channel.ControlQueue {
		t.Errorf("%d notices wait", n)
	}
}

// hasty is the wire of a client whose clock is ahead of the world's.
type hasty struct {
	netsys.Wire
	game *game
}

func (w hasty) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	return w.Wire.Send(w.game.now, to, b)
}

func (w hasty) Poll(_ time.Time, deliver func(netsys.Datagram)) { w.Wire.Poll(w.game.now, deliver) }

// A client whose clock runs twice as fast gains nothing. Its excess inputs are counted, and it is notified. Honest clients are
// not suspected, on any link and after any stall.
func TestNetcodeD1_FastClients(t *testing.T) {
	t.Parallel()
	seeds(t, 8, func(t *testing.T, seed uint64) {
		for _, timing := range inputTimings {
			var told []Refusal
			g := newGame(t, peopled, ServerConfig{Seed: seed, Model: timing.model()})
			g.joins = 16 * int(seed)
			right := Gather(func(_ *Client, in *push) { in.DX = 1 })
			link := netsys.Link{Latency: 250 * time.Millisecond, Jitter: 84 * time.Millisecond, Loss: 0.05, Burst: 400 * time.Millisecond}
			honest := g.join(ClientConfig{Gather: gatherPush()}, link)
			g.connect()
			fast, err := NewClient(hasty{g.network.Node(honestAddr), g}, g.addr, peopled(), ClientConfig{Gather: right, Start: g.now, Session: ClientSession{Random: netsys.SeededRandom(99)},
				OnRefused: func(r Refusal) { told = append(told, r) }})
			if err != nil {
				t.Fatal(err)
			}
			clock := g.now
			ticks := 0
			run := func(seconds int) {
				for range seconds * 60 {
					clock = clock.Add(2 * testTick)
					fast.Advance(clock)
					g.step()
					ticks++
				}
			}
			run(3)
			from, ok := g.pawnOf(t, fast.ID())
			if !ok {
				t.Fatal("no pawn")
			}
			ticks = 0
			run(20)
			to, _ := g.pawnOf(t, fast.ID())
			if went, most := to.X-from.X, float32(ticks)*1.02+serverapply.ArrivalBurst; went*8 > most {
				t.Errorf("%v: %v steps in %d ticks", timing, went*8, ticks)
			}
			g.frozen = true // the server's machine stands for two seconds
			run(2)
			g.frozen = false
			run(10)
			for st := range g.server.Clients {
				switch {
				case st.ID == honest.ID() && st.Inputs.Fast > 0:
					t.Errorf("%v: the honest client is blamed for %d inputs", timing, st.Inputs.Fast)
				case st.ID == fast.ID() && st.Inputs.Fast < 15*60:
					t.Errorf("%v: %d inputs of a client at double speed are too many", timing, st.Inputs.Fast)
				}
			}
			if len(told) < 5 || told[0].Cause != TooFast || told[0].Inputs < 60 {
				t.Errorf("%v: told %+v", timing, told)
			}
		}
	})
}

// NewServer refuses a Refuse function whose type is not the protocol's input.
func TestRefuseLooksAtTheInput(t *testing.T) {
	c := ServerConfig{Players: Players{Refuse: Refuse(func(*ecs.World, uint32, *place) error { return nil })}}
	if _, err := NewServer(netsys.NewNetwork().Node(honestAddr), plaza(), c); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
}

// Players.Refuse refuses relayed inputs too, and the client is notified.
func TestRefusedInputsThatAreRelayed(t *testing.T) {
	for _, preset := range []policy.Model{policy.Rollback{}, policy.ServerRewind{}} {
		var told []Refusal
		g := newGame(t, peopled, ServerConfig{Seed: 4, Players: Players{Refuse: noShots()}, Model: preset})
		n := 0
		g.join(ClientConfig{OnRefused: func(r Refusal) { told = append(told, r) }, Gather: Gather(func(_ *Client, in *push) {
			n++
			in.Fire = n > 120 && n%60 == 0
		})}, netsys.Link{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05})
		g.connect()
		g.run(900)
		for e := range ecs.All[ownerRow](g.server.World()) {
			if n := ecs.Get[shots](g.server.World(), e).Count; n != 0 {
				t.Errorf("%v: %d shots in spite of it", preset, n)
			}
		}
		if len(told) < 10 || told[0].Cause != RefusedInput || told[0].Reason != errMagic.Error() {
			t.Errorf("%v: told %+v", preset, told)
		}
		if err := g.clients[0].Err(); err != nil {
			t.Errorf("%v: %v", preset, err)
		}
	}
}
