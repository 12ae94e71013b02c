package matches_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
)

// The world of a paused server stands still, and its clients stay connected. The server expects the return of a player whose
// session timed out, and of no other player.
func TestPause(t *testing.T) {
	for _, model := range []policy.Model{nil, policy.Lockstep{}} {
		net, now, at := netsys.NewNetwork(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), netip.MustParseAddrPort("127.0.0.1:7777")
		p := func() *ecs.Protocol {
			p := ecs.NewProtocol("pause/1")
			ecs.Input[fieldtest.Walk](p)
			return p
		}
		s, err := systems.NewServer(net.Node(at), p(), systems.ServerConfig{Start: now, Model: model, Players: systems.Players{ReconnectWindow: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := systems.NewClient(net.Node(netip.AddrPort{}), at, p(), systems.ClientConfig{Start: now, Session: systems.ClientSession{ClientID: 7}})
		if err != nil {
			t.Fatal(err)
		}
		gone := false
		run := func(d time.Duration) {
			for end := now.Add(d); now.Before(end); {
				now = now.Add(10 * time.Millisecond)
				s.Advance(now)
				if !gone {
					c.Advance(now)
				}
			}
		}
		run(2 * time.Second)
		tick := s.Tick()
		s.Pause(true)
		run(30 * time.Second)
		if s.Tick() != tick || !c.Connected() || s.Session(c.ID()) == nil || s.Expects(7) {
			t.Errorf("%v: paused at tick %d, at %d later; %v", model, tick, s.Tick(), c.Err())
		}
		s.Pause(false)
		run(2 * time.Second)
		if s.Tick() <= tick || !c.Connected() {
			t.Errorf("%v: it does not go on: tick %d, %v", model, s.Tick(), c.Err())
		}
		gone = true
		run(15 * time.Second)
		if !s.Expects(7) || s.Expects(8) {
			t.Errorf("%v: a player who has timed out is not expected", model)
		}
	}
}
