package event

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
)

// When a session ends, the client may not have acknowledged all reliable events. The server does not know whether
// they arrived, so it sends them again in the client's next session as
//
//	resent   varint  the number after those of all message types
//	session  varint  the session in which the message was sent before
//	id       varint  the number that the channel assigned in this session
//	         …       the message: an event, or a message that was sent again before
//
// The client drops the messages that it received in the earlier session. Each session that ends before an event is
// acknowledged adds one such header. The client may not know a session at all, if it never learned that the session
// started.

// Limits of the events that the server stores for a client without a session.
const (
	maxKept = 64 << 10 // bytes; ServerConfig.Limit bounds the number
	// maxOutages is the maximum number of sessions that may end before an event is acknowledged.
	maxOutages = 3
	resentHead = maxOutages * 14 // maximum bytes that headers add to a message; channels have fewer than 2^48 messages
)

// resumable is implemented by Channels whose reliable messages can continue in another session.
type resumable interface {
	Unacked(number int, f func(id uint64, message []byte))
	Delivered(number int, id uint64) bool
}

// former is an ended session, at a client.
type former struct {
	session  uint32
	channels resumable
}

// kept is a stored message for a client that has no session or whose channels are full.
type kept struct {
	channel int
	message []byte
}

// resentNumber returns the type number of messages that are sent again.
func (r *Registry) resentNumber() uint64 { return uint64(len(r.messages.Lines())) }

// Suspend ends the session of a client that may come back. Until [Server.Join] or [Server.Leave], the server stores
// reliable events for this client, up to ServerConfig.Limit events and 64 KiB. Beyond that the oldest are dropped;
// Stats.Unsent counts them.
func (s *Server) Suspend(client uint32) {
	p := s.peer(client)
	if p == nil {
		return
	}
	before, channels := p.kept, p.channels
	p.kept, p.keptBytes, p.channels = nil, 0, nil
	if c, ok := channels.(resumable); ok {
		var done uint64 // bit mask of the channels that were visited
		for _, k := range s.registry.kinds {
			if k.options.From&FromServer == 0 || !k.reliable() || done>>k.channel&1 != 0 {
				continue
			}
			done |= 1 << k.channel
			c.Unacked(k.channel, func(id uint64, message []byte) {
				if n, err := messageType(&s.reader, message); err == nil && (n == s.resent || s.registry.byNumber[n] != nil) {
					s.keep(p, k.channel, s.wrap(p.session, id, message))
				}
			})
		}
	}
	for _, x := range before {
		s.keep(p, x.channel, x.message)
	}
}

// wrap returns the message with a header for sending it again, or nil if too many sessions have ended since it was
// raised.
func (s *Server) wrap(session uint32, id uint64, message []byte) []byte {
	s.reader.Reset(message)
	for outages := 1; s.reader.Uvarint() == s.resent && s.reader.Err() == nil; outages++ {
		if outages == maxOutages {
			return nil
		}
		s.reader.Uvarint()
		s.reader.Uvarint()
	}
	b := codec.AppendUvarint(nil, s.resent)
	b = codec.AppendUvarint(b, uint64(session))
	return append(codec.AppendUvarint(b, id), message...)
}

// keep stores a message for a client. Beyond the limits, a client with a session is marked as broken; a client
// without one loses its oldest messages.
func (s *Server) keep(p *peer, number int, message []byte) {
	if message == nil {
		s.stats.Unsent++
		return
	}
	p.kept = append(p.kept, kept{number, message})
	p.keptBytes += len(message)
	over := func() bool { return len(p.kept) > s.limit || p.keptBytes > maxKept }
	if p.channels != nil && over() {
		s.markBroken(p, channel.ErrFull)
		return
	}
	for over() {
		p.keptBytes -= len(p.kept[0].message)
		p.kept = slices.Delete(p.kept, 0, 1)
		s.stats.Unsent++
	}
}

// resend gives the stored messages of a client to its channels, as long as they have room.
func (s *Server) resend(p *peer) {
	if len(p.kept) == 0 || p.channels == nil || p.err != nil {
		return
	}
	full, left := uint64(0), 0 // full is a bit mask of channels without room
	for _, x := range p.kept {
		err := channel.ErrFull
		if full>>x.channel&1 == 0 {
			err = p.channels.Send(x.channel, x.message)
		}
		switch {
		case err == nil:
			s.stats.Sent++
		case errors.Is(err, channel.ErrFull):
			full |= 1 << x.channel
			p.kept[left] = x
			left++
			continue
		default:
			s.stats.Unsent++
		}
		p.keptBytes -= len(x.message)
	}
	clear(p.kept[left:])
	p.kept = p.kept[:left]
}

// readResent reads the headers of a message that is sent again, after its type number. It returns the type number of
// the event inside, and reports whether an earlier session has delivered the message.
func (c *Client) readResent(channel int) (number uint64, seen bool, err error) {
	for outages := 1; ; outages++ {
		session, id := c.reader.Uvarint(), c.reader.Uvarint()
		number = c.reader.Uvarint()
		if err := c.reader.Err(); err != nil {
			return 0, false, fmt.Errorf("%w: %w", ErrEvent, err)
		}
		for _, f := range c.former {
			seen = seen || uint64(f.session) == session && f.channels.Delivered(channel, id)
		}
		if number != c.resent {
			return number, seen, nil
		}
		if outages == maxOutages {
			return 0, false, fmt.Errorf("%w: sent again too often", ErrEvent)
		}
	}
}

// Resume is like [Client.Join], for another session of the same client with the same server. Delivered events that
// wait for their tick remain. Events that the server sends again are handled once.
func (c *Client) Resume(w *ecs.World, session uint32, channels Channels) {
	if c.left != nil {
		c.former = slices.Insert(c.former, 0, former{c.session, c.left})
		c.former = c.former[:min(len(c.former), maxOutages)]
	}
	c.join(w, session, channels)
}
