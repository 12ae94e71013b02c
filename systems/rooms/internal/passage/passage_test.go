package passage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

var birth = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// faulty is a directory that does not answer now and then, before or after it has done what it was asked.
type faulty struct {
	*ledger.Memory
	rng  *rand.Rand
	rate float64
	next *Errands // that others do between two calls
	busy bool
}

func (f *faulty) fault() bool { return f.rng.Float64() < f.rate }

func (f *faulty) Load(ctx context.Context, key string) (ledger.Record, error) {
	if f.fault() {
		return ledger.Record{}, ledger.ErrUnavailable
	}
	r, err := f.Memory.Load(ctx, key)
	if f.next != nil && !f.busy && f.rng.IntN(2) == 0 {
		f.busy = true
		f.next.Flush(ctx)
		f.busy = false
	}
	return r, err
}

func (f *faulty) Save(ctx context.Context, key string, value []byte, revision uint64, lease time.Duration) (uint64, error) {
	if f.fault() {
		return 0, ledger.ErrUnavailable
	}
	n, err := f.Memory.Save(ctx, key, value, revision, lease)
	if f.fault() {
		return 0, ledger.ErrUnavailable // it was written all the same
	}
	return n, err
}

// house is a room of before, with one player.
type house struct {
	tasks   []func()
	reserve error
	until   time.Time
	sends   int
	gone    bool
	stays   error
	ended   int
}

func (h *house) Tell(f func()) { h.tasks = append(h.tasks, f) }
func (h *house) Reserve(_ context.Context, a *Away) error {
	a.Until = h.until
	return h.reserve
}
func (h *house) Send(*Away) bool          { h.sends++; return h.sends > 1 }
func (h *house) Gone(*Away)               { h.gone = true; h.ended++ }
func (h *house) Stays(_ *Away, why error) { h.stays = why; h.ended++ }

// Two rooms, a directory that fails now and then, and a player who comes, does not come, or turns back at any moment: in the end what
// it carries is in one room, and never was in two, and each passage ends once.
func TestPassages(t *testing.T) {
	seeds := 3000
	if n, err := strconv.Atoi(os.Getenv("TACTUS_SEEDS")); err == nil {
		seeds = n
	}
	ends := make(map[string]int)
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 1))
		now := birth
		d := &faulty{Memory: ledger.NewMemory(func() time.Time { return now }), rng: rng, rate: 0.3 * rng.Float64()}
		before := &Desk{Errands: NewErrands(), Memory: ledger.NewMemory(func() time.Time { return now }), Directory: d, Lease: time.Hour}
		next := &Desk{Errands: NewErrands(), Memory: before.Memory, Directory: d, Lease: time.Hour}
		within := rng.IntN(4) == 0
		d.next = next.Errands
		if within {
			next, d.next = before, nil
		}
		h := &house{until: now.Add(15 * time.Second)}
		if rng.IntN(8) == 0 {
			h.reserve = errors.New("full")
		}
		list := NewList(before, h)
		a := &Away{Player: 1, Note: before.Note(seed, within)}
		list.Depart(a)
		if list.Of(1) != a || list.Of(2) != nil {
			t.Fatal("it is not on the list")
		}
		var claim *Claim
		in, returned, letIn, again := false, false, false, false
		token, seat, often := 15*time.Second, 22*time.Second, 10
		if rng.IntN(4) == 0 { // the clock there is wrong
			token, seat, often = time.Minute, 70*time.Second, 4
		}
		fail := func(what string) {
			t.Fatalf("%s: gone %v, stays %v, let %v, in %v, returned %v; again: TACTUS_SEEDS=%d go test ./systems/rooms/internal/passage", what, h.gone, h.stays, letIn, in, returned, seed+1)
		}
		note := next.Note(seed, within)
		knocks, comes := rng.IntN(4) > 0, rng.IntN(4) > 0
		dies := !knocks && rng.IntN(2) == 0 // the process there, before anybody came
		for range 1200 {
			now = now.Add(time.Duration(rng.IntN(200)) * time.Millisecond)
			for _, f := range h.tasks {
				f()
			}
			h.tasks = nil
			list.Turn(now)
			passed := now.Sub(birth)
			if h.sends > 1 && h.reserve == nil {
				switch {
				case knocks && claim == nil && (!returned || h.stays != nil) && passed < token && (often > 4 || passed > 29700*time.Millisecond) && rng.IntN(often) == 0:
					claim, again = next.Knock(note), returned
				case claim != nil && comes && !in && (!returned || again) && rng.IntN(5) == 0:
					if yes, decided := claim.Granted(); yes && decided {
						in, letIn = true, true
						next.Enter(claim)
					}
				case !dies && !in && !returned && (passed > seat || often > 4 && rng.IntN(100) == 0):
					returned = true // the seat is free, nobody comes any more
					next.Return(note)
				}
			}
			if rng.IntN(3) == 0 {
				before.Errands.Flush(t.Context())
				next.Errands.Flush(t.Context())
			}
			if in && h.stays != nil && !errors.Is(h.stays, ErrLost) {
				fail("it is in two rooms")
			}
			if h.gone && !in {
				fail("it is in none")
			}
			if h.ended > 1 {
				fail("it ended twice")
			}
		}
		d.rate = 0
		for range 200 {
			now = now.Add(time.Second)
			for _, f := range h.tasks {
				f()
			}
			h.tasks = nil
			list.Turn(now)
			before.Errands.Flush(t.Context())
			next.Errands.Flush(t.Context())
		}
		switch {
		case h.ended != 1 || list.Of(1) != nil:
			fail("it did not end")
		case in != h.gone:
			fail("rooms do not agree")
		case in && h.stays != nil, !in && (h.stays == nil || errors.Is(h.stays, ErrLost)):
			fail("it is in no room, or in two")
		}
		if in {
			ends["went"]++
		} else {
			ends[h.stays.Error()]++
		}
	}
	if seeds >= 3000 {
		for _, why := range []string{"went", "full", ErrExpired.Error(), ErrReturned.Error()} {
			if ends[why] < 20 {
				t.Errorf("%q happened %d times: %v", why, ends[why], ends)
			}
		}
	}
}

// A room that has let somebody in and is never heard of again keeps what it has.
func TestPassageLost(t *testing.T) {
	now := birth
	m := ledger.NewMemory(func() time.Time { return now })
	desk := &Desk{Errands: NewErrands(), Memory: m, Directory: m, Lease: time.Hour}
	h := &house{until: now.Add(15 * time.Second), sends: 1}
	list := NewList(desk, h)
	a := &Away{Player: 1, Note: desk.Note(1, false)}
	list.Depart(a)
	for h.ended == 0 && now.Before(birth.Add(time.Hour)) {
		now = now.Add(time.Second)
		desk.Errands.Flush(t.Context())
		for _, f := range h.tasks {
			f()
		}
		h.tasks = nil
		list.Turn(now)
		if now.Sub(birth) == 5*time.Second {
			if yes, decided := desk.Knock(a.Note).Granted(); yes || decided {
				t.Fatal("granted before it was written")
			}
		}
	}
	if !errors.Is(h.stays, ErrLost) || now.Sub(birth) < h.until.Add(late+lost).Sub(birth) {
		t.Errorf("stays for %v after %v", h.stays, now.Sub(birth))
	}
}

// A room that ends leaves no note behind of who was on the way from it, once that one is in or is given back.
func TestPassageOfARoomThatEnds(t *testing.T) {
	for _, enters := range []bool{true, false} {
		m := ledger.NewMemory(func() time.Time { return birth })
		desk := &Desk{Errands: NewErrands(), Memory: m, Directory: m, Lease: time.Hour}
		list := NewList(desk, &house{until: birth.Add(15 * time.Second), sends: 1})
		n := desk.Note(1, false)
		list.Depart(&Away{Player: 1, Note: n})
		desk.Errands.Flush(t.Context())
		claim := desk.Knock(n)
		desk.Errands.Flush(t.Context())
		list.End()
		desk.Errands.Flush(t.Context())
		if yes, _ := claim.Granted(); !yes || list.Of(1) != nil {
			t.Fatal("it is not let in, or on the list of a room that has ended")
		}
		if s, err := n.Read(t.Context()); s != Let || err != nil {
			t.Fatalf("before it is in, its note says %q, %v", s, err)
		}
		if enters {
			desk.Enter(claim)
		} else {
			desk.Return(n)
		}
		desk.Errands.Flush(t.Context())
		desk.Errands.Flush(t.Context())
		if s, err := n.Read(t.Context()); s != None || err != nil {
			t.Errorf("enters %v: its note says %q, %v", enters, s, err)
		}
	}
}

// No way leads from one room's states to the other's but those that are written down.
func TestStates(t *testing.T) {
	m := ledger.NewMemory(func() time.Time { return birth })
	all := []State{Open, Let, Entered, Back, Taken}
	for i, from := range all {
		for _, to := range all {
			n := Note{m, fmt.Sprint(Prefix, i, to), time.Hour}
			if _, err := m.Save(t.Context(), n.Key, []byte(from), 0, 0); err != nil {
				t.Fatal(err)
			}
			want := map[State][]State{Let: {Open}, Entered: {Let}, Back: {Open, Let}, Taken: {Open, Back}}[to]
			got, err := n.Move(t.Context(), to, want...)
			leads := from == to
			for _, s := range want {
				leads = leads || s == from
			}
			if err != nil || (got == to) != leads || !leads && got != from {
				t.Errorf("from %s to %s: %s, %v", from, to, got, err)
			}
		}
	}
	if s, err := (Note{m, "travel.none", 0}).Move(t.Context(), Let, Open); s != None || err != nil {
		t.Errorf("without a note: %q, %v", s, err)
	}
}
