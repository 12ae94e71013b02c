package timeline

import (
	"fmt"

	"github.com/tactusgo/tactus/ecs"
)

// Config configures a [Timeline]. The zero value merges all rewrites of a tick
// into one pass over at most a second, repeats what is held for missing inputs,
// and bounds what each player can make it simulate again.
type Config struct {
	// First is the tick that the first Step simulates; the world is in the state
	// before it. Default: 0.
	First uint32

	// Window is how many ticks back an input may rewrite, 1 to 4096: the P of the
	// model. A longer one forgives more latency and shows larger jumps. It is also
	// the most that a Step simulates again. Default (0): one second.
	//
	// A follower hears of an input later than the peer that took it in. Its window
	// is that peer's and the longest way to it, both in ticks.
	Window int

	// Early is how many ticks ahead of the next one an input may be, 1 to 4096.
	// Default (0): as many as Window.
	Early int

	// Fills is for how many missing inputs in a row a player's last one is
	// repeated, without its edges, 1 to 4096; then the input is neutral. Where
	// inputs are longer under way than that, every one of them rewrites. Default
	// (0): 15. Negative: none is repeated.
	Fills int

	// Wait makes Step go on only when the inputs of all players are there: lockstep.
	Wait bool

	// Unmerged makes a pass for each input that rewrites, at once, instead of one
	// for all of them in the next Step. It is for comparison, and has no bound.
	Unmerged bool

	// Refill is how many ticks a tick a player may make the timeline simulate
	// again in the long run, 1 to Window. Default (0): half of Window, rounded up.
	// Each player has a bucket of tokens that holds up to Burst and gains Refill
	// with each Step. For one Step a player pays as many tokens as its oldest
	// rewriting input is ticks old, however many come with it; an input for
	// which the tokens do not last is not taken.
	Refill int

	// Burst is the most tokens that a player can save, at least Window, so that
	// one stall of a link never costs an input. Default (0): twice Window.
	Burst int

	// Follower makes a timeline that goes by the word of another peer: inputs
	// need no tokens, and what is final is told by [Timeline.Told].
	Follower bool

	// Players is how many players there may be at a time, those who left within
	// the window included, 1 to 4096. Default (0): 64.
	Players int

	// Hashes is how many final ticks' hashes are kept. Default (0): as many as
	// Window. Negative: none are made, which saves a walk over the world each tick.
	Hashes int

	// Authority is the stage that each tick runs after Simulate. Default (nil):
	// [ecs.Protocol.AuthorityStage].
	Authority *ecs.Stage
}

// most bounds what is counted in ticks or players.
const most = 4096

// Validate reports what is wrong with c; it never changes it. Where Window is left to
// the world's rate, [New] alone can tell whether Refill and Burst go with it.
func (c Config) Validate() error {
	for _, f := range []struct {
		name string
		n    int
	}{{"Window", c.Window}, {"Early", c.Early}, {"Fills", max(c.Fills, 0)}, {"Players", c.Players}} {
		if f.n < 0 || f.n > most {
			return fmt.Errorf("timeline: %s %d is not between 1 and %d (0: the default)", f.name, f.n, most)
		}
	}
	switch {
	case c.Refill < 0 || c.Window > 0 && c.Refill > c.Window:
		return fmt.Errorf("timeline: Refill %d is not between 1 and the Window (0: half of it)", c.Refill)
	case c.Burst < 0 || c.Burst > 0 && c.Burst < c.Window:
		return fmt.Errorf("timeline: Burst %d is less than the Window: a stalled link would lose inputs (0: twice the Window)", c.Burst)
	case c.Hashes > most:
		return fmt.Errorf("timeline: Hashes %d is more than %d", c.Hashes, most)
	case c.Wait && c.Unmerged:
		return fmt.Errorf("timeline: Wait and Unmerged: where all inputs are waited for none rewrites; choose one")
	}
	return nil
}

// defaulted is c with its defaults for a world of so many ticks a second.
func (c Config) defaulted(tickRate int) Config {
	c.Window = or(c.Window, tickRate)
	c.Early = or(c.Early, c.Window)
	c.Fills = max(or(c.Fills, 15), 0)
	c.Refill = or(c.Refill, (c.Window+1)/2)
	c.Burst = or(c.Burst, 2*c.Window)
	c.Players = or(c.Players, 64)
	c.Hashes = or(c.Hashes, c.Window)
	return c
}

func or(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}
