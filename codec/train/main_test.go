package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
)

type place struct {
	X float32 `net:"0..1000 step 0.125 linear"`
	Y uint8   `net:"0..100"`
}

// record writes a recording of sends in which each of 100 entities moves on.
func record(t *testing.T, name string, sends int) *delta.Layout {
	t.Helper()
	table, err := schema.Compile(reflect.TypeFor[place](), nil)
	if err != nil {
		t.Fatal(err)
	}
	layout := delta.NewLayout([]*schema.Table{table}, 3, 20)
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := delta.NewRecorder(file, layout)
	for send := range sends {
		groups := make([]delta.Group, 2)
		for i := range groups {
			groups[i].Reset(uint32(send + 1))
			for k := range delta.GroupSize {
				rec := groups[i].Put(k, uint32(i*100+k+1), 1, 2)
				rec[0] = int32(send*(k%7)) & 0xfff
				rec[1] = int32(send * k / 40 % 100)
			}
		}
		if err := r.Record(groups); err != nil {
			t.Fatal(err)
		}
	}
	return layout
}

func TestTrain(t *testing.T) {
	dir := t.TempDir()
	in, name := filepath.Join(dir, "match.rec"), filepath.Join(dir, "game.trained")
	layout := record(t, in, 100)
	var out bytes.Buffer
	if err := run([]string{"-in", in, "-out", name, "-ages", "1, 3"}, &out, io.Discard); err != nil {
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
	if err != nil || !trained.Fits(layout) {
		t.Errorf("what it wrote: %v", err)
	}
}

func TestTrainErrors(t *testing.T) {
	dir := t.TempDir()
	in, name := filepath.Join(dir, "match.rec"), filepath.Join(dir, "out")
	record(t, in, 2)
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ want, args string }{
		{"give -in and -out", ""},
		{"no flag", "-in x -out y z"},
		{"-ages", "-in x -out y -ages 0"},
		{"-hold", "-in x -out y -hold 1"},
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
