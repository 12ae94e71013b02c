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
	t.Run("contest", func(t *testing.T) { contest(t, s, other) })
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
