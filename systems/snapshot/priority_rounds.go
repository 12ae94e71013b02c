package snapshot

import (
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/reuse"
)

// All clients visit the groups in the same order. Each send advances the shared position by the average number of
// groups that fitted per client. Clients therefore send the same groups at the same send, from baselines of the same
// ages, and share blocks. A client with less room omits groups that have waited fewer rounds than others; a client
// with more room goes ahead, by at most an eighth of a round before it repeats a group. A group of class n is due
// every 2^n-th round, in the same rounds for all clients: see interest.Client.Class. Groups that
// the client holds unchanged come last, until they are due to be refreshed.

// rounds is the shared position of all clients in the list of groups.
type rounds struct {
	send    uint32   // send of the fields below; 0: everything fitted at the previous send
	at      uint32   // next group
	began   uint32   // send at which the current round began
	count   uint32   // completed rounds
	length  float32  // duration of the last round in sends, at least 1
	changed []uint32 // by group: newest send whose state differs from the send before
}

// startSend finds the groups that have changed. If on is false, no client needs the rounds, and startSend resets them.
func (t *rounds) startSend(f, before *capture.Frame, on bool) {
	if !on {
		t.send = 0
		return
	}
	t.changed = reuse.Longer(t.changed, len(f.Groups))
	for g := range t.changed {
		if t.send == 0 || before == nil || before.Send != t.send || g >= len(before.Groups) || !sameEntities(&f.Groups[g], &before.Groups[g]) {
			t.changed[g] = f.Send
		}
	}
	if t.send == 0 {
		t.began, t.length = f.Send, 1
	}
	t.send = f.Send
}

// sameEntities reports whether two states of a group have the same entities in the same state.
func sameEntities(a, b *delta.Group) bool {
	if a.Alive != b.Alive || !slices.Equal(a.Words, b.Words) {
		return false
	}
	for m := a.Alive; m != 0; m &= m - 1 {
		if k := bits.TrailingZeros64(m); a.IDs[k] != b.IDs[k] || a.Masks[k] != b.Masks[k] {
			return false
		}
	}
	return true
}

// advance moves the position by the average number of groups that the clients reached.
func (t *rounds) advance(p progress, groups int) {
	if p.clients == 0 || groups == 0 || t.send == 0 {
		return
	}
	n := uint32(groups)
	t.at += uint32(min(max(p.groups/p.clients, 1), uint64(n)))
	if t.at >= n {
		t.at %= n
		t.length, t.began = float32(max(t.send-t.began, 1)), t.send
		t.count++
	}
	// The current round may take much longer than the last.
	t.length = max(t.length, float32(t.send-t.began))
}

// waited returns the number of rounds that a group of a weight has waited. Nearly a whole round counts as one.
func (t *rounds) waited(accumulated, weight float32) uint64 {
	return uint64(min(accumulated/t.length+weight/8, maxRounds))
}

// until returns the number of rounds after the coming visit until a group of a class is due.
func (t *rounds) until(place uint32, class uint8) uint32 {
	round := t.count
	if place < t.at {
		round++
	}
	return -(round + place) & (1<<class - 1)
}

// turn returns the turn of a group with an accumulated priority.
func (t *rounds) turn(accumulated, weight float32, class uint8, group, groups uint32) turn {
	waited, distance := t.waited(accumulated, weight), group-t.at
	if group < t.at {
		distance += groups
	}
	if class > 0 && waited == 0 {
		if later := t.until(group, class); later > 0 {
			distance += later * groups
		} else {
			waited = min(t.waited(accumulated/weight, 1), 1)
		}
	}
	return newTurn(waited, uint64(min(distance, 1<<turnDistance-1)), group)
}

// maxRounds is the maximum number of waited rounds that a turn counts.
const maxRounds = 62

// progress counts the groups that the clients reached at a send.
type progress struct {
	groups  uint64 // sum over clients
	clients uint64 // clients whose snapshot did not hold everything
}

// turn is the sort key of a group: the rounds that it has waited, then its distance from the shared position. The smallest
// turn is first.
type turn uint64

const (
	turnNumber   = 20 // bits of the group's number for the client
	turnDistance = 24 // bits of the distance
)

func newTurn(waited, distance uint64, number uint32) turn {
	return turn((maxRounds-waited)<<(turnNumber+turnDistance) | distance<<turnNumber | uint64(number))
}

func (t turn) number() uint32   { return uint32(t & (1<<turnNumber - 1)) }
func (t turn) distance() uint64 { return uint64(t>>turnNumber) & (1<<turnDistance - 1) }
func (t turn) due() bool        { return t>>(turnNumber+turnDistance) < maxRounds }

// unchanged marks groups whose current state the client has. All other groups go first.
const unchanged turn = 1 << 63

// countProgress counts the groups that the client reached, up to the first group that was due and did not fit.
func (d *draft) countProgress(src *source) {
	far := uint64(len(src.groups))
	for i := range d.ranking.candidates {
		u := &d.ranking.candidates[i]
		if t := turn(u.order); !u.sent && t&unchanged == 0 && t.due() {
			far = min(far, t.distance())
		}
	}
	d.notes.progress.groups += far
	d.notes.progress.clients++
}
