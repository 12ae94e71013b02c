package rooms

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// purse is the component that players carry: its owner, and its gold, which grows by one per tick with an entity.
type purse struct {
	Gold  uint32 `net:"0..1000000000"`
	Owner uint32 `net:"0..65535"`
}

// secret is carried, too, and no client sees it.
type secret struct {
	Words [3]int64
	Exact float64
}

// zone is a game in which players have purses that fill.
func zone() *ecs.Protocol {
	p := ecs.NewProtocol("zone/1")
	ecs.Replicate[place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[purse](p, ecs.OwnerOnly)
	ecs.Local[secret](p, 0)
	ecs.Input[push](p)
	p.Simulate("walk", func(w *ecs.World) {
		for _, r := range ecs.Each[struct {
			At *place
			In *push
		}](w) {
			r.At.X = min(max(r.At.X+float32(r.In.DX)/8, -500), 500)
		}
	})
	p.Authority("fill", func(w *ecs.World) {
		for _, r := range ecs.Each[struct{ Purse *purse }](w) {
			r.Purse.Gold++
		}
	})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, place{}, push{})
	})
	return p
}

// zones is a kind whose players carry purses.
func zones(name string, capacity int) Kind {
	return Kind{
		Name: name, Protocol: zone, Capacity: capacity, Linger: -1, Server: systems.ServerConfig{TickRate: 20},
		Carries: []Carry{Carries[purse](), Carries[secret]()},
	}
}

// world is some processes with one directory, and players who travel between their rooms over bad links.
type world struct {
	t         testing.TB
	rng       *rand.Rand
	now       time.Time
	net       *netsys.Network
	transfers *TransferMemory
	servers   []*Server
	players   map[uint64]*wanderer
	order     []*wanderer
	wires     uint64
	went      int
	stays     map[string]int
}

// wanderer is a player.
type wanderer struct {
	*systems.Client
	id     uint64
	link   netsys.Link
	wire   *netsys.Conditioner
	room   *Room
	gold   uint32 // when it was seen last
	going  bool
	silent time.Time // until when nothing reaches it
}

func newWorld(t testing.TB, seed uint64, processes int, kinds ...Kind) *world {
	t.Helper()
	w := &world{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), now: birth, net: netsys.NewNetwork(), players: make(map[uint64]*wanderer), stays: make(map[string]int),
	}
	now := func() time.Time { return w.now }
	w.transfers = new(TransferMemory)
	for i := range kinds {
		kinds[i].Travelled = func(r *Room, s Seat, why error) {
			if x := w.players[s.Player]; x != nil {
				x.going = false
				if why != nil {
					w.stays[name(why)]++
				}
			}
		}
		kinds[i].Joined = func(r *Room, s Seat, _ uint32) {
			x := w.players[s.Player]
			if x.room != nil {
				w.went++
			}
			x.room = r
		}
	}
	key := netsys.SeededRandom(seed)
	for i := range processes {
		c := Config{Kinds: kinds, Now: now, Random: netsys.SeededRandom(seed*100 + uint64(i)), Process: fmt.Sprint("p", i), Promise: 6 * time.Second}
		if i == 0 {
			key(c.Key[:])
		} else {
			c.Key = w.servers[0].config.Key
		}
		s, err := New(c, w.net.Node(anywhere(t, fmt.Sprintf("10.0.0.%d:7777", i+1))))
		if err != nil {
			t.Fatal(err)
		}
		if w.servers = append(w.servers, s); processes > 1 {
			s.Connect(&stubFleet{Seats: fleet{Here(s), w}, transfers: w.transfers})
		}
	}
	t.Cleanup(func() {
		for _, s := range w.servers {
			if err := s.Close(w.now); err != nil {
				t.Error(err)
			}
		}
	})
	return w
}

// name is a reason in one word.
func name(why error) string {
	for _, x := range []struct {
		err  error
		name string
	}{{ErrTravelExpired, "expired"}, {ErrTravelReturned, "returned"}, {ErrTravelLost, "lost"}} {
		if errors.Is(why, x.err) {
			return x.name
		}
	}
	return Refusal(why)
}

// rooms are all of them.
func (w *world) rooms() (all []*Room) {
	for _, s := range w.servers {
		all = append(all, s.Rooms()...)
	}
	return all
}

// wire is another one of a player.
func (w *world) wire(x *wanderer) netsys.Wire {
	w.wires++
	link := x.link
	if w.now.Before(x.silent) {
		link.Loss = 1
	}
	c, err := netsys.Condition(w.net.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: w.wires, In: link, Out: link})
	if err != nil {
		w.t.Fatal(err)
	}
	x.wire = c
	return c
}

// play makes a player of an admission.
func (w *world) play(id uint64, a Admission, link netsys.Link) *wanderer {
	w.t.Helper()
	x := &wanderer{id: id, link: link}
	c, err := systems.NewClient(w.wire(x), netip.AddrPort{}, zone(), systems.ClientConfig{
		Session: systems.ClientSession{
			Token: a.Token,
			Reach: func(systems.Ticket) (netsys.Wire, netip.AddrPort, error) { return w.wire(x), netip.AddrPort{}, nil },
		}, Start: w.now.Add(time.Duration(id) * time.Millisecond % (50 * time.Millisecond)), Schedule: systems.Thin,
		Gather: systems.Gather(func(_ *systems.Client, in *push) { in.DX = 1 }),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	x.Client, w.players[id] = c, x
	w.order = append(w.order, x)
	return x
}

func (w *world) step() {
	w.now = w.now.Add(step)
	for _, s := range w.servers {
		s.Advance(w.now)
	}
	for _, x := range w.order {
		if x.Err() == nil {
			x.Advance(w.now)
		}
	}
	w.audit()
}

func (w *world) run(d time.Duration) {
	for end := w.now.Add(d); w.now.Before(end); {
		w.step()
	}
}

func (w *world) until(what string, f func() bool) {
	w.t.Helper()
	for range 20000 {
		if f() {
			return
		}
		w.step()
	}
	w.t.Fatalf("%s: not within 200 s; stays %v", what, w.stays)
}

// mint gives a player its purse, the only one that there ever is.
func (w *world) mint(x *wanderer) {
	e, ok := x.room.entity(x.id)
	if !ok {
		w.t.Fatalf("player %d has no entity", x.id)
	}
	ecs.Add(x.room.game.World(), e, purse{Owner: uint32(x.id)})
	ecs.Add(x.room.game.World(), e, secret{[3]int64{int64(x.id), -1, 1 << 60}, 0.1 * float64(x.id)})
}

// entity is that of a player in a room.
func (r *Room) entity(player uint64) (ecs.Entity, bool) {
	_, s, ok := r.held.book.seatOf(player)
	if !ok || s.client == 0 {
		return ecs.Entity{}, false
	}
	return oldestEntity(r.game.World(), s.client)
}

// audit checks all purses: no player has two, and each belongs to its player, is complete, and has lost nothing.
func (w *world) audit() {
	w.t.Helper()
	seen := make(map[uint64]*Room)
	for _, r := range w.rooms() {
		for e, x := range ecs.All[struct {
			Owner  components.Owner
			Purse  purse
			Secret secret
		}](r.game.World()) {
			id := uint64(x.Purse.Owner)
			p := w.players[id]
			if other := seen[id]; other != nil {
				w.t.Fatalf("player %d has a purse in rooms %v and %v, at %v", id, other.ID(), r.ID(), w.now.Sub(birth))
			}
			seen[id] = r
			if mine, ok := r.entity(id); !ok || mine != e {
				w.t.Fatalf("the purse of player %d is with client %d", id, x.Owner.Client)
			}
			if x.Secret != (secret{[3]int64{int64(id), -1, 1 << 60}, 0.1 * float64(id)}) {
				w.t.Fatalf("player %d carries %+v", id, x.Secret)
			}
			if x.Purse.Gold < p.gold || p.gold > 0 && x.Purse.Gold > p.gold+3 {
				w.t.Fatalf("the purse of player %d had %d and has %d, at %v", id, p.gold, x.Purse.Gold, w.now.Sub(birth))
			}
			p.gold = x.Purse.Gold
		}
	}
}

// fleet is a process that reaches the rooms of all others.
type fleet struct {
	Seats
	w *world
}

// TestTravelCampaign lets players travel between the rooms of two processes, over links with loss, duplicates, reordering and
// delay, while rooms fill and end, tokens expire and links fail. An admitted player is there once with its carried components,
// which are never in two places. A player who is not admitted stays with all of them.
func TestTravelCampaign(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute under the race detector, for which there is one goroutine")
	}
	total, crowd, capacity := 150, 30, 4
	if os.Getenv("TACTUS_LONG") != "" {
		total, crowd, capacity = 10000, 100, 14
	}
	seed := uint64(1)
	if n, err := strconv.ParseUint(os.Getenv("TACTUS_SEED"), 10, 64); err == nil {
		seed = n
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("again: TACTUS_SEED=%d go test ./systems/rooms -run TestTravelCampaign", seed)
		}
	})
	w := newWorld(t, seed, 2, zones("town", capacity), zones("wood", capacity))
	for i := range 10 {
		if _, err := w.servers[i%2].Create([]string{"town", "wood"}[i/2%2], Creation{}); err != nil {
			t.Fatal(err)
		}
	}
	for id := range uint64(crowd) {
		a, err := w.rooms()[id%10].Reserve(Player{ID: id + 1, Data: fmt.Append(nil, "player ", id)})
		if err != nil {
			t.Fatal(err)
		}
		oneWay := time.Duration(50+w.rng.IntN(100)) * time.Millisecond
		w.play(id+1, a[0], netsys.Link{Latency: oneWay, Jitter: oneWay / 2, Loss: 0.15 * w.rng.Float64(), Duplicate: 0.05})
	}
	w.until("all play", func() bool {
		for _, x := range w.order {
			if x.room == nil {
				return false
			}
			if _, ok := x.room.entity(x.id); !ok {
				return false
			}
		}
		return true
	})
	for _, x := range w.order {
		w.mint(x)
	}
	begun, virtual := time.Now(), w.now
	for w.went < total {
		w.step()
		for _, x := range w.order {
			if x.Err() != nil {
				t.Fatalf("player %d: %v; %+v", x.id, x.Err(), x.Stats())
			}
			if !x.silent.IsZero() && !w.now.Before(x.silent) {
				x.silent = time.Time{}
				if err := x.wire.SetLinks(x.link, x.link); err != nil {
					t.Fatal(err)
				}
			}
			if x.going || w.rng.IntN(60) > 0 {
				continue
			}
			to := Destination{Kind: []string{"town", "wood"}[w.rng.IntN(2)]}
			if all := w.rooms(); w.rng.IntN(4) > 0 {
				to.Room = all[w.rng.IntN(len(all))].ID()
			}
			if err := x.room.Travel(x.id, to); err != nil {
				t.Fatal(err)
			}
			x.going = true
			if w.rng.IntN(100) == 0 { // for longer than its token lives, and shorter than its session
				x.silent = w.now.Add(time.Duration(w.rng.IntN(9000)) * time.Millisecond)
				if err := x.wire.SetLinks(netsys.Link{Loss: 1}, netsys.Link{Loss: 1}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if w.rng.IntN(200) == 0 {
			for _, r := range w.rooms() { // one that players are on their way to, and nobody is in
				if i := r.Info(); i.Taken == 0 && i.Waiting == 0 && len(w.rooms()) > 8 {
					r.End(nil)
					break
				}
			}
		}
	}
	for _, x := range w.order {
		if err := x.wire.SetLinks(x.link, x.link); err != nil {
			t.Fatal(err)
		}
	}
	w.run(40 * time.Second) // all is decided
	seats := 0
	for _, r := range w.rooms() {
		i := r.Info()
		seats += i.Taken + i.Promised + i.Waiting
		if n := len(r.clients.arrived); n != 0 {
			t.Errorf("%d players of a room wait for what is theirs", n)
		}
	}
	if seats != crowd {
		t.Errorf("%d players have %d seats", crowd, seats)
	}
	var counts systems.ClientStats
	for _, x := range w.order {
		s := x.Stats()
		counts.Travels, counts.TravelsFailed, counts.TravelsRefused = counts.Travels+s.Travels, counts.TravelsFailed+s.TravelsFailed, counts.TravelsRefused+s.TravelsRefused
		if e, ok := x.room.entity(x.id); x.Err() != nil || !ok || ecs.Get[purse](x.room.game.World(), e) == nil || ecs.Get[purse](x.room.game.World(), e).Owner != uint32(x.id) {
			t.Errorf("player %d has lost its purse: %v", x.id, x.Err())
		}
		if x.Session().RemoteAddr() != x.room.server.config.Addresses[0] {
			t.Errorf("player %d sits in one process and plays in another", x.id)
		}
		if own, ok := x.Own(x.World()); !ok || ecs.Get[purse](x.World(), own) == nil {
			t.Errorf("player %d does not see its purse", x.id)
		}
	}
	if counts.Travels != uint64(w.went) {
		t.Errorf("%d travels by the rooms, %d by the clients", w.went, counts.Travels)
	}
	if n := len(w.transfers.records); n != 0 {
		t.Errorf("%d records of transfers are left", n)
	}
	for _, why := range []string{"full", "returned", "seated"} {
		if w.stays[why] == 0 {
			t.Errorf("nobody stayed because of %q: %v", why, w.stays)
		}
	}
	t.Logf("%d hand-overs in %v (virtual %v), stayed: %v, clients %+d failed, %d refused", w.went, time.Since(begun), w.now.Sub(virtual), w.stays, counts.TravelsFailed, counts.TravelsRefused)
}

// Join implements [Seats].
func (f fleet) Join(ctx context.Context, wish Wish) ([]Admission, error) {
	return Here(f.w.servers[f.w.rng.IntN(len(f.w.servers))]).Join(ctx, wish)
}

// Reserve implements [Seats].
func (f fleet) Reserve(ctx context.Context, room ID, who ...Player) ([]Admission, error) {
	for _, s := range f.w.servers {
		if r := s.Room(room); r != nil {
			return r.Reserve(who...)
		}
	}
	return nil, ErrRoom
}
