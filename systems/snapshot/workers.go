package snapshot

import (
	"cmp"
	"slices"

	"github.com/tactusgo/tactus/systems/internal/traffic"
)

// Workers build the snapshots of different clients concurrently, each in its own draft. Workers only read the shared data while
// they build snapshots. The exceptions are blocks and kept states, which have locks and do not depend on the order of the
// workers. All other changes to shared data are noted in the draft. The notes are merged afterwards in the order of the clients.
// The result therefore does not depend on the number or the speed of workers.

// shared holds the data that the snapshots of all clients share.
type shared struct {
	build    func(worker, portion int)
	update   func(worker, i int) // updates a view
	part     buildPart           // the part that build executes
	retry    func(worker, i int) // builds the snapshot of a client of deferred
	deferred []int               // indexes of the clients whose snapshots are built last

	blocks    piecesCache // of this send
	sizes     sizes
	joins     joins
	bigLogged map[uint64]bool // component masks of entities that were logged as too big
	accounts  traffic.Accounts
	meters    traffic.Meters // of all workers
	notes     []note         // scratch
}

func (x *shared) prepare(s *System) {
	x.build, x.update, x.retry, x.bigLogged = s.buildPortion, s.updateView, s.buildDeferred, make(map[uint64]bool)
	x.accounts.Begin(s.codecs.layout, s.comps)
}

// portionSize is the number of clients in a portion of a worker. With a thousand clients, none is in the processor's caches when
// its turn comes. Loading a cache line takes about 155 ns, or a twentieth of that if nothing waits for it. The data of a client is
// therefore in few cache lines. Before a worker builds a portion, it reads one byte of each of these lines for all clients of the
// portion. These reads do not depend on each other, so the processor performs many at a time.
const portionSize = 16

// portions divides a number of clients among workers, so that each worker gets several portions.
func portions(clients, workers int) (each, portions int) {
	each = max(1, min(portionSize, clients/(4*workers)))
	return each, (clients + each - 1) / each
}

// buildPart is a part of building snapshots.
type buildPart uint8

const (
	buildWhole buildPart = iota // snapshots of all clients
	buildStart                  // their first part, which reads the world
	buildRest                   // the rest of the snapshots whose turn it is
)

// buildAll builds a part of the snapshots.
func (s *System) buildAll(part buildPart) {
	s.shared.part = part
	_, n := portions(len(s.clients), len(s.drafts))
	s.config.Workers.Each(n, s.shared.build)
	x := &s.shared
	x.deferred = x.deferred[:0]
	for i := range s.drafts {
		d := s.drafts[i]
		x.deferred = append(x.deferred, d.notes.deferred...)
		d.notes.deferred = d.notes.deferred[:0]
	}
	s.config.Workers.Each(len(x.deferred), x.retry)
	x.merge(s)
}

// buildPortion builds the snapshots of the i-th portion of the clients.
func (s *System) buildPortion(worker, i int) {
	each, _ := portions(len(s.clients), len(s.drafts))
	d, first := s.drafts[worker], i*each
	portion := s.clients[first:min(first+each, len(s.clients))]
	for _, c := range portion {
		d.notes.touched ^= c.touch()
	}
	for _, c := range portion {
		d.notes.touched ^= c.touchFurther(s.sends.newest)
	}
	for k, c := range portion {
		switch {
		case s.shared.part == buildRest && !s.hasTurn(c):
		case s.shared.part != buildRest && !s.isDue(c):
		case s.shared.part == buildStart:
			d.begin(c)
		case len(s.drafts) > 1 && d.needsBusyPieces(c):
			d.notes.deferred = append(d.notes.deferred, first+k)
		default:
			d.build(c, first+k)
		}
	}
}

// buildDeferred builds the snapshot of a client that was deferred.
func (s *System) buildDeferred(worker, i int) {
	d := s.drafts[worker]
	at := s.shared.deferred[i]
	d.build(s.clients[at], at)
}

// build builds the snapshot of a client, given its index, or the rest of it.
func (d *draft) build(c *Client, index int) {
	d.notes.client = index
	if d.sys.shared.part == buildWhole {
		d.begin(c)
	}
	d.end(c)
}

// needsBusyPieces reports whether a client needs pieces that another worker is encoding now. Such a client is deferred.
func (d *draft) needsBusyPieces(c *Client) bool {
	if c.join.state != joinNone {
		return false
	}
	d.c = c
	d.selectView(false)
	age, two := d.choose()
	key, _ := d.key(age, two)
	return d.sys.shared.blocks.encoding(key)
}

// note is a change to the shared data that results from the snapshot of one client.
type note struct {
	client int // index
	kind   noteKind
	view   *view
	id     uint32 // of an entity
	mask   uint64 // of its components
	bytes  int    // limit of the snapshot, or number of chunks
}

type noteKind uint8

const (
	noteBig      noteKind = iota // an entity fits no snapshot, or no datagram of any client of a view
	noteTurns                    // chunks of a view were packed
	noteOverfull                 // a client's snapshot does not hold everything, for the first time
)

// notes holds the notes of a worker.
type notes struct {
	client   int // index of the client whose snapshot is being built
	all      []note
	deferred []int // indexes of deferred clients
	sizes    sizes // of the views that were encoded
	touched  byte  // of the memory of clients; has no meaning
}

// add adds a note about the current client.
func (x *notes) add(n note) {
	n.client = x.client
	x.all = append(x.all, n)
}

// merge merges the counters and notes of the workers.
func (x *shared) merge(s *System) {
	x.notes = x.notes[:0]
	var encoded sizes
	for i := range s.drafts {
		d := s.drafts[i]
		x.notes = append(x.notes, d.notes.all...)
		d.notes.all = d.notes.all[:0]
		s.stats.add(&d.stats)
		s.stats.Encodes.add(&d.encoder.stats)
		d.stats, d.encoder.stats = Stats{}, EncodeStats{}
		x.accounts.Take(&d.encoder.accounts)
		encoded.take(&d.notes.sizes)
	}
	for i := range encoded {
		if encoded[i].members > 0 {
			x.sizes[i] = encoded[i]
		}
	}
	if len(s.drafts) > 1 {
		slices.SortStableFunc(x.notes, func(a, b note) int { return cmp.Compare(a.client, b.client) })
	}
	for i := range x.notes {
		n := &x.notes[i]
		c := s.clients[n.client]
		switch n.kind {
		case noteTurns:
			n.view.turns, n.view.took = n.view.turns+n.bytes, n.view.took+1
		case noteBig:
			if v := n.view; v != nil {
				if v.isTooBig(n.id) {
					break
				}
				v.tooBig = append(v.tooBig, tooBig{n.id, s.sends.newest})
				s.stats.Oversized++
			}
			if !x.bigLogged[n.mask] {
				x.bigLogged[n.mask] = true
				s.config.Logger.Error("entity left out: it does not fit a client's snapshot; more with its components are only counted",
					"entity", n.id, "client", c.id, "budget", c.budget, "components", traffic.Names(s.comps, n.mask))
			}
		case noteOverfull:
			s.config.Logger.Info("budget exhausted: entities take turns; from now on that is only counted", "client", c.id, "budget", c.budget, "allowed", n.bytes)
		}
	}
}

// nextTurn passes the turn on, by the number of chunks that snapshots contained on average.
func (v *view) nextTurn() {
	if v.took > 0 {
		v.perTurn = max(v.turns/v.took, 1)
		v.turn += v.perTurn
		v.turns, v.took = 0, 0
	}
}

// add adds the counters of a worker.
func (s *Stats) add(x *Stats) {
	s.Updates += x.Updates
	s.OverBudget += x.OverBudget
	s.Oversized += x.Oversized
	s.Delay += x.Delay
}

// add adds the counters of a worker's encoder.
func (s *EncodeStats) add(x *EncodeStats) {
	s.Blocks += x.Blocks
	s.Entities += x.Entities
	s.Reused += x.Reused
	s.Own += x.Own
}
