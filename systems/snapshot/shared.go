package snapshot

import (
	"cmp"
	"slices"

	"github.com/tactusgo/tactus/systems/internal/traffic"
)

// Clients are laid out on workers, each in the draft of its worker. What they have in common
// stands here. While they are laid out it is only read, but for blocks and joins, which are
// locked and hold what is the same whoever comes first. What a client adds to the rest its
// draft notes, and all notes are taken in afterwards in the order of the clients, so that
// nothing depends on how many workers there are, nor on which of them is the faster.

// shared is what the layouts of all clients have in common.
type shared struct {
	// what workers do
	layOut func(worker, portion int)
	again  func(worker, i int) // lays out one of later
	later  []int               // clients that are laid out when the others are

	apart    bool       // clients may not know of everything: how a block is encoded depends on it alone
	blocks   blockCache // of the send at hand
	joins    joins
	long     longRuns
	turns    turns
	crowded  bool            // a client was told by turns at the last send
	bigTold  map[uint64]bool // component masks of entities that were reported as too big
	won      [codings]uint32 // newest send in which another coder than the usual one was the best
	accounts traffic.Accounts
	meters   traffic.Meters // of all workers
	notes    []note         // scratch
}

func (x *shared) begin(s *System) {
	x.layOut, x.again, x.apart = s.layOutSome, s.layOutLater, s.config.Interest.Limits()
	x.long, x.bigTold = make(longRuns), make(map[uint64]bool)
	x.accounts.Begin(s.codecs.layout, s.comps)
}

// note is something that concerns more than the client in whose layout it was found.
type note struct {
	client int // whose place this is
	kind   noteKind
	key    blockKey
	long   longRun
	slot   slotRef // of an entity
	bytes  int     // that the snapshot may have
}

type noteKind uint8

const (
	noteLong     noteKind = iota // a run of groups was too long
	noteBig                      // an entity fits no snapshot
	noteOverfull                 // a client's snapshot does not hold everything, for the first time
)

// slotRef is an entity that is told.
type slotRef struct {
	id   uint32
	mask uint64
}

// notes are what a worker noted.
type notes struct {
	client  int   // whose layout is at hand
	reach   reach // how far clients came on their round
	all     []note
	later   []int // clients that were put off
	touched byte  // of the memory of clients; means nothing
}

// add notes something of the client at hand.
func (x *notes) add(n note) {
	n.client = x.client
	x.all = append(x.all, n)
}

// merge takes in what workers counted and noted.
func (x *shared) merge(s *System) {
	x.notes = x.notes[:0]
	var far reach
	for i := range s.drafts {
		d := s.drafts[i]
		x.notes = append(x.notes, d.notes.all...)
		d.notes.all = d.notes.all[:0]
		s.stats.add(&d.stats)
		s.stats.Encodes.add(&d.encoder.stats)
		far.groups, far.clients = far.groups+d.notes.reach.groups, far.clients+d.notes.reach.clients
		d.stats, d.encoder.stats, d.notes.reach = Stats{}, EncodeStats{}, reach{}
		x.accounts.Take(&d.encoder.accounts)
		for k, send := range d.encoder.won {
			x.won[k] = max(x.won[k], send)
		}
	}
	x.turns.end(far, len(s.Newest().Groups))
	x.crowded = far.clients > 0
	if len(s.drafts) > 1 {
		slices.SortStableFunc(x.notes, func(a, b note) int { return cmp.Compare(a.client, b.client) })
	}
	for i := range x.notes {
		n := &x.notes[i]
		c := s.clients[n.client]
		switch n.kind {
		case noteLong:
			x.long.note(n.key, n.long)
		case noteBig:
			if !x.bigTold[n.slot.mask] {
				x.bigTold[n.slot.mask] = true
				s.config.Logger.Error("entity left out: it does not fit a client's snapshot; more with its components are only counted",
					"entity", n.slot.id, "client", c.id, "budget", c.contest.budget, "components", traffic.Names(s.comps, n.slot.mask))
			}
		case noteOverfull:
			s.config.Logger.Info("budget exhausted: entities take turns; from now on that is only counted", "client", c.id, "budget", c.contest.budget, "allowed", n.bytes)
		}
	}
}

// add adds what a worker counted.
func (s *Stats) add(x *Stats) {
	s.Updates += x.Updates
	s.OverBudget += x.OverBudget
	s.Oversized += x.Oversized
}

// add adds what a worker encoded.
func (s *EncodeStats) add(x *EncodeStats) {
	s.Blocks += x.Blocks
	s.Entities += x.Entities
	s.Reused += x.Reused
	s.Own += x.Own
}
