package channel

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Kind is the delivery guarantee of a channel.
type Kind uint8

// The kinds. A message arrives at most once on all of them.
const (
	// Unreliable messages may be lost or reordered.
	Unreliable Kind = iota
	// UnreliableSequenced messages may be lost. The receiver drops a message older than the last delivered one, and the
	// sender replaces an unsent message by a newer one. Use it for state of which only the newest version matters.
	UnreliableSequenced
	// ReliableUnordered messages all arrive, each as soon as possible.
	ReliableUnordered
	// ReliableOrdered messages all arrive, in the order in which they were sent. A delayed message delays only later
	// messages of the same channel.
	ReliableOrdered
)

// String returns the name of the kind, as in [Config.Lines].
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

// numbered reports whether whole messages of this kind carry their number.
func (k Kind) numbered() bool { return k != Unreliable }

// Limits of a configuration.
const (
	// MaxChannels is the largest number of channels, without [Control].
	MaxChannels = 31
	// MaxMessage is the largest allowed value of [ChannelConfig.MaxMessage], in bytes.
	MaxMessage = 8 << 20
	// MaxQueue is the largest allowed value of [ChannelConfig.Queue], in messages.
	MaxQueue = 8192
	// MaxPacket is the largest packet in bytes.
	MaxPacket = 64 << 10
)

// Config configures an [Endpoint]. The zero value means [DefaultChannels] and the defaults below. [Config.Lines] contains
// the settings that both peers must share.
type Config struct {
	// Channels are the channels, in the order of their numbers, at most [MaxChannels]. Both peers need the same channels;
	// only Priority and MaxAge may differ. nil means [DefaultChannels].
	Channels []ChannelConfig

	// Packet is the largest number of bytes per packet for channels. Messages of up to Packet−3 bytes are sent whole,
	// longer ones in fragments. Fill should usually have this much room, because a whole message waits for it. Both peers
	// need the same value. 0 means 1,150; 256 to [MaxPacket].
	Packet int

	// Piece is the length of a fragment in bytes: small enough to use the space that smaller messages leave in a packet.
	// Consecutive fragments share a header. Both peers need the same value. 0 means 256; 64 to half of Packet.
	Piece int

	// History is the number of packets after which a packet without acknowledgement counts as lost. It should cover several
	// round trips: reliable channels pause while three quarters of it are unacknowledged. 0 means 512; 32 to 4,096. Each
	// packet in flight or lost takes about 40 bytes of memory, plus 24 per run of reliable messages in it.
	History int

	// RTT is the assumed round trip until the first measurement. 0 means 250 ms.
	RTT time.Duration

	// Rate is the initial estimate of the path's throughput, in bytes per second. 0 means 128 KiB/s.
	Rate int
	// MinRate is the lowest estimate that losses can cause, in bytes per second. If packets still wait in a queue on the
	// path, the rate falls further, down to 2 KiB/s. 0 means 16 KiB/s.
	MinRate int
	// MaxRate is the highest estimate, in bytes per second. 0 means 2 MiB/s; at most 1 GiB/s.
	MaxRate int
}

// ChannelConfig configures one channel.
type ChannelConfig struct {
	// Name is the unique name of the channel: 1 to 32 letters, digits, '-', '_', '.' and '/'. Required.
	Name string

	// Kind is the delivery guarantee. 0 is [Unreliable].
	Kind Kind

	// Priority orders the channels in a packet, highest first. Each level also has a reserve of the send budget that lower
	// levels cannot use. Give bulk data the lowest priority. Any number; the peers may differ.
	Priority int

	// MaxMessage is the longest message in bytes. The receiver enforces it. 0 means 64 KiB; at most the constant
	// [MaxMessage].
	MaxMessage int

	// Queue is the largest number of waiting messages. On a reliable channel, unacknowledged messages count too, and the
	// receiver enforces the limit. 0 means 256; at most [MaxQueue]. A sequenced channel keeps at most one waiting message
	// besides the one being sent.
	Queue int

	// QueueBytes is the largest total size of these messages in bytes. 0 means twice MaxMessage, at least 64 KiB; at least
	// MaxMessage.
	QueueBytes int

	// MaxAge is how long an unreliable message may wait for its first byte to be sent, from the time of the endpoint's
	// latest call. Older messages are dropped. 0 means 250 ms, a negative value means no limit. Reliable channels ignore
	// it.
	MaxAge time.Duration
}

// Control is the number of a channel that every endpoint has besides those of its configuration. It is reliable and ordered, of
// the highest priority, and has its own queue: a transfer on another channel does not delay it. Package systems sends commands,
// notices and tickets on it.
const Control = MaxChannels

const (
	// ControlQueue is the largest number of unacknowledged messages of [Control].
	ControlQueue = 32
	// controlCopies is how often a short message of Control is sent again before its acknowledgement is overdue, each time in
	// another packet that is sent anyway, so that a single loss costs no round trip.
	controlCopies = 2
	// maxCopied is the length of the longest message that is sent again early, in bytes.
	maxCopied = 250
)

var control = ChannelConfig{Kind: ReliableOrdered, Priority: math.MaxInt, MaxMessage: 4 << 10, Queue: ControlQueue, QueueBytes: 64 << 10}

// DefaultChannels returns the channels of a zero [Config]:
//
//	0 event    reliable-ordered, priority 2, at most 4 KiB a message
//	1 message  reliable-unordered, priority 2, 4 KiB
//	2 signal   unreliable, priority 3, 1 KiB
//	3 state    unreliable-sequenced, priority 1, 64 KiB
//	4 bulk     reliable-ordered, priority 0, 1 MiB
//
// Events precede state: they are few and short, and would starve behind state that exceeds the budget.
func DefaultChannels() []ChannelConfig {
	return []ChannelConfig{
		{Name: "event", Kind: ReliableOrdered, Priority: 2, MaxMessage: 4 << 10},
		{Name: "message", Kind: ReliableUnordered, Priority: 2, MaxMessage: 4 << 10},
		{Name: "signal", Kind: Unreliable, Priority: 3, MaxMessage: 1 << 10},
		{Name: "state", Kind: UnreliableSequenced, Priority: 1},
		{Name: "bulk", Kind: ReliableOrdered, Priority: 0, MaxMessage: 1 << 20},
	}
}

// withDefaults returns c with zeros replaced by their defaults.
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

// Validate returns an error that names each invalid value.
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

// Lines returns the settings that both peers must share, for comparison in the handshake: the sizes of packets and
// fragments, then one line per channel. The lines of [Registry.Lines] follow.
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

// Channel returns the number of the channel with the given name, or −1.
func (c Config) Channel(name string) int {
	for i, ch := range c.withDefaults().Channels {
		if ch.Name == name {
			return i
		}
	}
	return -1
}
