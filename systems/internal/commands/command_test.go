package commands_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
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

// Rename is a command that sets the n-th name of a player.
type Rename struct {
	Name components.Text[[12]byte]
	N    uint16 `net:"0..999"`
}

// Shout is a command that adds to a sum.
type Shout struct {
	Loud int8 `net:"-9..9"`
}

// Renamed holds the effects of a player's commands.
type Renamed struct {
	Name   components.Text[[12]byte]
	N      uint16 `net:"0..999"` // of the last
	Wrong  uint16 `net:"0..999"` // that were not the one behind the last
	Shouts int16  `net:"-999..999"`
}

// renames returns the command with the n-th name of a player.
func renames(n int) (v Rename) {
	v.Name.Set(fmt.Sprint("name ", n))
	v.N = uint16(n)
	return v
}

// townRow is a row with a player of the town.
type townRow struct {
	Own *components.Owner
	Is  *Renamed
}

// inTown returns the Renamed of a client's player.
func inTown(w *ecs.World, client uint32) *Renamed {
	for _, r := range ecs.EachInOrder[townRow](w) {
		if r.Own.Client == client {
			return r.Is
		}
	}
	return nil
}

// town returns the field in which players rename themselves. If ran is not nil, it counts the commands that have run,
// including those of replays.
func town(ran *int) func() *ecs.Protocol {
	return fieldtest.ProtocolWith(func(p *ecs.Protocol) {
		ecs.Replicate[Renamed](p, 0)
		ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) { fieldtest.JoinWith(Renamed{})(w, client) })
		ecs.Command(p, func(w *ecs.World, client uint32, v *Rename) {
			if ran != nil {
				*ran++
			}
			if is := inTown(w, client); is != nil {
				if v.N != is.N+1 {
					is.Wrong++
				}
				is.Name, is.N = v.Name, v.N
			}
			*v = Rename{} // what f does to its value stays with nobody
		})
		ecs.Command(p, func(w *ecs.World, client uint32, v *Shout) {
			for _, r := range ecs.EachInOrder[townRow](w) {
				if client == 0 || r.Own.Client == client {
					r.Is.Shouts += int16(v.Loud)
				}
			}
		})
	})
}

// badLink returns a link with a round trip of 300 ms and a loss of 5 %.
func badLink() netsys.Link {
	return systemstest.RoundTrip(300*time.Millisecond, 50*time.Millisecond, 0.05)
}

// everyoneIs compares every world with the expected state of each client's player.
func everyoneIs(t *testing.T, c *systemstest.Crowd, want func(k *systemstest.Client) Renamed) {
	t.Helper()
	for _, at := range c.Clients {
		if at.Err() != nil {
			continue
		}
		for _, k := range c.Clients {
			if k.Err() != nil {
				continue
			}
			is := Renamed{}
			for _, r := range ecs.All[struct {
				Own components.Owner
				Is  Renamed
			}](at.World()) {
				if r.Own.Client == k.ID() {
					is = r.Is
				}
			}
			if is != want(k) {
				t.Errorf("%v sees %v as %+v, want %+v", at, k, is, want(k))
			}
		}
	}
}

// Every command runs once, in the order of its client, on every peer, on any link and with late joiners. Re-simulated ticks
// run their commands again with the same values.
func TestCommands(t *testing.T) {
	t.Parallel()
	for _, model := range fieldtest.Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}, policy.Lockstep{}) {
		t.Run(model.String(), func(t *testing.T) {
			systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
				ran := 0
				config := fieldtest.PresetConfig(model, seed, 3, badLink())
				config.Protocol = town(&ran)
				c := systemstest.New(t, config)
				c.Connect()
				given := map[*systemstest.Client]int{}
				rename := func(rounds int) {
					for range rounds {
						for _, k := range c.Clients {
							if !k.Connected() {
								continue
							}
							for range 1 + k.N%2 {
								given[k]++
								if err := systems.Command(k.Client, renames(given[k])); err != nil {
									t.Fatal(err)
								}
							}
						}
						c.Run(400 * time.Millisecond)
					}
				}
				rename(6)
				c.Join() // and meanwhile others go on
				rename(6)
				c.Connect()
				rename(2)
				c.Run(2 * time.Second)
				c.Settle()
				c.Converged()
				everyoneIs(t, c, func(k *systemstest.Client) Renamed {
					last := renames(given[k])
					return Renamed{Name: last.Name, N: last.N}
				})
				all := 0
				for _, n := range given {
					all += n
				}
				if st := c.Server.Stats(); st.Commands.Taken != uint64(all) || st.Commands.Dropped != 0 || st.MalformedMessages+st.Divergences != 0 {
					t.Errorf("%+v of %d, %d malformed, %d worlds differed", st.Commands, all, st.MalformedMessages, st.Divergences)
				}
				switch model.(type) {
				case policy.LocalSync, policy.Buffered, policy.CorrectOnMismatch:
					if ran != all {
						t.Errorf("%d ran of %d: the server alone runs them, once", ran, all)
					}
				default:
					if ran <= all {
						t.Errorf("%d ran of %d: none was replayed, or told", ran, all)
					}
				}
			})
		})
	}
}

// A returning player can send commands again, and the effects of its earlier commands stay.
func TestCommandsOfWhoComesBack(t *testing.T) {
	t.Parallel()
	for _, model := range fieldtest.Presets(policy.LocalSync{}, policy.Rollback{}, policy.Lockstep{}) {
		t.Run(model.String(), func(t *testing.T) {
			config := fieldtest.PresetConfig(model, 1, 2, badLink())
			config.Protocol = town(nil)
			config.Server.Players.ReconnectWindow = 30 * time.Second
			config.Server.Session.Timeout = 2 * time.Second
			c := systemstest.New(t, config)
			c.Connect()
			for _, n := range []int{1, 2} {
				if err := systems.Command(c.Clients[1].Client, renames(n)); err != nil {
					t.Fatal(err)
				}
			}
			c.Run(2 * time.Second)
			c.Clients[1].Kill()
			c.Run(4 * time.Second)
			back := c.Return(c.Clients[1])
			c.Connect()
			c.Run(time.Second)
			if err := systems.Command(back.Client, renames(3)); err != nil {
				t.Fatal(err)
			}
			c.Run(3 * time.Second)
			want := Renamed{Name: renames(3).Name, N: 3}
			for _, w := range []*ecs.World{c.Server.World(), c.Clients[0].World(), back.World()} {
				got := Renamed{}
				for _, r := range ecs.All[struct {
					Own components.Owner
					Is  Renamed
				}](w) {
					if r.Own.Client == back.ID() {
						got = r.Is
					}
				}
				if got != want {
					t.Errorf("%+v, want %+v", got, want)
				}
			}
		})
	}
}

// A player that announces its absence is marked on every peer within a second. It keeps its seat, number and entity for the
// reconnect window, and is not marked any more when it returns. A client cannot send the mark as a command.
func TestAway(t *testing.T) {
	for _, model := range fieldtest.Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}) {
		t.Run(model.String(), func(t *testing.T) {
			config := fieldtest.PresetConfig(model, 1, 2, badLink())
			config.Server.Players.ReconnectWindow = 10 * time.Second
			config.Protocol = fieldtest.ProtocolWith(func(p *ecs.Protocol) {
				ecs.Replicate[Renamed](p, 0)
				ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) { fieldtest.JoinWith(Renamed{})(w, client) })
				p.Away(func(w *ecs.World, client uint32, away bool) {
					if is := inTown(w, client); is != nil && away {
						is.N, is.Shouts = is.N+1, 1
					} else if is != nil {
						is.Shouts = 0
					}
				})
			})
			c := systemstest.New(t, config)
			c.Connect()
			k, id := c.Clients[1], c.Clients[1].ID()
			if err := systems.Command(k.Client, ecs.Presence{Away: true}); err != nil {
				t.Fatal(err)
			}
			c.Run(2 * time.Second)
			sees := func(when string, want *Renamed) {
				t.Helper()
				for _, w := range []*ecs.World{c.Server.World(), c.Clients[0].World()} {
					var is *Renamed
					for _, r := range ecs.All[struct {
						Own components.Owner
						Is  Renamed
					}](w) {
						if r.Own.Client == id {
							is = &r.Is
						}
					}
					if (is == nil) != (want == nil) || is != nil && *is != *want {
						t.Errorf("%s: %+v, want %+v", when, is, want)
					}
				}
			}
			sees("before", &Renamed{})
			leave := func() {
				k.Away(c.Now())
				k.Kill()
				c.Run(time.Second)
			}
			leave()
			sees("away", &Renamed{N: 1, Shouts: 1})
			k = c.Return(k)
			c.Connect()
			c.Run(time.Second)
			if k.ID() != id {
				t.Errorf("client %d is back as %d", id, k.ID())
			}
			sees("back", &Renamed{N: 1})
			leave()
			c.Run(8 * time.Second)
			sees("within the window", &Renamed{N: 2, Shouts: 1})
			c.Run(3 * time.Second)
			sees("after the window", nil)
		})
	}
}

// A client whose link is dead for longer than its timeout reconnects by itself as the same client with the same entity,
// whether the server has noticed the outage or not. A client that was kicked, or that announced its absence, does not
// reconnect until Rejoin.
func TestReconnect(t *testing.T) {
	for _, model := range fieldtest.Presets(policy.LocalSync{}, policy.Rollback{}) {
		t.Run(model.String(), func(t *testing.T) {
			config := fieldtest.PresetConfig(model, 1, 2, systemstest.RoundTrip(60*time.Millisecond, 0, 0))
			config.Protocol = town(nil)
			config.Server.Players.ReconnectWindow, config.Server.Session.Timeout = 20*time.Second, 3*time.Second
			loaded := 0
			config.Client = func(n int) systems.ClientConfig {
				return systems.ClientConfig{Session: systems.ClientSession{Reconnect: true, Timeout: time.Second}, Loaded: func(*ecs.World, uint32) { loaded += n }}
			}
			c := systemstest.New(t, config)
			c.Connect()
			k := c.Clients[1]
			id := k.ID()
			back := func(when string, reconnects uint64) {
				t.Helper()
				c.Run(5 * time.Second)
				st := k.Stats()
				if !k.Connected() || k.Err() != nil || k.Lost() != nil || k.ID() != id || st.Reconnects != reconnects || loaded != 1+int(reconnects) {
					t.Errorf("%s: connected %v, %v, lost %v, client %d, before %d, %+v", when, k.Connected(), k.Err(), k.Lost(), k.ID(), id, st)
				}
				if err := systems.Command(k.Client, renames(int(reconnects))); err != nil {
					t.Error(err)
				}
			}
			for i, outage := range []time.Duration{1500 * time.Millisecond, 6 * time.Second} {
				c.Run(time.Second)
				up, down := k.Links()
				k.SetLinks(netsys.Link{Loss: 1}, netsys.Link{Loss: 1})
				c.Run(outage)
				if k.Connected() || k.Err() != nil || !errors.Is(k.Lost(), netsys.ErrTimeout) || k.World() == nil {
					t.Errorf("after %v: connected %v, %v, lost %v", outage, k.Connected(), k.Err(), k.Lost())
				}
				k.SetLinks(up, down)
				back(outage.String(), uint64(i)+1)
			}
			c.Run(time.Second)
			k.Away(c.Now())
			c.Run(3 * time.Second)
			if k.Err() == nil || k.Connected() {
				t.Errorf("it said that it is away, and is back: %v", k.Err())
			}
			if err := k.Rejoin(c.Now()); err != nil {
				t.Error(err)
			}
			back("called back", 3)
			c.Run(2 * time.Second)
			everyoneIs(t, c, func(is *systemstest.Client) Renamed {
				if is != k {
					return Renamed{}
				}
				return Renamed{Name: renames(3).Name, N: 3}
			})
			c.Server.Session(id).Close(c.Now(), netsys.ReasonKicked)
			c.Run(6 * time.Second)
			if k.Err() == nil || k.Lost() != nil || c.Server.Session(id) != nil {
				t.Errorf("it was kicked, and is back: %v", k.Err())
			}
		})
	}
}

// Rejoin makes a client that waits for its next attempt reconnect immediately.
func TestRejoinWhileReconnecting(t *testing.T) {
	config := fieldtest.PresetConfig(policy.LocalSync{}, 1, 1, systemstest.RoundTrip(60*time.Millisecond, 0, 0))
	config.Protocol = town(nil)
	config.Server.Players.ReconnectWindow = time.Minute
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Session: systems.ClientSession{Reconnect: true, Timeout: time.Second}}
	}
	c := systemstest.New(t, config)
	c.Connect()
	k := c.Clients[0]
	up, down := k.Links()
	for outage := 10 * time.Second; outage < 20*time.Second; outage += 600 * time.Millisecond {
		k.SetLinks(netsys.Link{Loss: 1}, netsys.Link{Loss: 1})
		c.Run(outage)
		k.SetLinks(up, down)
		if err := k.Rejoin(c.Now()); err != nil || k.Lost() == nil {
			t.Fatalf("after %v: %v, lost %v", outage, err, k.Lost())
		}
		c.Run(time.Second)
		if !k.Connected() {
			t.Errorf("after %v it waits on", outage)
		}
		c.Run(5 * time.Second)
	}
}

// A refused command runs on no peer, and its client gets the reason. Other commands of the client run.
func TestCommandIsRefused(t *testing.T) {
	for _, model := range fieldtest.Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}) {
		t.Run(model.String(), func(t *testing.T) {
			config := fieldtest.PresetConfig(model, 1, 2, badLink())
			config.Protocol = town(nil)
			config.Server.Players.RefuseCommands = []systems.RefuseCommandFunc{
				systems.RefuseCommand(func(w *ecs.World, client uint32, v *Rename) error {
					switch {
					case inTown(w, client) == nil:
						return errors.New("you are not there")
					case v.Name.String() == "admin":
						return errors.New("that name is taken by somebody important")
					}
					v.Name.Set("not what runs")
					return nil
				}),
			}
			var told []systems.Refusal
			config.Client = func(n int) systems.ClientConfig {
				return systems.ClientConfig{OnRefused: func(r systems.Refusal) {
					if n != 0 {
						t.Errorf("client %d is told %+v", n, r)
					}
					told = append(told, r)
				}}
			}
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(2 * time.Second)
			admin := renames(7)
			admin.Name.Set("admin")
			for _, v := range []any{renames(1), admin, Shout{100}, renames(2)} {
				if err := systems.Command(c.Clients[0].Client, v); err != nil {
					t.Fatal(err)
				}
			}
			c.Run(2 * time.Second)
			c.Settle()
			c.Converged()
			everyoneIs(t, c, func(k *systemstest.Client) Renamed {
				if k.N > 0 {
					return Renamed{}
				}
				return Renamed{Name: renames(2).Name, N: 2, Shouts: 9} // which is as loud as it gets
			})
			if len(told) != 1 || told[0].Cause != systems.RefusedCommand || told[0].Command != "Rename" || told[0].Reason != "that name is taken by somebody important" || told[0].Tick == 0 {
				t.Errorf("%+v", told)
			}
			if st := c.Server.Stats(); st.Commands != (systems.CommandStats{Taken: 3, Refused: 1}) {
				t.Errorf("%+v", st.Commands)
			}
		})
	}
}

// A client may have 32 commands in flight, and the server accepts commands at the configured rate with bursts of twice as
// many. Excess commands run on no peer. They are counted, logged once and reported to the client.
func TestCommandsAreBounded(t *testing.T) {
	for _, model := range fieldtest.Presets(policy.LocalSync{}, policy.Rollback{}) {
		t.Run(model.String(), func(t *testing.T) {
			config := fieldtest.PresetConfig(model, 1, 2, systemstest.RoundTrip(60*time.Millisecond, 0, 0))
			config.Protocol = town(nil)
			config.Server.Players.CommandRate = 5
			log := &strings.Builder{}
			config.Server.Logger = slog.New(slog.NewTextHandler(log, nil))
			told := 0
			config.Client = func(n int) systems.ClientConfig {
				return systems.ClientConfig{OnRefused: func(r systems.Refusal) {
					if r.Cause == systems.RefusedCommand && r.Reason == "too many commands" {
						told++
					}
				}}
			}
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(time.Second)
			k, given := c.Clients[0], 0
			for {
				if err := systems.Command(k.Client, Shout{1}); err != nil {
					if !errors.Is(err, systems.ErrCommands) {
						t.Fatal(err)
					}
					break
				}
				given++
			}
			if given != 32 {
				t.Errorf("%d may wait", given)
			}
			const seconds = 4
			for range seconds * 10 {
				c.Run(100 * time.Millisecond)
				for systems.Command(k.Client, Shout{1}) == nil {
					given++
				}
			}
			c.Run(time.Second)
			st := c.Server.Stats().Commands
			if st.Taken < 5*seconds || st.Taken > 5*(seconds+1)+10+1 || st.Taken+st.Dropped != uint64(given) {
				t.Errorf("%+v of %d in %d s", st, given, seconds)
			}
			if ran := inTown(c.Server.World(), k.ID()).Shouts; uint64(ran) != st.Taken {
				t.Errorf("%d ran, %d were taken", ran, st.Taken)
			}
			if told == 0 || strings.Count(log.String(), "command refused") != 1 {
				t.Errorf("told %d times, logged:\n%s", told, log)
			}
			if k.Err() != nil {
				t.Error(k.Err())
			}
		})
	}
}

// The server can issue commands for any client or for none, without limit. They run after the client's own commands.
func TestCommandFor(t *testing.T) {
	for _, model := range fieldtest.Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}) {
		t.Run(model.String(), func(t *testing.T) {
			config := fieldtest.PresetConfig(model, 1, 2, badLink())
			config.Protocol = town(nil)
			config.Server.Players.RefuseCommands = []systems.RefuseCommandFunc{
				systems.RefuseCommand(func(*ecs.World, uint32, *Shout) error { return errors.New("silence") }),
			}
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(2 * time.Second)
			for range 50 {
				for _, client := range []uint32{0, c.Clients[1].ID(), 4711} {
					if err := systems.CommandFor(c.Server, client, Shout{1}); err != nil {
						t.Fatal(err)
					}
				}
			}
			c.Run(2 * time.Second)
			c.Settle()
			c.Converged()
			everyoneIs(t, c, func(k *systemstest.Client) Renamed { return Renamed{Shouts: int16(50 + 50*k.N)} })
			if err := systems.CommandFor(c.Server, 1, fieldtest.Walk{}); err == nil || !strings.Contains(err.Error(), "ecs.Command") {
				t.Errorf("%v", err)
			}
		})
	}
}

// Wrong code gets an error with the remedy.
func TestCommandAdvice(t *testing.T) {
	network := netsys.NewNetwork()
	at := network.Node(netip.MustParseAddrPort("127.0.0.1:7777"))
	k, err := systems.NewClient(network.Node(netip.AddrPort{}), at.LocalAddr(), town(nil)(), systems.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if err := systems.Command(k, Shout{}); !errors.Is(err, systems.ErrNotConnected) {
		t.Errorf("%v", err)
	}
	for _, v := range []any{nil, &Shout{}, fieldtest.Walk{}, 7} {
		if err := systems.Command(k, v); err == nil || !strings.Contains(err.Error(), "ecs.Command") {
			t.Errorf("%T: %v", v, err)
		}
	}
	for want, c := range map[string]systems.ServerConfig{
		"CommandRate -1":   {Players: systems.Players{CommandRate: -1}},
		"CommandRate 1001": {Players: systems.Players{CommandRate: 1001}},
		"Walk": {Players: systems.Players{RefuseCommands: []systems.RefuseCommandFunc{
			systems.RefuseCommand(func(*ecs.World, uint32, *fieldtest.Walk) error { return nil }),
		}}},
	} {
		if _, err := systems.NewServer(at, town(nil)(), c); !errors.Is(err, systems.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A late joiner gets the commands of the ticks after its first state, each once. No world differs in any tick.
func TestCommandsForWhoComesLate(t *testing.T) {
	t.Parallel()
	fieldtest.EachRow(t, fieldtest.PeerPresets, func(t *testing.T, model policy.Model) {
		config := fieldtest.PresetConfig(model, 1, 2, badLink())
		config.Protocol = town(nil)
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(time.Second)
		c.Join()
		for n := range 300 {
			if err := systems.CommandFor(c.Server, 0, Shout{int8(n%7 - 2)}); err != nil {
				t.Fatal(err)
			}
			c.Run(fieldtest.Ticks(1))
		}
		c.Connect()
		c.Run(2 * time.Second)
		c.Settle()
		c.Converged()
		if st := c.Server.Stats(); st.Divergences+st.Mended+st.MalformedMessages != 0 {
			t.Errorf("%d worlds differed, %d were mended, %d messages malformed", st.Divergences, st.Mended, st.MalformedMessages)
		}
		for _, k := range c.Clients {
			if k.Stats().MalformedMessages != 0 || inTown(c.Server.World(), k.ID()).Shouts == 0 {
				t.Errorf("%v: %+v", k, k.Stats())
			}
		}
	})
}
