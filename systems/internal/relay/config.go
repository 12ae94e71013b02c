package relay

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Errors of what comes from a peer.
var (
	// ErrMessage is returned for bytes that no honest peer sends: count them, and end
	// the session past a limit.
	ErrMessage = errors.New("relay: malformed message")
	// ErrAbsent is returned by [Server.Receive] and [Server.Deliver] for a player that was
	// not given to [Server.Add].
	ErrAbsent = errors.New("relay: no such peer; call Server.Add first")
	// ErrTooLarge is returned by [Server.Outgoing] for a world that is larger than
	// Config.MaxState: raise it, at the clients too.
	ErrTooLarge = errors.New("relay: the state of the world is too large")
	// ErrPeers is returned by [Server.Add] for one more than Config.Peers, and for one
	// who is there.
	ErrPeers = errors.New("relay: no room for that peer")
)

// Config configures a [Server]. The zero value is rollback over a window of a
// second; Timeline.Wait makes it lockstep.
type Config struct {
	// Timeline configures the server's timeline. Window is how late an input may be.
	// Default: see [timeline.Config]; but hashes of four windows are kept, and under lockstep
	// inputs may be two seconds early.
	Timeline timeline.Config

	// Peers is how many clients there may be at a time, 1 to 4096. Default (0): 64.
	Peers int

	// Keep is for how many ticks inputs are kept, up to 16384: 16 and twice the timeline's Window or Early, whichever is
	// more, at least. A client that lags by as many, less Early, is sent the state of the world
	// anew. Default (0): ten seconds more than the least.
	Keep int

	// Lead is how many ticks after a player's first one its first input is expected,
	// 0 to 255: the time that the client takes to hear that it plays and to answer. It has the neutral
	// input until then. Default (0): 15.
	Lead int

	// Stall is for how many ticks that are due, calls of [Server.Ready] in a row, a missing input may keep
	// everybody waiting under lockstep, 1 to 65536. Then it is filled as if it never came, which
	// its client is told, and so are those of that player's next ticks, until one comes in
	// time. Default (0): a second.
	Stall int

	// MaxDelay bounds the delay of everybody's inputs under lockstep, 1 to 255 ticks. Where the round trip of
	// a client is longer, its inputs come too late. Default (0): a second, or 255.
	MaxDelay int

	// Checks is how many ticks lie between two final ones whose hashes are compared,
	// 1 to 4096. Default (0): 15. Negative: none are.
	Checks int

	// MaxState bounds the state of the world for those who join late, in bytes, up to 1
	// GiB. Default (0): 16 MiB.
	MaxState int

	// Part is the most bytes of a reliable message, 1 KiB to 8 MiB. Default (0): 256 KiB.
	Part int

	// Refuse reports whether the game refuses an input that has come, in words as
	// Schema.Quantize of the input makes them: nobody plays it, its player included, who then
	// repeats what it held. Default (nil): none.
	Refuse func(player, tick uint32, words []int32) bool

	// Diverged is called for each divergence that a client has reported. Default (nil): they
	// are counted.
	Diverged func(Divergence)
}

// Validate reports what is wrong with c; it never changes it.
func (c Config) Validate() error {
	if err := c.Timeline.Validate(); err != nil {
		return err
	}
	for _, f := range []struct {
		name      string
		n, lo, hi int
	}{
		{"Peers", c.Peers, 1, 4096}, {"Keep", c.Keep, 2, maxKeep}, {"Lead", c.Lead, 1, 255}, {"Stall", c.Stall, 1, 1 << 16},
		{"MaxDelay", c.MaxDelay, 1, 255},
		{"Checks", max(c.Checks, 0), 1, 4096}, {"MaxState", c.MaxState, 1 << 10, 1 << 30}, {"Part", c.Part, 1 << 10, 8 << 20},
	} {
		if f.n != 0 && (f.n < f.lo || f.n > f.hi) {
			return fmt.Errorf("relay: %s %d is not between %d and %d (0: the default)", f.name, f.n, f.lo, f.hi)
		}
	}
	switch {
	case c.Timeline.Follower:
		return errors.New("relay: Timeline.Follower on a server; it is the one that decides")
	case c.Timeline.Unmerged:
		return errors.New("relay: Timeline.Unmerged: it is for comparison within one process")
	case c.Keep > 0 && c.Keep < leastKeep(c.Timeline):
		return fmt.Errorf("relay: Keep %d is less than 16 and twice the window, %d ticks", c.Keep, leastKeep(c.Timeline))
	}
	return nil
}

// maxKeep bounds Config.Keep, of which each player takes words and 8 bytes a tick.
const maxKeep = 16384

func leastKeep(c timeline.Config) int { return 2*max(c.Window, c.Early) + 16 }

// lag is how many ticks a client may lag.
func (c *Config) lag() int { return c.Keep - c.Timeline.Early - 8 }

func (c Config) defaulted(tickRate int) Config {
	c.Timeline.Window = or(c.Timeline.Window, tickRate)
	if c.Timeline.Wait {
		c.Timeline.Early = or(c.Timeline.Early, max(c.Timeline.Window, 2*tickRate)) // for delays as long
	}
	c.Timeline.Early = or(c.Timeline.Early, c.Timeline.Window)
	c.Timeline.Players = or(c.Timeline.Players, 64)
	c.Timeline.Hashes = or(c.Timeline.Hashes, min(4*c.Timeline.Window, 4096))
	c.Peers = or(c.Peers, 64)
	c.Keep = or(c.Keep, min(10*tickRate+leastKeep(c.Timeline), maxKeep))
	c.Lead = or(c.Lead, 15)
	c.Stall = or(c.Stall, tickRate)
	c.MaxDelay = or(c.MaxDelay, min(tickRate, 255))
	c.Checks = max(or(c.Checks, 15), 0)
	c.MaxState = or(c.MaxState, 16<<20)
	c.Part = or(c.Part, 256<<10)
	return c
}

// ClientConfig configures a [Client]. It must say of its timeline what the server's
// says of its own, but for windows.
type ClientConfig struct {
	// Timeline configures the client's timeline, which follows. Wait must be as on the server.
	// Window should be the server's and the longest way to here in ticks. Default (0): two
	// seconds.
	Timeline timeline.Config

	// Delay is how many ticks after it was gathered an input applies, 0 to 255. Under lockstep
	// it is the least, and the server tells the one that all have. Default: 0.
	Delay int

	// MaxDelay bounds the delay that lockstep takes, Delay to 255. Default (0): 60. It should be the
	// server's.
	MaxDelay int

	// Redundancy is how many inputs that the server has not told to have are sent in a
	// message at most, the newest, 1 to 255. Default (0): 128.
	Redundancy int

	// Checks is how many ticks lie between two final ones whose hashes are told to the
	// server, as [Config.Checks].
	Checks int

	// MaxState bounds the state of the world that is taken in, in bytes, up to 1 GiB.
	// Default (0): 16 MiB.
	MaxState int
}

// Validate reports what is wrong with c; it never changes it.
func (c ClientConfig) Validate() error {
	if err := c.Timeline.Validate(); err != nil {
		return err
	}
	for _, f := range []struct {
		name      string
		n, lo, hi int
	}{
		{"Delay", c.Delay, 1, 255}, {"MaxDelay", c.MaxDelay, c.Delay, 255}, {"Redundancy", c.Redundancy, 1, 255},
		{"Checks", max(c.Checks, 0), 1, 4096}, {"MaxState", c.MaxState, 1 << 10, 1 << 30},
	} {
		if f.n != 0 && (f.n < f.lo || f.n > f.hi) {
			return fmt.Errorf("relay: %s %d is not between %d and %d (0: the default)", f.name, f.n, f.lo, f.hi)
		}
	}
	return nil
}

func (c ClientConfig) defaulted(tickRate int) ClientConfig {
	c.Timeline.Follower = true
	c.Timeline.Window = or(c.Timeline.Window, 2*tickRate)
	c.Timeline.Players = or(c.Timeline.Players, 64)
	c.Timeline.Hashes = or(c.Timeline.Hashes, min(2*c.Timeline.Window, 4096))
	c.MaxDelay = or(c.MaxDelay, max(60, c.Delay))
	c.Redundancy = or(c.Redundancy, 128)
	c.Checks = max(or(c.Checks, 15), 0)
	c.MaxState = or(c.MaxState, 16<<20)
	return c
}

func or(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}
