package matches_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// members returns the name and team of all players in a world of the club.
func members(w *ecs.World) string {
	who := map[uint32]string{}
	for _, r := range ecs.All[struct {
		Owner components.Owner
		Is    Signature
	}](w) {
		who[r.Owner.Client] = fmt.Sprint(r.Is.Name.String(), " of ", r.Is.Team)
	}
	return fmt.Sprint(who)
}

// member returns the configuration of client n. The last client is banned.
func member(n int) systems.ClientConfig {
	if n == 6 {
		return systems.ClientConfig{Login: signed("banned", 1)}
	}
	return systems.ClientConfig{
		Login:  signed(fmt.Sprint("player ", n), uint8(1+n%4)),
		Gather: systems.Gather(func(c *systems.Client, in *fieldtest.Walk) { in.DX, in.Jump = int8(n%3)-1, c.Input()%16 == 0 }),
	}
}

// evening is the result of a scenario: six members join one after the other, two leave, and one client is refused.
type evening struct {
	join  func(n int)       // and wait until he is there
	leave func(n int)       // and wait until the server knows
	run   func(ticks int)   // of the server
	check func(n int) error // whether a client that is there has what the server has
	world func(n int) *ecs.World
	who   func() string
}

func (e evening) play(t *testing.T) string {
	t.Helper()
	for n := range 6 {
		e.join(n)
		e.run(6)
		if n == 3 {
			e.leave(1)
		}
	}
	e.join(6)
	e.leave(4)
	e.run(40)
	for _, n := range []int{0, 2, 3, 5} {
		if err := e.check(n); err != nil {
			t.Errorf("client %d: %v", n, err)
		}
		if got := members(e.world(n)); got != e.who() {
			t.Errorf("client %d sees %s, there are %s", n, got, e.who())
		}
	}
	return e.who()
}

// inTheKit plays the scenario in package systemstest.
func inTheKit(t *testing.T, model policy.Model) evening {
	config := inClub(model, 1, 0)
	config.Link, config.Client, config.Play = netsys.Link{}, member, systemstest.Script{}
	c := systemstest.New(t, config)
	return evening{
		join: func(n int) {
			k := c.Join()
			if !c.RunUntil(10*time.Second, func() bool { return k.Connected() || k.Err() != nil }) || (k.Err() != nil) != (n == 6) {
				t.Fatalf("client %d: %v", n, k.Err())
			}
		},
		leave: func(n int) { c.Clients[n].Leave() },
		run:   c.RunTicks,
		check: func(n int) error { return systems.Difference(c.Server, c.Clients[n].Client) },
		world: func(n int) *ecs.World { return c.Clients[n].World() },
		who:   func() string { return members(c.Server.World()) },
	}
}

// onSockets plays the scenario over UDP, with Serve and Dial.
func onSockets(t *testing.T, model policy.Model) evening {
	kit := inClub(model, 1, 0)
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config := systems.ServerConfig{Model: model, Players: systems.Players{Login: kit.Server.Players.Login}}
	server, err := systems.NewServer(wire, kit.Protocol(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close(time.Now()) })
	var clients []*systems.Client
	step := func() {
		time.Sleep(time.Millisecond)
		server.Advance(time.Now())
		for _, c := range clients {
			c.Advance(time.Now())
		}
	}
	const most = 1200 // ticks that something may take
	until := func(what string, done func() bool) {
		for last := server.Tick() + most; !done(); step() {
			if server.Tick() > last {
				t.Fatalf("after %d ticks: %s", most, what)
			}
		}
	}
	here := func() (n int) {
		for range server.Clients {
			n++
		}
		return n
	}
	return evening{
		join: func(n int) {
			to, err := netsys.DialUDP(context.Background(), wire.LocalAddr().String())
			if err != nil {
				t.Fatal(err)
			}
			c, err := systems.NewClient(to, to.RemoteAddr(), kit.Protocol(), member(n))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close(time.Now()) })
			clients = append(clients, c)
			until(fmt.Sprint("client ", n, " is not in"), func() bool { return c.Connected() || c.Err() != nil })
			if n == 6 != errors.Is(c.Err(), netsys.ErrLogin) {
				t.Fatalf("client %d: %v", n, c.Err())
			}
		},
		leave: func(n int) {
			before := here()
			_ = clients[n].Close(time.Now())
			until(fmt.Sprint("client ", n, " has not left"), func() bool { return here() < before })
		},
		run: func(ticks int) {
			for last := server.Tick() + uint32(ticks); server.Tick() < last; {
				step()
			}
		},
		check: func(n int) (err error) {
			until(fmt.Sprint("client ", n, " has another world"), func() bool {
				err = systems.Difference(server, clients[n])
				return err == nil && members(clients[n].World()) == members(server.World())
			})
			return err
		},
		world: func(n int) *ecs.World { return clients[n].World() },
		who:   func() string { return members(server.World()) },
	}
}

// A match of the test kit equals a match with Serve and Dial: the same players join under the same numbers, leave and are
// refused, and all peers have the same world. This holds for models with snapshots and for models with relayed inputs.
func TestTheKitIsWhatIsServed(t *testing.T) {
	for _, model := range []policy.Model{policy.Rollback{}, policy.LocalSync{}} {
		t.Run(model.String(), func(t *testing.T) {
			t.Parallel()
			kit, sockets := inTheKit(t, model).play(t), onSockets(t, model).play(t)
			const want = "map[1:player 0 of 1 3:player 2 of 3 4:player 3 of 4 6:player 5 of 4]"
			if kit != want || sockets != want {
				t.Errorf("in the kit there are %s, on sockets %s, want %s", kit, sockets, want)
			}
		})
	}
}
