package systems

import (
	"fmt"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
)

// messageLines are the lines of a registry, which may be nil.
func messageLines(r *channel.Registry) []string {
	if r == nil {
		return nil
	}
	return r.Lines()
}

// heardLimit is how many messages of channels an honest client can have delivered in
// one wake-up: twice what its queues hold.
func heardLimit(c channel.Config) (n int) {
	channels := c.Channels
	if channels == nil {
		channels = channel.DefaultChannels()
	}
	for _, x := range channels {
		if x.Queue == 0 {
			x.Queue = 256
		}
		n += 2 * x.Queue
	}
	return n
}

// Session is the session of a client, nil when it is not connected: who the player is
// by the connect token, and the channels on which to send to it.
func (s *Server) Session(client uint32) netsys.Session {
	for _, p := range s.sessions.peers {
		if p.ID == client {
			return p.Session
		}
	}
	return nil
}

// Message takes in a message of a channel. A client that sends more of them than its
// queues hold breaks the protocol: what is reliable cannot be left unread.
func (h *serverHandler) Message(_ time.Time, session netsys.Session, number int, message []byte) {
	s := (*Server)(h)
	p := s.sessions.of(session)
	if p == nil {
		return
	}
	if !s.sessions.Deliver(p.Client) {
		return
	}
	s.stats.ChannelMessages++
	taken, err := s.model.message(p, number, message)
	if !taken && s.config.Events != nil {
		taken, err = s.config.Events.Receive(p.ID, number, message)
	}
	if !taken && s.config.OnMessage != nil {
		err = s.config.OnMessage(s, p.ID, number, message)
	}
	if err != nil {
		s.sessions.Refuse(p.Client, fmt.Errorf("%w: channel %d: %w", ErrMessage, number, err))
	}
}

// Session is the session with the server, before the connection and after it too: the
// figures of the link, and the channels on which to send.
func (c *Client) Session() netsys.Session { return c.link.endpoint.Session() }

// Message takes in a message of a channel.
func (h *clientHandler) Message(now time.Time, _ netsys.Session, number int, message []byte) {
	c := (*Client)(h)
	if c.link.err != nil {
		return
	}
	taken, err := c.model.listener.Message(number, message)
	if !taken && c.config.Events != nil {
		taken, err = c.config.Events.Receive(number, message)
	}
	if !taken && c.config.OnMessage != nil {
		err = c.config.OnMessage(c, number, message)
	}
	if err != nil {
		c.refuse(now, fmt.Errorf("%w: channel %d: %w", ErrMessage, number, err))
	}
}
