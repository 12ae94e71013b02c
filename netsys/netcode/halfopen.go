package netcode

import (
	"net/netip"
	"slices"
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
	since    time.Time
	userData [UserDataSize]byte
	in, out  direction
}

// halfOpens are the handshakes under way. There is one per address and one per token, so somebody who forges
// addresses cannot have more of them than tokens.
type halfOpens struct {
	most   int
	oldest []*halfOpen // by since
	byAddr map[netip.AddrPort]*halfOpen
	byMAC  map[tokenMAC]*halfOpen
}

func newHalfOpens(most int) halfOpens {
	return halfOpens{
		most:   most,
		byAddr: make(map[netip.AddrPort]*halfOpen),
		byMAC:  make(map[tokenMAC]*halfOpen),
	}
}

// add takes one in; the one that its address had goes. It reports whether there was room.
func (t *halfOpens) add(h *halfOpen) bool {
	if old := t.byAddr[h.addr]; old != nil {
		t.remove(old)
	}
	if len(t.oldest) >= t.most {
		return false
	}
	t.oldest = append(t.oldest, h)
	t.byAddr[h.addr] = h
	t.byMAC[h.mac] = h
	return true
}

// refresh gives one that was heard from again its full time.
func (t *halfOpens) refresh(h *halfOpen, now time.Time) {
	i := slices.Index(t.oldest, h)
	copy(t.oldest[i:], t.oldest[i+1:])
	t.oldest[len(t.oldest)-1] = h
	h.since = now
}

func (t *halfOpens) remove(h *halfOpen) {
	delete(t.byAddr, h.addr)
	delete(t.byMAC, h.mac)
	i := slices.Index(t.oldest, h)
	t.oldest = slices.Delete(t.oldest, i, i+1)
}

// expire forgets those that waited too long and says how many.
func (t *halfOpens) expire(now time.Time) (n uint64) {
	for len(t.oldest) > 0 && now.Sub(t.oldest[0].since) >= halfOpenTime {
		t.remove(t.oldest[0])
		n++
	}
	return n
}
