package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// A file keeps what was committed, and only one process can open it.
func TestSQLite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a file?.db")
	s, err := OpenSQLite(file)
	if err != nil {
		t.Fatal(err)
	}
	if world, err := s.World(); world != nil || err != nil {
		t.Errorf("a new file has the world %q, %v", world, err)
	}
	if p, found, err := s.Player(1); found || err != nil {
		t.Errorf("a new file has the player %+v, %v", p, err)
	}
	want := []Player{
		{ID: 1, Place: Place{0.1, 639.9}, Score: Score{7}, Bag: Bag{Coins: 1, Items: [3]uint16{0, 2, 1}, Bought: 3}},
		{ID: math.MaxUint64, Score: Score{math.MaxUint32}},
	}
	if err := s.Commit([]byte("first"), []Player{{ID: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit([]byte("second"), want); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSQLite(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a second process gets %v, want an error that names the file", err)
	}
	var durable int
	if err := s.db.QueryRow("PRAGMA synchronous").Scan(&durable); durable != 2 || err != nil {
		t.Errorf("synchronous is %d, %v, want 2: a commit waits for the disk", durable, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	if s, err = OpenSQLite(file); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if world, err := s.World(); string(world) != "second" || err != nil {
		t.Errorf("the world is %q, %v", world, err)
	}
	for _, p := range want {
		if got, found, err := s.Player(p.ID); got != p || !found || err != nil {
			t.Errorf("the player is %+v, %v, %v, want %+v", got, found, err, p)
		}
	}
}
