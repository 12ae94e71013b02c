package systems

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/ownership"
	"github.com/tactusgo/tactus/systems/policy"
)

// cursor is the position at which a player points, which others see. gaze is what the player looks at; only the server may see
// it.
type cursor struct {
	X, Y float32 `net:"-512..512 step 0.5"`
}

type gaze struct {
	Yaw uint16 `net:"0..359 angle"`
}

func canvas() *ecs.Protocol {
	p := plazaParts("canvas/1")
	ecs.Replicate[cursor](p, ecs.ClientOwned|ecs.Interpolated)
	ecs.Replicate[gaze](p, ecs.ClientOwned|ecs.OwnerOnly)
	ecs.Input[push](p)
	p.Simulate("walk", func(w *ecs.World) {
		for _, e := range ecs.Each[pawn](w) {
			e.At.X = min(max(e.At.X+float32(e.In.DX)/8, -500), 500)
		}
	})
	return p
}

func spawnPainter(w *ecs.World, client uint32) {
	w.Spawn(components.Owner{Client: client}, place{X: float32(client)}, push{}, cursor{X: 1}, gaze{Yaw: 7})
}

// painterOf returns the entity of a client in a world.
func painterOf(w *ecs.World, client uint32) ecs.Entity {
	for e, r := range ecs.All[struct {
		Owner  components.Owner
		Cursor cursor
	}](w) {
		if r.Owner.Client == client {
			return e
		}
	}
	return ecs.Entity{}
}

// gallery returns a game in which every client has a painter.
func gallery(t testing.TB, clients int, link netsys.Link, s ServerConfig, c func(n int) ClientConfig) *game {
	t.Helper()
	g := newGame(t, joining(canvas, spawnPainter), s)
	g.joins = 16 * int(s.Seed) // links of their own for each seed
	for n := range clients {
		config := ClientConfig{Gather: gatherPush()}
		if c != nil {
			config = c(n)
		}
		g.join(config, link)
	}
	g.connect()
	g.until("all painters are there", func() bool {
		for _, k := range g.clients {
			for _, other := range g.clients {
				if painterOf(k.World(), other.ID()).IsZero() {
					return false
				}
			}
		}
		return true
	})
	return g
}

// draw writes a cursor in a client's world.
func draw(c *Client, of uint32, v cursor) { *ecs.Get[cursor](c.World(), painterOf(c.World(), of)) = v }

func cursorOf(w *ecs.World, client uint32) cursor { return *ecs.Get[cursor](w, painterOf(w, client)) }

var badLink = netsys.Link{Latency: 120 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.2, Duplicate: 0.05}

// Values that clients write arrive at the server and at all other clients, on any link. On the writing client no older value
// replaces them.
func TestNetcodeA1_ClientOwnedValuesArrive(t *testing.T) {
	t.Parallel()
	seeds(t, 12, func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := gallery(t, 3, badLink, ServerConfig{Seed: seed}, nil)
		want := make([]cursor, 3)
		yaw := make([]uint16, 3)
		still := 0
		for n := range 1200 {
			if still--; still < -200 {
				still = r.IntN(120) // nobody moves for a while: the last value must arrive too
			}
			for i, c := range g.clients {
				if still <= 0 && r.IntN(2) == 0 {
					want[i] = cursor{X: float32(r.IntN(1000))/2 - 250, Y: float32(n % 500)}
					yaw[i] = uint16(r.IntN(360))
					draw(c, c.ID(), want[i])
					ecs.Get[gaze](c.World(), painterOf(c.World(), c.ID())).Yaw = yaw[i]
				}
			}
			g.step()
			for i, c := range g.clients {
				if got := cursorOf(c.World(), c.ID()); want[i] != (cursor{}) && got != want[i] {
					t.Fatalf("tick %d: client %d wrote %v and has %v", n, c.ID(), want[i], got)
				}
				if got := cursorOf(c.View(), c.ID()); want[i] != (cursor{}) && got != want[i] {
					t.Fatalf("tick %d: client %d wrote %v and sees %v", n, c.ID(), want[i], got)
				}
			}
		}
		g.run(4 * 60) // over the same link
		for i, c := range g.clients {
			w := g.server.World()
			if got, its := cursorOf(w, c.ID()), ecs.Get[gaze](w, painterOf(w, c.ID())).Yaw; got != want[i] || its != yaw[i] {
				t.Errorf("client %d wrote %v and %d, the server has %v and %d", c.ID(), want[i], yaw[i], got, its)
			}
			for _, other := range g.clients {
				if got := cursorOf(other.View(), c.ID()); got != want[i] {
					t.Errorf("client %d wrote %v, client %d sees %v", c.ID(), want[i], other.ID(), got)
				}
			}
			if n := c.Stats().Corrections; n > g.server.Stats().Inputs.Missing {
				t.Errorf("client %d was corrected %d times", c.ID(), n)
			}
		}
		// A single value goes out again soon enough when it is lost.
		c := g.clients[0]
		for n := range 40 {
			v := cursor{X: float32(n), Y: -9}
			draw(c, c.ID(), v)
			left := 50
			for ; left > 0 && cursorOf(g.server.World(), c.ID()) != v; left-- {
				g.step()
			}
			if left == 0 {
				t.Errorf("%v is not there after 50 ticks", v)
			}
			g.run(10)
		}
		g.mustConverge()
		if s := g.server.Stats(); s.Changes.Taken == 0 || s.Changes.Refused+s.Changes.Unowned+s.Changes.Flooded+s.MalformedMessages != 0 {
			t.Errorf("%+v", s.Changes)
		}
	})
}

// Values that the game refuses never enter the server's world. The client is notified and has the server's value again.
func TestNetcodeA1_ClientOwnedValuesAreJudged(t *testing.T) {
	t.Parallel()
	seeds(t, 12, func(t *testing.T, seed uint64) {
		var told []Refusal
		allowed := func(w *ecs.World, c Change) error {
			if v, ok := Changed[cursor](w, c); ok && v.X > 100 {
				return errors.New("beyond the paper")
			}
			return nil
		}
		g := gallery(t, 2, badLink, ServerConfig{Seed: seed, Players: Players{Accept: allowed}}, func(n int) ClientConfig {
			c := ClientConfig{Gather: gatherPush()}
			if n == 0 {
				c.OnRefused = func(r Refusal) { told = append(told, r) }
			}
			return c
		})
		c, r := g.clients[0], rand.New(rand.NewPCG(seed, 2))
		var last, good cursor
		for range 30 {
			for range r.IntN(20) + 1 {
				if last = (cursor{X: float32(r.IntN(200)), Y: 3}); last.X <= 100 {
					good = last
				}
				draw(c, c.ID(), last)
				g.step()
				if got := cursorOf(g.server.World(), c.ID()); got.X > 100 {
					t.Fatalf("%v stands on the server", got)
				}
			}
			g.run(r.IntN(60))
		}
		for n := range 8 { // a value that is refused takes back none that is newer
			draw(c, c.ID(), cursor{X: 200, Y: 5})
			g.run(1 + n%3)
			last = cursor{X: float32(n), Y: 5}
			draw(c, c.ID(), last)
			g.run(150)
			if got, its := cursorOf(c.World(), c.ID()), cursorOf(g.server.World(), c.ID()); got != last || its != last {
				t.Errorf("%v was written last; the client has %v, the server %v", last, got, its)
			}
		}
		last = cursor{X: 50, Y: 4}
		draw(c, c.ID(), last)
		g.run(4 * 60)
		before := len(told)
		draw(c, c.ID(), cursor{X: 300, Y: 4})
		g.run(4 * 60)
		if got := cursorOf(c.World(), c.ID()); got != last {
			t.Errorf("the client has %v after the refusal, want %v (%v)", got, last, good)
		}
		s := g.server.Stats().Changes
		if n := len(told) - before; n < 1 || n > 2 || before == 0 || uint64(len(told)) > s.Refused {
			t.Errorf("%d refusals told, %d of them at the end; %+v", len(told), len(told)-before, s)
		}
		for _, x := range told {
			if x.Cause != RefusedChange || x.Component != "cursor" || x.Reason != "beyond the paper" ||
				x.NetID != c.World().NetID(painterOf(c.World(), c.ID())) {
				t.Fatalf("%+v", x)
			}
		}
		g.mustConverge()
	})
}

// Authority moves from the owner to the server, to another client and back. From the tick of the change on, values of the
// previous holder have no effect.
func TestNetcodeA1_AuthorityIsHandedOver(t *testing.T) {
	seeds(t, 12, func(t *testing.T, seed uint64) {
		g := gallery(t, 2, badLink, ServerConfig{Seed: seed}, nil)
		a, b := g.clients[0], g.clients[1]
		w, owner := g.server.World(), g.clients[0].ID()
		e := painterOf(w, owner)
		r := rand.New(rand.NewPCG(seed, 3))
		scribble := func(ticks int, allowed func(cursor) bool) {
			t.Helper()
			for range ticks {
				// Whatever they believe, both write; a's values have Y 1, b's have Y 2.
				draw(a, owner, cursor{X: float32(r.IntN(100)), Y: 1})
				draw(b, owner, cursor{X: float32(r.IntN(100)), Y: 2})
				g.step()
				if got := cursorOf(w, owner); !allowed(got) {
					t.Fatalf("the server has %v", got)
				}
			}
		}
		of := func(y float32) func(cursor) bool { return func(c cursor) bool { return c.Y == y } }
		scribble(120, func(c cursor) bool { return c.Y != 2 })
		if cursorOf(w, owner).Y != 1 || !a.MayWrite(painterOf(a.World(), owner)) || b.MayWrite(painterOf(b.World(), owner)) {
			t.Fatal("the owner has no authority")
		}

		Revoke(w, e)
		*ecs.Get[cursor](w, e) = cursor{X: 77, Y: 9}
		scribble(120, func(c cursor) bool { return c == cursor{X: 77, Y: 9} })
		g.run(60)
		for _, c := range g.clients {
			if c.MayWrite(painterOf(c.World(), owner)) {
				t.Error("a client thinks that it has the authority of the server")
			}
		}

		Grant(w, e, b.ID())
		scribble(120, func(c cursor) bool { return c.Y != 1 })
		if cursorOf(w, owner).Y != 2 || !b.MayWrite(painterOf(b.World(), owner)) {
			t.Error("the grant had no effect")
		}
		Grant(w, e, owner)
		g.step()
		last := cursorOf(w, owner)
		scribble(120, func(c cursor) bool { return c.Y == 1 || c == last })
		if !of(1)(cursorOf(w, owner)) {
			t.Error("the owner did not get it back")
		}
		if s := g.server.Stats(); s.Changes.Unowned == 0 || s.MalformedMessages > 0 {
			t.Errorf("%+v", s.Changes)
		}

		w.Despawn(e)
		g.run(5 * 60)
		for _, c := range g.clients {
			if written, told := c.owned.Len(); told > 0 || written > 2 {
				t.Errorf("client %d remembers %d components and who may write %d entities", c.ID(), written, told)
			}
		}
		if ecs.Resource[ownership.Grants](w).Len() > 0 {
			t.Error("the server remembers who may write what is gone")
		}
		g.mustConverge()
	})
}

// No rule of the game can depend on client-owned components: they are not predicted, and Simulate cannot read them.
func TestSimulateReadsNoClientOwnedComponent(t *testing.T) {
	for name, read := range map[string]func(w *ecs.World){
		"Each": func(w *ecs.World) {
			for range ecs.Each[struct{ C *cursor }](w) {
				break
			}
		},
		"All": func(w *ecs.World) {
			for range ecs.All[struct{ C cursor }](w) {
				break
			}
		},
		"Get": func(w *ecs.World) {
			for e := range ecs.Each[struct{ At *place }](w) {
				_ = ecs.Get[cursor](w, e)
			}
		},
	} {
		p := canvas()
		p.Simulate("peek", read)
		p.Authority("look", read) // which is allowed
		w := ecs.NewWorld(p, ecs.Config{})
		w.Spawn(place{}, cursor{}, push{})
		p.AuthorityStage().Run(w)
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, "Simulate reads cursor") {
					t.Errorf("%s: %q", name, text)
				}
			}()
			w.Netcode().SimulateStage().Run(w)
		}()
	}
}

// NewServer refuses configurations of client-owned components that cannot work.
func TestClientOwnedComponentsAreChecked(t *testing.T) {
	for want, c := range map[string]struct {
		register func(p *ecs.Protocol)
		policies policy.Model
	}{
		"cursor is ecs.ClientOwned, but this model sends only inputs": {func(p *ecs.Protocol) { ecs.Replicate[cursor](p, ecs.ClientOwned) }, policy.Lockstep{}},
		"at most 1024": {func(p *ecs.Protocol) {
			ecs.Replicate[components.Text[[200]byte]](p, ecs.ClientOwned)
		}, policy.LocalSync{}},
	} {
		p := ecs.NewProtocol("wrong/1")
		ecs.Input[push](p)
		c.register(p)
		_, err := NewServer(netsys.NewNetwork().Node(netip.MustParseAddrPort("127.0.0.1:7777")), p, ServerConfig{Model: c.policies})
		if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
