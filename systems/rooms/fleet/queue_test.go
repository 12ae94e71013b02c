package fleet_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
)

// waiters is the queue of a fleet, as each of its processes has it.
type waiters struct {
	*testbed
	queues map[string]match.Waitlist // by process; what is not there does not run
	ran    map[string]time.Time      // when each last ran
}

func newWaiters(f *testbed) *waiters {
	x := &waiters{f, make(map[string]match.Waitlist), make(map[string]time.Time)}
	for _, m := range f.members {
		x.queues[m.name] = m.fleet.Queue(match.Config{Match: match.Rules{Least: 2, Patience: -1}.Match})
	}
	return x
}

// enter makes a player wait at a process.
func (x *waiters) enter(process string, w match.Wish) *match.Wait {
	x.t.Helper()
	w.Kind = "field"
	wait, err := x.queues[process].Enter(x.now, w)
	if err != nil {
		x.t.Fatal(err)
	}
	return wait
}

// until runs the queues for so long, or until a request has its answer.
func (x *waiters) until(d time.Duration, w *match.Wait) (a match.Answer, answered bool) {
	x.t.Helper()
	for end := x.now.Add(d); x.now.Before(end); x.testbed.run(200 * time.Millisecond) {
		for _, m := range x.members {
			if q := x.queues[m.name]; q != nil && x.now.Sub(x.ran[m.name]) >= q.Interval() {
				x.ran[m.name] = x.now
				if _, err := x.end(x.start(func(ctx context.Context) ([]rooms.Admission, error) { return nil, q.Run(ctx, x.now) })); err != nil {
					x.t.Fatal(err)
				}
			}
		}
		select {
		case a := <-w.Answer():
			return a, true
		default:
		}
	}
	return a, false
}

// seated waits for the seat of a player, which it enters.
func (x *waiters) seated(w *match.Wait) rooms.Admission {
	x.t.Helper()
	a, ok := x.until(30*time.Second, w)
	if !ok || a.Err != nil {
		x.t.Fatalf("answered: %v, with %v", ok, a.Err)
	}
	x.play(a.Admission)
	return a.Admission
}

// kill ends a process.
func (x *waiters) kill(process string) {
	for _, m := range x.members {
		if m.name == process {
			m.stopped = true
		}
	}
	delete(x.queues, process)
}

// The members of a party that ask different processes get seats in one room, and so do strangers. That is so, too, when the
// process that matches dies while they wait.
func TestQueueOfFleet(t *testing.T) {
	for name, kill := range map[string]bool{"all live": false, "the matcher dies": true} {
		t.Run(name, func(t *testing.T) {
			f, _ := three(t)
			x := newWaiters(f)
			leaver := x.enter("a", match.Wish{Player: rooms.Player{ID: 9}})
			if a, ok := x.until(2*time.Second, leaver); ok { // so this process matches
				t.Fatalf("one of two has an answer: %+v", a)
			}
			first := x.enter("b", match.Wish{Player: rooms.Player{ID: 1, Party: 7, Data: []byte("Ada")}, Size: 2})
			if a, ok := x.until(2*time.Second, first); ok {
				t.Fatalf("half a party has an answer: %+v", a)
			}
			if n := x.queues["b"].Len(); n != 2 {
				t.Errorf("%d wait, want 2", n)
			}
			x.queues["a"].Leave(leaver)
			x.until(400*time.Millisecond, first) // its ticket is removed
			if kill {
				x.kill("a")
			}
			second := x.enter("c", match.Wish{Player: rooms.Player{ID: 2, Party: 7}, Size: 2})
			one, two := x.seated(first), x.seated(second)
			if one.Seat.Room != two.Seat.Room || one.Seat.Party != 7 || string(one.Seat.Data) != "Ada" {
				t.Errorf("%+v and %+v", one.Seat, two.Seat)
			}
			begun := f.now
			third, fourth := x.enter("c", match.Wish{Player: rooms.Player{ID: 3}}), x.enter("b", match.Wish{Player: rooms.Player{ID: 4}})
			if a, b := x.seated(third), x.seated(fourth); a.Seat.Room != one.Seat.Room || b.Seat.Room != one.Seat.Room {
				t.Errorf("they do not fill the open room: %+v, %+v", a.Seat, b.Seat)
			}
			if took := f.now.Sub(begun); took > 5*time.Second {
				t.Errorf("two strangers have waited for %v", took)
			}
			x.until(35*time.Second, first)
			for _, prefix := range []string{"matching."} {
				if left, err := f.store.List(t.Context(), prefix); err != nil || len(left) > 0 {
					t.Errorf("%s: %d records are left, %v", prefix, len(left), err)
				}
			}
			for name, q := range x.queues {
				if q.Busy() || q.Len() > 0 {
					t.Errorf("%s: %d wait", name, q.Len())
				}
			}
		})
	}
}

// A player who asks another process, at once or when told to ask again, keeps its place. Its first request is answered as
// superseded.
func TestQueueElsewhereAgain(t *testing.T) {
	f, _ := three(t)
	x := newWaiters(f)
	first := x.enter("a", match.Wish{Player: rooms.Player{ID: 1}})
	x.until(2*time.Second, first)
	if a, b := x.queues["a"].Here(), x.queues["b"].Here(); a != 1 || b != 0 {
		t.Errorf("%d wait here, %d elsewhere", a, b)
	}
	second := x.enter("b", match.Wish{Player: rooms.Player{ID: 1}})
	if a, ok := x.until(2*time.Second, first); !ok || !errors.Is(a.Err, match.ErrSuperseded) {
		t.Errorf("answered: %v, %+v", ok, a)
	}
	if !x.queues["b"].Pause(f.now, second) {
		t.Error("it has an answer")
	}
	alone := x.enter("c", match.Wish{Player: rooms.Player{ID: 2}})
	if a, ok := x.until(3*time.Second, alone); ok {
		t.Fatalf("it plays with who was told to ask again: %+v", a)
	}
	third := x.enter("a", match.Wish{Player: rooms.Player{ID: 1}})
	if a, b := x.seated(third), x.seated(alone); a.Seat.Room != b.Seat.Room {
		t.Errorf("%+v and %+v", a.Seat, b.Seat)
	}
	// A player who does not ask again has left the queue.
	gone := x.enter("b", match.Wish{Player: rooms.Player{ID: 3}})
	x.until(time.Second, gone)
	x.queues["b"].Pause(f.now, gone)
	x.until(7*time.Second, gone)
	if n := x.queues["b"].Len(); n != 0 {
		t.Errorf("%d wait", n)
	}
	// Members of a party that do not ask for the same are told so, wherever they ask.
	x.enter("a", match.Wish{Player: rooms.Player{ID: 4, Party: 8}, Size: 2})
	odd := x.enter("b", match.Wish{Player: rooms.Player{ID: 5, Party: 8}, Size: 3})
	if a, ok := x.until(5*time.Second, odd); !ok || !errors.Is(a.Err, match.ErrParty) {
		t.Errorf("answered: %v, %+v", ok, a)
	}
}

// A process with another key matches its own players alone, although its queue is in the same directory: players of the others
// have no use for a seat there.
func TestQueueOfAnotherKey(t *testing.T) {
	f, _ := three(t)
	f.key = netcode.GenerateKey(f.random)
	f.add("foreign", fields(4))
	f.run(2 * time.Second)
	x := newWaiters(f)
	stranger := x.enter("foreign", match.Wish{Player: rooms.Player{ID: 9}})
	if a, ok := x.until(2*time.Second, stranger); ok { // so this process matches
		t.Fatalf("one of two has an answer: %+v", a)
	}
	first := x.enter("a", match.Wish{Player: rooms.Player{ID: 1, Party: 7}, Size: 2})
	second := x.enter("b", match.Wish{Player: rooms.Player{ID: 2, Party: 7}, Size: 2})
	if one, two := x.seated(first), x.seated(second); one.Seat.Room != two.Seat.Room || one.Process == "foreign" {
		t.Errorf("%+v of %s and %+v", one.Seat, one.Process, two.Seat)
	}
	if a, ok := x.until(2*time.Second, stranger); ok {
		t.Errorf("the player of the other key has an answer: %+v", a)
	}
}

// If a process learns too late that its player was matched, the seat is no longer promised. The player gets another seat in
// the same room, with the rest of its party.
func TestQueueHeardLate(t *testing.T) {
	f := newTestbed(t, 1)
	for _, name := range []string{"a", "b"} {
		c := fields(4)
		c.Promise = 3 * time.Second
		f.add(name, c)
	}
	f.run(2 * time.Second)
	x := newWaiters(f)
	first := x.enter("a", match.Wish{Player: rooms.Player{ID: 1, Party: 7}, Size: 2})
	second := x.enter("b", match.Wish{Player: rooms.Player{ID: 2, Party: 7}, Size: 2})
	x.until(400*time.Millisecond, second) // both are in the directory, and the first process matches
	late := x.queues["b"]
	delete(x.queues, "b")
	one := x.seated(first)
	f.run(5 * time.Second)
	x.queues["b"] = late
	if two := x.seated(second); two.Seat.Room != one.Seat.Room {
		t.Errorf("%+v and %+v", one.Seat, two.Seat)
	}
}

// The number of players who wait does not matter for the directory: each second there is a write of the process that matches,
// and a request of each other one.
func TestQueueOfThousands(t *testing.T) {
	f, _ := three(t)
	x := newWaiters(f)
	for _, m := range f.members {
		x.queues[m.name] = m.fleet.Queue(match.Config{Match: func(match.Input) []match.Group { return nil }})
	}
	var last *match.Wait
	for id := range uint64(3000) {
		last = x.enter(string("abc"[id%3]), match.Wish{Player: rooms.Player{ID: id + 1}})
	}
	x.until(4*time.Second, last)
	const seconds = 8
	f.store.queued, f.store.asked = 0, 0
	x.until(seconds*time.Second, last)
	if f.store.queued > 2*seconds || f.store.asked > 3*seconds {
		t.Errorf("%d writes and %d requests in %d s", f.store.queued, f.store.asked, seconds)
	}
	for _, name := range []string{"a", "b", "c"} {
		if q := x.queues[name]; q.Len() != 3000 || q.Here() != 1000 {
			t.Errorf("%s: %d wait, %d of them here", name, q.Len(), q.Here())
		}
	}
}
