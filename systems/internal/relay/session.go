package relay

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Kind is the first byte of each datagram in both directions. The message of [Server.Append] or [Client.Append] follows.
// Reliable messages use a bulk channel and start with messagePrefix.
const Kind = 3

// messagePrefix is an invalid message type, read from the first bytes, so that no message of the game starts with
// it.
var messagePrefix = []byte{0xff, 0xff, 0x7f}

// MaxMessage is the maximum size of a message in a datagram, in bytes.
const MaxMessage = netsys.MaxPayload - 1

// LeastMessage is the minimum that the channel's MaxMessage must allow, in bytes.
const LeastMessage = 1<<10 + 3

// maxPart is the maximum size of a part of a state, in bytes.
const maxPart = 256 << 10

// BulkChannel returns the number of the channel for reliable messages, and the maximum size of such a message in bytes: see
// Config.Part. It is the channel named "bulk", or otherwise the reliable ordered channel with the lowest priority. number is
// -1 if there is none.
func BulkChannel(c channel.Config) (number, part int) {
	channels := c.Channels
	if channels == nil {
		channels = channel.DefaultChannels()
	}
	number, part = -1, maxPart
	for i := range channels {
		x := &channels[i]
		switch {
		case x.Kind != channel.ReliableOrdered || x.MaxMessage != 0 && x.MaxMessage < LeastMessage:
			continue
		case number >= 0 && x.Name != "bulk" && (channels[number].Name == "bulk" || x.Priority >= channels[number].Priority):
			continue
		}
		longest := x.MaxMessage
		if longest == 0 {
			longest = 64 << 10
		}
		number, part = i, min(longest-len(messagePrefix), maxPart)
	}
	return number, part
}

// AppendMessage appends a reliable message to dst as the channel carries it.
func AppendMessage(dst, message []byte) []byte {
	return append(append(dst, messagePrefix...), message...)
}

// cutKind removes the first byte from a datagram.
func cutKind(b []byte) ([]byte, error) {
	if len(b) == 0 || b[0] != Kind {
		return nil, fmt.Errorf("%w: %d bytes are not a message of relayed inputs", wire.ErrMessage, len(b))
	}
	return b[1:], nil
}

// repeats returns in how many consecutive messages each input is sent over a path: one, plus the buffer reserve for
// its loss, plus the number of messages that jitter can reorder, because a message that was overtaken does not
// count.
func repeats(st netsys.Stats, step time.Duration) int {
	return 1 + int(clock.Reserve(max(st.LossOut, 0.01))) + int(2*st.Jitter/step)
}

// leadMargin is the number of ticks, beyond its round trip, that a player has between joining and its first input.
const leadMargin = 6

// SetLead sets the number of ticks between the first tick of a player and its first expected input: about the round trip of
// its session. Until then the player has the neutral input, and under lockstep no peer waits for it. SetLead has no effect on
// an unknown player or after the player has joined the game.
func (s *Server) SetLead(player uint32, st netsys.Stats) {
	if p := s.peer(player); p != nil {
		p.pace.lead = min(max(int((st.RTT+4*st.Jitter)/s.step)+leadMargin, 0), 255)
	}
}

// ReceivePacket processes a datagram of a client. It returns the errors of [Server.Receive].
func (s *Server) ReceivePacket(player uint32, pk netsys.Packet) error {
	b, err := cutKind(pk.Data)
	if err != nil {
		return err
	}
	return s.Receive(player, pk.Seq, b)
}

// Message processes a message of a channel. own is false if the message belongs to another receiver. Message returns the
// errors of [Server.Deliver].
func (s *Server) Message(player uint32, number int, message []byte) (own bool, err error) {
	b, ok := bytes.CutPrefix(message, messagePrefix)
	if !ok || number != s.config.Channel {
		return false, nil
	}
	return true, s.Deliver(player, b)
}

// NextPacket returns the next datagram for a client: the inputs and events that it has not acknowledged. The datagram is
// valid until the next call. It is nil while the client has no state of the world.
func (s *Server) NextPacket(player uint32, session netsys.Session) []byte {
	s.SetRepeats(player, repeats(session.Stats(), s.step))
	s.packet = s.Append(append(s.packet[:0], Kind), player, session.Next(), MaxMessage)
	if len(s.packet) == 1 {
		return nil
	}
	return s.packet
}

// SendReliable passes the reliable messages for a client to their channel until the channel is full, and returns
// the number of bytes. An error that wraps [ErrTooLarge] is permanent: the client cannot join.
func (s *Server) SendReliable(player uint32, session netsys.Session) (bytes int, err error) {
	for {
		b, err := s.Outgoing(player, append(s.packet[:0], messagePrefix...))
		if err != nil || b == nil {
			return bytes, err
		}
		s.packet = b
		switch err := session.Channels().Send(s.config.Channel, b); {
		case errors.Is(err, channel.ErrFull):
			return bytes, nil
		case err != nil:
			return bytes, err
		}
		s.Sent(player)
		bytes += len(b)
	}
}

// ReceivePacket processes a datagram of the server that is received now. It returns the errors of [Client.Receive].
func (c *Client) ReceivePacket(session netsys.Session, pk netsys.Packet) error {
	b, err := cutKind(pk.Data)
	if err == nil {
		err = c.Receive(pk.Seq, b)
	}
	if err == nil {
		c.pace.hear(c, pk.At, session.Stats())
	}
	return err
}

// Message processes a message of a channel. own is false if the message belongs to another receiver. Message returns the
// errors of [Client.Deliver].
func (c *Client) Message(number int, message []byte) (own bool, err error) {
	b, ok := bytes.CutPrefix(message, messagePrefix)
	if !ok || number != c.config.Channel {
		return false, nil
	}
	return true, c.Deliver(b)
}

// Send sends inputs that the server has not acknowledged, and reliable messages until their channel is full. A message that is
// too long for the channel is dropped.
func (c *Client) Send(now time.Time, session netsys.Session) {
	c.SetRepeats(repeats(session.Stats(), c.pace.since.Step))
	c.packet = c.Append(append(c.packet[:0], Kind), MaxMessage)
	if _, err := session.Send(now, c.packet); err != nil {
		c.stats.SendErrors++
	} else {
		c.stats.Bytes += uint64(len(c.packet))
	}
	for b := c.Outgoing(); b != nil; b = c.Outgoing() {
		c.packet = AppendMessage(c.packet[:0], b)
		if err := session.Channels().Send(c.config.Channel, c.packet); errors.Is(err, channel.ErrFull) {
			break
		}
		c.Sent()
	}
}
