package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
)

type place struct {
	X float32 `net:"0..1000 step 0.125 linear"`
	Y uint8   `net:"0..100"`
}

func TestTrain(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "game.trained")
	f := shoot(t, 100, goesOn)
	var out bytes.Buffer
	if err := run([]string{"-in", f.name, "-out", name, "-ages", "1, 3"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"any coder", "zstd and raw only", "hash"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not print %q:\n%s", want, out.String())
		}
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	trained, err := delta.ParseTrained(b)
	if err != nil || !trained.Fits(f.layout) {
		t.Errorf("what it wrote: %v", err)
	}
}

func TestTrainErrors(t *testing.T) {
	dir := t.TempDir()
	in, name := shoot(t, 2, goesOn).name, filepath.Join(dir, "out")
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ want, args string }{
		{"give -in and -out", ""},
		{"give -in and -out", "-in x"},
		{"give -in and -out", "-out y"},
		{"unexpected argument", "-in x -out y z"},
		{"-ages", "-in x -out y -ages 0"},
		{"-hold", "-in x -out y -hold 1"},
		{"-hold", "-in x -out y -hold -0.1"},
		{"-hold", "-in x -out y -hold 0.91"},
		{"no such file", "-in x -out y -hold 0"},
		{"no such file", "-in x -out y -hold 0.9"},
		{"no such file", "-in " + dir + "/none -out " + name},
		{"does not begin with", "-in " + other + " -out " + name},
		{"too few", "-in " + in + " -out " + name},
	} {
		err := run(strings.Fields(c.args), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("train %s: %v, want %q", c.args, err, c.want)
		}
	}
	var help bytes.Buffer
	if err := run([]string{"-h"}, io.Discard, &help); !errors.Is(err, flag.ErrHelp) || !strings.Contains(help.String(), "usage: train") {
		t.Errorf("-h: %v\n%s", err, help.String())
	}
}
