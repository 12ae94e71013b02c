package main

import (
	"bytes"
	"os"
	"testing"
)

// A small match on each server: ticks are simulated, every client receives them, and entities move.
func TestServersPlayTheArena(t *testing.T) {
	if os.Getenv("TACTUS_PEERS") == "" {
		t.Skip("set TACTUS_PEERS=1: it takes a minute, and needs Node and npm")
	}
	var progress bytes.Buffer
	servers, err := open(t.Context(), &progress)
	if err != nil {
		t.Fatal(err, progress.String())
	}
	for _, s := range servers {
		f, err := s.measure(t.Context(), 20, 40, 2)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		t.Logf("%s: %+v", s.name, f)
		if f.Bytes < 20 || f.Updates == 0 || f.Ticks == 0 || f.CPU <= 0 {
			t.Errorf("%s: %+v", s.name, f)
		}
	}
}

func TestRefusesBadFlags(t *testing.T) {
	for _, flags := range [][]string{{"-clients", "0"}, {"-npcs", "-1"}, {"-seconds", "1"}, {"more"}, {"-what"}} {
		var out, errs bytes.Buffer
		if code := run(flags, &out, &errs); code != 2 || errs.Len() == 0 {
			t.Errorf("%v: exit code %d, %q", flags, code, &errs)
		}
	}
}
