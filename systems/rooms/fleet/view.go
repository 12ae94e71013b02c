package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	// unseenTimeout is how long a new room counts as existing before it appears in the directory.
	unseenTimeout = 5 * time.Second
	// maxKinds is the largest number of kinds of a process. maxName is the longest name.
	maxKinds = 256
	maxName  = 64
)

// view is this process's knowledge of the fleet's processes and rooms, from the directory.
type view struct {
	processes map[string]*process
	rooms     map[rooms.ID]*room
	codes     map[string]rooms.ID
	creating  map[string]*creatingRoom // by the requested kind and options
	own       string                   // name of this process, "": no rooms
	named     bool                     // another process holds the name own; until it leaves, this process refuses seat requests

	fingerprint string            // of the fleet
	foreign     map[string]uint64 // epochs of processes with another fingerprint, by name
	logger      *slog.Logger
}

// process is a live process.
type process struct {
	ProcessEntry
	revision  uint64 // 0: this process, not yet in the directory
	silent    uint64 // revision of its entry when it last failed to answer; it is not asked until the entry changes
	taken     int    // seats of its rooms that are not free
	requested int    // seats in unanswered requests
}

// room is a room of a process, which may be dead.
type room struct {
	rooms.RoomEntry
	revision  uint64
	requested int       // seats in unanswered requests
	given     int       // seats given since the entry was written
	until     time.Time // how long a room counts as existing before it appears in the directory; zero: it is there
}

func newView(fingerprint string, logger *slog.Logger) view {
	return view{
		fingerprint: fingerprint, foreign: make(map[string]uint64), logger: logger,
		processes: make(map[string]*process), rooms: make(map[rooms.ID]*room), codes: make(map[string]rooms.ID), creating: make(map[string]*creatingRoom),
	}
}

// errEntry is wrapped by errors about invalid entries.
var errEntry = errors.New("fleet: not an entry of a directory")

// parseProcess parses the entry of a process.
func parseProcess(key string, value []byte) (e ProcessEntry, err error) {
	if err := json.Unmarshal(value, &e); err != nil {
		return e, fmt.Errorf("%w: %w", errEntry, err)
	}
	if ProcessKey(e.Process) != key || len(e.Process) > maxName || len(e.Kinds) > maxKinds || e.Rooms < 0 || e.MaxRooms < 0 {
		return e, fmt.Errorf("%w: process %.40q under %.40q", errEntry, e.Process, key)
	}
	for _, k := range e.Kinds {
		if len(k.Kind) > maxName || len(k.Schema) > maxName || k.Capacity < 1 || k.Capacity > rooms.MaxCapacity {
			return e, fmt.Errorf("%w: a kind %.40q of %d seats", errEntry, k.Kind, k.Capacity)
		}
	}
	return e, nil
}

// parseRoom parses the entry of a room.
func parseRoom(key string, value []byte) (e rooms.RoomEntry, err error) {
	if err := json.Unmarshal(value, &e); err != nil {
		return e, fmt.Errorf("%w: %w", errEntry, err)
	}
	options, err := e.Options.Clean()
	switch {
	case err != nil:
		return e, fmt.Errorf("%w: %w", errEntry, err)
	case RoomKey(e.ID) != key, len(e.Kind) > maxName, len(e.Schema) > maxName, len(e.Code) > maxName, len(e.Process) > maxName:
		return e, fmt.Errorf("%w: room %v under %.40q", errEntry, e.ID, key)
	case len(e.Banned) > rooms.MaxBanned:
		return e, fmt.Errorf("%w: room %v with %d bans", errEntry, e.ID, len(e.Banned))
	case e.Capacity < 1 || e.Capacity > rooms.MaxCapacity || e.Free < 0 || e.Free > e.Capacity:
		return e, fmt.Errorf("%w: room %v with %d of %d free", errEntry, e.ID, e.Free, e.Capacity)
	}
	e.Options = options
	return e, nil
}

// update applies a record of a process or room.
func (v *view) update(r Record) {
	switch {
	case strings.HasPrefix(r.Key, ProcessPrefix):
		name := strings.TrimPrefix(r.Key, ProcessPrefix)
		p := v.processes[name]
		if p != nil && !r.Gone && p.revision == r.Revision {
			return
		}
		e, err := parseProcess(r.Key, r.Value)
		if r.Gone || err != nil {
			delete(v.processes, name)
			delete(v.foreign, name)
			return
		}
		if e.Fingerprint != v.fingerprint {
			if v.foreign[name] != e.Epoch {
				v.logger.Warn("a process in the directory has another Key or ProtocolID: nobody gets a seat there", "process", name)
			}
			v.foreign[name] = e.Epoch
			delete(v.processes, name)
			return
		}
		delete(v.foreign, name)
		if p == nil {
			p = &process{taken: v.takenSeats(name)}
			v.processes[name] = p
		}
		p.ProcessEntry, p.revision = e, r.Revision
	case strings.HasPrefix(r.Key, RoomPrefix):
		id, err := rooms.ParseID(strings.TrimPrefix(r.Key, RoomPrefix))
		if err != nil {
			return
		}
		x := v.rooms[id]
		if x != nil && !r.Gone && x.revision == r.Revision {
			return
		}
		e, err := parseRoom(r.Key, r.Value)
		if r.Gone || err != nil || e.State == rooms.Ended {
			v.forget(id)
			return
		}
		if x == nil {
			x = &room{}
		}
		v.replaceRoom(x, e)
		x.revision, x.given, x.until = r.Revision, 0, time.Time{}
	}
}

// replaceRoom replaces the entry of a room.
func (v *view) replaceRoom(x *room, e rooms.RoomEntry) {
	v.forget(e.ID)
	x.RoomEntry = e
	v.rooms[e.ID], v.codes[e.Code] = x, e.ID
	if p := v.processes[e.Process]; p != nil {
		p.taken += e.Capacity - e.Free
	}
}

// forget removes a room.
func (v *view) forget(id rooms.ID) {
	x := v.rooms[id]
	if x == nil {
		return
	}
	delete(v.rooms, id)
	if v.codes[x.Code] == id {
		delete(v.codes, x.Code)
	}
	if p := v.processes[x.Process]; p != nil {
		p.taken -= x.Capacity - x.Free
	}
}

// takenSeats returns how many seats of a process are not free.
func (v *view) takenSeats(process string) (n int) {
	for _, x := range v.rooms {
		if x.Process == process {
			n += x.Capacity - x.Free
		}
	}
	return n
}

// keepOnly removes the processes or rooms under a prefix without a record. all is the complete list of records.
func (v *view) keepOnly(prefix string, all []Record) {
	exists := make(map[string]bool, len(all))
	for _, r := range all {
		exists[r.Key] = true
	}
	switch prefix {
	case ProcessPrefix:
		for name, p := range v.processes {
			if p.revision != 0 && !exists[ProcessKey(name)] {
				delete(v.processes, name)
			}
		}
		maps.DeleteFunc(v.foreign, func(name string, _ uint64) bool { return !exists[ProcessKey(name)] })
	case RoomPrefix:
		for id, x := range v.rooms {
			if x.until.IsZero() && !exists[RoomKey(id)] {
				v.forget(id)
			}
		}
	}
}

// expire removes rooms that did not appear in the directory in time.
func (v *view) expire(now time.Time) {
	maps.DeleteFunc(v.creating, func(_ string, c *creatingRoom) bool { return now.After(c.until) })
	for id, x := range v.rooms {
		if !x.until.IsZero() && now.After(x.until) {
			v.forget(id)
		}
	}
}

// alive reports whether the process of a room is alive and holds the claim named in the room's entry.
func (v *view) alive(x *room) bool {
	p := v.processes[x.Process]
	return p != nil && p.Epoch == x.ProcessEpoch
}

// kind returns a kind of a process, or nil if the process has none that a client with the schema can play.
func (p *process) kind(name, schema string) *rooms.KindEntry {
	for i := range p.Kinds {
		if k := &p.Kinds[i]; k.Kind == name && (schema == "" || k.Schema == schema) {
			return k
		}
	}
	return nil
}
