package serve

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
)

// An operator lists, describes and copies the saves of a room, and restores an earlier one, from the store or from a copy: the room
// goes on there, and the save that was the newest is kept.
func TestSaves(t *testing.T) {
	folder, backup, key, now := t.TempDir(), t.TempDir(), netcode.GenerateKey(nil), time.Now()
	store := func(folder string) rooms.Archive {
		s, err := rooms.NewFileStore(folder)
		if err != nil {
			t.Fatal(err)
		}
		return s.(rooms.Archive)
	}
	process := func() *rooms.Server {
		s, err := rooms.New(rooms.Config{
			Kinds: []rooms.Kind{{Name: "field", Protocol: func() *ecs.Protocol { return field(nil) }, Capacity: 2, Linger: -1}}, Key: key, Store: store(folder), Now: func() time.Time { return now },
		}, netsys.NewNetwork().Node(netip.AddrPort{}))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	run := func(s *rooms.Server) {
		for range 120 {
			now = now.Add(50 * time.Millisecond)
			s.Advance(now)
		}
	}
	command := func(want error, args ...string) string {
		t.Helper()
		var out strings.Builder
		if err := Saves(t.Context(), rooms.Saves{Store: store(folder), Key: key}, args, &out); !errors.Is(err, want) {
			t.Fatalf("%q: %v, want %v", args, err, want)
		}
		return out.String()
	}
	s := process()
	r, err := s.Create("field", rooms.Creation{})
	if err != nil {
		t.Fatal(err)
	}
	id := r.ID().String()
	run(s)
	early := r.Info().Tick
	command(nil, "copy", backup)
	s = process()
	if r, err = s.Continue(t.Context(), r.ID()); err != nil {
		t.Fatal(err)
	}
	run(s)
	run(s)
	if got := command(nil, "list"); strings.Count(got, id) != 2 || got != command(nil, "list", id) {
		t.Errorf("list:\n%s", got)
	}
	if got := command(nil, "describe", id); strings.Count(got, "field") != 2 || strings.Count(got, r.Code()) != 2 {
		t.Errorf("describe:\n%s", got)
	}
	newer := t.TempDir()
	command(nil, "copy", newer, id)
	if list, err := store(newer).List(t.Context(), 0); err != nil || len(list) != 1 || list[0].Epoch != 2 {
		t.Errorf("copied %+v, %v", list, err)
	}
	for _, from := range [][]string{{"restore", id, "1"}, {"restore", id, "1", backup}} {

		command(nil, from...)
		run(s) // it loses the room
		if s.Room(r.ID()) != nil {
			t.Error("the room goes on from another save")
		}
		s = process()
		if r, err = s.Continue(t.Context(), r.ID()); err != nil || r.Loaded() > early {
			t.Fatalf("loaded tick %d, after tick %d: %v", r.Loaded(), early, err)
		}
		run(s)
	}
	if got := command(nil, "list", id); strings.Count(got, "kept") != 2 {
		t.Errorf("after both:\n%s", got)
	}
	command(nil, "remove", id, "2")
	command(rooms.ErrNoSave, "describe", id, "2")
	command(rooms.ErrNoSave, "restore", id, "2")
	key[0]++
	command(rooms.ErrSaveKey, "restore", id, "5")
	if got := command(nil, "describe", id); !strings.Contains(got, "another key") {
		t.Errorf("under another key:\n%s", got)
	}
	for _, args := range [][]string{nil, {"list", "x"}, {"restore", id}, {"restore", id, "x"}, {"forget"}} {
		if err := Saves(t.Context(), rooms.Saves{Store: store(folder), Key: key}, args, new(strings.Builder)); err == nil {
			t.Errorf("%q is no command", args)
		}
	}
}
