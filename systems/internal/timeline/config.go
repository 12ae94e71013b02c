package timeline

import (
	"cmp"
	"fmt"

	"github.com/tactusgo/tactus/ecs"
)

// Config configures a [Timeline]. With the zero value, all rewrites between two ticks cause one pass over at most a
// second, missing inputs repeat the previous input, and a cap limits how many ticks each player can make the
// timeline simulate again.
type Config struct {
	// First is the first tick that is simulated. The world is in the state before it. Default: 0.
	First uint32

	// Window is the maximum number of ticks by which an input may be late, 1 to 4096 (P in the guides). A longer
	// window tolerates more latency and shows larger jumps. It is also the maximum number of ticks that a Step
	// simulates again. Default (0): one second.
	//
	// A follower receives an input later than the authoritative peer. Its window is that peer's window plus the
	// longest path to the follower, in ticks.
	Window int

	// Early is the maximum number of ticks by which an input may precede its tick, 1 to 4096. Default (0): Window.
	Early int

	// Fills is the maximum number of consecutive missing inputs for which a player's last input is repeated without
	// its edge fields, 1 to 4096. After that the input is neutral. If inputs are late by more than Fills ticks,
	// each of them rewrites. Default (0): 15. Negative: no input is repeated.
	Fills int

	// Wait selects lockstep: a tick is simulated when the inputs of all players have arrived.
	Wait bool

	// Unmerged makes each rewriting input cause a pass at once, instead of one pass before the next tick. It is for
	// comparisons, and its cost is not limited.
	Unmerged bool

	// Refill is the number of ticks per tick that a player may make the timeline simulate again on average, 1 to
	// Window. Each player has a token bucket that holds at most Burst tokens and gains Refill tokens per tick. Per
	// tick a player pays as many tokens as its oldest rewriting input is late, however many inputs arrive with it.
	// An input is refused if the tokens do not suffice. Default (0): half of Window, rounded up.
	Refill int

	// Burst is the maximum number of tokens of a player, at least Window, so that a single stalled link never loses
	// an input. Default (0): twice Window.
	Burst int

	// Follower makes the timeline follow an authoritative peer: inputs cost no tokens, and
	// [Timeline.SetServerHorizon] says which ticks are final.
	Follower bool

	// Players is the maximum number of players, including those who left within the window, 1 to 4096. Default (0):
	// 64.
	Players int

	// Hashes is the number of final ticks whose hashes are kept. Default (0): Window. Negative: no hashes are
	// computed, which saves a pass over the world per tick.
	Hashes int

	// Authority is the stage that runs after Simulate in each tick. Default (nil): [ecs.Protocol.AuthorityStage].
	Authority *ecs.Stage
}

// maxCount is the maximum of the fields that count ticks or players.
const maxCount = 4096

// Validate returns an error if a field of c is out of range or fields contradict each other. It never changes c. If
// Window is 0, only [New] can check Refill and Burst against it.
func (c Config) Validate() error {
	for _, f := range []struct {
		name string
		n    int
	}{{"Window", c.Window}, {"Early", c.Early}, {"Fills", max(c.Fills, 0)}, {"Players", c.Players}} {
		if f.n < 0 || f.n > maxCount {
			return fmt.Errorf("timeline: %s %d is not between 1 and %d (0: the default)", f.name, f.n, maxCount)
		}
	}
	switch {
	case c.Refill < 0 || c.Window > 0 && c.Refill > c.Window:
		return fmt.Errorf("timeline: Refill %d is not between 1 and the Window (0: half of it)", c.Refill)
	case c.Burst < 0 || c.Burst > 0 && c.Burst < c.Window:
		return fmt.Errorf("timeline: Burst %d is less than the Window: a stalled link would lose inputs (0: twice the Window)", c.Burst)
	case c.Hashes > maxCount:
		return fmt.Errorf("timeline: Hashes %d is more than %d", c.Hashes, maxCount)
	case c.Wait && c.Unmerged:
		return fmt.Errorf("timeline: Wait and Unmerged: where all inputs are waited for none rewrites; choose one")
	}
	return nil
}

// defaulted returns c with its defaults for a world of tickRate ticks per second.
func (c Config) defaulted(tickRate int) Config {
	c.Window = cmp.Or(c.Window, tickRate)
	c.Early = cmp.Or(c.Early, c.Window)
	c.Fills = max(cmp.Or(c.Fills, 15), 0)
	c.Refill = cmp.Or(c.Refill, (c.Window+1)/2)
	c.Burst = cmp.Or(c.Burst, 2*c.Window)
	c.Players = cmp.Or(c.Players, 64)
	c.Hashes = cmp.Or(c.Hashes, c.Window)
	return c
}
