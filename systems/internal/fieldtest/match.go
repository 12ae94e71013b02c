package fieldtest

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

// Wander makes every client change its direction at random. It depends neither on the world nor on other clients.
func Wander() systemstest.Script {
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

// Straight makes every client walk along X.
func Straight() systemstest.Script {
	return systemstest.Play(func(k *systemstest.Client, in *Walk) { *in = Walk{DX: 1, N: uint16(k.Input())} })
}

// Steady repeats the same input.
func Steady(in Walk) systemstest.Script {
	return systemstest.Play(func(_ *systemstest.Client, to *Walk) { *to = in })
}

// Ticks returns the duration of n ticks at 60 ticks per second.
func Ticks(n int) time.Duration { return time.Duration(n) * time.Second / 60 }

// Lag returns a link with a one-way latency of n ticks.
func Lag(n int) netsys.Link { return netsys.Link{Latency: Ticks(n)} }

// RoughLink returns a link of 200 ms round trip, 30 ms jitter and 5 % loss.
func RoughLink() netsys.Link {
	return systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05)
}

// BadLink returns a link of 500 ms round trip, 84 ms jitter and 5 % loss.
func BadLink() netsys.Link {
	return systemstest.RoundTrip(500*time.Millisecond, 84*time.Millisecond, 0.05)
}

// Config returns a match on the field.
func Config(seed uint64, clients int, link netsys.Link) systemstest.Config {
	return systemstest.Config{
		Protocol: Protocol,
		Populate: Drifters(4),
		Play:     Wander(),
		Clients:  clients,
		Link:     link,
		Seed:     seed,
	}
}

// PresetConfig returns a match on the field under a preset.
func PresetConfig(p policy.Model, seed uint64, clients int, link netsys.Link) systemstest.Config {
	config := Config(seed, clients, link)
	config.Server.Model = p
	return config
}

// Start starts a match, waits until all clients have joined, and plays it for the duration warm. The figures count from
// then on.
func Start(t testing.TB, config systemstest.Config, warm time.Duration) *systemstest.Crowd {
	t.Helper()
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(warm)
	c.Mark()
	return c
}

// MustConverge lets a match settle and fails the test unless every client has the server's state.
func MustConverge(c *systemstest.Crowd) {
	c.Settle()
	c.Converged()
}

var (
	// AheadPresets are the models under which clients run ahead of the server.
	AheadPresets = []policy.Model{policy.LocalSync{}, policy.Buffered{}, policy.CorrectOnMismatch{}, policy.ServerRewind{}}
	// PeerPresets are the models under which every peer simulates everything.
	PeerPresets = []policy.Model{policy.Rollback{}, policy.Lockstep{}}
)

// Presets returns the given models, or all presets with TACTUS_LONG. It is for tests of something that works alike under
// several models.
func Presets(usual ...policy.Model) []policy.Model {
	if Long() {
		return policy.Presets()
	}
	return usual
}

// Ahead returns the given models, or all of AheadPresets with TACTUS_LONG.
func Ahead(usual ...policy.Model) []policy.Model {
	if Long() {
		return AheadPresets
	}
	return usual
}

// Rows returns the first n rows of a table, or all rows with TACTUS_LONG.
func Rows[T any](n int, table []T) []T {
	if Long() {
		return table
	}
	return table[:n]
}

// Name names a row of a test table. Rows embed it.
type Name string

// String returns the name.
func (n Name) String() string { return string(n) }

// EachRow runs a subtest for each row of a table.
func EachRow[T any](t *testing.T, table []T, f func(t *testing.T, x T)) {
	t.Helper()
	for _, x := range table {
		t.Run(fmt.Sprint(x), func(t *testing.T) { f(t, x) })
	}
}

// EachSeed runs a subtest for each row of a table and each of the given number of seeds.
func EachSeed[T any](t *testing.T, table []T, seeds int, f func(t *testing.T, x T, seed uint64)) {
	t.Helper()
	EachRow(t, table, func(t *testing.T, x T) {
		systemstest.Seeds(t, seeds, func(t *testing.T, seed uint64) { f(t, x, seed) })
	})
}

// AllocatesNothing fails the test if the given number of ticks allocates memory.
func AllocatesNothing(t *testing.T, c *systemstest.Crowd, ticks int) {
	t.Helper()
	testgame.AllocatesNothing(t, func() { c.RunTicks(ticks) })
}

// SkipUnderRace skips a test that counts allocations, because the race detector allocates.
func SkipUnderRace(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
}

// SeedCount returns the number of seeds that a test plays: n with TACTUS_LONG, otherwise 1.
func SeedCount(n int) int {
	if Long() && !race.Enabled {
		return n
	}
	return 1
}

// Long reports whether the environment variable TACTUS_LONG asks for long tests.
func Long() bool { return os.Getenv("TACTUS_LONG") != "" }

// Length returns how long a test plays in short mode, normally and with TACTUS_LONG.
func Length(short, usual, longest time.Duration) time.Duration {
	switch {
	case Long():
		return longest
	case testing.Short():
		return short
	}
	return usual
}

// LoseInputs drops the next n datagrams that each client sends.
func LoseInputs(c *systemstest.Crowd, n int) {
	lost := make([]int, len(c.Clients))
	c.Lose(func(p systemstest.Packet) bool {
		if p.Up {
			lost[p.Client.N]++
		}
		return p.Up && lost[p.Client.N] <= n
	})
}
