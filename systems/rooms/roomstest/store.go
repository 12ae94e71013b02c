package roomstest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Store tests that stores of one place keep to rooms.Store. open returns a store of that place, as each process of a fleet has
// one. The place is empty at first.
func Store(t *testing.T, open func() rooms.Store) {
	ctx, s, other := t.Context(), open(), open()
	has := func(room rooms.ID, want string) {
		t.Helper()
		for _, s := range []rooms.Store{s, other} {
			got, err := s.Get(ctx, room)
			if want == "" && !errors.Is(err, rooms.ErrNoSave) || want != "" && (err != nil || string(got) != want) {
				t.Fatalf("room %v: %.40q, %v, want %q", room, got, err, want)
			}
		}
	}
	put := func(s rooms.Store, epoch uint64, data string, want error) {
		t.Helper()
		if err := s.Put(ctx, 7, epoch, []byte(data)); !errors.Is(err, want) {
			t.Fatalf("epoch %d: %v, want %v", epoch, err, want)
		}
	}
	has(7, "")
	if err := s.Delete(ctx, 7, 1); err != nil {
		t.Fatal(err)
	}
	put(s, 1, "one", nil)
	put(s, 1, "one again", nil)
	has(7, "one again")
	put(other, 10, "ten", nil) // 10 is before 2 in the order of words
	has(7, "ten")
	put(s, 2, "two", rooms.ErrStale)
	has(7, "ten")
	if err := s.Delete(ctx, 7, 9); err != nil {
		t.Fatal(err)
	}
	has(7, "ten")
	put(s, math.MaxUint64, "last", nil)
	has(7, "last")
	has(8, "")
	if err := other.Delete(ctx, 7, math.MaxUint64); err != nil {
		t.Fatal(err)
	}
	has(7, "")
	put(s, 1, "anew", nil)
	has(7, "anew")

	big := make([]byte, 3<<20)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(big)
	if err := s.Put(ctx, 9, 1, big); err != nil {
		t.Fatal(err)
	}
	if got, err := other.Get(ctx, 9); err != nil || !bytes.Equal(got, big) {
		t.Fatalf("%d bytes of %d: %v", len(got), len(big), err)
	}
	if a, ok := s.(rooms.Archive); ok {
		t.Run("archive", func(t *testing.T) { archive(t, a, other.(rooms.Archive)) })
	}
	t.Run("contest", func(t *testing.T) { contest(t, s, other) })
}

// archive tests that the saves of earlier epochs stay until they are removed, and copies that are kept longer.
func archive(t *testing.T, s, other rooms.Archive) {
	ctx := t.Context()
	const room = 13
	list := func(room rooms.ID) (text string) {
		t.Helper()
		all, err := other.List(ctx, room)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			if e.Bytes == 0 || e.Written.IsZero() {
				t.Errorf("%+v", e)
			}
			text += fmt.Sprintf("%d.%d ", e.Room, e.Epoch)
			if e.Kept {
				text += "kept "
			}
		}
		return text
	}
	check := func(err, want error, left string) {
		t.Helper()
		if got := list(room); !errors.Is(err, want) || got != left {
			t.Fatalf("%q, want %q; %v, want %v", got, left, err, want)
		}
	}
	for _, epoch := range []uint64{1, 2, 10, 10} {
		if err := s.Put(ctx, room, epoch, fmt.Append(nil, "save ", epoch)); err != nil {
			t.Fatal(err)
		}
	}
	check(nil, nil, "13.10 13.2 13.1 ")
	check(other.Keep(ctx, room, 2), nil, "13.10 13.2 kept 13.1 ")
	check(s.Keep(ctx, room, 3), rooms.ErrNoSave, "13.10 13.2 kept 13.1 ")
	check(s.Remove(ctx, room, 1), nil, "13.10 13.2 kept ")
	check(s.Remove(ctx, room, 1), nil, "13.10 13.2 kept ")
	if all := list(0); !bytes.Contains([]byte(all), []byte("9.1 13.10 13.2 kept ")) {
		t.Errorf("all: %q", all)
	}
	check(s.Delete(ctx, room, 9), nil, "13.10 13.2 kept ")
	check(s.Delete(ctx, room, 10), nil, "13.2 kept ")
	if _, err := s.Get(ctx, room); !errors.Is(err, rooms.ErrNoSave) {
		t.Errorf("after the deletion: %v", err)
	}
	if data, err := other.Read(ctx, room, 2); err != nil || string(data) != "save 2" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := other.Read(ctx, room, 10); !errors.Is(err, rooms.ErrNoSave) {
		t.Errorf("a save that was deleted: %v", err)
	}
	if err := other.Put(ctx, room, 1, []byte("anew")); err != nil {
		t.Errorf("after the deletion: %v", err)
	}
	check(nil, nil, "13.2 kept 13.1 ")
	check(s.Remove(ctx, room, 2), nil, "13.1 ")
	check(s.Remove(ctx, room, 1), nil, "")
	if _, err := s.Get(ctx, room); !errors.Is(err, rooms.ErrNoSave) {
		t.Errorf("after all were removed: %v", err)
	}
}

// contest lets several processes save a room at the same time. Every save that is read is complete, and the epoch never decreases.
func contest(t *testing.T, stores ...rooms.Store) {
	const epochs, room = 8, 11
	ctx, over := context.WithCancel(t.Context())
	defer over()
	var writers, readers sync.WaitGroup
	for epoch := uint64(1); epoch <= epochs; epoch++ {
		writers.Go(func() {
			for n := range 5 {
				data := bytes.Repeat(fmt.Appendf(nil, "%d ", epoch), 2000+n)
				if err := stores[epoch%uint64(len(stores))].Put(ctx, room, epoch, data); err != nil && (!errors.Is(err, rooms.ErrStale) || epoch == epochs) {
					t.Errorf("epoch %d: %v", epoch, err)
				}
			}
		})
	}
	for _, s := range stores {
		readers.Go(func() {
			highest := uint64(0)
			for ctx.Err() == nil {
				data, err := s.Get(ctx, room)
				if errors.Is(err, rooms.ErrNoSave) || ctx.Err() != nil {
					continue
				}
				var epoch uint64
				_, scanned := fmt.Sscan(string(data[:min(len(data), 20)]), &epoch)
				if err != nil || scanned != nil || epoch < highest || !bytes.Equal(data, bytes.Repeat(fmt.Appendf(nil, "%d ", epoch), len(data)/2)) {
					t.Errorf("%.20q after epoch %d: %v", data, highest, err)
					return
				}
				highest = epoch
			}
		})
	}
	writers.Wait()
	over()
	readers.Wait()
	if data, err := stores[0].Get(t.Context(), room); err != nil || !bytes.HasPrefix(data, fmt.Appendf(nil, "%d ", epochs)) {
		t.Errorf("at last %.20q, %v", data, err)
	}
}
