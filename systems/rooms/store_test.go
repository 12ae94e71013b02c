package rooms_test

import (
	"os"
	"path/filepath"
	"testing"

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
	if files, err := os.ReadDir(folder); err != nil || len(files) != 3 {
		t.Errorf("%d files, %v", len(files), err)
	}
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
}
