package snapshot

import (
	"slices"
	"sort"

	"github.com/tactusgo/tactus/internal/frames"
)

// Stage 3: what a client holds of a view, and which of it is the baseline of its next snapshot.

// maxAge returns the maximum age of a baseline of the world, in sends.
func (s *System) maxAge() uint32 { return uint32(frames.Kept(s.config.SendRate)) }

// ages are the preferred ages of baselines, in sends, youngest first. The list is short: clients with different acknowledgements
// then often use the same baseline and share encoded blocks. A client without a baseline of these ages uses any other.
var ages = [...]uint32{1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 120}

// held is what a client holds of a view.
type held struct {
	sends   []sentSend // a ring
	recent  *recent    // of the client
	whole   uint32     // newest acknowledged send with the whole view; 0: none
	told    uint32     // newest send whose whole view was sent, acknowledged or not; 0: none
	part    uint32     // newest send with a part of the view; 0: none
	dropped uint32     // nothing is known about members in parts that were sent before this send
	oldest  uint32     // oldest send that a member needs as a baseline; 0: none but whole
	joined  *joined    // the kept send with which the client joined, while it is a baseline
	lost    bool       // the client may keep an entity that is gone: it must receive the whole view again
	perSize float32    // average bytes of a member in snapshots that did not hold everything; 0: the newest one did
	members []partial
	ranked  uint32 // newest send of which the members have records
}

// recent holds the sends of the newest snapshots of a client. Snapshots are counted, as there may be sends without one.
type recent struct {
	count uint32     // of the newest
	sends [64]uint32 // by count
}

// add adds a snapshot.
func (r *recent) add(send uint32) {
	r.count++
	r.sends[r.count%64] = send
}

// before returns the send of the i-th snapshot before the newest, i below 63; 0: there was none.
func (r *recent) before(i int) uint32 { return r.sends[(r.count-1-uint32(i))%64] }

// from returns the bits of the snapshots before the newest that are of a send or of a later one, bit i for before(i).
func (r *recent) from(send uint32) uint64 {
	n := sort.Search(lastBit, func(i int) bool { return r.before(i) < send })
	return 1<<n - 1
}

// countOf returns the count of the snapshot of a send. It returns false if there was none, or not recently.
func (r *recent) countOf(send uint32) (count uint32, ok bool) {
	for i, x := range r.sends {
		if x == send && x != 0 {
			return r.count - (r.count-uint32(i))%64, true
		}
	}
	return 0, false
}

// sentSend describes the snapshot of one send.
type sentSend struct {
	send  uint32
	open  int16  // datagrams with members that are not acknowledged
	whole bool   // it contained the whole view
	hash  uint64 // of its members, if it did not
}

// joined is the kept send that a client holds.
type joined struct {
	*kept
	late []uint32 // ids of members that were left out, ascending
}

// partial is what a client that is sent parts of its view keeps about a member.
type partial struct {
	id, since uint32
	at        uint32 // newest send of a part with the member; 0: none
	from      uint32 // send from which it waits: the newest that the client holds with it, or that with which it came into sight
	parts     uint64 // bit i: the i-th snapshot of the client before that of send at contained the member
	count     uint32 // the count of that snapshot, see recent
	misfit    uint8  // low bits of the send at which it fitted no snapshot of the client, but not 0; 0: none
	level     uint8  // its priority, see levelOf
	held      bool   // the client has acknowledged it
	told      bool   // the client has acknowledged that it is out of sight
}

// of returns what the snapshot of a send contained, or nil if that is no longer kept.
func (h *held) of(send uint32) *sentSend {
	if s := h.place(send); s.send == send && send != 0 {
		return s
	}
	return nil
}

// place returns the place of a send.
func (h *held) place(send uint32) *sentSend { return &h.sends[send%uint32(len(h.sends))] }

// holdsWhole reports whether the client holds the whole view of a send.
func (h *held) holdsWhole(send uint32) bool {
	if h.isJoined(send) {
		return true
	}
	s := h.of(send)
	return s != nil && s.open == 0 && s.whole
}

// holdsPart reports whether the client holds the part of the view that was sent at a send.
func (h *held) holdsPart(send uint32) bool {
	s := h.of(send)
	return s != nil && s.open == 0 && !s.whole && send > h.dropped
}

// skips reports whether a member was in sight at a send, but is missing from the view of that send that the client holds.
func (h *held) skips(m *member, send uint32) bool {
	return h.isJoined(send) && slices.Contains(h.joined.late, m.id)
}

// lateHash returns a hash of the members that skips reports for a send.
func (h *held) lateHash(send uint32) (hash uint64) {
	if h.isJoined(send) {
		for _, id := range h.joined.late {
			hash = mix(hash, uint64(id)+1)
		}
	}
	return hash
}

// acked records that the client acknowledged a datagram of a send with members. It reports whether the client now holds the
// whole view of that send.
func (h *held) acked(send uint32) (whole bool) {
	s := h.of(send)
	if s == nil || s.open == 0 {
		return false
	}
	if s.open--; s.open > 0 || !s.whole {
		return false
	}
	h.hold(send)
	return true
}

// hold records that the client holds the whole view of a send.
func (h *held) hold(send uint32) {
	if h.whole = max(h.whole, send); h.whole > h.part {
		clear(h.members)
		h.dropped = h.whole
		h.members, h.ranked, h.part, h.oldest, h.perSize = h.members[:0], 0, 0, 0, 0
	}
	for i := range h.members {
		p := &h.members[i]
		p.held = p.held || p.since <= h.whole
	}
}

// oldestNeeded returns the oldest send, up to the given one, that later snapshots need as a baseline.
func (h *held) oldestNeeded(send uint32) uint32 {
	if h.whole != 0 {
		send = min(send, h.whole)
	}
	if h.oldest != 0 {
		send = min(send, h.oldest)
	}
	return send
}

// forget records that the client holds nothing.
func (h *held) forget() {
	clear(h.sends)
	*h = held{sends: h.sends, recent: h.recent}
}

// wholeServes reports whether the newest whole view that the client holds can be a baseline of a send. A kept send is one at any
// age.
func (h *held) wholeServes(send, floor, oldest uint32) bool {
	return h.whole != 0 && h.whole >= floor && (send-h.whole <= oldest || h.isJoined(h.whole))
}

// isJoined reports whether a send is the kept send with which the client joined, and a baseline.
func (h *held) isJoined(send uint32) bool { return h.joined != nil && h.joined.send == send }

// choose returns the age of the youngest send of which the client holds the whole view, 0 for none, and whether the send that many
// sends before it is a baseline too; 0: there is no second baseline. For one it accepts a somewhat greater age.
func (h *held) choose(send, floor, oldest, before uint32) (age uint32, two bool) {
	for _, a := range ages {
		if a > oldest || a >= send || send-a < floor {
			break
		}
		if !h.holdsWhole(send - a) {
			continue
		}
		switch pair := before > 0 && a+before <= oldest && send-a >= floor+before && h.pairs(send-a, before); {
		case age == 0:
			age, two = a, pair
		case pair && !two && a <= 2*age+2:
			age, two = a, true
		}
		if two || before == 0 {
			return age, two
		}
	}
	if age == 0 && h.wholeServes(send, floor, oldest) {
		age = send - h.whole
	}
	return age, two
}

// pairs reports whether a send and the one that many sends before it can be baselines together.
func (h *held) pairs(send, before uint32) bool {
	return h.holdsWhole(send-before) && !h.isJoined(send) && !h.isJoined(send-before)
}

// records returns the records about the members of a view at a send, by index.
func (h *held) records(v *view, send uint32) []partial {
	if n := v.indexes; n > len(h.members) {
		h.members = slices.Grow(h.members, n-len(h.members))[:n]
	}
	if v.entered > h.ranked {
		for i := range v.members {
			if m := &v.members[i]; m.since > h.ranked {
				h.startRecord(m)
			}
		}
	}
	h.ranked = send
	return h.members
}

// startRecord makes the record with the index of a member a record about it.
func (h *held) startRecord(m *member) {
	p := partial{id: m.id, since: m.since, from: max(m.since, h.whole), level: evenLevel, held: m.since <= h.whole}
	// Otherwise an entity whose components change often would never have its turn.
	if i := int(m.before) - 1; i >= 0 && i < len(h.members) && h.members[i].id == m.id {
		old := &h.members[i]
		p.from, p.level = max(old.from, old.at), old.level
	}
	h.members[m.index] = p
}

// waited returns the number of sends for which a member has waited. A send from which no acknowledgement can have arrived yet, within
// wait sends, counts as received.
func (p *partial) waited(send, wait uint32) uint32 {
	at := p.at
	if send-at > wait {
		at = 0
	}
	return send - max(at, p.from)
}

// find returns the record about a member, nil if there is none.
func (h *held) find(m *member) *partial {
	if int(m.index) < len(h.members) && m.since <= h.ranked {
		return &h.members[m.index]
	}
	return nil
}

// inPart reports whether the part of a send contained a member, in sight or as gone. Without a record it did not. count is that of the
// snapshot of the send.
func (p *partial) inPart(send, count uint32) bool {
	return p != nil && p.at >= send && p.parts>>(p.count-count)&1 != 0 // a shift by 64 or more leaves nothing
}

// sent records that a part of a send, the snapshot with a count, contains the member.
func (p *partial) sent(send, count uint32) {
	p.parts = p.parts<<(count-p.count) | 1
	p.at, p.count = send, count
}

// inSnapshot reports whether the snapshot of a send contains a member in sight.
func (h *held) inSnapshot(m *member, send uint32) bool {
	s := h.of(send)
	if s == nil {
		return h.isJoined(send) && m.in(send) && !h.skips(m, send)
	}
	count, ok := h.recent.countOf(send)
	return m.in(send) && (s.whole || ok && h.find(m).inPart(send, count))
}

// newestHeld returns the newest send of which the client holds a member, 0 for none.
func (h *held) newestHeld(m *member) (newest uint32) {
	for i := range h.sends {
		if s := &h.sends[i]; s.send > newest && s.open == 0 && h.inSnapshot(m, s.send) {
			newest = s.send
		}
	}
	if j := h.joined; newest == 0 && j != nil && m.in(j.send) && !h.skips(m, j.send) {
		newest = j.send
	}
	return newest
}

// newestSent returns the newest send that contained a member, at least held, and the number of sends with the member that are newer
// than held and not acknowledged.
func (h *held) newestSent(m *member, held uint32) (newest uint32, open int) {
	newest = held
	for i := range h.sends {
		if s := &h.sends[i]; s.send > held && h.inSnapshot(m, s.send) {
			newest = max(newest, s.send)
			if s.open > 0 {
				open++
			}
		}
	}
	return newest, open
}
