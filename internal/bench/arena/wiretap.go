package main

import (
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Of a datagram, the session takes sessionHeader bytes; the first is sessionData
// when a message follows.
const (
	sessionHeader = 1200 - netsys.MaxPayload
	sessionData   = 4
)

// tap is a wire that counts the messages it sends.
type tap struct {
	netsys.Wire
	counting  bool
	bytes     uint64 // of messages, in all
	updates   []int  // bytes of each update
	datagrams int    // most of one update

	at   time.Time
	open map[netip.AddrPort]*update
}

// update is what went to one address at one time.
type update struct{ bytes, datagrams int }

func (t *tap) Send(now time.Time, to netip.AddrPort, b []byte) error {
	if t.counting && len(b) > sessionHeader && b[0] == sessionData {
		n := len(b) - sessionHeader
		t.bytes += uint64(n)
		if !now.Equal(t.at) {
			t.settle()
			t.at = now
		}
		u := t.open[to]
		if u == nil {
			u = new(update)
			t.open[to] = u
		}
		u.bytes += n
		u.datagrams++
	}
	return t.Wire.Send(now, to, b)
}

// settle closes the updates of the time before.
func (t *tap) settle() {
	if t.open == nil {
		t.open = make(map[netip.AddrPort]*update)
	}
	for _, u := range t.open {
		if u.datagrams > 0 {
			t.updates = append(t.updates, u.bytes)
			t.datagrams = max(t.datagrams, u.datagrams)
		}
		*u = update{}
	}
}

// percentile is the smallest update at or above a share of all.
func (t *tap) percentile(share float64) int {
	slices.Sort(t.updates)
	if len(t.updates) == 0 {
		return 0
	}
	return t.updates[min(int(share*float64(len(t.updates))), len(t.updates)-1)]
}
