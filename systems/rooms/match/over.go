package match

import (
	"context"
	"slices"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Over returns a Seater for the rooms of a process (rooms.Here) or of a fleet (package fleet).
func Over(s rooms.Seats) Seater { return over{s} }

// over implements [Seater].
type over struct{ seats rooms.Seats }

// Capacity implements [Seater].
func (o over) Capacity(kind, schema string) int {
	for _, k := range o.seats.Kinds() {
		if k.Kind == kind && (schema == "" || schema == k.Schema) {
			return k.Capacity
		}
	}
	return 0
}

// Open implements [Seater].
func (o over) Open(kind, schema string) (all []Place) {
	list := o.seats.List()
	slices.SortStableFunc(list, func(a, b rooms.RoomEntry) int { return a.Created.Compare(b.Created) })
	for _, r := range list {
		if r.Kind == kind && (schema == "" || schema == r.Schema) && r.Takes() {
			all = append(all, Place{Room: r.ID, Free: r.Free, Options: r.Options})
		}
	}
	return all
}

// Seat implements [Seater].
func (o over) Seat(ctx context.Context, room rooms.ID, w rooms.Wish) ([]rooms.Admission, error) {
	if room != 0 {
		return o.seats.Reserve(ctx, room, w.Players...)
	}
	return o.seats.Create(ctx, w.Kind, rooms.Creation{Options: w.Options, Schema: w.Schema}, w.Players...)
}
