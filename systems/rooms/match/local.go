package match

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Local gives seats in the rooms of a server.
func Local(s *rooms.Server) Seater {
	l := local{server: s, capacity: make(map[string]int)}
	for _, k := range s.Kinds() {
		l.capacity[k.Name] = k.Capacity
	}
	return l
}

// local is a Seater.
type local struct {
	server   *rooms.Server
	capacity map[string]int
}

// Capacity implements [Seater].
func (l local) Capacity(kind string) int { return l.capacity[kind] }

// Open implements [Seater].
func (l local) Open(kind string) (all []Place) {
	for _, r := range l.server.Rooms() {
		if r.Kind() != kind {
			continue
		}
		i := r.Info()
		if i.Private || i.Stuck != 0 || i.State != rooms.Open && i.State != rooms.Running {
			continue
		}
		all = append(all, Place{Room: i.ID, Free: i.Free(), Options: i.Options})
	}
	return all
}

// Seat implements [Seater].
func (l local) Seat(kind string, id rooms.ID, o rooms.Options, who []rooms.Player) ([]rooms.Admission, error) {
	r := l.server.Room(id)
	switch {
	case id == 0:
		made, err := l.server.Create(kind, rooms.Creation{Options: o})
		if err != nil {
			return nil, err
		}
		all, err := made.Reserve(who...)
		if err != nil && !errors.Is(err, rooms.ErrFull) { // full: others have found it meanwhile
			made.End(fmt.Errorf("match: nobody got a seat: %w", err))
		}
		return all, err
	case r == nil:
		return nil, rooms.ErrEnded
	}
	return r.Reserve(who...)
}
