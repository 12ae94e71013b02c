package relay

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/timeline"
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

// clientChecks is what a client tells of its world, so that both ends know that theirs are the same.
type clientChecks struct {
	told     uint32 // tick of the last hash that was told
	agreed   uint32 // newest tick whose hash is known to be the server's
	reported uint32 // tick in which digests were, and 1
	suspect  int    // ticks that forced rollback looks on
	out      [][]byte
}

// due is the hash that is to be told now, once.
func (k *clientChecks) due(t *timeline.Timeline, every int) (tick, sum uint32, due bool) {
	tick, hash, ok := checkpoint(t, every)
	if !ok || tick == k.told {
		return 0, 0, false
	}
	k.told = tick
	return tick, uint32(hash), true
}

// step counts a tick on which forced rollback has looked.
func (k *clientChecks) step(w *ecs.World) {
	if k.suspect == 0 {
		return
	}
	if k.suspect--; k.suspect == 0 {
		w.ForceRollback(nil)
	}
}

// report tells the digests of final ticks since one that is known to agree, and looks for systems that do not
// do the same twice. It does so at most once in a while: to compare them costs the server many walks over its world.
func (c *Client) report() {
	k, now := &c.checks, c.timeline.Next()
	if c.config.Checks == 0 || len(k.out) > 0 || k.reported > 0 && now < k.reported+2*reportEvery {
		return
	}
	k.reported, k.suspect = now+1, suspicion
	c.world.ForceRollback(k.unstable)
	last := c.timeline.Horizon()
	var hashes, digests []uint64
	size, n := 0, 0
	for tick := last; tick > k.agreed && n < maxReport; tick-- {
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
	k.out = append(k.out, b)
}

// unstable tells which system does not do the same twice, once for each report.
func (k *clientChecks) unstable(d ecs.Divergence) {
	if k.suspect == 0 {
		return
	}
	k.suspect = 1 // the next Step ends it
	text := fmt.Sprintf("system %q, %s.%s", d.System, d.Component, d.Field)
	k.out = append(k.out, append([]byte{kindUnstable}, text[:min(len(text), maxText)]...))
}

// Outgoing is the next reliable message to the server, nil when there is none: give it to
// an ordered channel, and when that has taken it call [Client.Sent].
func (c *Client) Outgoing() []byte {
	if len(c.checks.out) == 0 {
		return nil
	}
	return c.checks.out[0]
}

// Sent says that what Outgoing returned is on its way.
func (c *Client) Sent() {
	if len(c.checks.out) > 0 {
		c.checks.out = slices.Delete(c.checks.out, 0, 1)
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
	whole, err := c.arriving.part(msg, c.config.MaxState)
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
		if now < p.checks.quiet {
			return nil
		}
		p.checks.quiet = now + reportEvery
		if s.digests(p, msg[1:]) {
			return nil
		}
	case len(msg) > 1 && len(msg) <= 1+maxText && msg[0] == kindUnstable:
		if p.checks.found.Tick == 0 || p.checks.found.System != "" {
			return nil // nothing was asked for, or it has been said
		}
		p.checks.found.System = strings.ToValidUTF8(string(msg[1:]), "?")
		s.found(p)
		return nil
	}
	s.stats.Malformed++
	return fmt.Errorf("%w: reliable message of player %d", ErrMessage, player)
}

func (s *Server) found(p *peer) {
	if s.config.Diverged != nil {
		s.config.Diverged(p.checks.found)
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
		p.checks.found = found
		p.checks.differs = enough
		s.found(p)
		break
	}
	return true
}

// check compares a client's hash with ours.
func (s *Server) check(p *peer, tick, sum uint32) {
	own, ok := s.timeline.Hash(tick)
	if !ok {
		return
	}
	s.stats.Checked++
	if uint32(own) == sum {
		p.checks.differs = 0
	} else {
		s.stats.Mismatch++
		p.checks.ask = true
		p.checks.differs++
	}
}

const (
	enough    = 4  // hashes in a row that differ: the client's report, which is waited for, has not come
	leastRest = 2  // seconds between two states for one client
	mostRest  = 64 // likewise
)

// peerChecks is what a server knows of the world of a client.
type peerChecks struct {
	told    uint32 // tick of the last hash that the client was told
	ask     bool   // its hash was not ours
	differs int    // hashes in a row that were not
	mended  uint32 // tick of the last state for that reason
	rest    uint32 // ticks from there to the next
	found   Divergence
	quiet   uint32 // tick before which it cannot report another
}

// mend reports whether a client whose world has left ours is to be sent a state. One that diverges again and again is sent
// them at longer and longer intervals; what it simulates meanwhile is its own affair.
func (k *peerChecks) mend(now, second uint32) bool {
	if k.differs < enough || now < k.mended+k.rest {
		return false
	}
	if now-k.mended > 2*k.rest {
		k.rest = 0 // it was well for as long as it had been spared
	}
	k.mended, k.rest = now, min(max(2*k.rest, leastRest*second), mostRest*second)
	return true
}
