package main

import (
	"net"
	"net/http"
	"net/netip"
	"sync"

	"github.com/tactusgo/tactus/internal/hostname"
)

const (
	// maxConnections limits all connections, and maxOfNetwork the connections of one network. Loopback and proxies have
	// only the first limit.
	maxConnections, maxOfNetwork = 512, 16
)

// door counts connections and closes those beyond the limits.
type door struct {
	names hostname.Guard

	mu  sync.Mutex
	all int
	of  map[netip.Addr]int // by network
}

func newDoor(names hostname.Guard) *door { return &door{names: names, of: make(map[netip.Addr]int)} }

// note is the callback for [http.Server.ConnState]. The server also calls it when a connection that door has closed ends.
func (d *door) note(c net.Conn, state http.ConnState) {
	change := 1
	switch state {
	case http.StateNew:
	case http.StateClosed, http.StateHijacked:
		change = -1
	default:
		return
	}
	var from netip.Addr
	if a, err := netip.ParseAddrPort(c.RemoteAddr().String()); err == nil {
		from = hostname.Network(a.Addr())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all += change
	bounded := from.IsValid() && !from.IsLoopback() && !d.names.Proxied(from)
	if bounded {
		if d.of[from] += change; d.of[from] == 0 {
			delete(d.of, from)
		}
	}
	if change > 0 && (d.all > maxConnections || bounded && d.of[from] > maxOfNetwork) {
		_ = c.Close()
	}
}
