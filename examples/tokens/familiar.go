package main

import (
	"net/netip"
	"slices"
	"sync"
)

// maxFamiliar is the number of networks remembered per player.
const maxFamiliar = 8

// player is a name and a network, as [network] returns it.
type player struct {
	name string
	from netip.Addr
}

// familiar remembers the networks from which players have logged in. An attacker who knows a player's name can use up the
// attempts under this name, but not the attempts from the player's own networks. Only successful logins are stored, so the
// map is at most as large as the number of accounts. A service with a database would store it there, to survive a restart.
type familiar struct {
	mu       sync.Mutex
	networks map[string][]netip.Addr // by name, newest last
}

func newFamiliar() *familiar { return &familiar{networks: make(map[string][]netip.Addr)} }

func (f *familiar) add(p player) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.DeleteFunc(f.networks[p.name], func(a netip.Addr) bool { return a == p.from })
	if len(all) == maxFamiliar {
		all = slices.Delete(all, 0, 1)
	}
	f.networks[p.name] = append(all, p.from)
}

func (f *familiar) has(p player) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.networks[p.name], p.from)
}
