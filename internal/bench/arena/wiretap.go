package main

import (
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// netcode adds a prefix byte to a datagram with a message (the type in the lower half, the length of the sequence in the
// upper half), the sequence, and a MAC of 16 bytes at the end. The session adds sessionHeader bytes.
const (
	netcodePayload = 5
	netcodeCover   = 1 + 16
	sessionHeader  = 1200 - netsys.MaxPayload
)

// message returns the length of the message in a datagram, or 0.
func message(b []byte) int {
	if len(b) == 0 || b[0]&15 != netcodePayload {
		return 0
	}
	return max(len(b)-netcodeCover-int(b[0]>>4)-sessionHeader, 0)
}

// tap is a transport that counts the messages it sends.
type tap struct {
	netsys.Wire
	counting  bool
	bytes     uint64 // total size of the messages
	updates   []int  // size of each update
	datagrams int    // largest number per update

	at   time.Time
	open map[netip.AddrPort]*update
}

// update is the data sent to one address at one time.
type update struct{ bytes, datagrams int }

func (t *tap) Send(now time.Time, to netip.AddrPort, b []byte) error {
	if n := message(b); t.counting && n > 0 {
		t.bytes += uint64(n)
		if !now.Equal(t.at) {
			t.closeUpdates()
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

// closeUpdates closes the updates of the previous time.
func (t *tap) closeUpdates() {
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

// percentile returns the given quantile of the update sizes.
func (t *tap) percentile(share float64) int {
	slices.Sort(t.updates)
	if len(t.updates) == 0 {
		return 0
	}
	return t.updates[min(int(share*float64(len(t.updates))), len(t.updates)-1)]
}
