package systems

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/recording"
)

// worlds holds servers with the same key, and a client that travels between them.
type worlds struct {
	t       *testing.T
	now     time.Time
	network *netsys.Network
	key     netcode.Key
	servers []*Server
	at      []netip.AddrPort
	client  *Client
	wires   int
	link    netsys.Link
}

func newWorlds(t *testing.T, protocol func() *ecs.Protocol, configs ...ServerConfig) *worlds {
	t.Helper()
	x := &worlds{t: t, now: birth, network: netsys.NewNetwork(), key: netcode.GenerateKey(netsys.SeededRandom(1))}
	for i, c := range configs {
		wire := x.network.Node(netip.MustParseAddrPort(fmt.Sprintf("10.0.0.%d:7777", i+1)))
		c.Session.Key, c.Start, c.Session.Random = x.key, birth, netsys.SeededRandom(uint64(i)+2)
		s, err := NewServer(wire, protocol(), c)
		if err != nil {
			t.Fatal(err)
		}
		x.servers, x.at = append(x.servers, s), append(x.at, wire.LocalAddr())
	}
	return x
}

// token returns a token for the player and a server.
func (x *worlds) token(to int) *netcode.ConnectToken {
	x.t.Helper()
	token, err := netcode.TokenConfig{Key: x.key, ClientID: 7, Servers: x.at[to : to+1], Random: netsys.SeededRandom(uint64(x.now.UnixNano()) + uint64(to)), Lifetime: 5 * time.Second}.Issue(x.now)
	if err != nil {
		x.t.Fatal(err)
	}
	return token
}

// wire returns a new wire of the client.
func (x *worlds) wire() netsys.Wire {
	x.t.Helper()
	x.wires++
	w, err := netsys.Condition(x.network.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: uint64(x.wires), In: x.link, Out: x.link})
	if err != nil {
		x.t.Fatal(err)
	}
	return w
}

// begin connects the client to the first server.
func (x *worlds) begin(protocol func() *ecs.Protocol, c ClientConfig) {
	x.t.Helper()
	c.Session.Token, c.Start, c.Session.Timeout = x.token(0), birth, 3*time.Second
	if c.Session.Reach == nil {
		c.Session.Reach = func(Ticket) (netsys.Wire, netip.AddrPort, error) { return x.wire(), netip.AddrPort{}, nil }
	}
	var err error
	if x.client, err = NewClient(x.wire(), netip.AddrPort{}, protocol(), c); err != nil {
		x.t.Fatal(err)
	}
	x.until("in the game", x.plays)
}

// ticket returns a ticket to a server.
func (x *worlds) ticket(to int) Ticket {
	return Ticket{Kind: "plaza", Schema: strconv.FormatUint(x.client.protocol.Hash(), 16), Token: x.token(to)}
}

// send sends the client from one server to another.
func (x *worlds) send(from, to int) {
	x.t.Helper()
	if err := HandOver(x.servers[from], x.client.ID(), x.ticket(to)); err != nil {
		x.t.Fatal(err)
	}
}

func (x *worlds) plays() bool {
	_, ok := x.client.Own(x.client.World())
	return ok
}

// replays plays the client's recording of all rooms, and compares the result with the world of the second server.
func (x *worlds) replays(ring *recording.Ring) {
	x.t.Helper()
	r, err := ring.Recording()
	if err != nil {
		x.t.Fatal(err)
	}
	replay, err := NewReplay(r, x.client.protocol, ClientConfig{})
	if err == nil {
		err = replay.Play(replay.Duration())
	}
	if err == nil {
		err = Difference(x.servers[1], replay.Client())
	}
	if err != nil {
		x.t.Error("the replay:", err)
	}
}

// in reports whether the client plays on a server, and only there.
func (x *worlds) in(to int) func() bool {
	return func() bool {
		for i, s := range x.servers {
			if s != nil && (s.sessions.peers.Len() == 1) != (i == to) {
				return false
			}
		}
		return x.plays()
	}
}

func (x *worlds) step() {
	x.now = x.now.Add(testTick)
	for _, s := range x.servers {
		if s != nil {
			s.Advance(x.now)
		}
	}
	x.client.Advance(x.now)
	x.client.Frame(x.now)
}

func (x *worlds) run(d time.Duration) {
	for end := x.now.Add(d); x.now.Before(end); {
		x.step()
	}
}

func (x *worlds) until(what string, f func() bool) {
	x.t.Helper()
	for range 60 * 60 {
		if f() {
			return
		}
		x.step()
	}
	x.t.Fatalf("%s: not within a minute; %v", what, x.client.Err())
}

// A client travels from one server to another, of any model, and stays the same client: its inputs arrive there, its world is
// the world of the new server, OnPresence reports each entity there once and the previous ones as left behind, and its
// counters continue.
func TestTravel(t *testing.T) {
	t.Parallel()
	for i, from := range models {
		for k, to := range models {
			if !long() && k != (i+1)%len(models) {
				continue
			}
			t.Run(from.String()+" to "+to.String(), func(t *testing.T) {
				x := newWorlds(t, peopled, ServerConfig{Model: from}, ServerConfig{Model: to})
				x.link = netsys.Link{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05, Duplicate: 0.02}
				x.servers[0].World().Spawn(place{X: 40})
				for i := range 3 {
					x.servers[1].World().Spawn(place{Y: float32(i)})
				}
				present, left, joined, loaded := map[ecs.Entity]bool{}, 0, 0, 0
				var world *ecs.World
				ring := recording.NewRing(time.Minute, recording.Config{Interval: time.Second})
				x.begin(peopled, ClientConfig{
					Record: ring.Writer,
					Gather: Gather(func(c *Client, in *push) { in.DX = 1 }),
					Loaded: func(*ecs.World, uint32) { loaded++ },
					OnPresence: func(w *ecs.World, c PresenceChange) {
						switch {
						case w != world:
							if len(present) > 0 {
								t.Errorf("%d entities of the world before are still there: %v", len(present), c)
							}
							world = w
						case c.Why == LeftBehind:
							left++
							if !w.Alive(c.Entity) {
								t.Errorf("%v is told of too late", c)
							}
						}
						if present[c.Entity] == c.Why.Enters() {
							t.Errorf("%v twice", c)
						}
						if present[c.Entity] = true; !c.Why.Enters() {
							delete(present, c.Entity)
						} else if c.Why == Joined {
							joined++
						}
					},
				})
				x.run(2 * time.Second)
				client, before, session := x.client, x.client.Stats(), x.client.Session()
				x.send(0, 1)
				x.until("arrived", x.in(1))
				x.until("loaded", func() bool { _, ok := x.client.Loaded(); return ok })
				if x.client != client || x.client.World() != world || policy.TraitsOf(x.client.Model()) != policy.TraitsOf(x.servers[1].Config().Model) || x.client.Session() == session || session.Stats().BytesIn == 0 {
					t.Error("it is not the same client in another room")
				}
				e, _ := x.client.Own(x.client.World())
				at := ecs.Get[place](x.client.World(), e).X
				x.run(2 * time.Second)
				if e, ok := x.client.Own(x.client.World()); !ok || ecs.Get[place](x.client.World(), e).X < at+5 {
					t.Error("its inputs do not reach it")
				}
				if left != 2 || joined < 3 || loaded != 2 || len(present) != 4 {
					t.Errorf("%d left behind, %d joined, %d present, loaded %d times", left, joined, len(present), loaded)
				}
				x.replays(ring)
				after := x.client.Stats()
				if after.Travels != 1 || after.TravelsFailed+after.TravelsRefused+after.MalformedMessages != 0 || after.Ticks <= before.Ticks || after.Inputs <= before.Inputs ||
					after.InputBytes <= before.InputBytes || after.InputsSent <= before.InputsSent || after.Snapshots < before.Snapshots || after.LongestReplay < before.LongestReplay {
					t.Errorf("%+v after %+v", after, before)
				}
				if n := countOwned(x.servers[0].World()); n != 0 {
					t.Errorf("it left %d entities behind", n)
				}
				x.link = netsys.Link{}
				x.send(1, 0) // on a perfect wire, to compare
				x.until("back", x.in(0))
				x.run(3 * time.Second)
				if err := Difference(x.servers[0], x.client); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func countOwned(w *ecs.World) (n int) {
	for range ecs.All[struct{ Owner components.Owner }](w) {
		n++
	}
	return n
}

// models are the models between which the client travels.
var models = []policy.Model{policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}, policy.Lockstep{}}

// A client that no other server admits stays on its server, where nothing changes.
func TestTravelFails(t *testing.T) {
	for name, c := range map[string]struct {
		config ServerConfig
		change func(x *worlds, t *Ticket)
	}{
		"full":          {ServerConfig{}, func(x *worlds, _ *Ticket) { x.fill() }},
		"nobody there":  {ServerConfig{}, func(x *worlds, _ *Ticket) { _ = x.servers[1].Close(x.now); x.servers[1] = nil }},
		"another key":   {ServerConfig{}, func(x *worlds, t *Ticket) { t.Token.Private[0]++ }},
		"expired":       {ServerConfig{}, func(x *worlds, _ *Ticket) { x.run(6 * time.Second) }},
		"another model": {ServerConfig{Model: policy.Rollback{}}, func(x *worlds, _ *Ticket) {}},
	} {
		t.Run(name, func(t *testing.T) {
			c.config.MaxClients = 1
			x := newWorlds(t, peopled, ServerConfig{}, c.config)
			x.begin(peopled, ClientConfig{Gather: gatherPush(), Schedule: Thin})
			ticket := x.ticket(1)
			c.change(x, &ticket)
			world, session := x.client.World(), x.client.Session()
			if err := HandOver(x.servers[0], x.client.ID(), ticket); err != nil {
				t.Fatal(err)
			}
			x.until("given up", func() bool { return x.client.Stats().TravelsFailed == 1 })
			x.run(4 * time.Second)
			if s := x.client.Stats(); x.client.Err() != nil || x.client.World() != world || x.client.Session() != session || s.Travels != 0 || s.MalformedMessages != 0 || x.servers[0].sessions.peers.Len() != 1 {
				t.Errorf("%v, %+v", x.client.Err(), s)
			}
		})
	}
}

// fill takes the place of the second server.
func (x *worlds) fill() {
	x.t.Helper()
	token, err := netcode.TokenConfig{Key: x.key, ClientID: 8, Servers: x.at[1:2]}.Issue(x.now)
	if err != nil {
		x.t.Fatal(err)
	}
	k, err := NewClient(x.network.Node(netip.AddrPort{}), netip.AddrPort{}, peopled(), ClientConfig{Session: ClientSession{Token: token}, Start: x.now})
	if err != nil {
		x.t.Fatal(err)
	}
	for !k.Connected() {
		x.step()
		k.Advance(x.now)
	}
}

// The current session may end during travel: the client learns of it only if no other server admits it.
func TestTravelOfWhoHasNoRoom(t *testing.T) {
	for _, there := range []bool{true, false} {
		x := newWorlds(t, peopled, ServerConfig{}, ServerConfig{})
		x.link = netsys.Link{Latency: 100 * time.Millisecond}
		sent := false
		x.begin(peopled, ClientConfig{Gather: gatherPush(), Session: ClientSession{Reach: func(Ticket) (netsys.Wire, netip.AddrPort, error) {
			sent = true
			return x.wire(), netip.AddrPort{}, nil
		}}})
		x.send(0, 1)
		x.until("on its way", func() bool { return sent })
		_ = x.servers[0].Close(x.now)
		x.servers[0] = nil
		if !there {
			_ = x.servers[1].Close(x.now)
			x.servers[1] = nil
			x.until("ended", func() bool { return x.client.Err() != nil })
			if c, ok := errors.AsType[*netsys.CloseError](x.client.Err()); !ok || c.Reason != netsys.ReasonServerClosing {
				t.Error(x.client.Err())
			}
			continue
		}
		x.until("arrived", x.in(1))
		x.run(5 * time.Second)
		if x.client.Err() != nil || x.client.Stats().Travels != 1 {
			t.Error(x.client.Err())
		}
	}
}

// OnTravel receives a ticket to another game. Without OnTravel the ticket is counted.
func TestOnTravel(t *testing.T) {
	x := newWorlds(t, peopled, ServerConfig{}, ServerConfig{})
	var got []Ticket
	var told *Client
	x.begin(peopled, ClientConfig{Session: ClientSession{OnTravel: func(c *Client, t Ticket) { told, got = c, append(got, t) }}})
	ticket := x.ticket(1)
	ticket.Schema, ticket.WS, ticket.WebTransport = "other", "wss://play.example/ws", "https://play.example/"
	if err := HandOver(x.servers[0], x.client.ID(), ticket); err != nil {
		t.Fatal(err)
	}
	x.until("handed on", func() bool { return len(got) == 1 })
	if told != x.client || got[0].Kind != "plaza" || got[0].Schema != "other" || got[0].WS != ticket.WS || got[0].WebTransport != ticket.WebTransport ||
		string(got[0].Token.Append(nil)) != string(ticket.Token.Append(nil)) {
		t.Errorf("%+v", got)
	}
	x.run(time.Second)
	if s := x.client.Stats(); len(got) != 1 || s.Travels+s.TravelsFailed+s.TravelsRefused != 0 || x.client.Err() != nil {
		t.Errorf("%+v", s)
	}
	x.client.config.Session.OnTravel, x.client.link.guide = nil, nil
	if err := HandOver(x.servers[0], x.client.ID(), ticket); err != nil {
		t.Fatal(err)
	}
	x.until("counted", func() bool { return x.client.Stats().TravelsRefused == 1 })
	if got := fmt.Sprintf("%+v", ticket); !strings.Contains(got, "(secret)") {
		t.Errorf("printed, a ticket tells its keys: %s", got)
	}
}

// A client plays although its servers send it back and forth.
func TestTravelTooOften(t *testing.T) {
	x := newWorlds(t, peopled, ServerConfig{}, ServerConfig{})
	x.begin(peopled, ClientConfig{})
	begun, here := x.now, 0
	for x.client.Stats().TravelsRefused == 0 {
		x.send(here, 1-here)
		x.until("arrived, or not", func() bool { return x.in(1-here)() || x.client.Stats().TravelsRefused > 0 })
		if x.client.Stats().TravelsRefused == 0 {
			here = 1 - here
		}
	}
	n, took := x.client.Stats().Travels, x.now.Sub(begun)
	if most := uint64(8 + took/time.Second); n > most || n < 8 {
		t.Errorf("%d travels in %v", n, took)
	}
	x.run(10 * time.Second)
	x.send(here, 1-here)
	x.until("arrived", x.in(1-here))
}

// HandOver refuses an unknown client and an invalid ticket.
func TestHandOverRefuses(t *testing.T) {
	x := newWorlds(t, peopled, ServerConfig{}, ServerConfig{})
	x.begin(peopled, ClientConfig{})
	good := x.ticket(1)
	if err := HandOver(x.servers[0], 99, good); !errors.Is(err, ErrNoClient) {
		t.Error(err)
	}
	bad := good
	bad.WS = "http://play.example/"
	if err := HandOver(x.servers[0], x.client.ID(), bad); !errors.Is(err, ErrTicket) {
		t.Error(err)
	}
	var err error
	for range 40 {
		err = errors.Join(err, HandOver(x.servers[0], x.client.ID(), good))
	}
	if !errors.Is(err, netsys.ErrFull) {
		t.Error(err)
	}
}
