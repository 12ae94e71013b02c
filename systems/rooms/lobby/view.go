package lobby

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
	// unseenTime is for how long a room is believed to be there that the directory has not shown yet.
	unseenTime = 5 * time.Second
	// mostKinds bounds the kinds of a process, mostName their names, and others.
	mostKinds = 256
	mostName  = 64
)

// view is what the directory says, as it was heard.
type view struct {
	processes map[string]*process
	rooms     map[rooms.ID]*room
	codes     map[string]rooms.ID
	making    map[string]*making // by what is asked for
	own       string             // name of this process, "": it has no rooms
	named     bool               // another process has that name, so this one gives no seats
	down      time.Time          // the directory takes no writes; nobody is asked before

	fingerprint string            // of the fleet
	foreign     map[string]uint64 // processes with another one, by name: their epochs
	logger      *slog.Logger
}

// process is one that has said that it is there.
type process struct {
	rooms.ProcessEntry
	revision uint64 // 0: the directory has not shown it, and it is this one
	silent   uint64 // the revision at which it did not answer; another one since: it may again
	taken    int    // seats of its rooms that are not free
	asked    int    // seats that are being asked for
}

// room is one that somebody has said is there.
type room struct {
	rooms.RoomEntry
	revision uint64
	asked    int       // seats that are being asked for
	given    int       // seats that were given since the directory has said how many are free
	until    time.Time // of one that it has not shown yet, zero: it has
}

func newView(fingerprint string, logger *slog.Logger) view {
	return view{
		fingerprint: fingerprint, foreign: make(map[string]uint64), logger: logger,
		processes: make(map[string]*process), rooms: make(map[rooms.ID]*room), codes: make(map[string]rooms.ID), making: make(map[string]*making),
	}
}

// errEntry is wrapped by what is wrong with an entry.
var errEntry = errors.New("lobby: no entry of the directory")

// parseProcess reads the entry of a process.
func parseProcess(key string, value []byte) (e rooms.ProcessEntry, err error) {
	if err := json.Unmarshal(value, &e); err != nil {
		return e, fmt.Errorf("%w: %w", errEntry, err)
	}
	if rooms.ProcessKey(e.Process) != key || len(e.Process) > mostName || len(e.Kinds) > mostKinds || e.Rooms < 0 || e.MaxRooms < 0 {
		return e, fmt.Errorf("%w: process %.40q under %.40q", errEntry, e.Process, key)
	}
	for _, k := range e.Kinds {
		if len(k.Kind) > mostName || len(k.Schema) > mostName || k.Capacity < 1 || k.Capacity > rooms.MaxCapacity {
			return e, fmt.Errorf("%w: a kind %.40q of %d seats", errEntry, k.Kind, k.Capacity)
		}
	}
	return e, nil
}

// parseRoom reads the entry of a room.
func parseRoom(key string, value []byte) (e rooms.RoomEntry, err error) {
	if err := json.Unmarshal(value, &e); err != nil {
		return e, fmt.Errorf("%w: %w", errEntry, err)
	}
	options, err := e.Options.Clean()
	switch {
	case err != nil:
		return e, fmt.Errorf("%w: %w", errEntry, err)
	case rooms.RoomKey(e.ID) != key, len(e.Kind) > mostName, len(e.Schema) > mostName, len(e.Code) > mostName, len(e.Process) > mostName:
		return e, fmt.Errorf("%w: room %v under %.40q", errEntry, e.ID, key)
	case len(e.Banned) > rooms.MaxBanned:
		return e, fmt.Errorf("%w: room %v with %d bans", errEntry, e.ID, len(e.Banned))
	case e.Capacity < 1 || e.Capacity > rooms.MaxCapacity || e.Free < 0 || e.Free > e.Capacity:
		return e, fmt.Errorf("%w: room %v with %d of %d free", errEntry, e.ID, e.Free, e.Capacity)
	}
	e.Options = options
	return e, nil
}

// take takes in what the directory says of a process or a room.
func (v *view) take(r rooms.Record) {
	switch {
	case strings.HasPrefix(r.Key, rooms.ProcessPrefix):
		name := strings.TrimPrefix(r.Key, rooms.ProcessPrefix)
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
			p = &process{taken: v.seated(name)}
			v.processes[name] = p
		}
		p.ProcessEntry, p.revision = e, r.Revision
	case strings.HasPrefix(r.Key, rooms.RoomPrefix):
		id, err := rooms.ParseID(strings.TrimPrefix(r.Key, rooms.RoomPrefix))
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
		v.put(x, e)
		x.revision, x.given, x.until = r.Revision, 0, time.Time{}
	}
}

// put puts the entry of a room in the place of the one of before.
func (v *view) put(x *room, e rooms.RoomEntry) {
	v.forget(e.ID)
	x.RoomEntry = e
	v.rooms[e.ID], v.codes[e.Code] = x, e.ID
	if p := v.processes[e.Process]; p != nil {
		p.taken += e.Capacity - e.Free
	}
}

// forget forgets a room.
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

// seated is how many seats of a process are not free.
func (v *view) seated(process string) (n int) {
	for _, x := range v.rooms {
		if x.Process == process {
			n += x.Capacity - x.Free
		}
	}
	return n
}

// only forgets what is under a prefix and not among the records, which are all that there are.
func (v *view) only(prefix string, all []rooms.Record) {
	there := make(map[string]bool, len(all))
	for _, r := range all {
		there[r.Key] = true
	}
	switch prefix {
	case rooms.ProcessPrefix:
		for name, p := range v.processes {
			if p.revision != 0 && !there[rooms.ProcessKey(name)] {
				delete(v.processes, name)
			}
		}
		maps.DeleteFunc(v.foreign, func(name string, _ uint64) bool { return !there[rooms.ProcessKey(name)] })
	case rooms.RoomPrefix:
		for id, x := range v.rooms {
			if x.until.IsZero() && !there[rooms.RoomKey(id)] {
				v.forget(id)
			}
		}
	}
}

// keep forgets rooms that were never shown.
func (v *view) keep(now time.Time) {
	maps.DeleteFunc(v.making, func(_ string, m *making) bool { return now.After(m.until) })
	for id, x := range v.rooms {
		if !x.until.IsZero() && now.After(x.until) {
			v.forget(id)
		}
	}
}

// alive reports whether the process of a room is there, as it was.
func (v *view) alive(x *room) bool {
	p := v.processes[x.Process]
	return p != nil && p.Epoch == x.ProcessEpoch
}

// kind is a kind of a process, nil where it makes none that a client with the schema could play.
func (p *process) kind(name, schema string) *rooms.KindEntry {
	for i := range p.Kinds {
		if k := &p.Kinds[i]; k.Kind == name && (schema == "" || k.Schema == schema) {
			return k
		}
	}
	return nil
}
