package relay

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/timeline"
	"github.com/tactusgo/tactus/systems/policy"
)

// A client whose hash differs sends this message, so that the server finds the first tick, component and
// field that differ:
//
//	kind u8 | newest tick u32 | ticks n u8 | numbers per digest, uvarint | n hashes u64 | n
//	digests of u64 numbers, the oldest first
const (
	maxReport        = 64       // ticks per message
	reportSize       = 96 << 10 // bytes per message, unless one tick takes more
	maxText          = 200
	reportEvery      = 60 // the server accepts another message after this number of ticks
	doubleCheckTicks = 30 // ticks that are simulated twice after a mismatch
)

// clientChecks compares the client's world with the server's.
type clientChecks struct {
	lastSent    uint32 // tick of the last hash that was sent
	agreed      uint32 // newest tick whose hash equals the server's
	reported    uint32 // tick of the last report plus 1; 0: none
	doubleTicks int    // remaining ticks that are simulated twice
	out         [][]byte
}

// dueHash returns the hash to send now. It returns each hash once.
func (k *clientChecks) dueHash(t *timeline.Timeline) (tick, sum uint32, due bool) {
	tick, hash, ok := checkpoint(t)
	if !ok || tick == k.lastSent {
		return 0, 0, false
	}
	k.lastSent = tick
	return tick, uint32(hash), true
}

// countTick counts a tick that was simulated twice.
func (k *clientChecks) countTick(w *ecs.World) {
	if k.doubleTicks == 0 {
		return
	}
	if k.doubleTicks--; k.doubleTicks == 0 {
		w.ForceRollback(nil)
	}
}

// reportDigests sends the digests of the final ticks since the last equal one, and starts simulating ticks twice.
// It does so rarely, because each comparison costs the server many passes over its world.
func (c *Client) reportDigests() {
	k, now := &c.checks, c.timeline.Next()
	if len(k.out) > 0 || k.reported > 0 && now < k.reported+2*reportEvery {
		return
	}
	k.reported, k.doubleTicks = now+1, doubleCheckTicks
	c.world.ForceRollback(k.reportUnstable)
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

// reportUnstable reports a system that does not give the same result twice, once per report.
func (k *clientChecks) reportUnstable(d ecs.Divergence) {
	if k.doubleTicks == 0 {
		return
	}
	k.doubleTicks = 1 // the next Step ends it
	text := fmt.Sprintf("system %q, %s.%s", d.System, d.Component, d.Field)
	k.out = append(k.out, append([]byte{kindUnstable}, text[:min(len(text), maxText)]...))
}

// Outgoing returns the next reliable message to the server, or nil. Send it on an ordered channel, and call
// [Client.Sent] when the channel has accepted it.
func (c *Client) Outgoing() []byte {
	if len(c.checks.out) == 0 {
		return nil
	}
	return c.checks.out[0]
}

// Sent records that the channel has accepted the message that Outgoing returned.
func (c *Client) Sent() {
	if len(c.checks.out) > 0 {
		c.checks.out = slices.Delete(c.checks.out, 0, 1)
	}
}

// Deliver processes a reliable message of the server.
//
// It returns [ErrMessage], wrapped. The client cannot continue after an error.
func (c *Client) Deliver(msg []byte) error {
	if len(msg) > 0 && msg[0] == kindSums && c.verifier != nil && c.verifier.addSums(msg[1:]) {
		return nil
	}
	if len(msg) == 0 || msg[0] != kindState {
		c.stats.Malformed++
		return fmt.Errorf("%w: reliable message of %d bytes", ErrMessage, len(msg))
	}
	whole, err := c.incoming.addPart(msg)
	if err == nil && whole {
		c.state = 0
		err = c.applyState()
		c.incoming.bytes = nil
	}
	if err != nil {
		c.stats.Malformed++
	}
	return err
}

// Deliver processes a reliable message of a client.
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
		if s.compareDigests(p, msg[1:]) {
			return nil
		}
	case len(msg) > 1 && len(msg) <= 1+maxText && msg[0] == kindUnstable:
		if p.checks.found.Tick == 0 || p.checks.found.System != "" {
			return nil // no report was requested, or it has been answered
		}
		p.checks.found.System = strings.ToValidUTF8(string(msg[1:]), "?")
		s.reportDivergence(p)
		return nil
	}
	s.stats.Malformed++
	return fmt.Errorf("%w: reliable message of player %d", ErrMessage, player)
}

func (s *Server) reportDivergence(p *peer) {
	if s.config.Diverged != nil {
		s.config.Diverged(p.checks.found)
	}
}

// compareDigests finds where a client's world diverged. It returns false if msg is malformed.
func (s *Server) compareDigests(p *peer, msg []byte) bool {
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
	found := policy.Divergence{Player: p.player}
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
		p.checks.differs = mismatchLimit
		s.reportDivergence(p)
		break
	}
	return true
}

// compareHash compares a client's hash with the server's.
func (s *Server) compareHash(p *peer, tick, sum uint32) {
	own, ok := s.timeline.Hash(tick)
	if !ok {
		return
	}
	s.stats.Checked++
	if uint32(own) == sum {
		p.checks.differs = 0
	} else {
		s.stats.Mismatch++
		p.checks.askDigests = true
		p.checks.differs++
	}
}

const (
	mismatchLimit    = 4  // consecutive different hashes after which the server sends a state without the client's report
	minStateInterval = 2  // minimum time between two states for a client, in seconds
	maxStateInterval = 64 // maximum of that time
)

// peerChecks is the server's record of the hashes of a client.
type peerChecks struct {
	lastSent   uint32 // tick of the last hash that was sent to the client
	askDigests bool   // a hash differed: ask the client for digests
	differs    int    // consecutive hashes that differed
	stateTick  uint32 // tick of the last state that was sent because of a divergence
	interval   uint32 // minimum ticks from there to the next
	found      policy.Divergence
	quiet      uint32 // reports before this tick are ignored
}

// needsState reports whether a diverged client should receive a state now. The interval between states grows if the
// client diverges repeatedly.
func (k *peerChecks) needsState(now, second uint32) bool {
	if k.differs < mismatchLimit || now < k.stateTick+k.interval {
		return false
	}
	if now-k.stateTick > 2*k.interval {
		k.interval = 0 // its world stayed equal for longer than the interval
	}
	k.stateTick, k.interval = now, min(max(2*k.interval, minStateInterval*second), maxStateInterval*second)
	return true
}
