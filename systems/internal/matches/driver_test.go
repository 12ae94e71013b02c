package matches_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// held returns a crowd that has played until its buffers are settled.
func held(t *testing.T) *systemstest.Crowd {
	t.Helper()
	crowd := systemstest.New(t, fieldtest.Config(5, 3, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02)))
	crowd.Connect()
	crowd.Run(15 * time.Second)
	crowd.Mark()
	return crowd
}

// recovers checks that the crowd plays on as before.
func recovers(t *testing.T, crowd *systemstest.Crowd) {
	t.Helper()
	crowd.Run(15 * time.Second)
	crowd.Mark()
	before := crowd.Server.Tick()
	crowd.Run(10 * time.Second)
	if ticks := crowd.Server.Tick() - before; ticks < 599 || ticks > 601 {
		t.Errorf("the server runs %d ticks in ten seconds, want 600", ticks)
	}
	crowd.NothingMissing()
	crowd.NoCorrections()
	crowd.NoStalls()
	crowd.Settle()
	crowd.Converged()
}

// A process that is suspended for a minute, as by a debugger or a closed laptop, drops and counts the due ticks and does not
// catch up. No session times out, because the process did not listen.
func TestProcessHeldForAMinute(t *testing.T) {
	t.Parallel()
	crowd := held(t)
	ticks := crowd.Server.Tick()
	crowd.StallServer(time.Minute)
	for _, k := range crowd.Clients {
		k.Stall(time.Minute)
	}
	crowd.Run(61 * time.Second)
	if ran := crowd.Server.Tick() - ticks; ran > 70 {
		t.Errorf("the server ran %d ticks in the second after the minute: it runs after what it missed", ran)
	}
	if dropped := crowd.Server.Stats().TicksDropped; dropped < 3500 {
		t.Errorf("the server counts %d dropped ticks, want nearly 3600", dropped)
	}
	for _, k := range crowd.Clients {
		if k.Err() != nil {
			t.Fatalf("%v lost its session: %v", k, k.Err())
		}
	}
	recovers(t, crowd)
}

// If the machine's clock is set back by an hour and forward again, the peers continue from the current time.
func TestClockStepsBack(t *testing.T) {
	network := netsys.NewNetwork()
	addr := netip.MustParseAddrPort("127.0.0.1:7777")
	start := time.Unix(1<<30, 0)
	s, err := systems.NewServer(network.Node(addr), fieldtest.Protocol(), systems.ServerConfig{
		Start: start, Session: systems.ServerSession{Random: netsys.SeededRandom(1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := systems.NewClient(network.Node(netip.AddrPort{}), addr, fieldtest.Protocol(), systems.ClientConfig{
		Start: start, Session: systems.ClientSession{Random: netsys.SeededRandom(2)},
	})
	if err != nil {
		t.Fatal(err)
	}
	const frame = time.Second / 60
	play := func(from time.Time, frames int) time.Time {
		for range frames {
			from = from.Add(frame)
			s.Advance(from)
			c.Advance(from)
			c.Frame(from)
		}
		return from
	}
	now := play(start, 300)
	before, input := s.Tick(), c.Input()
	if before < 295 || input < 280 {
		t.Fatalf("%d ticks and %d inputs in 300 frames", before, input)
	}
	now = play(now.Add(-time.Hour), 300)
	if ran := s.Tick() - before; ran < 295 || ran > 300 {
		t.Errorf("%d ticks in the 300 frames after the clock stepped back", ran)
	}
	if sent := c.Input() - input; sent < 295 || sent > 300 {
		t.Errorf("%d inputs in the 300 frames after the clock stepped back", sent)
	}
	play(now.Add(time.Hour), 300)
	if c.Err() != nil {
		t.Fatalf("the client lost its session: %v", c.Err())
	}
	if err := systems.Difference(s, c); err != nil {
		t.Errorf("after the clock stepped forward: %v", err)
	}
}
