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

// What an audit log keeps in memory, of each kind of entry, so that many of one kind do not push out the others.
const (
	mostActions   = 1024 // of operators
	mostStrangers = 256  // refusals of who is no operator
	mostNotices   = 1024 // of rooms
	mostDetail    = 1024 // bytes of a text
	mostStack     = 8 << 10
)

// What became of what an entry tells of.
const (
	Done    = "done"
	Refused = "refused" // it was not tried
	Failed  = "failed"  // it was tried
	Told    = "told"    // by a room: it has happened
)

// Entry is a line of the audit log.
type Entry struct {
	// Number counts entries from 1.
	Number uint64 `json:"number"`
	// At is when it was; of several, the latest.
	At time.Time `json:"at"`
	// Who is the name of an operator, "" where nobody known has done it, such as what rooms tell.
	Who string `json:"who,omitempty"`
	// From is where the request came from.
	From string `json:"from,omitempty"`
	// What is the action, or the event of a room.
	What string `json:"what"`
	// Outcome is done, refused, failed or told.
	Outcome string `json:"outcome"`
	// Code says to programs why it was refused, or failed.
	Code string `json:"code,omitempty"`
	// Detail is a text: a reason, an error, what was told to players.
	Detail string `json:"detail,omitempty"`
	// Times is how often, where the same refusal came again and again: the line says so at 1, 10, 100 and so on.
	Times int `json:"times,omitempty"`
	About
	Trouble
}

// About is the room and the player that an entry is about.
type About struct {
	Kind   string   `json:"kind,omitempty"`
	Room   rooms.ID `json:"room,omitzero"`
	Player string   `json:"player,omitempty"` // its id
}

// Trouble is what a room tells of its tick.
type Trouble struct {
	System string `json:"system,omitempty"` // that ran
	Tick   uint32 `json:"tick,omitempty"`
	Took   int64  `json:"tookUs,omitempty"` // microseconds that the tick took, or takes so far
	Stack  string `json:"stack,omitempty"`  // where it failed, or is
}

// Audit is a log of what operators do, and of what rooms tell. It keeps the latest in memory, and writes all of them. Its
// methods may be called from any goroutine.
type Audit struct {
	out *writer // nil: nowhere

	mu        sync.Mutex
	number    uint64
	actions   ring[Entry]
	strangers ring[stranger]
	notices   ring[Entry]
	counted   map[tallied]uint64 // of actions, for figures
}

// tallied is what actions are counted by.
type tallied struct{ what, outcome string }

// NewAudit makes a log that writes each entry to out as a line of JSON, from a goroutine of its own; nil: it writes
// nothing. What cannot be written fast enough of what rooms tell is left out, and how much that was is written; actions
// wait for their turn.
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

// stranger is an entry about who is no operator.
type stranger struct {
	Entry
	network netip.Addr
}

// ring is the latest of some entries.
type ring[T any] struct {
	most int
	all  []T
	next int // to be replaced, once there are enough
}

func (r *ring[T]) add(e T) {
	if len(r.all) < r.most {
		r.all = append(r.all, e)
		return
	}
	r.all[r.next] = e
	r.next = (r.next + 1) % r.most
}

// Told takes in what a room tells: for rooms.Config.Told. It does not wait.
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
		a.out.offer(e)
	}
}

// acted takes in what an operator did, or wanted to do.
func (a *Audit) acted(e Entry) {
	e.Detail = clip(e.Detail, mostDetail)
	a.mu.Lock()
	a.number++
	e.Number = a.number
	a.actions.add(e)
	a.counted[tallied{e.What, e.Outcome}]++
	a.mu.Unlock()
	if a.out != nil {
		a.out.put(e)
	}
}

// sameFor is for how long the same refusal is one entry.
const sameFor = time.Minute

// refused takes in a refusal of who is no operator. The same one from the same network, again and again, is one entry;
// and when the latest of them are as many as are kept, the network does not matter any more.
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
		a.out.put(e)
	}
}

func powerOfTen(n int) bool { return strings.Trim(strconv.Itoa(n), "0") == "1" }

// Entries are the latest entries, the newest first: those whose number is above after, of one room unless that is 0, at
// most so many.
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

// Flush waits until all is written.
func (a *Audit) Flush() {
	if a.out != nil {
		a.out.flush()
	}
}

// clip makes a text at most so many bytes long, of valid UTF-8.
func clip(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "")
}
