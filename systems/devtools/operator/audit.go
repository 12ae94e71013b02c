package operator

import (
	"cmp"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Limits of the entries in memory, per kind, so that many entries of one kind do not push out the others.
const (
	mostActions   = 1024 // by operators
	mostStrangers = 256  // refusals of others
	mostNotices   = 1024 // from rooms
	mostDetail    = 1024 // bytes of a text
	mostStack     = 8 << 10
)

// Outcomes of an entry.
const (
	Done    = "done"
	Refused = "refused" // not attempted
	Failed  = "failed"  // attempted without success
	Told    = "told"    // a room reported an event
)

// Entry is a line of the audit log.
type Entry struct {
	// Number counts entries from 1.
	Number uint64 `json:"number"`
	// At is the time of the entry, or of its latest repetition.
	At time.Time `json:"at"`
	// Who is the name of the operator, or "" if there is none, as for reports of rooms.
	Who string `json:"who,omitempty"`
	// From is the address of the request's sender.
	From string `json:"from,omitempty"`
	// What is the action, or the event of a room.
	What string `json:"what"`
	// Outcome is done, refused, failed or told.
	Outcome string `json:"outcome"`
	// Code is the reason of a refusal or failure, for programs.
	Code string `json:"code,omitempty"`
	// Detail is a text: a reason, an error, or a message to players.
	Detail string `json:"detail,omitempty"`
	// Times counts repetitions of the same refusal. The log gets a line at 1, 10, 100 and so on.
	Times int `json:"times,omitempty"`
	About
	Trouble
}

// About identifies the room and the player of an entry.
type About struct {
	Kind   string   `json:"kind,omitempty"`
	Room   rooms.ID `json:"room,omitzero"`
	Player string   `json:"player,omitempty"` // id of the player
}

// Trouble is a room's report about a tick.
type Trouble struct {
	System string `json:"system,omitempty"` // running system
	Tick   uint32 `json:"tick,omitempty"`
	Took   int64  `json:"tookUs,omitempty"` // microseconds of the tick, so far if it is still running
	Stack  string `json:"stack,omitempty"`  // where it failed or is stuck
}

// Audit is the log of operators' actions and rooms' reports. It keeps the latest entries in memory and writes all of them.
// Any goroutine may call its methods.
type Audit struct {
	out *writer // nil: nowhere

	mu        sync.Mutex
	number    uint64
	actions   ring[Entry]
	strangers ring[stranger]
	notices   ring[Entry]
	counted   map[tallied]uint64 // actions, for the metrics
}

// tallied is the key for counting actions.
type tallied struct{ what, outcome string }

// NewAudit returns a log that writes each entry to out as a line of JSON, from its own goroutine. If out is nil, it writes
// nothing. If out is too slow, reports of rooms are dropped and counted in the log, and actions wait.
func NewAudit(out io.Writer) *Audit {
	a := &Audit{
		actions: ring[Entry]{most: mostActions}, strangers: ring[stranger]{most: mostStrangers}, notices: ring[Entry]{most: mostNotices},
		counted: make(map[tallied]uint64),
	}
	if out != nil {
		a.out = newWriter(out)
	}
	return a
}

// stranger is an entry about a sender without a valid token.
type stranger struct {
	Entry
	network netip.Addr
}

// ring holds the latest entries.
type ring[T any] struct {
	most int
	all  []T
	next int // index to replace when the ring is full
}

func (r *ring[T]) add(e T) {
	if len(r.all) < r.most {
		r.all = append(r.all, e)
		return
	}
	r.all[r.next] = e
	r.next = (r.next + 1) % r.most
}

// Told logs a report of a room; pass it to rooms.Config.Told. It does not wait.
func (a *Audit) Told(n rooms.Notice) {
	e := Entry{
		At: n.At, What: string(n.Event), Outcome: Told, About: About{Kind: n.Kind, Room: n.Room},
		Trouble: Trouble{clip(n.System, mostDetail), n.Tick, n.Took.Microseconds(), clip(n.Stack, mostStack)},
	}
	if n.Player != 0 {
		e.Player = strconv.FormatUint(n.Player, 10)
	}
	if n.Err != nil {
		e.Detail = clip(n.Err.Error(), mostDetail)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.number++
	e.Number = a.number
	a.notices.add(e)
	if a.out != nil {
		a.out.queueOrDrop(e)
	}
}

// acted logs an operator's action or attempt.
func (a *Audit) acted(e Entry) {
	e.Detail = clip(e.Detail, mostDetail)
	a.mu.Lock()
	a.number++
	e.Number = a.number
	a.actions.add(e)
	a.counted[tallied{e.What, e.Outcome}]++
	a.mu.Unlock()
	if a.out != nil {
		a.out.waitAndQueue(e)
	}
}

// sameFor is how long repetitions of the same refusal are merged into one entry.
const sameFor = time.Minute

// refused logs a refusal of a sender without a valid token. Repetitions from the same network are merged into one entry.
// When the ring is full of recent entries, the network no longer matters.
func (a *Audit) refused(e Entry, network netip.Addr) {
	a.mu.Lock()
	a.counted[tallied{e.What, e.Outcome}]++
	var same *stranger
	recent := 0
	for i := range a.strangers.all {
		x := &a.strangers.all[i]
		if e.At.Sub(x.At) < sameFor {
			recent++
			if x.What == e.What && x.Code == e.Code && (x.network == network || same == nil && recent >= mostStrangers) {
				same = x
			}
		}
	}
	if same == nil {
		a.number++
		e.Number, e.Times, e.Detail = a.number, 1, clip(e.Detail, mostDetail)
		a.strangers.add(stranger{e, network})
	} else {
		same.Times++
		same.At, same.From = e.At, e.From
		e = same.Entry
	}
	a.mu.Unlock()
	if a.out != nil && powerOfTen(e.Times) {
		a.out.waitAndQueue(e)
	}
}

func powerOfTen(n int) bool { return strings.Trim(strconv.Itoa(n), "0") == "1" }

// Entries returns the latest entries, newest first: at most most entries with numbers above after, of one room or, if room
// is 0, of all.
func (a *Audit) Entries(after uint64, room rooms.ID, most int) []Entry {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []Entry
	wanted := func(e *Entry) bool { return e.Number > after && (room == 0 || e.Room == room) }
	for _, r := range []*ring[Entry]{&a.actions, &a.notices} {
		for i := range r.all {
			if e := &r.all[i]; wanted(e) {
				all = append(all, *e)
			}
		}
	}
	for i := range a.strangers.all {
		if e := &a.strangers.all[i].Entry; wanted(e) {
			all = append(all, *e)
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(b.Number, a.Number) })
	return all[:min(len(all), most)]
}

// Flush waits until all entries are written.
func (a *Audit) Flush() {
	if a.out != nil {
		a.out.flush()
	}
}

// clip shortens a text to at most most bytes of valid UTF-8.
func clip(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "")
}
