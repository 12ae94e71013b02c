package main

import (
	"net/netip"
	"slices"
	"sync"
)

// maxFamiliar bounds the networks that are remembered of a player.
const maxFamiliar = 8

// player is somebody at home somewhere: a name, and a network as [network] returns it.
type player struct {
	name string
	from netip.Addr
}

// familiar remembers from which networks players have logged in. Whoever knows a player's name can use up what others
// may try under it, but not from there. It is as large as there are accounts, since only good logins are in it. A
// service with a database would keep it there, so that it outlives a restart.
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
