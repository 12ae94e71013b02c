package agones

import (
	"strconv"

	"github.com/tactusgo/tactus/systems/rooms"
)

// seated returns the number of seats that are not free.
func seated(s *rooms.Server) (n int) {
	for _, r := range s.Rooms() {
		i := r.Info()
		n += i.Capacity - i.Free()
	}
	return n
}

// roomIDs returns the ids of all rooms.
func roomIDs(s *rooms.Server) (all []string) {
	for _, r := range s.Rooms() {
		all = append(all, r.ID().String())
	}
	return all
}

// playerIDs returns the ids of the players with a seat.
func playerIDs(s *rooms.Server) (all []string) {
	for _, r := range s.Rooms() {
		for _, seat := range r.Seats() {
			all = append(all, strconv.FormatUint(seat.Player, 10))
		}
	}
	return all
}
