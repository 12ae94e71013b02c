package netcode

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"slices"
)

// burnt are the tokens that had a slot and have not expired: at most so many in all, and so many of one network. A
// network that has more gives up the one of its own that expires first, so that whoever burns tokens by the thousand
// keeps out nobody of another network, and nobody of their own for long. What was given up can be used again by who has
// its keys, as after a restart: the sequences of the sessions keep their packets apart.
type burnt struct {
	most, each int
	macs       map[tokenMAC]struct{}
	networks   map[network]int // how many of each
	queue      []burntToken    // by expiry
}

type burntToken struct {
	expire  uint64
	mac     tokenMAC
	network network
}

func newBurnt(most, each int) burnt {
	return burnt{most: most, each: each, macs: make(map[tokenMAC]struct{}), networks: make(map[network]int)}
}

// network is the part of an address that one owner commonly has: 24 bits of an IPv4 address, 48 of an IPv6 address.
type network uint64

func networkOf(addr netip.Addr) network {
	b := addr.As16()
	if addr.Is4() {
		return network(binary.BigEndian.Uint32(b[12:])>>8) | 1<<63
	}
	return network(binary.BigEndian.Uint64(b[:]) >> 16)
}

func (t *burnt) has(mac tokenMAC) bool {
	_, ok := t.macs[mac]
	return ok
}

// add reports whether there was room for a token that is not in it.
func (t *burnt) add(mac tokenMAC, expire uint64, from network) bool {
	if t.networks[from] >= t.each {
		i := slices.IndexFunc(t.queue, func(b burntToken) bool { return b.network == from })
		t.forget(i, i+1)
	}
	if len(t.queue) >= t.most {
		return false
	}
	i, _ := slices.BinarySearchFunc(t.queue, expire+1, func(b burntToken, expire uint64) int {
		return cmp.Compare(b.expire, expire)
	})
	t.queue = slices.Insert(t.queue, i, burntToken{expire: expire, mac: mac, network: from})
	t.macs[mac] = struct{}{}
	t.networks[from]++
	return true
}

// expire forgets what nobody can use any more.
func (t *burnt) expire(now uint64) {
	n := 0
	for n < len(t.queue) && t.queue[n].expire <= now {
		n++
	}
	t.forget(0, n)
}

func (t *burnt) forget(from, to int) {
	for _, b := range t.queue[from:to] {
		delete(t.macs, b.mac)
		if t.networks[b.network]--; t.networks[b.network] == 0 {
			delete(t.networks, b.network)
		}
	}
	t.queue = slices.Delete(t.queue, from, to)
}
