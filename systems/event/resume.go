package event

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
)

// A session that ends leaves reliable events behind that its client has not acknowledged. The server does not know whether
// they arrived, so it sends them again in the next session of the client as
//
//	resent   varint  the number behind those of all types of messages
//	session  varint  in which it was sent before
//	id       varint  the number that the channel gave it there
//	         …       the message, an event or one that was sent again before
//
// and the client drops those that it got in that session. Each session that ends before an event is acknowledged adds such a
// head. The client may know nothing of a session whose begin it never heard of.

// Limits of what is kept for a client without a session.
const (
	maxKept = 64 << 10 // bytes, without what ServerConfig.Limit bounds
	// maxOutages is how many sessions may end before an event is acknowledged.
	maxOutages = 3
	resentHead = maxOutages * 14 // bytes that sending again may add to a message; channels have fewer than 2^48 messages
)

// resumable is what Channels are whose reliable messages can go on in another session.
type resumable interface {
	Unacked(number int, f func(id uint64, message []byte))
	Delivered(number int, id uint64) bool
}

// former is a session that has ended, at a client.
type former struct {
	session  uint32
	channels resumable
}

// kept is a message for a client that has no session, or whose channels are full.
type kept struct {
	channel int
	message []byte
}

// resentNumber returns the number of messages that are sent again.
func (r *Registry) resentNumber() uint64 { return uint64(len(r.messages.Lines())) }

// Suspend says that the session of a client has ended, and that the client may come back: until [Server.Join] or
// [Server.Leave] the server keeps reliable events for it, up to ServerConfig.Limit and 64 KiB. Where there are more, the oldest
// are lost and counted in Stats.Unsent.
func (s *Server) Suspend(client uint32) {
	p := s.peer(client)
	if p == nil {
		return
	}
	before, channels := p.kept, p.channels
	p.kept, p.keptBytes, p.channels = nil, 0, nil
	if c, ok := channels.(resumable); ok {
		var done uint64 // channels
		for _, k := range s.registry.kinds {
			if k.options.From&FromServer == 0 || !k.reliable() || done>>k.channel&1 != 0 {
				continue
			}
			done |= 1 << k.channel
			c.Unacked(k.channel, func(id uint64, message []byte) {
				if n, err := number(&s.reader, message); err == nil && (n == s.resent || s.registry.byNumber[n] != nil) {
					s.keep(p, k.channel, s.wrap(p.session, id, message))
				}
			})
		}
	}
	for _, x := range before {
		s.keep(p, x.channel, x.message)
	}
}

// wrap returns a message as one that is sent again; nil if too many sessions have ended since it was raised.
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

// keep keeps a message for a client. Where there are too many, a client with a session is broken, and one without loses the
// oldest.
func (s *Server) keep(p *peer, number int, message []byte) {
	if message == nil {
		s.stats.Unsent++
		return
	}
	p.kept = append(p.kept, kept{number, message})
	p.keptBytes += len(message)
	over := func() bool { return len(p.kept) > s.limit || p.keptBytes > maxKept }
	if p.channels != nil && over() {
		s.breaks(p, channel.ErrFull)
		return
	}
	for over() {
		p.keptBytes -= len(p.kept[0].message)
		p.kept = slices.Delete(p.kept, 0, 1)
		s.stats.Unsent++
	}
}

// resend hands what was kept to the channels of a client, as far as they have room.
func (s *Server) resend(p *peer) {
	if len(p.kept) == 0 || p.channels == nil || p.err != nil {
		return
	}
	full, left := uint64(0), 0 // channels that take no more
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

// seen reads the heads of a message that is sent again, behind its number. It reports whether a former session has
// delivered the message, and returns the number of the event in it.
func (c *Client) seen(channel int) (number uint64, seen bool, err error) {
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

// Resume is [Client.Join] in another session of the same client with the same server: events that the former session has
// delivered and whose tick has not come stay, and those that the server sends again are handled once.
func (c *Client) Resume(w *ecs.World, session uint32, channels Channels) {
	if c.left != nil {
		c.former = slices.Insert(c.former, 0, former{c.session, c.left})
		c.former = c.former[:min(len(c.former), maxOutages)]
	}
	c.join(w, session, channels)
}
