package netcode

import (
	"net/netip"
	"time"
)

// tokenMAC identifies a token: the last 16 bytes of its private part.
type tokenMAC [macSize]byte

// halfOpen is a half-open handshake: a client with a valid token that has received a challenge.
type halfOpen struct {
	addr     netip.AddrPort
	mac      tokenMAC
	clientID uint64
	expire   uint64 // expiry of the token, seconds since 1970
	timeout  time.Duration
	first    uint64 // sequence number of the first challenge
	since    time.Duration
	userData *[UserDataSize]byte
	in, out  direction

	older, newer *halfOpen
}

// halfOpens are the half-open handshakes, at most one per address and one per token. Forged addresses therefore cannot
// create more of them than there are tokens.
type halfOpens struct {
	most   int
	ends   halfOpen // the ends of a ring sorted by since: newer is the oldest handshake, older the newest
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

// add adds a handshake and removes the previous one of its address. It returns false if the table is full.
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

// refresh restarts the timeout of a handshake.
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

// expire removes the handshakes that timed out and returns their number.
func (t *halfOpens) expire(at time.Duration) (n uint64) {
	for h := t.ends.newer; h != &t.ends && at-h.since >= halfOpenTime; h = t.ends.newer {
		t.remove(h)
		n++
	}
	return n
}

// append makes h the newest handshake.
func (t *halfOpens) append(h *halfOpen) {
	h.older, h.newer = t.ends.older, &t.ends
	h.older.newer, h.newer.older = h, h
}

func (h *halfOpen) unlink() { h.older.newer, h.newer.older = h.newer, h.older }
