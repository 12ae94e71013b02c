package systems_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// setting is one field of a configuration, or one thing of a protocol, with a value that a game may
// give it, and what each model makes of it: it works, and a match converges; or it is refused, with
// advice; or it does nothing, and what documents it says so.
type setting struct {
	name    string
	server  func(c *systems.ServerConfig)
	client  func(c *systems.ClientConfig)
	game    fieldtest.Part
	match   func(c *systemstest.Config)
	idle    []policy.Preset          // where it does nothing
	refused map[policy.Preset]string // what the error says besides the names of setting and model
	told    string                   // what is refused, as docs/models.md says it; default: the name
	kept    bool                     // the kit needs the field for itself: it is tested elsewhere
}

// ajar is a door that lets everybody through.
type ajar struct{}

func (ajar) Admit(netsys.Session) error               { return nil }
func (ajar) Entered(netsys.Session, uint32)           {}
func (ajar) Left(netsys.Session, uint32, error, bool) {}
func (ajar) Gone(uint64, uint32)                      {}

var (
	everyModel = policy.Presets()
	byInputs   = fieldtest.PeerPresets // what is sent are inputs
)

// allBut are the other models.
func allBut(list ...policy.Preset) []policy.Preset {
	return slices.DeleteFunc(policy.Presets(), func(p policy.Preset) bool { return slices.Contains(list, p) })
}

// both is one text for the models that send inputs.
func both(says string) map[policy.Preset]string {
	return map[policy.Preset]string{policy.Rollback: says, policy.Lockstep: says}
}

// serverSettings are the fields of a ServerConfig.
func serverSettings() []setting {
	return []setting{
		{name: "Seed", server: func(c *systems.ServerConfig) { c.Seed = 7 }},
		{name: "TickRate", server: func(c *systems.ServerConfig) { c.TickRate = 30 }},
		{name: "WakeEvery", server: func(c *systems.ServerConfig) { c.WakeEvery = 3 }},
		{name: "SendRate", server: func(c *systems.ServerConfig) { c.SendRate = 10 }, idle: byInputs},
		{name: "Policies", kept: true},
		{name: "MaxClients", server: func(c *systems.ServerConfig) { c.MaxClients = 5000 }, refused: both("at most 4096"), told: "`MaxClients` above 4,096"},
		{name: "Timeout", server: func(c *systems.ServerConfig) { c.Timeout = 3 * time.Second }},
		{name: "Key", kept: true},
		{name: "MaxTokenLifetime", server: func(c *systems.ServerConfig) { c.MaxTokenLifetime = time.Hour }},
		{name: "ProtocolID", kept: true},
		{name: "Addresses", kept: true},
		{name: "InsecureAllowAnyAddress", server: func(c *systems.ServerConfig) { c.InsecureAllowAnyAddress = true }},
		{name: "Channels", server: func(c *systems.ServerConfig) {
			c.Channels = channel.Config{Channels: []channel.ChannelConfig{{Name: "chat", Kind: channel.ReliableOrdered, MaxMessage: 100}}}
		}, client: func(c *systems.ClientConfig) {
			c.Channels = channel.Config{Channels: []channel.ChannelConfig{{Name: "chat", Kind: channel.ReliableOrdered, MaxMessage: 100}}}
		}, refused: both(`preferably called "bulk"`), told: "`Channels` without a reliable and ordered one for long messages"},
		{name: "Messages", server: func(c *systems.ServerConfig) { c.Messages = channel.NewRegistry(channel.Config{}) },
			client: func(c *systems.ClientConfig) { c.Messages = channel.NewRegistry(channel.Config{}) }},
		{name: "OnMessage", server: func(c *systems.ServerConfig) {
			c.OnMessage = func(*systems.Server, uint32, int, []byte) error { return nil }
		}},
		{name: "Events", server: func(c *systems.ServerConfig) {
			c.Events = event.NewServer(event.NewRegistry(channel.Config{}), event.ServerConfig{})
		},
			client: func(c *systems.ClientConfig) {
				c.Events = event.NewClient(event.NewRegistry(channel.Config{}), event.ClientConfig{})
			}},
		{name: "Outcomes", server: func(c *systems.ServerConfig) { c.Outcomes = func(*outcome.Log) {} }},
		{name: "LagComp", server: func(c *systems.ServerConfig) { c.LagComp = &lagcomp.Config{} }, idle: byInputs},
		{name: "FirstTick", server: func(c *systems.ServerConfig) { c.FirstTick = 1000 }},
		{name: "Start", kept: true},
		{name: "ReconnectWindow", server: func(c *systems.ServerConfig) { c.ReconnectWindow = 5 * time.Second }},
		{name: "Stall", server: func(c *systems.ServerConfig) { c.Stall = 17 * time.Millisecond }, idle: allBut(policy.Lockstep)},
		{name: "Accept", server: func(c *systems.ServerConfig) { c.Accept = func(*ecs.World, systems.Change) error { return nil } }},
		{name: "Refuse", server: func(c *systems.ServerConfig) {
			c.Refuse = systems.Refuse(func(_ *ecs.World, _ uint32, in *fieldtest.Walk) error {
				if in.Jump {
					return errors.New("no")
				}
				return nil
			})
		}},
		{name: "Login", server: func(c *systems.ServerConfig) {
			c.Login = systems.Login(func(netsys.Session, *struct{}) error { return nil })
		}},
		{name: "Door", server: func(c *systems.ServerConfig) { c.Door = ajar{} }},            // see package rooms
		{name: "RefuseCommands", kept: true},                                                 // see command_test.go
		{name: "Overload", server: func(c *systems.ServerConfig) { c.Overload.Admit = 0.5 }}, // see overload_test.go
		{name: "Workers", server: func(c *systems.ServerConfig) { c.Workers = 4 }},
		{name: "CommandRate", server: func(c *systems.ServerConfig) { c.CommandRate = 100 }},
		{name: "Budget", server: func(c *systems.ServerConfig) { c.Budget = 200 }, idle: byInputs},
		{name: "Priority", server: func(c *systems.ServerConfig) {
			c.Budget = 200
			c.Priority = func(w *ecs.World, e ecs.Entity, _ uint32) float32 { return float32(w.NetID(e)) }
		}, idle: byInputs},
		{name: "Priorities", server: func(c *systems.ServerConfig) {
			c.Budget = 200
			c.Priorities = []systems.Priority{systems.ByDistance[components.Position]{Full: 1}}
		}, idle: byInputs},
		{name: "Interest", server: func(c *systems.ServerConfig) {
			c.Interest = &systems.Grid[components.Position]{Cell: 1000, Radius: 10_000}
		},
			refused: both("leave it nil")},
		{name: "ComponentInterest", server: func(c *systems.ServerConfig) {
			c.ComponentInterest = []systems.ComponentInterest{systems.Only[components.Position](&systems.Grid[components.Position]{Cell: 1000, Radius: 10_000})}
		},
			refused: both("leave it nil")},
		{name: "Coders", server: func(c *systems.ServerConfig) { c.Coders = delta.ZstdOnly }, idle: byInputs},
		{name: "Trained", kept: true, idle: byInputs},
		{name: "Record", server: func(c *systems.ServerConfig) { c.Record = io.Discard }, refused: both("leave it nil")},
		{name: "Schedule", server: func(c *systems.ServerConfig) {
			c.Schedule = func(s *ecs.Schedule) error { return s.Remove("ServerApply") }
		}, refused: map[policy.Preset]string{policy.ServerRewind: "no ServerApply", policy.Rollback: "no ServerApply", policy.Lockstep: "no ServerApply"},
			told: "a `Schedule` without `ServerApply`"},
		{name: "Desync", server: func(c *systems.ServerConfig) { c.Desync = func(relay.Divergence) {} }, idle: allBut(byInputs...)},
		{name: "Logger", server: func(c *systems.ServerConfig) { c.Logger = slog.New(slog.DiscardHandler) }},
		{name: "Random", kept: true},
	}
}

// clientSettings are the fields of a ClientConfig.
func clientSettings() []setting {
	walkOn := systems.Gather(func(_ *systems.Client, in *fieldtest.Walk) { in.DX = 1 })
	return []setting{
		{name: "Gather", kept: true},
		{name: "Login", kept: true}, // see login_test.go
		{name: "Partial", client: func(c *systems.ClientConfig) { c.Partial = walkOn }},
		{name: "History", client: func(c *systems.ClientConfig) { c.History = 300 }, idle: byInputs},
		{name: "Trained", kept: true, idle: byInputs},
		{name: "Timeout", client: func(c *systems.ClientConfig) { c.Timeout = 3 * time.Second }},
		{name: "ConnectTimeout", client: func(c *systems.ClientConfig) { c.ConnectTimeout = 3 * time.Second }},
		{name: "Token", kept: true},
		{name: "Reconnect", client: func(c *systems.ClientConfig) { c.Reconnect = true }},
		{name: "Renew", client: func(c *systems.ClientConfig) {
			c.Renew = func() (*netcode.ConnectToken, error) { return nil, errors.New("no token") }
		}}, // see command_test.go
		{name: "ClientID", client: func(c *systems.ClientConfig) { c.ClientID = 0 }},
		{name: "ProtocolID", kept: true},
		{name: "InsecureAllowAnyAddress", client: func(c *systems.ClientConfig) { c.InsecureAllowAnyAddress = true }},
		{name: "Channels", kept: true},
		{name: "Messages", kept: true},
		{name: "OnMessage", client: func(c *systems.ClientConfig) { c.OnMessage = func(*systems.Client, int, []byte) error { return nil } }},
		{name: "Events", kept: true},
		{name: "Outcomes", client: func(c *systems.ClientConfig) { c.Outcomes = func(*outcome.Log) {} }, idle: allBut(policy.ServerRewind, policy.Rollback)},
		{name: "Scope", client: func(c *systems.ClientConfig) {
			c.Scope = func(*ecs.World, ecs.Entity) systems.Scope { return systems.ScopeCoSimulated }
		}, idle: byInputs},
		{name: "Assume", client: func(c *systems.ClientConfig) {
			c.Scope = func(*ecs.World, ecs.Entity) systems.Scope { return systems.ScopeCoSimulated }
			c.Assume = systems.Assume(func(_ *systems.Client, _ ecs.Entity, in *fieldtest.Walk) { in.DX = 1 })
		}, idle: byInputs},
		{name: "Damping", client: func(c *systems.ClientConfig) { c.Damping = interpolate.Damping{Rate: 3} }, idle: allBut(policy.Buffered)},
		{name: "Systems", client: func(c *systems.ClientConfig) {
			c.Systems.Predict = func(p systems.ClientParts) func(*ecs.World) {
				return func(*ecs.World) {
					for p.Predictor.Applied() < p.Predictor.Due() {
						p.Predictor.Step(p.Predictor.Applied() + 1)
					}
				}
			}
		}, refused: both("leave these two out"), told: "`Systems` with a `Predict` or `Reconcile`"},
		{name: "Smoothing", client: func(c *systems.ClientConfig) { c.Smoothing = interpolate.Smoothing{Off: true} }, idle: []policy.Preset{policy.Lockstep}},
		{name: "Start", kept: true},
		{name: "OnPresence", client: func(c *systems.ClientConfig) { c.OnPresence = func(*ecs.World, systems.PresenceChange) {} }},
		{name: "Loaded", client: func(c *systems.ClientConfig) { c.Loaded = func(*ecs.World, uint32) {} }},
		{name: "OnRefused", client: func(c *systems.ClientConfig) { c.OnRefused = func(systems.Refusal) {} }},
		{name: "Reach", client: func(c *systems.ClientConfig) {
			c.Reach = func(systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
				return nil, netip.AddrPort{}, errors.New("stays")
			}
		}}, // followed in travel_test.go
		{name: "OnTravel", client: func(c *systems.ClientConfig) { c.OnTravel = func(*systems.Client, systems.Ticket) {} }},
		{name: "OnMismatch", client: func(c *systems.ClientConfig) { c.OnMismatch = func(systems.Mismatch) {} }, idle: byInputs},
		{name: "Schedule", client: func(c *systems.ClientConfig) { c.Schedule = systems.Thin }, refused: both("no Predict"), told: "a client's `Schedule` without `Predict`, as `Thin`"},
		{name: "Logger", client: func(c *systems.ClientConfig) { c.Logger = slog.New(slog.DiscardHandler) }},
		{name: "Random", kept: true},
	}
}

// Cursor is something that a client writes.
type Cursor struct {
	X, Y int16 `net:"-512..512"`
}

// Coarse is predicted, and compared more finely than it travels.
type Coarse struct {
	X float32 `net:"0..1000 step 10 tol 0.1"`
}

// gameSettings are things of a protocol.
func gameSettings() []setting {
	const mismatch = policy.CorrectOnMismatch
	return []setting{
		{name: "Authority", game: fieldtest.Authority(func(w *ecs.World) {
			for _, d := range ecs.Each[fieldtest.Drifter](w) {
				d.Pos.Y = float32(w.Tick() % 8)
			}
		})},
		{name: "no input", match: func(c *systemstest.Config) {
			c.Protocol, c.Play = fieldtest.ProtocolWithoutInput(fieldtest.Simulate("drift", fieldtest.MoveDrifters), fieldtest.OnJoin(func(w *ecs.World, client uint32) {
				w.Spawn(components.Owner{Client: client}, components.Position{})
			})), systemstest.Script{}
		}},
		{name: "QuantizeSteps", game: (*ecs.Protocol).QuantizeSteps},
		{name: "OwnerOnly", game: func(p *ecs.Protocol) { ecs.Replicate[Cursor](p, ecs.OwnerOnly) }},
		{name: "ClientOwned", game: func(p *ecs.Protocol) { ecs.Replicate[Cursor](p, ecs.ClientOwned) }, refused: both("part of the input, or an event"), told: "`ecs.ClientOwned`"},
		{name: "Coarse.X", game: fieldtest.Predicted[Coarse], refused: map[policy.Preset]string{mismatch: "use a tol above"}, told: "a `tol` below half a step"},
		{name: "server", game: fieldtest.Predicted[fieldtest.Patient]},
		{name: "Patient.Health is tagged server", game: func(p *ecs.Protocol) { ecs.Replicate[fieldtest.Patient](p, ecs.Predicted|ecs.OwnerOnly) },
			refused: map[policy.Preset]string{mismatch: "OwnerOnly and not Predicted"}, told: "fields tagged `server` in `OwnerOnly` components"},
		{name: "Singleton", game: func(p *ecs.Protocol) { ecs.Singleton[Cursor](p, 0) }},
		{name: "Extrapolate", game: func(p *ecs.Protocol) { ecs.Extrapolate[components.Position](p, 100*time.Millisecond) }},
	}
}

// pushNowAndThen is something that clients do not predict, for a while.
func pushNowAndThen(w *ecs.World) {
	if w.Tick()%60 == 0 && w.Tick() < 3*60 {
		fieldtest.PushPlayers(w)
	}
}

// build is a match in which everything is as in the field, pushes aside, and the setting as it says.
func (s setting) build(preset policy.Preset) systemstest.Config {
	config := fieldtest.PresetConfig(preset, 1, 2, fieldtest.RoughLink())
	parts := []fieldtest.Part{func(p *ecs.Protocol) { p.Authority("pushes", pushNowAndThen) }}
	if s.game != nil {
		parts = append(parts, s.game)
	}
	config.Protocol = fieldtest.ProtocolWith(parts...)
	config.FrameRate = 45
	client := config.Client
	config.Client = func(n int) (c systems.ClientConfig) {
		if client != nil {
			c = client(n)
		}
		if s.client != nil {
			s.client(&c)
		}
		return c
	}
	if s.server != nil {
		s.server(&config.Server)
	}
	if s.match != nil {
		s.match(&config)
	}
	return config
}

// play plays it, and returns what can be seen of it, or why it was refused.
func (s setting) play(t *testing.T, preset policy.Preset) (seen string, refused error) {
	config := s.build(preset)
	if _, err := systems.NewServer(netsys.NewNetwork().Node(netip.AddrPort{}), config.Protocol(), config.Server); err != nil {
		return "", err
	}
	var b bytes.Buffer
	c := systemstest.New(t, s.build(preset))
	size := 0
	c.Lose(func(p systemstest.Packet) bool { size += len(p.Data); return false })
	c.OnFrame(func(k *systemstest.Client) { fmt.Fprintln(&b, k.N, k.View().Hash()) })
	for range 2 * 60 {
		c.Run(fieldtest.Ticks(1))
		if err := c.Clients[0].Err(); err != nil {
			return "", err
		}
	}
	fmt.Fprintln(&b, size)
	fieldtest.MustConverge(c)
	return b.String(), nil
}

// judge holds what a model makes of a setting against the table.
func (s setting) judge(t *testing.T, preset policy.Preset, plain string, shows map[string][]policy.Preset) {
	t.Helper()
	seen, err := s.play(t, preset)
	says, refused := s.refused[preset]
	switch {
	case !refused && err != nil:
		t.Errorf("%s under %v is refused: %v", s.name, preset, err)
	case refused && !errors.Is(err, systems.ErrConfig):
		t.Errorf("%s under %v is not refused: %v", s.name, preset, err)
	case refused && !(strings.Contains(err.Error(), says) && strings.Contains(err.Error(), s.name) && strings.Contains(err.Error(), preset.String())):
		t.Errorf("%s under %v: %v; want the setting, the model and %q", s.name, preset, err, says)
	case slices.Contains(s.idle, preset) && seen != plain:
		t.Errorf("%s under %v is said to do nothing, and it does something", s.name, preset)
	case !refused && seen != plain:
		shows[s.name] = append(shows[s.name], preset)
	}
}

// Every field of a configuration works under every model, or is refused with the names of field
// and model and with what to write instead, or does nothing, and its documentation says so.
func TestEverySettingUnderEveryModel(t *testing.T) {
	t.Parallel()
	shows := map[string][]policy.Preset{} // what makes a match go otherwise, and where
	for _, preset := range everyModel {
		t.Run(preset.String(), func(t *testing.T) {
			plain, err := setting{}.play(t, preset)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range slices.Concat(serverSettings(), clientSettings(), gameSettings()) {
				if !s.kept {
					s.judge(t, preset, plain, shows)
				}
			}
		})
	}
	for _, s := range slices.Concat(serverSettings(), clientSettings(), gameSettings()) {
		for _, preset := range everyModel {
			_, refused := s.refused[preset]
			if in := shows[s.name]; len(in) > 0 && !refused && !s.kept && !slices.Contains(in, preset) && !slices.Contains(s.idle, preset) {
				t.Errorf("%s does nothing under %v, and something under %v", s.name, preset, in)
			}
		}
	}
	for of, table := range map[reflect.Type][]setting{
		reflect.TypeFor[systems.ServerConfig](): serverSettings(),
		reflect.TypeFor[systems.ClientConfig](): clientSettings(),
	} {
		docs := comments(t, of.Name())
		for _, s := range table {
			if _, there := of.FieldByName(s.name); !there {
				t.Errorf("%s has no %s", of.Name(), s.name)
			}
		}
		for f := range of.Fields() {
			i := slices.IndexFunc(table, func(s setting) bool { return s.name == f.Name })
			if i < 0 {
				t.Errorf("%s.%s is not in the table: say what each model makes of it", of.Name(), f.Name)
				continue
			}
			if s := table[i]; len(s.refused) > 0 && s.server != nil && s.told == "" && !strings.Contains(docs[f.Name], "refuses it under Rollback and Lockstep") {
				t.Errorf("the comment of %s.%s does not say where it is refused:\n%s", of.Name(), f.Name, docs[f.Name])
			}
			if idle := idleIn(table[i].idle); idle != "" && !strings.Contains(docs[f.Name], "oes nothing "+idle) {
				t.Errorf("the comment of %s.%s does not say that it does nothing %s:\n%s", of.Name(), f.Name, idle, docs[f.Name])
			}
		}
	}
}

// asks is what a game has to do for a model beside what is refused and what has no effect.
var asks = map[policy.Preset]string{
	policy.LocalSync:         "a `Simulate` with nearly the same results on both sides",
	policy.Buffered:          "the same",
	policy.CorrectOnMismatch: "the same",
	policy.ServerRewind:      "`Simulate` and `Authority` that depend on the world alone. A rewind undoes changes that systems of `ServerConfig.Schedule` or other code make to the world",
	policy.Rollback:          "the same, bit-identical on every peer. Systems of `ServerConfig.Schedule` and other code must not change the world: the next rewind undoes such changes, or `Desync` reports them and the server sends the whole state",
	policy.Lockstep:          "as `Rollback`",
}

// docs/models.md has what each model asks for, as the tables above say it.
func TestModelsAskForWhatTheGuideSays(t *testing.T) {
	quoted := func(list []string) string {
		if len(list) == 0 {
			return "–"
		}
		return strings.Join(list, ", ")
	}
	var table strings.Builder
	table.WriteString("| model | requires | refuses with `ErrConfig` | ignores |\n|---|---|---|---|\n")
	last := ""
	for _, preset := range everyModel {
		var refused, idle []string
		for _, s := range slices.Concat(serverSettings(), clientSettings(), gameSettings()) {
			name := "`" + s.name + "`"
			if s.client != nil && slices.ContainsFunc(serverSettings(), func(x setting) bool { return x.name == s.name && x.server != nil }) {
				name = "a client's " + name
			}
			if _, is := s.refused[preset]; is {
				refused = append(refused, cmp.Or(s.told, name))
			} else if slices.Contains(s.idle, preset) && !slices.Contains(idle, name) {
				idle = append(idle, name)
			}
		}
		says := quoted(refused)
		if preset == policy.Lockstep && says == last {
			says = "as `Rollback`"
		}
		last = says
		fmt.Fprintf(&table, "| `%v` | %s | %s | %s |\n", preset, asks[preset], says, quoted(idle))
	}
	guide, err := os.ReadFile("../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(guide), table.String()) {
		t.Errorf("docs/models.md does not have this table:\n%s", table.String())
	}
}

// Under the models that send inputs a write that is not in the protocol is undone as soon as a tick
// is simulated again, or told, and mended.
func TestForeignWritesAreTold(t *testing.T) {
	fieldtest.EachRow(t, byInputs, func(t *testing.T, preset policy.Preset) {
		config := fieldtest.PresetConfig(preset, 1, 2, fieldtest.Lag(3))
		var told []relay.Divergence
		config.Server.Desync = func(d relay.Divergence) { told = append(told, d) }
		config.Server.Schedule = func(s *ecs.Schedule) error {
			return s.InsertBefore("Snapshot", ecs.System{Name: "weather", Run: func(w *ecs.World) {
				for _, d := range ecs.Each[fieldtest.Drifter](w) {
					if w.Tick() == 240 {
						d.Pos.Y += 3
					}
				}
			}})
		}
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(10 * time.Second)
		undone := true
		for _, d := range ecs.All[struct {
			Pos components.Position
			Do  fieldtest.Drift
		}](c.Server.World()) {
			undone = undone && d.Pos.Y == -100
		}
		if undone != (preset == policy.Rollback) || !undone && (len(told) < 2 || !strings.HasPrefix(told[0].Where, "Position.Y")) {
			t.Errorf("undone %v, told of %+v", undone, told)
		}
		fieldtest.MustConverge(c)
	})
}

// idleIn says where a setting does nothing.
func idleIn(list []policy.Preset) string {
	where := "under "
	if len(list) > 3 {
		where, list = "but under ", allBut(list...)
	}
	var names []string
	for _, p := range list {
		names = append(names, p.String())
	}
	if len(names) == 0 {
		return ""
	}
	return where + strings.Join(names, " and ")
}

// comments are those of the fields of a struct of package systems, each on one line.
func comments(t *testing.T, name string) map[string]string {
	t.Helper()
	docs := map[string]string{}
	for _, file := range []string{"config_server.go", "config_client.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if typ, ok := n.(*ast.TypeSpec); ok && typ.Name.Name == name {
				for _, field := range typ.Type.(*ast.StructType).Fields.List {
					for _, x := range field.Names {
						docs[x.Name] = strings.Join(strings.Fields(field.Doc.Text()), " ")
					}
				}
			}
			return true
		})
	}
	return docs
}
