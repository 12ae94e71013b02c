package systems

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/mirror"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/netsys"
)

// log is what an audit knows of one client: what it may have been told.
type clientLog struct {
	sends   [capture.Kept]uint32   // by send: which it was
	allowed [capture.Kept][]uint64 // and the slots that it may know of, by group
	first   map[uint32]uint32      // by NetID: the first send in which the client could see it
	last    map[uint32]uint32      // and the last
	blind   [][64]uint32           // by slot: the last send in which there was what it could not see
	veiled  map[uint32]bool        // by NetID: whether it ever was there and hidden from the client
	over    uint32                 // the last send that did not hold all there was to tell
	waits   map[uint32]int         // by NetID: sends since it was told of, where not all fits
	longest int
}

// audit watches a match: what leaves the server, and what clients make of it.
type audit struct {
	s        *Server
	visible  func(client, id uint32) bool
	logs     map[uint32]*clientLog
	audited  uint32            // the last send
	died     map[uint32]uint32 // by NetID: the first send without it
	alive    []uint32
	moved    map[uint32]moved // by NetID
	err      error
	compared uint64 // states of entities
	fair     int    // how often an entity may have to wait, at least
}

// moved is where an entity is, and since which send.
type moved struct {
	group, slot int
	send        uint32
}

// schedule puts the audit between Snapshot and Send.
func (a *audit) schedule(s *ecs.Schedule) error {
	return s.InsertAfter("Snapshot", ecs.System{Name: "Audit", Run: a.snapshot})
}

func (a *audit) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("at send %d: %w", a.audited, fmt.Errorf(format, args...))
	}
}

// snapshot looks at the packets that a send put into the queues.
func (a *audit) snapshot(*ecs.World) {
	f := a.s.snapshots.Newest()
	if f == nil || f.Send == a.audited {
		return
	}
	a.audited = f.Send
	before := a.alive
	a.alive = nil
	for g := range f.Groups {
		for m := f.Groups[g].Alive; m != 0; m &= m - 1 {
			k := trailing(m)
			id := f.Groups[g].IDs[k]
			a.alive = append(a.alive, id)
			if x := a.moved[id]; x.send == 0 || x.group != g || x.slot != k {
				a.moved[id] = moved{g, k, f.Send}
			}
		}
	}
	slices.Sort(a.alive)
	for _, id := range before {
		if _, lives := slices.BinarySearch(a.alive, id); !lives {
			a.died[id] = f.Send
		}
	}
	for _, p := range a.s.sessions.peers {
		k := a.logs[p.ID]
		if k == nil {
			k = &clientLog{first: map[uint32]uint32{}, last: map[uint32]uint32{}, veiled: map[uint32]bool{}, waits: map[uint32]int{}}
			a.logs[p.ID] = k
		}
		k.may(a, p, f)
		a.packets(p, k, f)
	}
}

// may notes what a client can see in a frame.
func (k *clientLog) may(a *audit, p *peer, f *capture.Frame) {
	i := f.Send % capture.Kept
	k.sends[i], k.allowed[i] = f.Send, reuse.Slice(k.allowed[i], len(f.Groups))
	for g := range f.Groups {
		if g == len(k.blind) {
			k.blind = append(k.blind, [64]uint32{})
		}
		cur := &f.Groups[g]
		seen := uint64(0)
		for m := cur.Alive; m != 0; m &= m - 1 {
			slot := trailing(m)
			if id := cur.IDs[slot]; f.Owner(g, slot) == p.ID || a.visible(p.ID, id) {
				seen |= 1 << slot
				if k.first[id] == 0 {
					k.first[id] = f.Send
				}
				k.last[id] = f.Send
			} else {
				k.blind[g][slot] = f.Send
				k.veiled[id] = true
			}
		}
		k.allowed[i][g] = seen
	}
}

// could reports whether a client ever could see an entity. Where nothing is hidden it
// may have joined with a state from before it came.
func (k *clientLog) could(a *audit, id uint32) bool {
	return k.first[id] != 0 || a.s.config.Visible == nil
}

// packets checks sizes and contents of one client's snapshot.
func (a *audit) packets(p *peer, k *clientLog, f *capture.Frame) {
	total := 0
	told := make([]uint64, len(f.Groups))
	for _, q := range p.snapshot.Packets() {
		total += len(q.Bytes)
		if len(q.Bytes) > netsys.MaxPayload {
			a.fail("client %d: a message of %d bytes", p.ID, len(q.Bytes))
		}
		for _, b := range q.Holds {
			if b.Own || b.Hidden || b.Chunk >= 0 {
				continue
			}
			for g := b.First; g < b.First+b.Count; g++ {
				told[g] |= b.Slots
				if bad := b.Slots & f.Groups[g].Alive &^ k.allowed[f.Send%capture.Kept][g]; bad != 0 {
					a.fail("client %d is told of slots %#x of group %d, which it may not see", p.ID, bad, g)
				}
			}
		}
	}
	budget, over := p.snapshot.Budget()
	if total > budget {
		a.fail("client %d: a snapshot of %d bytes, the budget is %d", p.ID, total, budget)
	}
	if over {
		k.over = f.Send
	}
	if p.snapshot.Joining() {
		clear(k.waits)
		return
	}
	for g, seen := range k.allowed[f.Send%capture.Kept] {
		for m := seen; m != 0; m &= m - 1 {
			id := f.Groups[g].IDs[trailing(m)]
			if told[g]&m&-m != 0 {
				delete(k.waits, id)
				continue
			}
			k.waits[id]++
			if k.longest = max(k.longest, k.waits[id]); k.waits[id] > a.fair+4*len(a.alive) {
				a.fail("client %d: entity %d of %d waits for its turn for %d sends, the budget is %d", p.ID, id, len(a.alive), k.waits[id], budget)
			}
		}
	}
}

// client checks all states that a client keeps, and what it made of them.
func (a *audit) client(c *Client) {
	k := a.logs[c.link.id]
	if c.world == nil || k == nil {
		return
	}
	for g, x := range c.mirror.Store.World {
		a.state(c, k, g, x.First)
		for _, st := range x.Ring {
			a.state(c, k, g, st)
		}
	}
	for _, x := range c.mirror.Store.Own {
		for _, st := range x.Ring {
			a.own(c, st)
		}
	}
	for _, r := range c.mirror.Entities.All() {
		if !k.could(a, r.ID) {
			a.fail("client %d knows the id of entity %d, which it never could see", c.link.id, r.ID)
		}
	}
	for _, id := range c.mirror.Entities.Gone() {
		if !k.could(a, id) {
			a.fail("client %d remembers the id of entity %d, which it never could see", c.link.id, id)
		}
	}
	a.world(c, c.world)
	a.world(c, c.view)
}

// state compares what a client took in with the frame that it is of, word by word.
func (a *audit) state(c *Client, k *clientLog, g int, st *mirror.State) {
	if st == nil {
		return
	}
	f := a.s.snapshots.Frame(st.Send)
	if f == nil || k.sends[st.Send%capture.Kept] != st.Send || g >= len(f.Groups) {
		return // the server no longer knows, or the client was not there
	}
	truth, allowed := &f.Groups[g], k.allowed[st.Send%capture.Kept][g]
	if bad := st.Alive &^ (truth.Alive & allowed); bad != 0 {
		a.fail("client %d has slots %#x of group %d, send %d: they are empty or hidden", c.link.id, bad, g, st.Send)
		return
	}
	for m := st.Known & allowed &^ st.Alive; m != 0; m &= m - 1 {
		// A state to join with tells nothing of slots that were hidden since.
		if i := trailing(m); k.blind[g][i] < st.Send {
			a.fail("client %d believes the slot of entity %d empty, send %d", c.link.id, truth.IDs[i], st.Send)
		}
	}
	if st.Tick != f.Tick {
		a.fail("client %d has tick %d for send %d, it was of tick %d", c.link.id, st.Tick, st.Send, f.Tick)
	}
	a.compared += uint64(bits.OnesCount64(st.Alive))
	for m := st.Alive; m != 0; m &= m - 1 {
		i := trailing(m)
		if st.IDs[i] != truth.IDs[i] || st.Masks[i] != truth.Masks[i] || !slices.Equal(st.Record(i), truth.Record(i)) {
			a.fail("client %d, slot %d of group %d, send %d: entity %d %#x %v is entity %d %#x %v", c.link.id, i, g, st.Send,
				truth.IDs[i], truth.Masks[i], truth.Record(i), st.IDs[i], st.Masks[i], st.Record(i))
		}
	}
}

// own compares own state with what the server captured.
func (a *audit) own(c *Client, st *mirror.State) {
	i := slices.IndexFunc(a.s.sessions.peers, func(p *peer) bool { return p.ID == c.link.id })
	if st == nil || i < 0 {
		return
	}
	groups := a.s.sessions.peers[i].snapshot.OwnState(st.Send)
	if groups == nil {
		return
	}
	for m := st.Alive; m != 0; m &= m - 1 {
		slot := trailing(m)
		truth := findEntity(groups, st.IDs[slot])
		if !slices.Equal(truth, st.Record(slot)) {
			a.fail("client %d: own state of entity %d, send %d: %v is %v", c.link.id, st.IDs[slot], st.Send, truth, st.Record(slot))
		}
	}
}

func findEntity(groups []delta.Group, id uint32) []int32 {
	for g := range groups {
		if k := groups[g].Find(id); k >= 0 {
			return groups[g].Record(k)
		}
	}
	return nil
}

// world looks for entities that were put together from two states, and for what is
// another client's own.
func (a *audit) world(c *Client, w *ecs.World) {
	for e, r := range ecs.All[struct{ Seal seal }](w) {
		id := w.NetID(e)
		if r.Seal != sealed(r.Seal.A) {
			a.fail("client %d: entity %d is torn: %+v", c.link.id, id, r.Seal)
		}
		if x := ecs.Get[echo](w, e); x != nil && x.A != r.Seal.A {
			a.fail("client %d: entity %d is torn: %+v and %+v", c.link.id, id, r.Seal, *x)
		}
	}
	for e, r := range ecs.All[struct{ Chest chest }](w) {
		if r.Chest != (chest{}) && r.Chest.For != c.link.id {
			a.fail("client %d has the chest of client %d, entity %d", c.link.id, r.Chest.For, w.NetID(e))
		}
	}
	for e, r := range ecs.All[struct{ Aim aim }](w) {
		if r.Aim != (aim{}) && r.Aim.For != c.link.id {
			a.fail("client %d has the aim of client %d, entity %d", c.link.id, r.Aim.For, w.NetID(e))
		}
	}
}

// elsewhere reports whether a client may not have heard yet of the slot that an entity
// has moved to.
func (a *audit) elsewhere(c *Client, k *clientLog, id uint32) bool {
	if k.over+mirror.MissSends > c.mirror.Newest.Send {
		return true
	}
	g, slot, ok := a.s.snapshots.Slot(components.NetID(id))
	return ok && (g >= len(c.mirror.Store.World) || c.mirror.Store.World[g].Told[slot] < a.moved[id].send || c.mirror.Newest.Send < a.moved[id].send+mirror.MissSends)
}

// presence checks what a client says of the whereabouts of an entity.
func (a *audit) presence(c *Client, id uint32) {
	k := a.logs[c.link.id]
	if c.world == nil || k == nil {
		return
	}
	p := c.Presence(components.NetID(id))
	died := a.died[id]
	switch {
	case p != NotLoaded && !k.could(a, id):
		a.fail("entity %d is %v to client %d, which never could see it", id, p, c.link.id)
	case p == Destroyed && (died == 0 || died > c.mirror.Newest.Send) && !k.veiled[id] && !a.elsewhere(c, k, id):
		a.fail("entity %d is %v to client %d at send %d, but lives", id, p, c.link.id, c.mirror.Newest.Send)
	case p == OutOfInterest && died == 0 && k.last[id] == a.audited && a.s.config.Visible == nil:
		a.fail("entity %d is %v to client %d, from which nothing is hidden", id, p, c.link.id)
	case p == Present && died != 0 && died <= c.mirror.Newest.Send:
		a.fail("entity %d is %v to client %d at send %d, but died at %d", id, p, c.link.id, c.mirror.Newest.Send, died)
	}
	_, there := c.world.ByNetID(components.NetID(id))
	if there != (p == Present || p == Stale) {
		a.fail("entity %d is %v to client %d, and in its world: %v", id, p, c.link.id, there)
	}
}

// viewAgrees reports an entity that is drawn and does not live, or the reverse.
func viewAgrees(c *Client) error {
	drawn := map[components.NetID]uint64{}
	for t := range c.View().Netcode().Tables {
		for _, id := range t.NetIDs {
			drawn[id] = t.Mask
		}
	}
	for t := range c.World().Netcode().Tables {
		for _, id := range t.NetIDs {
			mask, ok := drawn[id]
			if !ok || mask != t.Mask {
				return fmt.Errorf("entity %d has components %#x, drawn are %#x (drawn at all: %v)", id, t.Mask, mask, ok)
			}
			delete(drawn, id)
		}
	}
	for id := range drawn {
		return fmt.Errorf("entity %d is drawn and does not live", id)
	}
	return nil
}
