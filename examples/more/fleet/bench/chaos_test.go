package main

import (
	"io"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/bench/rooms/crowd"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

// TestMain is a process with rooms, too, where the tests start one.
func TestMain(m *testing.M) {
	if os.Getenv(directoryURL) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A seed gives a schedule: no process gets a fault while it is down, one process gets none, and all faults end a lease before
// the end.
func TestSchedule(t *testing.T) {
	kills, short, long := 0, 0, 0
	for seed := range uint64(50) {
		o := options{Options: crowd.Options{Seconds: 60}, processes: 4, kills: 4, pauses: 4, seed: seed}
		all := schedule(o)
		if !reflect.DeepEqual(all, schedule(o)) {
			t.Fatalf("seed %d: twice the same is not the same", seed)
		}
		for i, s := range all {
			down := map[int]bool{s.who: true}
			for _, before := range all[:i] {
				if before.at > s.at {
					t.Fatalf("seed %d: %v after %v", seed, s, before)
				}
				if before.at+max(before.pause, restart) > s.at {
					if before.who == s.who {
						t.Errorf("seed %d: %v strikes whom %v has struck", seed, s, before)
					}
					down[before.who] = true
				}
			}
			if len(down) == o.processes {
				t.Errorf("seed %d: nobody is left when %v", seed, s)
			}
			if s.at < calm || s.at > 50*time.Second {
				t.Errorf("seed %d: %v is too early or too late", seed, s)
			}
			switch {
			case s.pause == 0:
				kills++
			case s.pause > fleet.ProcessLease:
				long++
			default:
				short++
			}
		}
	}
	if kills == 0 || short == 0 || long == 0 {
		t.Errorf("%d kills, %d short pauses, %d long ones", kills, short, long)
	}
}

// Four processes are killed and paused while players compete for seats: no room has two owners, no seat has two players, and a
// player who loses a seat has one again when the lease has expired.
func TestStorm(t *testing.T) {
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("takes a minute and as many processors as there are: set TACTUS_LONG=1")
	}
	o := options{Options: crowd.Options{Rooms: 20, Players: 4, Hz: 20, Seconds: 45, Joins: 200}, processes: 4, kills: 3, pauses: 2, seed: 1}
	r, err := measure(o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	x := r.(*trial)
	t.Logf("%+v", *x.Storm)
	if x.Kills == 0 || x.Pauses == 0 || x.Beliefs == 0 || x.Storm.Lost == 0 || x.Back != x.Storm.Lost || x.Storm.Away != 0 {
		t.Errorf("nothing has happened, or somebody is still away: %+v", *x)
	}
	if x.Twice != 0 || x.Lost != 0 || x.Doubled != 0 || x.Over != 0 {
		t.Errorf("seed %d: %+v", o.seed, *x)
	}
}

// Rooms outlive processes that are killed and replaced: all players resume with the confirmed state, and worlds are equal
// before and after a handover.
func TestOutlive(t *testing.T) {
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("plays for a minute: set TACTUS_LONG=1")
	}
	o := options{Options: crowd.Options{Rooms: 4, Players: 2, Hz: 20, Seconds: 1}, processes: 3, save: time.Second, seed: 1}
	o.crashes = 2
	r, err := measure(o, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	if x := r.(*summary).report.(crashReport); x.Players == 0 || x.Resumed != x.Players || x.Worlds != 0 || x.Durable != 0 || x.Confirmed == 0 {
		t.Errorf("%+v", x)
	}
	o.crashes, o.deploys = 0, 3
	if r, err = measure(o, t.Output()); err != nil {
		t.Fatal(err)
	}
	if x := r.(*summary).report.(deployReport); x.Rooms < o.Rooms || x.Equal != x.Rooms || x.Ended != 0 {
		t.Errorf("%+v", x)
	}
}
