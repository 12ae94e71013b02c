package lobby

import (
	"cmp"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Directory returns the directory of the fleet.
func (l *Lobby) Directory() rooms.Directory { return l.config.Directory }

// Fingerprint is rooms.Fingerprint of the key and the protocol id of the fleet.
func (l *Lobby) Fingerprint() string { return l.view.fingerprint }

// Find implements [rooms.Seats]. A room whose process is gone is found: it is made anew for who wants a seat there.
func (l *Lobby) Find(name string) (rooms.RoomEntry, bool) {
	if l.here != nil {
		if e, ok := l.here.Find(name); ok {
			return e, true
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	id, err := rooms.ParseID(name)
	if err != nil {
		id = l.view.codes[strings.ToLower(name)]
	}
	if x := l.view.rooms[id]; x != nil && !l.ended(x) {
		return x.RoomEntry, true
	}
	return rooms.RoomEntry{}, false
}

// List implements [rooms.Seats]. It is as old as what the directory says of other processes.
func (l *Lobby) List() (all []rooms.RoomEntry) {
	if l.here != nil {
		all = l.here.List()
	}
	l.mu.Lock()
	for _, x := range l.view.rooms {
		if x.Process != l.view.own && l.view.alive(x) && x.until.IsZero() {
			all = append(all, x.RoomEntry)
		}
	}
	l.mu.Unlock()
	slices.SortFunc(all, func(a, b rooms.RoomEntry) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Kinds implements [rooms.Seats]: those of processes that are not draining.
func (l *Lobby) Kinds() (all []rooms.KindEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.know()
	for _, p := range l.view.processes {
		if p.Draining {
			continue
		}
		for _, k := range p.Kinds {
			if !slices.ContainsFunc(all, func(x rooms.KindEntry) bool { return x.Kind == k.Kind && x.Schema == k.Schema }) {
				all = append(all, k)
			}
		}
	}
	ranks := make(map[string]map[string]int)
	for _, k := range all {
		if ranks[k.Kind] == nil {
			ranks[k.Kind] = l.view.newest(k.Kind)
		}
	}
	slices.SortFunc(all, func(a, b rooms.KindEntry) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(ranks[a.Kind][a.Schema], ranks[b.Kind][b.Schema]))
	})
	return all
}

// Local implements [rooms.Seats]. Of a process that is not in the directory yet nothing is known.
func (l *Lobby) Local() bool {
	if l.here != nil && !l.here.Local() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.view.processes {
		if slices.ContainsFunc(p.Addresses, func(at netip.AddrPort) bool { return !at.Addr().IsLoopback() }) {
			return false
		}
	}
	return true
}

// Draining implements [rooms.Seats]. A process without rooms does not drain.
func (l *Lobby) Draining() bool { return l.here != nil && l.here.Draining() }

// Ready implements [rooms.Seats].
func (l *Lobby) Ready() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.know()
	if l.here != nil {
		if err := l.here.Ready(); errors.Is(err, rooms.ErrUnavailable) {
			return err
		}
	}
	if len(l.view.processes) == 0 {
		return &rooms.Unavailable{Again: time.Second, Err: errNobody}
	}
	for _, p := range l.view.processes {
		if !p.Draining {
			return nil
		}
	}
	return rooms.ErrDraining
}

// know brings what is known of this process up to date, which is here whatever the directory says. With the lock.
func (l *Lobby) know() {
	if l.here == nil {
		return
	}
	p := l.view.processes[l.view.own]
	if p == nil {
		p = &process{taken: l.view.seated(l.view.own)}
		p.Process, p.Kinds, p.Addresses, p.Started = l.view.own, l.here.Kinds(), l.config.Here.Addresses(), l.began
		l.view.processes[l.view.own] = p
	}
	p.Draining = l.config.Here.Draining()
	l.view.named = l.config.Here.Membership().Named
}
