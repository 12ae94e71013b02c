package matches_test

import (
	"bytes"
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

// Signature is the login of a player. Other players see it as a component.
type Signature struct {
	Name components.Text[[12]byte]
	Team uint8 `net:"1..4"`
}

// signed returns a signature.
func signed(name string, team uint8) (s Signature) {
	s.Name.Set(name)
	s.Team = team
	return s
}

// club returns the field in which players have signatures. Changes that Join makes to its argument have no effect.
func club() *ecs.Protocol {
	return fieldtest.ProtocolWith(func(p *ecs.Protocol) {
		ecs.Replicate[Signature](p, 0)
		ecs.Join(p, func(w *ecs.World, client uint32, s *Signature) {
			fieldtest.JoinWith(*s)(w, client)
			*s = signed("nobody", 4)
		})
	})()
}

// inClub configures a match in the club. Client n requests to be player n of team n+1. The server moves players of team 2 to
// team 4.
func inClub(model policy.Model, seed uint64, clients int) systemstest.Config {
	config := fieldtest.PresetConfig(model, seed, clients, fieldtest.RoughLink())
	config.Protocol = club
	config.Server.Players.Login = systems.Login(func(s netsys.Session, v *Signature) error {
		switch {
		case s.ClientID() == 0 || len(s.UserData()) == 0:
			return errors.New("the session is not known")
		case v.Name.String() == "banned":
			return errors.New("you are banned until Friday")
		case v.Team == 2:
			v.Team = 4
		}
		return nil
	})
	config.Client = func(n int) systems.ClientConfig {
		return systems.ClientConfig{Login: signed(fmt.Sprint("player ", n), uint8(n+1))}
	}
	return config
}

// Every peer, including late joiners, applies the same login of a player, under every model and on any link. Re-simulated
// ticks with a join use the same login.
func TestLoginIsReplayed(t *testing.T) {
	t.Parallel()
	for _, model := range fieldtest.Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}, policy.Lockstep{}) {
		t.Run(model.String(), func(t *testing.T) {
			systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
				c := systemstest.New(t, inClub(model, seed, 3))
				c.Connect()
				c.Run(2 * time.Second)
				c.Join()
				c.Connect()
				c.Run(2 * time.Second)
				c.Settle()
				c.Converged()
				for _, k := range c.Clients {
					got := map[uint32]string{}
					for _, r := range ecs.All[struct {
						Owner components.Owner
						Is    Signature
					}](k.World()) {
						got[r.Owner.Client] = fmt.Sprint(r.Is.Name.String(), " of ", r.Is.Team)
					}
					want := map[uint32]string{}
					for n, o := range c.Clients {
						team := n + 1
						if team == 2 {
							team = 4
						}
						want[o.ID()] = fmt.Sprint("player ", n, " of ", team)
					}
					if fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("%v sees %v, want %v", k, got, want)
					}
				}
			})
		})
	}
}

// A refused client receives the reason immediately, and does not enter the world.
func TestLoginIsRefused(t *testing.T) {
	config := inClub(policy.LocalSync{}, 1, 1)
	config.Link = netsys.Link{}
	var log bytes.Buffer
	config.Server.Logger = slog.New(slog.NewTextHandler(&log, nil))
	config.Client = func(int) systems.ClientConfig { return systems.ClientConfig{Login: signed("banned", 1)} }
	c := systemstest.New(t, config)
	c.Run(time.Second)
	err := c.Clients[0].Err()
	if !errors.Is(err, netsys.ErrRefused) || !errors.Is(err, netsys.ErrLogin) || !strings.HasSuffix(err.Error(), ": you are banned until Friday") {
		t.Errorf("%v", err)
	}
	for range ecs.All[struct{ Is Signature }](c.Server.World()) {
		t.Error("who was refused is in the world")
	}
	if n := c.Server.Stats().Drops[netsys.DropLogin]; n != 1 {
		t.Errorf("%d refusals counted", n)
	}
	if said := log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "login refused") || !strings.Contains(said, "banned until Friday") ||
		!strings.Contains(said, "player=") || !strings.Contains(said, "address=") {
		t.Errorf("the log: %s", said)
	}
}

// A client without a login sends the zero value, or the nearest allowed value.
func TestLoginLeftOut(t *testing.T) {
	config := inClub(policy.Rollback{}, 1, 2)
	config.Client = nil
	c := systemstest.New(t, config)
	c.Connect()
	c.Settle()
	c.Converged()
	n := 0
	for _, r := range ecs.All[struct{ Is Signature }](c.Clients[1].World()) {
		if n++; r.Is != signed("", 1) {
			t.Errorf("%+v", r.Is)
		}
	}
	if n != 2 {
		t.Errorf("%d players", n)
	}
}

// NewServer and NewClient return an error for a login of another type.
func TestLoginOfAnotherType(t *testing.T) {
	node := netsys.NewNetwork()
	at := node.Node(netip.MustParseAddrPort("127.0.0.1:7777"))
	_, err := systems.NewServer(at, club(), systems.ServerConfig{Players: systems.Players{Login: systems.Login(func(netsys.Session, *fieldtest.Walk) error { return nil })}})
	if !errors.Is(err, systems.ErrConfig) || !strings.Contains(err.Error(), "Walk") {
		t.Errorf("%v", err)
	}
	for _, test := range []struct {
		protocol func() *ecs.Protocol
		login    any
		advice   string
	}{
		{club, fieldtest.Walk{}, "Signature"}, {club, &Signature{}, "give a value"}, {fieldtest.Protocol, Signature{}, "is not struct {}"},
		{fieldtest.ProtocolWith(func(p *ecs.Protocol) {}), 5, "int"},
	} {
		_, err := systems.NewClient(node.Node(netip.AddrPort{}), at.LocalAddr(), test.protocol(), systems.ClientConfig{Login: test.login})
		if !errors.Is(err, systems.ErrConfig) || !strings.Contains(err.Error(), test.advice) {
			t.Errorf("%T: %v", test.login, err)
		}
	}
}

// The server refuses a login that no client of the protocol would send.
func TestLoginThatIsMalformed(t *testing.T) {
	network, now := netsys.NewNetwork(), time.Unix(0, 0)
	at := network.Node(netip.MustParseAddrPort("127.0.0.1:7777"))
	server, err := systems.NewServer(at, club(), systems.ServerConfig{Start: now, Session: systems.ServerSession{Random: netsys.SeededRandom(1)}})
	if err != nil {
		t.Fatal(err)
	}
	size := club().Players().Join.Schema.RawSize()
	for n, forged := range [][]byte{make([]byte, size), make([]byte, size-1), append(make([]byte, size), 1), make([]byte, netsys.MaxLogin)} {
		c, err := netsys.NewClient(network.Node(netip.AddrPort{}), at.LocalAddr(), netsys.ClientConfig{
			Schema: club().Lines(), Login: forged, Random: netsys.SeededRandom(uint64(n) + 2),
		})
		if err != nil {
			t.Fatal(err)
		}
		h := &turnedAway{}
		for range 60 {
			now = now.Add(time.Second / 60)
			c.Poll(now, h)
			server.Advance(now)
		}
		if !errors.Is(h.reason, netsys.ErrLogin) {
			t.Errorf("a login of %d bytes: %v", len(forged), h.reason)
		}
	}
	for range ecs.All[struct{ Is Signature }](server.World()) {
		t.Error("who was refused is in the world")
	}
}

// turnedAway records the reason why a session ended.
type turnedAway struct{ reason error }

func (h *turnedAway) Connected(time.Time, netsys.Session)                      {}
func (h *turnedAway) Disconnected(_ time.Time, _ netsys.Session, reason error) { h.reason = reason }
func (h *turnedAway) Received(time.Time, netsys.Session, netsys.Packet)        {}
func (h *turnedAway) Acked(netsys.Session, uint16)                             {}
func (h *turnedAway) Message(time.Time, netsys.Session, int, []byte)           {}
