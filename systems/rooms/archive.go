package rooms

import (
	"context"
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// Saves are the saves of rooms in a store, for a command of an operator. It needs no process with rooms. Package serve has such a
// command.
type Saves struct {
	// Store is the store.
	Store Archive
	// Key authenticates the saves that are written and read, OldKeys those that are read: see [Config].
	Key     netcode.Key
	OldKeys []netcode.Key
	// Fleet is the name of the fleet: see [Config]. Default (""): that of the save.
	Fleet string
}

// SaveInfo describes the contents of a save.
type SaveInfo struct {
	// RoomEntry is the room as it was saved, with the process that has saved it. The entry of a process that was closed has none.
	RoomEntry
	// Fleet is the Config.Fleet of that process.
	Fleet string
	// Tick is the next tick of the world. World is the size of the world in bytes.
	Tick  uint32
	World int
	// Seats are those of the players in the room.
	Seats []SeatInfo
}

// Describe returns what is in a save. The error wraps [ErrNoSave] or [ErrSave], or is that of the store.
func (s Saves) Describe(ctx context.Context, room ID, epoch uint64) (SaveInfo, error) {
	x, err := s.read(ctx, room, epoch)
	if err != nil {
		return SaveInfo{}, err
	}
	return SaveInfo{RoomEntry: x.RoomEntry, Fleet: x.Fleet, Tick: x.Tick, World: len(x.world), Seats: x.Seats}, nil
}

// read reads a save.
func (s Saves) read(ctx context.Context, room ID, epoch uint64) (*savedRoom, error) {
	data, err := s.Store.Read(ctx, room, epoch)
	if err != nil {
		return nil, err
	}
	return openSave(append([]netcode.Key{s.Key}, s.OldKeys...), room, data)
}

// Copy makes a save the newest one of its room in a store, which may be s: then it restores an earlier save. It seals the save
// under to.Key, and returns its new epoch. A room that a process has meanwhile ends there when it is saved the next time, and
// players who ask for it again find it as it was in the save. All other saves stay, and the one that was the newest is kept.
func (s Saves) Copy(ctx context.Context, to Saves, room ID, epoch uint64) (uint64, error) {
	x, err := s.read(ctx, room, epoch)
	if err != nil {
		return 0, err
	}
	list, err := to.Store.List(ctx, room)
	if err != nil {
		return 0, err
	}
	x.Epoch++
	if len(list) > 0 {
		x.Epoch = max(x.Epoch, list[0].Epoch+1)
		if err := to.Store.Keep(ctx, room, list[0].Epoch); err != nil && !errors.Is(err, ErrNoSave) {
			return 0, fmt.Errorf("rooms: the newest save of room %v cannot be kept: %w", room, err)
		}
	}
	if to.Fleet != "" {
		x.Fleet = to.Fleet
	}
	x.Process, x.ProcessEpoch = "", 0 // no process has it
	data, err := x.seal(to.Key)
	if err == nil {
		err = to.Store.Put(ctx, room, x.Epoch, data)
	}
	return x.Epoch, err
}
