package channel

import (
	"errors"
	"fmt"
	"time"
)

// Kind is what a channel promises about its messages.
type Kind uint8

// The kinds. A message arrives at most once on all of them.
const (
	// Unreliable messages arrive or do not, in any order.
	Unreliable Kind = iota
	// UnreliableSequenced messages arrive or do not; one that is older than what was delivered is dropped, and
	// one that was not yet sent is replaced by a newer: for state, of which only the newest counts.
	UnreliableSequenced
	// ReliableUnordered messages all arrive, each as soon as it can.
	ReliableUnordered
	// ReliableOrdered messages all arrive, in the order in which they were sent. One that is late delays those
	// behind it on its channel, and on no other.
	ReliableOrdered
)

// String names the kind, as in [Config.Lines].
func (k Kind) String() string {
	switch k {
	case Unreliable:
		return "unreliable"
	case UnreliableSequenced:
		return "unreliable-sequenced"
	case ReliableUnordered:
		return "reliable-unordered"
	case ReliableOrdered:
		return "reliable-ordered"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

func (k Kind) reliable() bool { return k == ReliableUnordered || k == ReliableOrdered }

// numbered reports whether whole messages carry their number.
func (k Kind) numbered() bool { return k != Unreliable }

// Limits of a configuration.
const (
	// MaxChannels is the largest number of channels.
	MaxChannels = 32
	// MaxMessage is the largest message in bytes that a channel can be configured for.
	MaxMessage = 8 << 20
	// MaxQueue is the largest number of messages that a channel's queue can be configured for.
	MaxQueue = 8192
	// MaxPacket is the largest packet in bytes.
	MaxPacket = 64 << 10
)

// Config configures an [Endpoint]. The zero value is [DefaultChannels] and the defaults below. What both peers
// must have alike is in [Config.Lines].
type Config struct {
	// Channels are the channels in the order of their numbers, at most [MaxChannels]; both peers must have the
	// same, but for Priority and MaxAge. nil means [DefaultChannels].
	Channels []ChannelConfig

	// Packet is how many bytes of a packet are given to channels at most. A message up to 3 bytes less travels
	// whole, a longer one in pieces. Fill should mostly have this much room: a whole message waits for it. Both
	// peers must have the same. 0 means 1,150; 256 to [MaxPacket].
	Packet int

	// Piece is the length in bytes of the pieces of long messages: small enough to use what smaller messages
	// leave of a packet. Pieces that follow each other share a header. Both peers must have the same. 0 means
	// 256; from 64 to a half of Packet.
	Piece int

	// History is how many packets back an acknowledgement still counts; what is older counts as lost. It should
	// last for some round trips: reliable channels wait while three quarters of it are not acknowledged. 0 means
	// 512; 32 to 4,096. Each that is under way or got lost takes about 40 bytes of memory, and 24 more for each run of
	// reliable messages in it.
	History int

	// RTT is the round trip that is assumed until one was measured. 0 means 250 ms.
	RTT time.Duration

	// Rate is the estimate of what the path takes, in bytes a second, to begin with. 0 means 128 KiB/s.
	Rate int
	// MinRate is what the estimate never falls below for losses, in bytes a second. A path on which packets stand
	// in a queue all the same gets what it takes, at least 2 KiB/s. 0 means 16 KiB/s.
	MinRate int
	// MaxRate is what the estimate never rises above, in bytes a second. 0 means 2 MiB/s; at most 1 GiB/s.
	MaxRate int
}

// ChannelConfig configures one channel.
type ChannelConfig struct {
	// Name is how the game calls the channel: 1 to 32 letters, digits, '-', '_', '.' and '/'. Required, unique.
	Name string

	// Kind is what the channel promises. 0 is [Unreliable].
	Kind Kind

	// Priority says who goes first: a packet is filled from the highest to the lowest, and the send budget
	// keeps a reserve for each level that lower ones cannot touch. Bulk belongs below everything else. Any
	// number, each peer's own.
	Priority int

	// MaxMessage is the longest message in bytes, which a receiver holds its peer to. 0 means 64 KiB; at most
	// the constant [MaxMessage].
	MaxMessage int

	// Queue is how many messages may wait: on a reliable channel those that are not acknowledged count, and a
	// receiver holds its peer to it. 0 means 256; at most [MaxQueue]. A sequenced channel keeps one, apart
	// from the one it is sending.
	Queue int

	// QueueBytes is how many bytes these messages may have together. 0 means twice MaxMessage, at least 64 KiB;
	// at least MaxMessage.
	QueueBytes int

	// MaxAge is how long an unreliable message waits for its first byte to be sent, from the time of the
	// endpoint's latest call; then it is stale and dropped. 0 means 250 ms, below 0 for ever. Reliable channels
	// have none.
	MaxAge time.Duration
}

// DefaultChannels returns the channels of a zero [Config]:
//
//	0 event    reliable-ordered, priority 2, at most 4 KiB a message
//	1 message  reliable-unordered, priority 2, 4 KiB
//	2 signal   unreliable, priority 3, 1 KiB
//	3 state    unreliable-sequenced, priority 1, 64 KiB
//	4 bulk     reliable-ordered, priority 0, 1 MiB
//
// Events go before the state: they are few and short, and states that are more than the budget allows would
// otherwise leave nothing for them.
func DefaultChannels() []ChannelConfig {
	return []ChannelConfig{
		{Name: "event", Kind: ReliableOrdered, Priority: 2, MaxMessage: 4 << 10},
		{Name: "message", Kind: ReliableUnordered, Priority: 2, MaxMessage: 4 << 10},
		{Name: "signal", Kind: Unreliable, Priority: 3, MaxMessage: 1 << 10},
		{Name: "state", Kind: UnreliableSequenced, Priority: 1},
		{Name: "bulk", Kind: ReliableOrdered, Priority: 0, MaxMessage: 1 << 20},
	}
}

// withDefaults returns c with every zero replaced by what it means.
func (c Config) withDefaults() Config {
	c.Packet = orDefault(c.Packet, 1150)
	c.Piece = orDefault(c.Piece, 256)
	c.History = orDefault(c.History, 512)
	c.RTT = orDefault(c.RTT, 250*time.Millisecond)
	c.Rate = orDefault(c.Rate, 128<<10)
	c.MinRate = orDefault(c.MinRate, min(16<<10, c.Rate))
	c.MaxRate = orDefault(c.MaxRate, max(2<<20, c.Rate))
	channels := c.Channels
	if channels == nil {
		channels = DefaultChannels()
	}
	c.Channels = append([]ChannelConfig(nil), channels...)
	for i := range c.Channels {
		ch := &c.Channels[i]
		ch.MaxMessage = orDefault(ch.MaxMessage, 64<<10)
		ch.Queue = orDefault(ch.Queue, 256)
		ch.QueueBytes = orDefault(ch.QueueBytes, max(2*ch.MaxMessage, 64<<10))
		ch.MaxAge = orDefault(ch.MaxAge, 250*time.Millisecond)
	}
	return c
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// Validate returns an error that names each value outside of what its comment allows.
func (c Config) Validate() error {
	if len(c.Channels) == 0 && c.Channels != nil || len(c.Channels) > MaxChannels {
		return fmt.Errorf("channel: Config.Channels has %d channels: 1 to %d", len(c.Channels), MaxChannels)
	}
	c = c.withDefaults()
	var errs []error
	within := func(name string, v, low, high int) {
		if v < low || v > high {
			errs = append(errs, fmt.Errorf("channel: %s is %d: %d to %d", name, v, low, high))
		}
	}
	within("Config.Packet", c.Packet, 256, MaxPacket)
	within("Config.Piece", c.Piece, 64, max(64, c.Packet/2))
	within("Config.History", c.History, 32, 4096)
	within("Config.MinRate", c.MinRate, 1, c.Rate)
	within("Config.MaxRate", c.MaxRate, c.Rate, 1<<30)
	if c.RTT < 0 {
		errs = append(errs, fmt.Errorf("channel: Config.RTT %v is negative", c.RTT))
	}
	names := map[string]bool{}
	for i, ch := range c.Channels {
		at := fmt.Sprintf("Config.Channels[%d]", i)
		if !validName(ch.Name) {
			errs = append(errs, fmt.Errorf("channel: %s.Name is %q: 1 to 32 letters, digits, '-', '_', '.' and '/'", at, ch.Name))
		}
		if names[ch.Name] {
			errs = append(errs, fmt.Errorf("channel: %s.Name %q is taken", at, ch.Name))
		}
		names[ch.Name] = true
		within(at+".Kind", int(ch.Kind), 0, int(ReliableOrdered))
		within(at+".MaxMessage", ch.MaxMessage, 1, MaxMessage)
		within(at+".Queue", ch.Queue, 1, MaxQueue)
		within(at+".QueueBytes", ch.QueueBytes, ch.MaxMessage, 1<<30)
	}
	return errors.Join(errs...)
}

func validName(s string) bool {
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		case r == '-', r == '_', r == '.', r == '/':
		default:
			return false
		}
	}
	return s != "" && len(s) <= 32
}

// Lines is what both peers must have alike, one line a thing, for the handshake to compare: the sizes of
// packets and pieces, then the channels. The lines of [Registry.Lines] go after them.
func (c Config) Lines() []string {
	c = c.withDefaults()
	lines := []string{fmt.Sprintf("channels packet %d piece %d", c.Packet, c.Piece)}
	for i, ch := range c.Channels {
		line := fmt.Sprintf("channel %d %s %v message %d", i, ch.Name, ch.Kind, ch.MaxMessage)
		if ch.Kind.reliable() {
			line += fmt.Sprintf(" queue %d bytes %d", ch.Queue, ch.QueueBytes)
		}
		lines = append(lines, line)
	}
	return lines
}

// Channel returns the number of the channel of that name, or −1.
func (c Config) Channel(name string) int {
	for i, ch := range c.withDefaults().Channels {
		if ch.Name == name {
			return i
		}
	}
	return -1
}
