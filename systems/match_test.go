package systems_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// wander makes every client turn now and then, by chance. It depends on neither
// the world nor the other clients.
func wander() systemstest.Script {
	var dirs []Walk
	return systemstest.Play(func(k *systemstest.Client, in *Walk) {
		for len(dirs) <= k.N {
			dirs = append(dirs, Walk{})
		}
		d := &dirs[k.N]
		if k.Rand().IntN(20) == 0 {
			d.DX, d.DY = int8(k.Rand().IntN(3)-1), int8(k.Rand().IntN(3)-1)
		}
		*in = *d
		in.Jump = k.Rand().IntN(40) == 0
		in.N = uint16(k.Input())
	})
}

// straight makes every client walk along X for good.
func straight() systemstest.Script {
	return systemstest.Play(func(k *systemstest.Client, in *Walk) { *in = Walk{DX: 1, N: uint16(k.Input())} })
}

// steady makes every input of a client the same.
func steady(in Walk) systemstest.Script {
	return systemstest.Play(func(_ *systemstest.Client, to *Walk) { *to = in })
}

// ticks is the length of n ticks of a world at 60 a second.
func ticks(n int) time.Duration { return time.Duration(n) * time.Second / 60 }

// lag is a link of n ticks one way.
func lag(n int) netsys.Link { return netsys.Link{Latency: ticks(n)} }

// half is a latency between two ticks: what is sent after tick t is seen in Receive of
// tick t+n, whatever the phases of the peers are.
func half(n int) netsys.Link { return netsys.Link{Latency: ticks(n) - ticks(1)/2} }

// rough is the link at 200/30/5, and bad that at 500/84/5.
func rough() netsys.Link {
	return systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05)
}
func bad() netsys.Link { return systemstest.RoundTrip(500*time.Millisecond, 84*time.Millisecond, 0.05) }

// onField is a configuration of the field for clients over a link.
func onField(seed uint64, clients int, link netsys.Link) systemstest.Config {
	return systemstest.Config{
		Protocol: field,
		Populate: drifters(4),
		Play:     wander(),
		Clients:  clients,
		Link:     link,
		Seed:     seed,
	}
}

// underPreset is onField under a preset.
func underPreset(p policy.Preset, seed uint64, clients int, link netsys.Link) systemstest.Config {
	config := onField(seed, clients, link)
	config.Server.Policies = p.Policies()
	return config
}

// match plays a crowd until all have joined and so long; what is counted begins then.
func match(t testing.TB, config systemstest.Config, warm time.Duration) *systemstest.Crowd {
	t.Helper()
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(warm)
	c.Mark()
	return c
}

// rest lets a crowd come to rest, and demands that everybody has what the server has.
func rest(c *systemstest.Crowd) {
	c.Settle()
	c.Converged()
}

var (
	// ahead are the models under which clients run ahead of the server alone.
	ahead = []policy.Preset{policy.LocalSync, policy.Buffered, policy.CorrectOnMismatch, policy.ServerRewind}
	// peersPresets are the models under which everybody simulates everything.
	peersPresets = []policy.Preset{policy.Rollback, policy.Lockstep}
)

// name is what a row of a table embeds to be called so.
type name string

func (n name) String() string { return string(n) }

// eachRow runs a test for the rows of a table, each by its name.
func eachRow[T any](t *testing.T, table []T, f func(t *testing.T, x T)) {
	t.Helper()
	for _, x := range table {
		t.Run(fmt.Sprint(x), func(t *testing.T) { f(t, x) })
	}
}

// each is eachRow with so many seeds each.
func each[T any](t *testing.T, table []T, seeds int, f func(t *testing.T, x T, seed uint64)) {
	t.Helper()
	eachRow(t, table, func(t *testing.T, x T) {
		systemstest.Seeds(t, seeds, func(t *testing.T, seed uint64) { f(t, x, seed) })
	})
}

// allocatesNothing counts the allocations of so many ticks.
func allocatesNothing(t *testing.T, c *systemstest.Crowd, ticks int) {
	t.Helper()
	testgame.AllocatesNothing(t, func() { c.RunTicks(ticks) })
}

// skipRace skips a test that counts allocations where the race detector makes them.
func skipRace(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
}

// fewer returns the number of seeds that a test plays: n in the long form, otherwise 1.
func fewer(n int) int {
	if long() && !race.Enabled {
		return n
	}
	return 1
}

// long reports whether the long forms of the tests were asked for, by the
// environment variable TACTUS_LONG.
func long() bool { return os.Getenv("TACTUS_LONG") != "" }

// length is how long a test plays: in short mode, usually, and in the long form.
func length(short, usual, longest time.Duration) time.Duration {
	switch {
	case long():
		return longest
	case testing.Short():
		return short
	}
	return usual
}
