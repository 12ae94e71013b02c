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

// Nothing is left of a deleted save and of earlier epochs.
func TestStoreKeepsNothing(t *testing.T) {
	d, _ := opened(t, embedded(t, 1).Config())
	s := storeOf(t, d)
	for epoch := range uint64(5) {
		if err := s.Put(t.Context(), 7, epoch+1, make([]byte, 300_000)); err != nil {
			t.Fatal(err)
		}
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
	if err := s.Delete(t.Context(), 7, 5); err != nil {
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
	if err := d.js.DeleteStream(t.Context(), "OBJ_tactus-saves"); err != nil {
		t.Fatal(err)
	}
	short := func(f func(ctx context.Context) error) error {
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		return f(ctx)
	}
	put := func(ctx context.Context) error { return s.Put(ctx, 7, 1, []byte("one")) }
	if err := short(put); err == nil {
		t.Error("saved in a missing bucket")
	} else {
		t.Log(err)
	}
	servers.Close()
	if err := short(put); err == nil || errors.Is(err, rooms.ErrStale) {
		t.Errorf("saved without a server: %v", err)
	}
	if err := short(func(ctx context.Context) error { _, err := s.Get(ctx, 7); return err }); err == nil || errors.Is(err, rooms.ErrNoSave) {
		t.Errorf("without a server: %v", err)
	}
}
