package relay

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
)

// report is what a client whose hash differs tells, so that the server finds the first
// tick after which it does, and in what:
//
//	kind u8 | newest tick u32 | ticks n u8 | numbers of a digest, uvarint | n hashes u64 | n
//	digests, u64 each: the oldest first
const (
	maxReport   = 64       // ticks of one
	reportSize  = 96 << 10 // bytes of one, unless one tick takes more
	maxText     = 200
	reportEvery = 60 // ticks from which on the server takes another
	suspicion   = 30 // ticks that are simulated twice after a report
)

// report tells the digests of final ticks since one that is known to agree, and looks for systems that do not
// do the same twice. It does so at most once in a while: to compare them costs the server many walks over its world.
func (c *Client) report() {
	now := c.timeline.Next()
	if c.config.Checks == 0 || len(c.out) > 0 || c.reported > 0 && now < c.reported+2*reportEvery {
		return
	}
	c.reported = now + 1
	c.suspect = suspicion
	c.world.ForceRollback(c.unstable)
	last := c.timeline.Horizon()
	var hashes, digests []uint64
	size, n := 0, 0
	for tick := last; tick > c.agreed && n < maxReport; tick-- {
		hash, ok := c.timeline.Hash(tick - 1)
		digest, err := c.timeline.AppendDigest(nil, tick-1)
		if size += 8 * (1 + len(digest)); !ok || err != nil || n > 0 && size > reportSize {
			break
		}
		hashes, digests = append(hashes, hash), append(digest, digests...)
		n++
	}
	if n == 0 {
		return
	}
	slices.Reverse(hashes)
	le := binary.LittleEndian
	b := le.AppendUint32([]byte{kindDigests}, last-1)
	b = codec.AppendUvarint(append(b, byte(n)), uint64(len(digests)/n))
	for _, v := range append(hashes, digests...) {
		b = le.AppendUint64(b, v)
	}
	c.out = append(c.out, b)
}

// unstable tells which system does not do the same twice, once for each report.
func (c *Client) unstable(d ecs.Divergence) {
	if c.suspect == 0 {
		return
	}
	c.suspect = 1 // the next Step ends it
	text := fmt.Sprintf("system %q, %s.%s", d.System, d.Component, d.Field)
	c.out = append(c.out, append([]byte{kindUnstable}, text[:min(len(text), maxText)]...))
}

// Outgoing is the next reliable message to the server, nil when there is none: give it to
// an ordered channel, and when that has taken it call [Client.Sent].
func (c *Client) Outgoing() []byte {
	if len(c.out) == 0 {
		return nil
	}
	return c.out[0]
}

// Sent says that what Outgoing returned is on its way.
func (c *Client) Sent() {
	if len(c.out) > 0 {
		c.out = slices.Delete(c.out, 0, 1)
	}
}

// Deliver takes in a reliable message of the server.
//
// It returns [ErrMessage], wrapped: the client cannot go on then.
func (c *Client) Deliver(msg []byte) error {
	if len(msg) == 0 || msg[0] != kindState {
		c.stats.Malformed++
		return fmt.Errorf("%w: reliable message of %d bytes", ErrMessage, len(msg))
	}
	whole, err := c.part(msg)
	if err == nil && whole {
		c.state = 0
		err = c.adopt()
		c.arriving.bytes = nil
	}
	if err != nil {
		c.stats.Malformed++
	}
	return err
}

// Deliver takes in a reliable message of a client.
//
// It returns [ErrMessage] or [ErrAbsent], wrapped.
func (s *Server) Deliver(player uint32, msg []byte) error {
	p := s.peer(player)
	if p == nil {
		return fmt.Errorf("%w: %d", ErrAbsent, player)
	}
	now := s.timeline.Next()
	switch {
	case len(msg) > 0 && msg[0] == kindDigests:
		if now < p.quiet {
			return nil
		}
		p.quiet = now + reportEvery
		if s.digests(p, msg[1:]) {
			return nil
		}
	case len(msg) > 1 && len(msg) <= 1+maxText && msg[0] == kindUnstable:
		if p.found.Tick == 0 || p.found.System != "" {
			return nil // nothing was asked for, or it has been said
		}
		p.found.System = strings.ToValidUTF8(string(msg[1:]), "?")
		s.found(p)
		return nil
	}
	s.stats.Malformed++
	return fmt.Errorf("%w: reliable message of player %d", ErrMessage, player)
}

func (s *Server) found(p *peer) {
	if s.config.Diverged != nil {
		s.config.Diverged(p.found)
	}
}

// digests finds where a client's world left ours; false when the message is none.
func (s *Server) digests(p *peer, msg []byte) bool {
	var r codec.ByteReader
	r.Reset(msg)
	newest, n, m := r.Uint32(), int(r.Byte()), r.Uvarint()
	if r.Err() != nil || n == 0 || n > maxReport || int64(newest)+1 < int64(n) || m > 1<<16 || r.Len() != n*(1+int(m))*8 {
		return false
	}
	hashes, theirs := make([]uint64, n), make([]uint64, m)
	for i := range hashes {
		hashes[i] = r.Uint64()
	}
	found := Divergence{Player: p.player}
	for i, hash := range hashes {
		for k := range theirs {
			theirs[k] = r.Uint64()
		}
		tick := newest - uint32(n-1-i)
		own, ok := s.timeline.Hash(tick)
		switch {
		case !ok:
			continue
		case own == hash:
			found.First = true
			continue
		}
		found.Tick = tick
		if ours, err := s.timeline.AppendDigest(nil, tick); err == nil {
			found.Where = s.timeline.Divergence(ours, theirs)
		}
		p.found = found
		p.differs = enough
		s.found(p)
		break
	}
	return true
}

// check compares a client's hash with ours.
func (s *Server) check(p *peer, tick, sum uint32) {
	switch own, ok := s.timeline.Hash(tick); {
	case !ok:
	case uint32(own) == sum:
		p.differs = 0
	default:
		s.stats.Mismatch++
		p.ask = true
		p.differs++
	}
}

const (
	enough    = 4  // hashes in a row that differ: the client's report, which is waited for, has not come
	leastRest = 2  // seconds between two states for one client
	mostRest  = 64 // likewise
)

// mend makes a client whose world has left ours need a state. One that diverges again and again is sent
// them at longer and longer intervals; what it simulates meanwhile is its own affair.
func (p *peer) mend(now, second uint32) bool {
	if p.differs < enough || now < p.mended+p.rest {
		return false
	}
	if now-p.mended > 2*p.rest {
		p.rest = 0 // it was well for as long as it had been spared
	}
	p.mended, p.rest = now, min(max(2*p.rest, leastRest*second), mostRest*second)
	p.lose()
	return true
}
