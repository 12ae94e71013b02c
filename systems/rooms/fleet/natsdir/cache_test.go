package natsdir

import (
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

// A late message changes nothing: neither an older record, nor one from before the record was removed.
func TestHeardLate(t *testing.T) {
	k, now := newCache(), time.Unix(1e9, 0)
	hear := func(revision uint64, gone bool) {
		k.update(fleet.Record{Key: "room.a", Revision: revision, Gone: gone}, 0, now)
	}
	want := func(want uint64) {
		t.Helper()
		if r, _ := k.load("room.a"); r.Revision != want {
			t.Fatalf("revision %d is known, want %d", r.Revision, want)
		}
	}
	hear(5, false)
	hear(4, false)
	want(5)
	hear(3, true)
	want(5)
	hear(7, true)
	want(0)
	hear(6, false)
	want(0)
	hear(8, false)
	want(8)
	if got := k.tombstone("room.a"); got != 0 {
		t.Errorf("it is here, and went with %d", got)
	}
	hear(9, true)
	k.forget(now)
	if k.tombstone("room.a") != 9 {
		t.Error("how it went is forgotten too early")
	}
	k.forget(now.Add(1))
	if k.tombstone("room.a") != 0 {
		t.Error("how it went is kept for ever")
	}
}

// After a time in which writes were refused, a process has a whole lease to renew its record.
func TestLeasesBeginAgain(t *testing.T) {
	d, clock := opened(t, embedded(t, 1).Config())
	save(t, d, "process.one", "1", 0, 10*time.Second)
	d.health.refused(clock.get(), errors.New("no leader"))
	clock.turn(time.Hour)
	d.expire(t.Context())
	if down, _ := d.health.down(clock.get()); down {
		t.Fatal("writes work again, and nobody has tried")
	}
	clock.turn(10*time.Second - 1)
	d.expire(t.Context())
	if _, err := d.Load(t.Context(), "process.one"); err != nil {
		t.Fatal(err)
	}
	clock.turn(1)
	d.expire(t.Context())
	if _, err := d.Load(t.Context(), "process.one"); !errors.Is(err, fleet.ErrAbsent) {
		t.Fatal(err)
	}
}

// The revisions of a new stream, which counts from 1 again, are higher than all of the former one. Later messages of the
// former stream change nothing, and no write overwrites its revisions.
func TestNewStream(t *testing.T) {
	k, now := newCache(), time.Unix(1e9, 0)
	hear := func(key string, revision uint64, gone bool) {
		k.update(fleet.Record{Key: key, Revision: revision, Gone: gone}, 0, now)
	}
	hear("room.a", 500, false)
	hear("room.b", 501, true)
	k.restart()
	base, newest := k.bounds()
	if base <= 501 || newest != base {
		t.Fatalf("revisions from %d, the newest %d", base, newest)
	}
	if r, _ := k.load("room.a"); r.Revision != 500 {
		t.Errorf("revision %d is known until the new stream is read, want 500", r.Revision)
	}
	if got := k.tombstone("room.b"); got != 0 {
		t.Errorf("the new stream has never had it, and it went with %d", got)
	}
	hear("room.b", 510, false) // late, of the former stream
	if r, ok := k.load("room.b"); ok {
		t.Errorf("revision %d of the former stream is back", r.Revision)
	}
	hear("room.a", base+1, false)
	if r, _ := k.load("room.a"); r.Revision != base+1 {
		t.Errorf("revision %d is known, want %d", r.Revision, base+1)
	}
	hear("room.a", 500, true) // late, of the former stream
	if _, ok := k.load("room.a"); !ok {
		t.Error("the record of the new stream went with the former one")
	}
}

// The age of the cache increases while nothing arrives, and restarts with the next change.
func TestAge(t *testing.T) {
	s := embedded(t, 1)
	d, clock := opened(t, s.Config())
	other, _ := opened(t, s.Config())
	clock.turn(time.Minute)
	if age := d.Age(); age < time.Minute {
		t.Errorf("nothing was heard for a minute, and it is %v old", age)
	}
	save(t, other, "process.one", "1", 0, 0)
	within(t, "the change is heard", func() bool { return d.Age() == 0 })
}
