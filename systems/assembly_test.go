package systems

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/policy"
)

func TestServerConfigValidate(t *testing.T) {
	for _, c := range []struct {
		config ServerConfig
		says   string // "": it is valid
	}{
		{ServerConfig{}, ""},
		{ServerConfig{TickRate: 1}, ""},
		{ServerConfig{TickRate: 30}, ""},
		{ServerConfig{TickRate: 50}, ""},
		{ServerConfig{TickRate: 61}, ""},
		{ServerConfig{TickRate: 128}, ""},
		{ServerConfig{TickRate: 1000, Snapshots: Snapshots{SendRate: 1000}}, ""},
		{ServerConfig{WakeEvery: 3}, ""},
		{ServerConfig{WakeEvery: 60}, ""},
		{ServerConfig{TickRate: 60, Snapshots: Snapshots{SendRate: 60}}, ""},
		{ServerConfig{Model: policy.LocalSync{Arrival: true}, Session: ServerSession{Timeout: 200 * time.Millisecond}, MaxClients: 1}, ""},
		{ServerConfig{TickRate: -1}, "1 and 1000"},
		{ServerConfig{TickRate: 1001}, "1 and 1000"},
		{ServerConfig{Snapshots: Snapshots{SendRate: -20}}, "must divide"},
		{ServerConfig{Snapshots: Snapshots{SendRate: 7}}, "must divide"},
		{ServerConfig{Snapshots: Snapshots{SendRate: 61}}, "must divide"},
		{ServerConfig{TickRate: 30, Snapshots: Snapshots{SendRate: 20}}, "must divide"},
		{ServerConfig{WakeEvery: -1}, "must divide"},
		{ServerConfig{WakeEvery: 7}, "must divide"},
		{ServerConfig{WakeEvery: 3, Snapshots: Snapshots{SendRate: 30}}, "must divide"},
		{ServerConfig{Model: policy.ServerRewind{Window: -1000}}, "Window"},
		{ServerConfig{Model: policy.LocalSync{Missing: 9}}, "Missing"},
		{ServerConfig{MaxClients: -1}, "0: 256"},
		{ServerConfig{Workers: -1}, "0: 1"},
		{ServerConfig{Workers: 64}, ""},
		{ServerConfig{Workers: 65}, "Workers 65"},
		{ServerConfig{Session: ServerSession{Timeout: -1}}, "200ms"},
		{ServerConfig{Session: ServerSession{Timeout: 199 * time.Millisecond}}, "200ms"},
		{ServerConfig{Players: Players{ReconnectWindow: time.Minute}, Session: ServerSession{ProtocolID: 5, Channels: channel.Config{Rate: 1 << 20}}}, ""},
		{ServerConfig{Players: Players{ReconnectWindow: -1}}, "0: none"},
		{ServerConfig{Session: ServerSession{Channels: channel.Config{Piece: 1}}}, "Piece"},
		{ServerConfig{Session: ServerSession{Addresses: make([]netip.AddrPort, 33)}}, "Addresses"},
	} {
		err := c.config.Validate()
		checkConfigError(t, c.config, err, c.says)
		server, other := NewServer(netsys.NewNetwork().Node(netip.AddrPort{}), plaza(), c.config)
		if (other == nil) != (err == nil) || (server == nil) == (other == nil) {
			t.Errorf("%+v: Validate says %v, NewServer %v", c.config, err, other)
		}
	}
}

func TestClientConfigValidate(t *testing.T) {
	for _, c := range []struct {
		config ClientConfig
		says   string
	}{
		{ClientConfig{}, ""},
		{ClientConfig{Prediction: Prediction{History: 1}}, ""},
		{ClientConfig{Prediction: Prediction{History: 1 << 14}, Session: ClientSession{Timeout: time.Hour}}, ""},
		{ClientConfig{Prediction: Prediction{History: -1}}, "1 and 16384"},
		{ClientConfig{Prediction: Prediction{History: 1<<14 + 1}}, "1 and 16384"},
		{ClientConfig{Session: ClientSession{Timeout: -time.Second}}, "200ms"},
		{ClientConfig{Session: ClientSession{Timeout: time.Millisecond}}, "200ms"},
		{ClientConfig{Session: ClientSession{ConnectTimeout: time.Second}}, ""},
		{ClientConfig{Session: ClientSession{ConnectTimeout: -time.Second}}, "20s"},
		{ClientConfig{Session: ClientSession{Channels: channel.Config{Piece: 1}}}, "Piece"},
	} {
		err := c.config.Validate()
		checkConfigError(t, c.config, err, c.says)
		_, other := NewClient(netsys.NewNetwork().Node(netip.AddrPort{}), netip.MustParseAddrPort("127.0.0.1:1"), plaza(), c.config)
		if (other == nil) != (err == nil) {
			t.Errorf("%+v: Validate says %v, NewClient %v", c.config, err, other)
		}
	}
}

func checkConfigError(t *testing.T, config any, err error, says string) {
	t.Helper()
	switch {
	case says == "" && err != nil:
		t.Errorf("%+v: %v", config, err)
	case says != "" && (!errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), says)):
		t.Errorf("%+v: %v; should wrap ErrConfig and say %q", config, err, says)
	}
}

// The zero configurations have the documented defaults.
func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		config, want ServerConfig
		rates        []int
	}{
		{ServerConfig{}, ServerConfig{TickRate: 60, WakeEvery: 1}, []int{60, 30, 20}},
		{ServerConfig{TickRate: 30}, ServerConfig{TickRate: 30, WakeEvery: 1}, []int{30, 15}},
		{ServerConfig{TickRate: 10}, ServerConfig{TickRate: 10, WakeEvery: 1}, []int{10}},
		{ServerConfig{TickRate: 128}, ServerConfig{TickRate: 128, WakeEvery: 1}, []int{128, 64, 32, 16}},
		{ServerConfig{WakeEvery: 6}, ServerConfig{TickRate: 60, WakeEvery: 6}, []int{10}},
		{ServerConfig{Snapshots: Snapshots{SendRate: 30}}, ServerConfig{TickRate: 60, WakeEvery: 1}, []int{30}},
	} {
		got := c.config.filled()
		if got.TickRate != c.want.TickRate || got.WakeEvery != c.want.WakeEvery || !slices.Equal(got.sendRates(), c.rates) || got.Logger == nil {
			t.Errorf("%+v is filled to %+v with %v snapshots a second", c.config, got, got.sendRates())
		}
	}
	if c := (ClientConfig{}).filled(); c.historyTicks(60) != 512 || c.historyTicks(240) != 2048 || c.Logger == nil {
		t.Errorf("%+v", c)
	}
	g := newGame(t, plaza, ServerConfig{})
	g.join(ClientConfig{}, netsys.Link{})
	g.connect()
	from := g.server.Stats()
	g.run(60)
	if s := g.server.Stats(); s.Ticks-from.Ticks != 60 || s.Updates-from.Updates != 20 {
		t.Errorf("%d ticks and %d updates in a second", s.Ticks-from.Ticks, s.Updates-from.Updates)
	}
}

// move moves a system after another one.
func move(name, behind string) func(*ecs.Schedule) error {
	return func(s *ecs.Schedule) error {
		var run func(*ecs.World)
		err := s.Wrap(name, func(r func(*ecs.World)) func(*ecs.World) { run = r; return r })
		return errors.Join(err, s.Remove(name), s.InsertAfter(behind, ecs.System{Name: name, Run: run}))
	}
}

// NewServer and NewClient refuse systems in an order that cannot work, and name both systems. A schedule without one of them
// is allowed.
func TestStageOrder(t *testing.T) {
	authority := func() *ecs.Protocol {
		p := plaza()
		p.Authority("judge", func(*ecs.World) {})
		return p
	}
	server := func(change func(*ecs.Schedule) error) error {
		_, err := NewServer(netsys.NewNetwork().Node(netip.AddrPort{}), authority(), ServerConfig{Schedule: change})
		return err
	}
	client := func(change func(*ecs.Schedule) error) error {
		_, err := NewClient(netsys.NewNetwork().Node(netip.AddrPort{}), netip.MustParseAddrPort("127.0.0.1:1"), authority(), ClientConfig{Schedule: change})
		return err
	}
	for _, c := range []struct {
		make         func(func(*ecs.Schedule) error) error
		name, behind string
		other        string // "": allowed
	}{
		{server, "Receive", "ServerApply", "ServerApply"},
		{server, "ServerApply", "Send", "Simulate"},
		{server, "Snapshot", "Send", "Send"},
		{server, "Send", "Receive", "Snapshot"},
		{server, "Snapshot", "Receive", "Simulate"},
		{client, "Receive", "Reconcile", "Reconcile"},
		{client, "Reconcile", "Predict", "InputGather"},
		{client, "InputGather", "Predict", "Predict"},
		{client, "Send", "Reconcile", "InputGather"},
		{server, "Snapshot", "ServerApply", "Simulate"},
		{client, "Interpolate", "Send", ""},
	} {
		err := c.make(move(c.name, c.behind))
		if c.other == "" {
			if err != nil {
				t.Errorf("%s behind %s: %v", c.name, c.behind, err)
			}
			continue
		}
		if !errors.Is(err, ErrStageOrder) || !strings.Contains(err.Error(), c.name) || !strings.Contains(err.Error(), c.other) {
			t.Errorf("%s behind %s: %v; should name %s", c.name, c.behind, err, c.other)
		}
	}
	for _, name := range []string{"Receive", "ServerApply", "Snapshot", "Send"} {
		if err := server(func(s *ecs.Schedule) error { return s.Remove(name) }); err != nil {
			t.Errorf("a server without %s: %v", name, err)
		}
	}
	for _, name := range []string{"Receive", "Reconcile", "InputGather", "Predict", "Send", "Interpolate"} {
		if err := client(func(s *ecs.Schedule) error { return s.Remove(name) }); err != nil {
			t.Errorf("a client without %s: %v", name, err)
		}
	}
	own := errors.New("not like this")
	for _, make := range []func(func(*ecs.Schedule) error) error{server, client} {
		if err := make(func(*ecs.Schedule) error { return own }); !errors.Is(err, own) {
			t.Errorf("the callback's error became %v", err)
		}
		if err := make(func(s *ecs.Schedule) error { return s.Remove("Nothing") }); !errors.Is(err, ecs.ErrNoSystem) {
			t.Errorf("a system that is not there: %v", err)
		}
	}
}

func TestGatherOfAnotherType(t *testing.T) {
	wire := func() netsys.Wire { return netsys.NewNetwork().Node(netip.AddrPort{}) }
	to := netip.MustParseAddrPort("127.0.0.1:1")
	for name, g := range map[string]GatherFunc{
		"unknown":    Gather(func(*Client, *every) {}),
		"registered": Gather(func(*Client, *place) {}),
	} {
		if _, err := NewClient(wire(), to, plaza(), ClientConfig{Gather: g}); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "the input type is systems.push") {
			t.Errorf("%s type: %v", name, err)
		}
	}
	if _, err := NewClient(wire(), to, plazaParts("none/1"), ClientConfig{Gather: gatherPush()}); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "call ecs.Input") {
		t.Errorf("a protocol without input takes inputs: %v", err)
	}
	if _, err := NewClient(wire(), to, plaza(), ClientConfig{Gather: gatherPush()}); err != nil {
		t.Error(err)
	}
}

// Gather receives the client whose input it fills, so that one function serves several clients. This holds from the first tick
// on, under every model.
func TestGatherGetsItsClient(t *testing.T) {
	for _, preset := range policy.Presets() {
		asked := map[*Client]int{}
		gather := Gather(func(c *Client, in *push) {
			own, there := c.Own(c.World())
			if asked[c]++; asked[c] > 30 && !there || c.View() == nil || !c.Connected() || c.Claim(false).Made() {
				t.Errorf("%v: input %d of client %d: own %v, view %v", preset, c.Input()+1, c.ID(), own, c.View())
			}
			in.DX = int8(c.ID()) - 1
		})
		g := newGame(t, peopled, ServerConfig{Model: preset})
		for range 2 {
			g.join(ClientConfig{Gather: gather}, netsys.Link{})
		}
		for _, c := range g.clients {
			untold(t, c)
		}
		g.connect()
		g.run(120)
		for _, c := range g.clients {
			if at, _ := g.pawnOf(t, c.ID()); asked[c] < 100 || (at.X == 1) != (c.ID() == 1) {
				t.Errorf("%v: client %d: asked %d times, at %v", preset, c.ID(), asked[c], at)
			}
		}
	}
}

// untold checks the methods of a client that is not connected.
func untold(t *testing.T, c *Client) {
	t.Helper()
	_, own := c.Own(c.World())
	_, drawing := c.Drawing(ecs.Entity{})
	_, state := c.StateTick(1)
	_, loaded := c.Loaded()
	_, confirmed := Confirmed[place](c, ecs.Entity{})
	_, _, between := Between[place](c, ecs.Entity{})
	if c.World() != nil || c.View() != nil || own || drawing || state || loaded || confirmed || between || c.Connected() ||
		c.ID() != 0 || c.Input() != 0 || c.ServerTick() != 0 || c.ConfirmedTick() != 0 || c.ConfirmedInput() != 0 || c.DrawnTick() != 0 ||
		c.Claim(true).Made() || c.SetScope(ecs.Entity{}, ScopeOwn) || c.Outcomes() != nil ||
		c.Presence(1) != NotLoaded || c.Stats() != (ClientStats{}) {
		t.Errorf("a client that is not connected knows something: %+v", c.Stats())
	}
	c.Frame(time.Time{})
	c.Session().Stats()
}

// A protocol without an input works: clients predict their own entities, numbered by ticks, and no message is malformed.
func TestProtocolWithoutInput(t *testing.T) {
	protocol := func() *ecs.Protocol {
		p := plazaParts("clockwork/1")
		p.Simulate("drift", func(w *ecs.World) {
			for _, r := range ecs.Each[struct{ At *place }](w) {
				r.At.X = min(r.At.X+1.0/64, 500)
			}
		})
		return p
	}
	join := func(w *ecs.World, client uint32) {
		if client == 1 {
			w.Spawn(components.Owner{Client: client}, place{})
		}
	}
	g := newGame(t, joining(protocol, join), ServerConfig{})
	g.server.World().Spawn(place{}, tint{4})
	owner := g.join(ClientConfig{}, netsys.Link{Latency: 50 * time.Millisecond, Jitter: 5 * time.Millisecond})
	g.connect()
	watcher := g.join(ClientConfig{}, netsys.Link{Latency: 50 * time.Millisecond})
	g.connect()
	g.run(60 * 20)
	s := g.server.Stats()
	if s.MalformedMessages > 0 || s.Inputs.Consumed < 1000 {
		t.Errorf("%d malformed messages, %+v", s.MalformedMessages, s.Inputs)
	}
	if st := owner.Stats(); st.Confirmed < 200 || st.Corrections > 2 || st.Jumps > 1 {
		t.Errorf("the owner: %+v", st)
	}
	if st := watcher.Stats(); st.Corrections+st.Resimulated > 0 || st.Snapshots < 300 {
		t.Errorf("the spectator: %+v", st)
	}
	g.mustConverge()
}

// A client that owns nothing sees everything and predicts nothing.
func TestClientWithoutEntities(t *testing.T) {
	g := newGame(t, joining(plaza, func(w *ecs.World, client uint32) {
		if client == 1 {
			spawnPawn(w, client)
		}
	}), ServerConfig{})
	player := g.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
	g.connect()
	spectator := g.join(ClientConfig{}, netsys.Link{Latency: 40 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.1})
	g.connect()
	g.run(600)
	if _, has := spectator.Own(spectator.World()); has {
		t.Error("a spectator owns something")
	}
	if own, has := player.Own(player.View()); !has || ecs.Get[place](player.View(), own) == nil {
		t.Error("the player does not see himself")
	}
	st := spectator.Stats()
	if st.Corrections+st.Confirmed+st.Resimulated+st.StaleStates > 0 || st.Snapshots < 100 {
		t.Errorf("%+v", st)
	}
	g.mustConverge()
}
