package natsdir

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

// storeOf returns a store of a directory.
func storeOf(t *testing.T, d *Directory) rooms.Store {
	t.Helper()
	s, err := d.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The object store is a conforming store, with one server and with three.
func TestStore(t *testing.T) {
	for _, servers := range []int{1, 3} {
		s := embedded(t, servers)
		c := s.Config()
		c.Replicas = servers
		roomstest.Store(t, func() rooms.Store {
			d, _ := opened(t, c)
			return storeOf(t, d)
		})
	}
}

// Nothing is left of deleted saves and of earlier ones that were removed.
func TestStoreKeepsNothing(t *testing.T) {
	d, _ := opened(t, embedded(t, 1).Config())
	s := storeOf(t, d)
	for epoch := range uint64(5) {
		if err := s.Put(t.Context(), 7, epoch+1, make([]byte, 300_000)); err != nil {
			t.Fatal(err)
		}
		if err := s.(rooms.Archive).Remove(t.Context(), 7, epoch); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Put(t.Context(), 7, 6, nil); err != nil {
		t.Fatal(err)
	}
	stream, err := d.js.Stream(t.Context(), "OBJ_tactus-saves")
	if err != nil {
		t.Fatal(err)
	}
	state := func() jetstream.StreamState {
		i, err := stream.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return i.State
	}
	if got := state(); got.Bytes > 310_000 {
		t.Errorf("after five epochs %d bytes in %d messages", got.Bytes, got.Msgs)
	}
	if err := s.Delete(t.Context(), 7, 6); err != nil {
		t.Fatal(err)
	}
	if got := state(); got.Msgs != 0 {
		t.Errorf("after the deletion %d bytes in %d messages", got.Bytes, got.Msgs)
	}
}

// A store without servers returns an error soon, and a bucket of another application is refused.
func TestStoreFails(t *testing.T) {
	servers := embedded(t, 1)
	d, _ := opened(t, servers.Config())
	s := storeOf(t, d)
	c := servers.Config()
	c.Bucket = "theirs"
	theirs, _ := opened(t, c)
	if _, err := theirs.js.CreateObjectStore(t.Context(), jetstream.ObjectStoreConfig{Bucket: "theirs-saves"}); err != nil {
		t.Fatal(err)
	}
	if _, err := theirs.Store(t.Context()); !errors.Is(err, ErrConfig) {
		t.Errorf("a foreign bucket: %v", err)
	}
	short := func(f func(ctx context.Context) error) error {
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		return f(ctx)
	}
	put := func(ctx context.Context) error { return s.Put(ctx, 7, 1, []byte("one")) }
	if err := short(put); err != nil {
		t.Fatal(err)
	}
	servers.Close()
	if err := short(put); err == nil || errors.Is(err, rooms.ErrStale) {
		t.Errorf("saved without a server: %v", err)
	}
	if err := short(func(ctx context.Context) error { _, err := s.Get(ctx, 7); return err }); err == nil || errors.Is(err, rooms.ErrNoSave) {
		t.Errorf("without a server: %v", err)
	}
}

// NATS loses the records of the saves. A save that is then reported as stored is found by a process that starts later, although the one
// that has saved is gone.
func TestSavedAfterALoss(t *testing.T) {
	for name, empty := range emptied {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servers := embedded(t, 1)
			config := servers.Config()
			opened := func() *Directory {
				ctx, enough := context.WithTimeout(t.Context(), patience)
				defer enough()
				d, err := Open(ctx, config)
				if err != nil {
					t.Fatal(err)
				}
				return d
			}
			d := opened()
			s := storeOf(t, d)
			if err := s.Put(t.Context(), 7, 2, []byte("before")); err != nil {
				t.Fatal(err)
			}
			empty(t, servers, "KV_"+defaultBucket)
			within(t, "it saves again", func() bool { return s.Put(t.Context(), 7, 2, []byte("after")) == nil })
			d.Close()
			d = opened()
			defer d.Close()
			if data, err := storeOf(t, d).Get(t.Context(), 7); err != nil || string(data) != "after" {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
}

// NATS loses the saves, while it runs or by a restart without its files. Until they are written again, a save is not missing but
// unavailable, so that no room begins anew. The next save of any process creates the store again, for all.
func TestStoreLost(t *testing.T) {
	for name, empty := range emptied {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servers := embedded(t, 1)
			var stores []rooms.Store
			for range 2 {
				ctx, enough := context.WithTimeout(t.Context(), patience)
				d, err := Open(ctx, servers.Config())
				enough()
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(d.Close)
				stores = append(stores, storeOf(t, d))
			}
			s, second := stores[0], stores[1]
			for room := range rooms.ID(3) {
				if err := s.Put(t.Context(), 7+room, 2, []byte("before")); err != nil {
					t.Fatal(err)
				}
			}
			empty(t, servers, "OBJ_"+defaultBucket+"-saves")
			if _, err := second.Get(t.Context(), 7); err == nil || name == "deleted" && errors.Is(err, rooms.ErrNoSave) {
				t.Errorf("after the loss: %v", err)
			}
			within(t, "both processes save again", func() bool { // as they do every few seconds
				if second.Put(t.Context(), 7, 2, []byte("after")) != nil || s.Put(t.Context(), 8, 3, []byte("after")) != nil {
					return false
				}
				data, err := s.Get(t.Context(), 7)
				list, unlisted := second.(rooms.Archive).List(t.Context(), 0)
				return err == nil && string(data) == "after" && unlisted == nil && len(list) == 2
			})
		})
	}
}
