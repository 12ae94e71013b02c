package relay

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/policy"
)

var (
	// ErrMessage is returned for bytes that no correct peer sends. Count them, and close the session beyond a
	// limit.
	ErrMessage = errors.New("relay: malformed message")
	// ErrAbsent is returned by [Server.Receive] and [Server.Deliver] for a player that was not added by
	// [Server.Add].
	ErrAbsent = errors.New("relay: unknown player: call Server.Add first")
	// ErrTooLarge is returned by [Server.Outgoing] and [Recorder.Write] when the state of the world is larger than [MaxState].
	ErrTooLarge = errors.New("relay: the state of the world is too large for a client that joins late: use fewer or smaller entities")
	// ErrPeers is returned by [Server.Add] when Config.Peers clients are present, and for a player that is already
	// present.
	ErrPeers = errors.New("relay: the player is already present, or the server has as many clients as Config.Peers allows")
)

// Config configures a [Server]. The zero value selects rollback with a window of one second. Timeline.Wait selects
// lockstep.
type Config struct {
	// Timeline configures the server's timeline. Window is how many ticks late an input may arrive. Defaults: see
	// [timeline.Config], with two exceptions. Hashes of four windows are kept. Under lockstep inputs may arrive two
	// seconds early.
	Timeline timeline.Config

	// Peers is the maximum number of clients, 1 to 4096. Default (0): 64.
	Peers int

	// Stall is the maximum number of ticks for which lockstep waits for a missing input, 1 to 65536, counted in
	// consecutive calls of [Server.Ready]. After that the server fills the input and tells its client. It also
	// fills that player's next inputs, until an input arrives in time. Default (0): one second.
	Stall int

	// Channel is the number of the channel for reliable messages, and Part their maximum size, 1 KiB to 8 MiB: see
	// [BulkChannel]. Default of Part (0): 256 KiB.
	Channel, Part int

	// Refuse reports whether the game refuses an input that has arrived. words are the quantized input, as
	// Schema.Quantize returns them. No peer applies a refused input; its player repeats the previous one. Default
	// (nil): no input is refused.
	Refuse func(player, tick uint32, words []int32) bool

	// Diverged is called for each divergence that a client reports. Default (nil): divergences are only counted.
	Diverged func(policy.Divergence)
}

// Validate returns an error if a field of c is out of range or fields contradict each other. It never changes c.
func (c Config) Validate() error {
	if err := c.Timeline.Validate(); err != nil {
		return err
	}
	for _, f := range []struct {
		name      string
		n, lo, hi int
	}{
		{"Peers", c.Peers, 1, 4096}, {"Stall", c.Stall, 1, 1 << 16}, {"Part", c.Part, 1 << 10, 8 << 20},
	} {
		if f.n != 0 && (f.n < f.lo || f.n > f.hi) {
			return fmt.Errorf("relay: %s %d is not between %d and %d (0: the default)", f.name, f.n, f.lo, f.hi)
		}
	}
	switch {
	case c.Timeline.Follower:
		return errors.New("relay: Timeline.Follower is set on a server, which is authoritative: leave it false")
	case c.Timeline.Unmerged:
		return errors.New("relay: Timeline.Unmerged is set: it is only for comparisons within one process")
	}
	return nil
}

const (
	// MaxState is the maximum size of the world's state for late joins, in bytes.
	MaxState = 16 << 20
	// defaultLead is the number of ticks between a player's first tick and its first expected input, unless
	// [Server.SetLead] changes it: the time in which the client learns that it plays and responds. Until then the player
	// has the neutral input.
	defaultLead = 15
	// checkEvery is the number of ticks between two final ticks whose hashes are compared.
	checkEvery = 15
	// maxUnacknowledged is the maximum number of unacknowledged inputs per message. The newest inputs are sent.
	maxUnacknowledged = 128
	// maxStored is the maximum of storedTicks. Each player takes the words of an input and 8 bytes per stored tick.
	maxStored = 16384
)

// storedTicks returns the number of ticks for which the server stores inputs.
func (c *Config) storedTicks(tickRate int) int {
	return min(10*tickRate+2*max(c.Timeline.Window, c.Timeline.Early)+16, maxStored)
}

// maxLag returns how many ticks a client may be behind before it receives a new state.
func (s *Server) maxLag() int { return s.stored - s.config.Timeline.Early - 8 }

func (c Config) defaulted(tickRate int) Config {
	c.Timeline.Window = cmp.Or(c.Timeline.Window, tickRate)
	if c.Timeline.Wait {
		c.Timeline.Early = cmp.Or(c.Timeline.Early, max(c.Timeline.Window, 2*tickRate)) // long enough for the delay
	}
	c.Timeline.Early = cmp.Or(c.Timeline.Early, c.Timeline.Window)
	c.Timeline.Players = cmp.Or(c.Timeline.Players, 64)
	c.Timeline.Hashes = cmp.Or(c.Timeline.Hashes, min(4*c.Timeline.Window, 4096))
	c.Peers = cmp.Or(c.Peers, 64)
	c.Stall = cmp.Or(c.Stall, tickRate)
	c.Part = cmp.Or(c.Part, maxPart)
	return c
}

// ClientConfig configures a [Client]. Timeline must equal the server's, except for the windows.
type ClientConfig struct {
	// Timeline configures the client's timeline. It is always a follower. Wait must be as on the server. Window
	// should be the server's window plus the longest path to this client, in ticks. Default (0): two seconds.
	Timeline timeline.Config

	// Delay is the number of ticks between gathering an input and applying it, 0 to 255. It is the minimum:
	// see Late, and under lockstep the server announces the common delay. Default: 0.
	Delay int

	// MaxDelay is the upper limit of the delay, Delay to 255. Under lockstep it should equal the server's. Default
	// (0): 60.
	MaxDelay int

	// Late is how many ticks late the server accepts an input under rollback. A client whose inputs take longer raises its
	// delay. Default (0): the delay is constant.
	Late int

	// Channel is the number of the channel for reliable messages: see [BulkChannel].
	Channel int

	// Start is the time of the login. The pace counts ticks from it.
	Start time.Time

	// Replay makes the client compare its world with the hashes and sums of the recording that it plays: see [Client.Diverged].
	Replay bool
}

// Validate returns an error if a field of c is out of range. It never changes c.
func (c ClientConfig) Validate() error {
	if err := c.Timeline.Validate(); err != nil {
		return err
	}
	for _, f := range []struct {
		name      string
		n, lo, hi int
	}{
		{"Delay", c.Delay, 1, 255}, {"MaxDelay", c.MaxDelay, c.Delay, 255},
	} {
		if f.n != 0 && (f.n < f.lo || f.n > f.hi) {
			return fmt.Errorf("relay: %s %d is not between %d and %d (0: the default)", f.name, f.n, f.lo, f.hi)
		}
	}
	return nil
}

func (c ClientConfig) defaulted(tickRate int) ClientConfig {
	c.Timeline.Follower = true
	c.Timeline.Window = cmp.Or(c.Timeline.Window, 2*tickRate)
	c.Timeline.Players = cmp.Or(c.Timeline.Players, 64)
	c.Timeline.Hashes = cmp.Or(c.Timeline.Hashes, min(2*c.Timeline.Window, 4096))
	c.MaxDelay = cmp.Or(c.MaxDelay, max(60, c.Delay))
	return c
}
