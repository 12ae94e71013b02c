package rooms

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
)

// Two processes on real sockets share one directory: a player by UDP and one by WebSocket travel back and forth with their
// purses, within a process and to the other one, and walk in every room.
func TestTravelOnSockets(t *testing.T) {
	key, transfers := netcode.GenerateKey(nil), new(TransferMemory)
	everywhere := &others{}
	var all []*live
	var addresses []string
	for _, name := range []string{"one", "two"} {
		udp, err := netsys.ListenUDP("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		web, err := eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{Addr: "127.0.0.1:0"}}.Listen("")
		if err != nil {
			t.Fatal(err)
		}
		l := goLiveIn(t, func(s *Server) {
			everywhere.add(s)
			s.Connect(&stubFleet{Seats: everywhere, transfers: transfers})
		}, Config{Kinds: []Kind{zones("town", 4), zones("wood", 4)}, Key: key, Process: name}, udp, web)
		all, addresses = append(all, l), append(addresses, udp.LocalAddr().String(), "ws://"+web.WebSocketAddr().String())
	}
	towns := make([]*Room, 2)
	for i := range towns {
		var err error
		if towns[i], err = all[i].Create("town", Creation{}); err != nil {
			t.Fatal(err)
		}
	}
	seats, err := towns[0].Reserve(Player{ID: 1}, Player{ID: 2})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	type news struct {
		player  int
		travels uint64
		purse   uint32
	}
	heard, ended := make(chan news, 1024), make(chan error, 2)
	for i, addr := range []string{addresses[0], addresses[1]} {
		c := systems.ClientConfig{Session: systems.ClientSession{Token: seats[i].Token}, Gather: systems.Gather(func(_ *systems.Client, in *push) { in.DX = 1 })}
		var wire interface {
			netsys.Wire
			RemoteAddr() netip.AddrPort
		}
		var err error
		if i == 0 {
			wire, err = netsys.DialUDP(ctx, addr)
		} else {
			wire, err = websocket.Dial(ctx, addr)
			c.Session.Reach = func(t systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
				w, err := websocket.DialConfig{}.Begin(t.WS)
				return w, w.RemoteAddr(), err
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		k, err := systems.NewClient(wire, wire.RemoteAddr(), zone(), c)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			var last news
			ended <- k.Run(ctx, func(c *systems.Client) {
				n := news{player: i + 1, travels: c.Stats().Travels}
				if e, ok := c.Own(c.World()); ok && ecs.Get[place](c.World(), e).X > 1 {
					if x := ecs.Get[purse](c.World(), e); x != nil {
						n.purse = x.Owner
					}
					if n != last {
						last = n
						heard <- n
					}
				}
			})
		}()
	}
	// walks waits until both walk with their purses, after so many travels.
	walks := func(travels uint64, purses bool) {
		t.Helper()
		there, deadline := make(map[int]bool), time.After(generous)
		for len(there) < 2 {
			select {
			case n := <-heard:
				if n.travels == travels && (!purses || n.purse == uint32(n.player)) {
					there[n.player] = true
				}
			case err := <-ended:
				t.Fatalf("a player has lost its session: %v", err)
			case <-deadline:
				t.Fatalf("after %d travels: %v walk", travels, there)
			}
		}
	}
	walks(0, false)
	if err := towns[0].Do(func(s *systems.Server) {
		for client := uint32(1); client <= 2; client++ {
			e, ok := towns[0].entity(uint64(client))
			if !ok {
				t.Errorf("player %d has no entity", client)
				continue
			}
			ecs.Add(s.World(), e, purse{Owner: client})
			ecs.Add(s.World(), e, secret{Exact: 0.1})
		}
	}); err != nil {
		t.Fatal(err)
	}
	here := towns[0]
	for i, to := range []*Room{nil, towns[1], towns[0]} {
		d := Destination{Kind: "wood"}
		if to != nil {
			d = Destination{Room: to.ID()}
		}
		for player := range uint64(2) {
			if err := here.Travel(player+1, d); err != nil {
				t.Fatal(err)
			}
		}
		walks(uint64(i+1), true)
		if here = to; here == nil {
			for _, l := range all {
				for _, r := range l.Rooms() {
					if r.Kind() == "wood" {
						here = r
					}
				}
			}
		}
		if got := here.Info(); got.Taken != 2 {
			t.Errorf("%d are in %s, want 2", got.Taken, got.Kind)
		}
	}
	stop()
	for range 2 {
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// others is the seats of some processes.
type others struct {
	Seats
	all []*Server
}

func (o *others) add(s *Server) { o.all = append(o.all, s) }

// Join implements [Seats].
func (o *others) Join(ctx context.Context, w Wish) ([]Admission, error) {
	return Here(o.all[len(o.all)-1]).Join(ctx, w)
}

// Reserve implements [Seats].
func (o *others) Reserve(_ context.Context, room ID, who ...Player) ([]Admission, error) {
	for _, s := range o.all {
		if r := s.Room(room); r != nil {
			return r.Reserve(who...)
		}
	}
	return nil, ErrRoom
}
