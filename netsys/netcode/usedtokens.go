package netcode

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"slices"
)

// usedTokens is the set of used tokens: tokens that got a slot and have not expired. The set is limited in total and per
// network. A network at its limit loses its own entry with the earliest expiry. An attacker who uses up thousands of tokens
// therefore excludes no client of another network, and no client of the same network for long. The owner of the keys can
// use a dropped token again, as after a restart of the server; the sequence numbers keep the packets of its sessions apart.
type usedTokens struct {
	most, each int
	macs       map[tokenMAC]struct{}
	networks   map[network]int // number of tokens by network
	queue      []usedToken     // sorted by expiry
}

type usedToken struct {
	expire  uint64
	mac     tokenMAC
	network network
}

func newUsedTokens(most, each int) usedTokens {
	return usedTokens{most: most, each: each, macs: make(map[tokenMAC]struct{}), networks: make(map[network]int)}
}

// network is the part of an address that usually belongs to one owner: 24 bits of an IPv4 address, 48 bits of an IPv6
// address.
type network uint64

func networkOf(addr netip.Addr) network {
	b := addr.As16()
	if addr.Is4() {
		return network(binary.BigEndian.Uint32(b[12:])>>8) | 1<<63
	}
	return network(binary.BigEndian.Uint64(b[:]) >> 16)
}

func (t *usedTokens) has(mac tokenMAC) bool {
	_, ok := t.macs[mac]
	return ok
}

// add adds a token that is not in the set. It returns false if the set is full.
func (t *usedTokens) add(mac tokenMAC, expire uint64, from network) bool {
	if t.networks[from] >= t.each {
		i := slices.IndexFunc(t.queue, func(b usedToken) bool { return b.network == from })
		t.forget(i, i+1)
	}
	if len(t.queue) >= t.most {
		return false
	}
	i, _ := slices.BinarySearchFunc(t.queue, expire+1, func(b usedToken, expire uint64) int {
		return cmp.Compare(b.expire, expire)
	})
	t.queue = slices.Insert(t.queue, i, usedToken{expire: expire, mac: mac, network: from})
	t.macs[mac] = struct{}{}
	t.networks[from]++
	return true
}

// expire removes the expired tokens.
func (t *usedTokens) expire(now uint64) {
	n := 0
	for n < len(t.queue) && t.queue[n].expire <= now {
		n++
	}
	t.forget(0, n)
}

func (t *usedTokens) forget(from, to int) {
	for _, b := range t.queue[from:to] {
		delete(t.macs, b.mac)
		if t.networks[b.network]--; t.networks[b.network] == 0 {
			delete(t.networks, b.network)
		}
	}
	t.queue = slices.Delete(t.queue, from, to)
}
