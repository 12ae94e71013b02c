package fleettest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

// Store is a directory under test.
type Store struct {
	fleet.Directory
	// Pass advances the clock of leases and removes the expired records.
	Pass func(time.Duration)
}

// patience is how long a test waits for a change.
const patience = time.Minute

// Directory tests that a directory writes by compare-and-set, that leases expire, that watchers get all records and the
// latest change of each key, and that requests reach their handlers. empty returns an empty directory for each part.
func Directory(t *testing.T, empty func(t *testing.T) Store) {
	for name, part := range map[string]func(*testing.T, Store){
		"compare and set": compare, "remove": remove, "leases": leases, "list": list, "watch": watch, "bounds": bounds, "race": race, "requests": requests,
	} {
		t.Run(name, func(t *testing.T) { part(t, empty(t)) })
	}
}

func (s Store) save(t *testing.T, key, value string, revision uint64, lease time.Duration, want error) uint64 {
	t.Helper()
	got, err := s.Save(context.Background(), key, []byte(value), revision, lease)
	if !errors.Is(err, want) {
		t.Fatalf("save %s over %d: %v, want %v", key, revision, err, want)
	}
	if want == nil && got <= revision {
		t.Fatalf("save %s: revision %d after %d", key, got, revision)
	}
	return got
}

// has fails unless the directory has the value under a key, or no record for "".
func (s Store) has(t *testing.T, key, value string, revision uint64) {
	t.Helper()
	switch r, err := s.Load(context.Background(), key); {
	case value == "" && !errors.Is(err, fleet.ErrAbsent):
		t.Fatalf("load %s: %+v, %v, want none", key, r, err)
	case value != "" && (err != nil || r.Key != key || string(r.Value) != value || r.Revision != revision || r.Gone):
		t.Fatalf("load %s: %+v, %v, want %q of revision %d", key, r, err, value, revision)
	}
}

func compare(t *testing.T, s Store) {
	s.has(t, "room.a", "", 0)
	s.save(t, "room.a", "1", 7, 0, fleet.ErrConflict)
	a := s.save(t, "room.a", "1", 0, 0, nil)
	s.has(t, "room.a", "1", a)
	s.save(t, "room.a", "2", 0, 0, fleet.ErrConflict)
	b := s.save(t, "room.a", "2", a, 0, nil)
	s.save(t, "room.a", "3", a, 0, fleet.ErrConflict)
	s.has(t, "room.a", "2", b)
	value := []byte("mine")
	c, err := s.Save(context.Background(), "room.a", value, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	value[0] = 'x'
	s.has(t, "room.a", "mine", c)
}

func remove(t *testing.T, s Store) {
	ctx := context.Background()
	for _, revision := range []uint64{0, 7} {
		if err := s.Remove(ctx, "room.a", revision); err != nil {
			t.Fatalf("what is not there: %v", err)
		}
	}
	a := s.save(t, "room.a", "1", 0, 0, nil)
	b := s.save(t, "room.a", "2", a, 0, nil)
	for _, revision := range []uint64{0, a, b + 1} {
		if err := s.Remove(ctx, "room.a", revision); !errors.Is(err, fleet.ErrConflict) {
			t.Fatalf("remove %d of %d: %v", revision, b, err)
		}
	}
	for range 2 {
		if err := s.Remove(ctx, "room.a", b); err != nil {
			t.Fatal(err)
		}
	}
	s.has(t, "room.a", "", 0)
	s.save(t, "room.a", "3", b, 0, fleet.ErrConflict)
	c := s.save(t, "room.a", "3", 0, 0, nil)
	if c <= b {
		t.Fatalf("revision %d after %d", c, b)
	}
	s.has(t, "room.a", "3", c)
}

func leases(t *testing.T, s Store) {
	a := s.save(t, "process.a", "1", 0, 10*time.Second, nil)
	b := s.save(t, "process.b", "1", 0, 10*time.Second, nil)
	c := s.save(t, "process.c", "1", 0, 0, nil)
	s.Pass(9 * time.Second)
	a = s.save(t, "process.a", "2", a, 10*time.Second, nil)
	b = s.save(t, "process.b", "2", b, 0, nil)
	s.Pass(9 * time.Second)
	s.has(t, "process.a", "2", a)
	s.Pass(time.Second)
	s.has(t, "process.a", "", 0)
	s.save(t, "process.a", "3", a, 0, fleet.ErrConflict)
	s.Pass(time.Hour)
	s.has(t, "process.b", "2", b)
	s.has(t, "process.c", "1", c)
	s.save(t, "process.a", "3", 0, 0, nil)
}

func list(t *testing.T, s Store) {
	want := func(prefix, want string) {
		t.Helper()
		all, err := s.List(context.Background(), prefix)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range all {
			got = append(got, r.Key+"="+string(r.Value))
			s.has(t, r.Key, string(r.Value), r.Revision)
		}
		if got := strings.Join(got, " "); got != want {
			t.Fatalf("list %q: %s, want %s", prefix, got, want)
		}
	}
	want("", "")
	b := s.save(t, "room.b", "2", 0, 0, nil)
	s.save(t, "player.a", "4", 0, 0, nil)
	s.save(t, "room.c", "3", 0, 0, nil)
	s.save(t, "room.a", "1", 0, 0, nil)
	want("room.", "room.a=1 room.b=2 room.c=3")
	want("room.b", "room.b=2")
	want("", "player.a=4 room.a=1 room.b=2 room.c=3")
	if err := s.Remove(context.Background(), "room.b", b); err != nil {
		t.Fatal(err)
	}
	want("room.", "room.a=1 room.c=3")
}

func watch(t *testing.T, s Store) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	a := s.save(t, "process.a", "1", 0, 10*time.Second, nil)
	s.save(t, "room.a", "1", 0, 0, nil)
	b := s.save(t, "process.b", "1", 0, 0, nil)
	told, err := s.Watch(ctx, "process.")
	if err != nil {
		t.Fatal(err)
	}
	next := func(key, value string, revision uint64) {
		t.Helper()
		select {
		case r := <-told:
			if r.Key != key || string(r.Value) != value || r.Gone != (value == "") || value != "" && r.Revision != revision || r.Revision < revision {
				t.Fatalf("told %+v, want %s=%q of revision %d", r, key, value, revision)
			}
		case <-time.After(patience):
			t.Fatalf("nobody told of %s=%q", key, value)
		}
	}
	next("process.a", "1", a)
	next("process.b", "1", b)
	a = s.save(t, "process.a", "2", a, 10*time.Second, nil)
	next("process.a", "2", a)
	if err := s.Remove(ctx, "process.b", b); err != nil {
		t.Fatal(err)
	}
	next("process.b", "", b)
	s.Pass(10 * time.Second)
	next("process.a", "", a)
	// The watcher does not read for a while: it must get the latest change of each key.
	for range 100 {
		b = s.save(t, "process.c", "1", 0, 0, nil)
		if err := s.Remove(ctx, "process.c", b); err != nil {
			t.Fatal(err)
		}
	}
	b = s.save(t, "process.c", "last", 0, 0, nil)
	for {
		if r := <-told; string(r.Value) == "last" && r.Revision == b {
			break
		}
	}
	stop()
	for range told { // the channel is closed
	}
}

func bounds(t *testing.T, s Store) {
	for _, key := range []string{"", ".", "room.", ".a", "a..b", "room.*", "room.>", "a b", "a\n", "ä", strings.Repeat("k", fleet.MaxKeyBytes+1)} {
		s.save(t, key, "1", 0, 0, fleet.ErrRecord)
	}
	long := strings.Repeat("k", fleet.MaxKeyBytes)
	value := bytes.Repeat([]byte{0xff}, fleet.MaxValueBytes)
	s.has(t, long, string(value), s.save(t, long, string(value), 0, 0, nil))
	s.save(t, "room.a", string(value)+"x", 0, 0, fleet.ErrRecord)
	s.has(t, "room.a", "", 0)
}

// One of several concurrent writers of the same revision succeeds.
func race(t *testing.T, s Store) {
	const writers, rounds = 4, 25
	var wins [writers]int
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for wins[w] < rounds {
				var revision uint64
				r, err := s.Load(context.Background(), "room.a")
				if err == nil {
					revision = r.Revision
				} else if !errors.Is(err, fleet.ErrAbsent) {
					t.Error(err)
					return
				}
				_, err = s.Save(context.Background(), "room.a", append(bytes.Clone(r.Value), byte('a'+w)), revision, 0)
				if err == nil {
					wins[w]++
				} else if !errors.Is(err, fleet.ErrConflict) {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	r, err := s.Load(context.Background(), "room.a")
	if err != nil || len(r.Value) != writers*rounds {
		t.Fatalf("%d of %d writes are left of %q, %v", len(r.Value), writers*rounds, r.Value, err)
	}
	for w := range writers {
		if got := bytes.Count(r.Value, []byte{byte('a' + w)}); got != rounds {
			t.Errorf("%d of %d writes of one are left", got, rounds)
		}
	}
}

func requests(t *testing.T, s Store) {
	ctx := context.Background()
	if _, err := s.Request(ctx, "a.1", []byte("hello")); !errors.Is(err, fleet.ErrNoHandler) || !errors.Is(err, rooms.ErrUnavailable) {
		t.Fatalf("a request without a handler: %v", err)
	}
	handle := func(address, name string) (stop func()) {
		stop, err := s.Handle(address, func(_ context.Context, request []byte) []byte {
			return append([]byte(name+" "), request...)
		})
		if err != nil {
			t.Fatal(err)
		}
		return stop
	}
	stop := handle("a.1", "first")
	defer handle("a.2", "second")()
	for address, want := range map[string]string{"a.1": "first hello", "a.2": "second hello"} {
		// A handler in a network may need a moment to become known.
		var answer []byte
		err := error(fleet.ErrNoHandler)
		for limit := time.Now().Add(patience); errors.Is(err, fleet.ErrNoHandler) && time.Now().Before(limit); {
			answer, err = s.Request(ctx, address, []byte("hello"))
		}
		if err != nil || string(answer) != want {
			t.Fatalf("%s: %q, %v, want %q", address, answer, err, want)
		}
	}
	large := bytes.Repeat([]byte{'x'}, fleet.MaxRequestBytes)
	if answer, err := s.Request(ctx, "a.1", large); err != nil || len(answer) != len(large)+6 {
		t.Fatalf("a large request: %d bytes, %v", len(answer), err)
	}
	stop()
	err := error(nil)
	for limit := time.Now().Add(patience); err == nil && time.Now().Before(limit); {
		_, err = s.Request(ctx, "a.1", []byte("hello"))
	}
	if !errors.Is(err, fleet.ErrNoHandler) {
		t.Fatalf("a request after the handler has stopped: %v", err)
	}
	// A caller may give up while the handler works.
	gone, enough := make(chan struct{}), make(chan struct{})
	slow, err := s.Handle("a.3", func(context.Context, []byte) []byte { <-gone; close(enough); return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer slow()
	call, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	time.AfterFunc(300*time.Millisecond, func() { close(gone) })
	for err = fleet.ErrNoHandler; errors.Is(err, fleet.ErrNoHandler) && call.Err() == nil; {
		_, err = s.Request(call, "a.3", nil)
	}
	if err == nil || errors.Is(err, fleet.ErrNoHandler) {
		t.Fatalf("a caller who gave up: %v", err)
	}
	<-enough
}
