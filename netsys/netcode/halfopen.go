package netcode

import (
	"net/netip"
	"time"
)

// tokenMAC tells tokens apart: the last 16 bytes of the private part.
type tokenMAC [macSize]byte

// halfOpen is a handshake: a client whose token is good and who has been challenged.
type halfOpen struct {
	addr     netip.AddrPort
	mac      tokenMAC
	clientID uint64
	expire   uint64 // of the token, seconds since 1970
	timeout  time.Duration
	first    uint64 // sequence of its first challenge
	since    time.Duration
	userData *[UserDataSize]byte
	in, out  direction

	older, newer *halfOpen
}

// halfOpens are the handshakes under way. There is one per address and one per token, so somebody who forges
// addresses cannot have more of them than tokens.
type halfOpens struct {
	most   int
	ends   halfOpen // a ring by since: newer is the oldest, older the newest
	byAddr map[netip.AddrPort]*halfOpen
	byMAC  map[tokenMAC]*halfOpen
}

func newHalfOpens(most int) *halfOpens {
	t := &halfOpens{
		most:   most,
		byAddr: make(map[netip.AddrPort]*halfOpen),
		byMAC:  make(map[tokenMAC]*halfOpen),
	}
	t.ends.older, t.ends.newer = &t.ends, &t.ends
	return t
}

func (t *halfOpens) len() int { return len(t.byMAC) }

// add takes one in; the one that its address had goes. It reports whether there was room.
func (t *halfOpens) add(h *halfOpen) bool {
	if old := t.byAddr[h.addr]; old != nil {
		t.remove(old)
	}
	if t.len() >= t.most {
		return false
	}
	t.byAddr[h.addr] = h
	t.byMAC[h.mac] = h
	t.append(h)
	return true
}

// refresh gives one that was heard from again its full time.
func (t *halfOpens) refresh(h *halfOpen, at time.Duration) {
	h.unlink()
	t.append(h)
	h.since = at
}

func (t *halfOpens) remove(h *halfOpen) {
	delete(t.byAddr, h.addr)
	delete(t.byMAC, h.mac)
	h.unlink()
}

// expire forgets those that waited too long and says how many.
func (t *halfOpens) expire(at time.Duration) (n uint64) {
	for h := t.ends.newer; h != &t.ends && at-h.since >= halfOpenTime; h = t.ends.newer {
		t.remove(h)
		n++
	}
	return n
}

// append makes one the newest.
func (t *halfOpens) append(h *halfOpen) {
	h.older, h.newer = t.ends.older, &t.ends
	h.older.newer, h.newer.older = h, h
}

func (h *halfOpen) unlink() { h.older.newer, h.newer.older = h.newer, h.older }
