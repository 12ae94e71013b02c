package rooms

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// faultyMemory is a store whose answers are sometimes lost, before or after it has done the request.
type faultyMemory struct {
	*TransferMemory
	rng  *rand.Rand
	rate float64
	next *backgroundTasks // that others do between two calls
	busy bool
}

func (f *faultyMemory) fault() bool { return f.rng.Float64() < f.rate }

func (f *faultyMemory) Load(ctx context.Context, transfer uint64) (TransferState, uint64, error) {
	if f.fault() {
		return "", 0, ErrUnavailable
	}
	s, revision, err := f.TransferMemory.Load(ctx, transfer)
	if f.next != nil && !f.busy && f.rng.IntN(2) == 0 {
		f.busy = true
		f.next.flush(ctx)
		f.busy = false
	}
	return s, revision, err
}

func (f *faultyMemory) Save(ctx context.Context, transfer uint64, state TransferState, revision uint64) (bool, error) {
	if f.fault() {
		return false, ErrUnavailable
	}
	saved, err := f.TransferMemory.Save(ctx, transfer, state, revision)
	if f.fault() {
		return false, ErrUnavailable // it was written all the same
	}
	return saved, err
}

// record returns the record of a transfer.
func record(s TransferStore, transfer uint64, local bool) transferRecord {
	return transferRecord{s, transfer, local}
}

// stubRoom is a room of before, with one player.
type stubRoom struct {
	tasks   []func()
	reserve error
	until   time.Time
	sends   int
	gone    bool
	stays   error
	ended   int
}

func (h *stubRoom) betweenTicks(f func()) { h.tasks = append(h.tasks, f) }
func (h *stubRoom) reserveDestination(_ context.Context, a *departingPlayer) error {
	a.until = h.until
	return h.reserve
}
func (h *stubRoom) sendTicket(*departingPlayer) bool          { h.sends++; return h.sends > 1 }
func (h *stubRoom) playerTravelled(*departingPlayer)          { h.gone = true; h.ended++ }
func (h *stubRoom) playerStays(_ *departingPlayer, why error) { h.stays = why; h.ended++ }

// Two rooms, a directory that sometimes fails, and a player who arrives, does not arrive, or turns back at any moment: in the
// end the carried components are in one room, were never in two, and each transfer ends once.
func TestTransfers(t *testing.T) {
	seeds := 3000
	if n, err := strconv.Atoi(os.Getenv("TACTUS_SEEDS")); err == nil {
		seeds = n
	}
	ends := make(map[string]int)
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 1))
		now := birth
		d := &faultyMemory{TransferMemory: new(TransferMemory), rng: rng, rate: 0.3 * rng.Float64()}
		before := &transferService{tasks: newBackgroundTasks()}
		next := &transferService{tasks: newBackgroundTasks()}
		within := rng.IntN(4) == 0
		d.next = next.tasks
		if within {
			next, d.next = before, nil
		}
		store := TransferStore(d)
		if within {
			store = d.TransferMemory
		}
		h := &stubRoom{until: now.Add(15 * time.Second)}
		if rng.IntN(8) == 0 {
			h.reserve = errors.New("full")
		}
		list := newDepartures(before, h)
		a := &departingPlayer{player: 1, record: record(store, seed, within)}
		list.start(a)
		if list.player(1) != a || list.player(2) != nil {
			t.Fatal("it is not on the list")
		}
		var claim *transferClaim
		in, returned, letIn, again := false, false, false, false
		token, seat, often := 15*time.Second, 22*time.Second, 10
		if rng.IntN(4) == 0 { // the clock there is wrong
			token, seat, often = time.Minute, 70*time.Second, 4
		}
		fail := func(what string) {
			t.Fatalf("%s: gone %v, stays %v, let %v, in %v, returned %v; again: TACTUS_SEEDS=%d go test ./systems/rooms -run TestTransfers", what, h.gone, h.stays, letIn, in, returned, seed+1)
		}
		note := record(store, seed, within)
		shows, comes := rng.IntN(4) > 0, rng.IntN(4) > 0
		dies := !shows && rng.IntN(2) == 0 // the process there, before anybody came
		for range 1200 {
			now = now.Add(time.Duration(rng.IntN(200)) * time.Millisecond)
			for _, f := range h.tasks {
				f()
			}
			h.tasks = nil
			list.update(now)
			passed := now.Sub(birth)
			if h.sends > 1 && h.reserve == nil {
				switch {
				case shows && claim == nil && (!returned || h.stays != nil) && passed < token && (often > 4 || passed > 29700*time.Millisecond) && rng.IntN(often) == 0:
					claim, again = next.claim(note), returned
				case claim != nil && comes && !in && (!returned || again) && rng.IntN(5) == 0:
					if yes, decided := claim.granted(); yes && decided {
						in, letIn = true, true
						next.confirm(claim)
					}
				case !dies && !in && !returned && (passed > seat || often > 4 && rng.IntN(100) == 0):
					returned = true // the seat is free, nobody comes any more
					next.giveBack(note)
				}
			}
			if rng.IntN(3) == 0 {
				before.tasks.flush(t.Context())
				next.tasks.flush(t.Context())
			}
			if in && h.stays != nil && !errors.Is(h.stays, ErrTravelLost) {
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
			list.update(now)
			before.tasks.flush(t.Context())
			next.tasks.flush(t.Context())
		}
		switch {
		case h.ended != 1 || list.player(1) != nil:
			fail("it did not end")
		case in != h.gone:
			fail("rooms do not agree")
		case in && h.stays != nil, !in && (h.stays == nil || errors.Is(h.stays, ErrTravelLost)):
			fail("it is in no room, or in two")
		}
		if in {
			ends["went"]++
		} else {
			ends[h.stays.Error()]++
		}
	}
	if seeds >= 3000 {
		for _, why := range []string{"went", "full", ErrTravelExpired.Error(), ErrTravelReturned.Error()} {
			if ends[why] < 20 {
				t.Errorf("%q happened %d times: %v", why, ends[why], ends)
			}
		}
	}
}

// A room that has admitted a player and is never heard of again keeps the components.
func TestTransferLost(t *testing.T) {
	now := birth
	m := new(TransferMemory)
	service := &transferService{tasks: newBackgroundTasks()}
	h := &stubRoom{until: now.Add(15 * time.Second), sends: 1}
	list := newDepartures(service, h)
	a := &departingPlayer{player: 1, record: record(m, 1, false)}
	list.start(a)
	for h.ended == 0 && now.Before(birth.Add(time.Hour)) {
		now = now.Add(time.Second)
		service.tasks.flush(t.Context())
		for _, f := range h.tasks {
			f()
		}
		h.tasks = nil
		list.update(now)
		if now.Sub(birth) == 5*time.Second {
			if yes, decided := service.claim(a.record).granted(); yes || decided {
				t.Fatal("granted before it was written")
			}
		}
	}
	if !errors.Is(h.stays, ErrTravelLost) || now.Sub(birth) < h.until.Add(lateEntry+lostTimeout).Sub(birth) {
		t.Errorf("stays for %v after %v", h.stays, now.Sub(birth))
	}
}

// A room that ends leaves no record of a departing player once the player has entered or was returned.
func TestTransferFromARoomThatEnds(t *testing.T) {
	for _, enters := range []bool{true, false} {
		m := new(TransferMemory)
		service := &transferService{tasks: newBackgroundTasks()}
		list := newDepartures(service, &stubRoom{until: birth.Add(15 * time.Second), sends: 1})
		n := record(m, 1, false)
		list.start(&departingPlayer{player: 1, record: n})
		service.tasks.flush(t.Context())
		claim := service.claim(n)
		service.tasks.flush(t.Context())
		list.abandon()
		service.tasks.flush(t.Context())
		if yes, _ := claim.granted(); !yes || list.player(1) != nil {
			t.Fatal("it is not let in, or on the list of a room that has ended")
		}
		if s, err := n.read(t.Context()); s != transferLet || err != nil {
			t.Fatalf("before it is in, its note says %q, %v", s, err)
		}
		if enters {
			service.confirm(claim)
		} else {
			service.giveBack(n)
		}
		service.tasks.flush(t.Context())
		service.tasks.flush(t.Context())
		if s, err := n.read(t.Context()); s != transferNone || err != nil {
			t.Errorf("enters %v: its note says %q, %v", enters, s, err)
		}
	}
}

// No way leads from one room's states to the other's but those that are written down.
func TestTransferStates(t *testing.T) {
	m := new(TransferMemory)
	all := []TransferState{transferOpen, transferLet, transferEntered, transferBack, transferTaken}
	for i, from := range all {
		for k, to := range all {
			n := record(m, uint64(10*i+k+1), true)
			if saved, err := m.Save(t.Context(), n.transfer, from, 0); err != nil || !saved {
				t.Fatal(saved, err)
			}
			want := map[TransferState][]TransferState{transferLet: {transferOpen}, transferEntered: {transferLet}, transferBack: {transferOpen, transferLet}, transferTaken: {transferOpen, transferBack}}[to]
			got, err := n.move(t.Context(), to, want...)
			leads := from == to
			for _, s := range want {
				leads = leads || s == from
			}
			if err != nil || (got == to) != leads || !leads && got != from {
				t.Errorf("from %s to %s: %s, %v", from, to, got, err)
			}
		}
	}
	if s, err := record(m, 99, true).move(t.Context(), transferLet, transferOpen); s != transferNone || err != nil {
		t.Errorf("without a note: %q, %v", s, err)
	}
}
