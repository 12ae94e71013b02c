package rooms_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

func TestFileStore(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "saves")
	roomstest.Store(t, func() rooms.Store {
		s, err := rooms.NewFileStore(folder)
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
	// Other files in the folder are not saves, and stay.
	for _, name := range []string{"0000000000007.x.save", "0000000000007.1.save.123.tmp", "0000000000007.save", "notes"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := rooms.NewFileStore(folder)
	if data, err := s.Get(t.Context(), 7); err != nil || string(data) != "anew" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := rooms.NewFileStore(filepath.Join(folder, "notes")); err == nil {
		t.Error("a file is no folder")
	}
	// Saves that nobody has replaced for a month go, and what is left of writes that a crash has cut off.
	all, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-31 * 24 * time.Hour)
	for _, f := range all {
		if strings.Contains(f.Name(), "b.") { // room 11
			continue
		}
		if err := os.Chtimes(filepath.Join(folder, f.Name()), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if s, err = rooms.NewFileStore(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), 7); !errors.Is(err, rooms.ErrNoSave) {
		t.Errorf("an old save: %v", err)
	}
	if _, err := s.Get(t.Context(), 11); err != nil {
		t.Errorf("a new save: %v", err)
	}
	left, _ := os.ReadDir(folder)
	for _, f := range left {
		if strings.HasSuffix(f.Name(), ".save") && strings.Contains(f.Name(), "9.") || strings.HasSuffix(f.Name(), ".tmp") {
			t.Errorf("%v is left", f)
		}
	}
	for _, name := range []string{"0000000000007.x.save", "0000000000007.save", "notes"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
}
