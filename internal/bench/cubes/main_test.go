package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const few = 20

// record writes a trace in which some cubes ride on the first, one flies, and the
// others lie still.
func record(t *testing.T, name string, frames int, phase float64) string {
	t.Helper()
	var b []byte
	put := func(v ...int32) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, uint32(x))
		}
	}
	word := func(v float64) int32 { return int32(math.Round((v/math.Sqrt2 + 0.5) * quatTop)) }
	for i := range frames {
		at := phase + float64(i)/60
		turn := word(math.Sin(0.3 * math.Sin(at)))
		for k := range few {
			x, y, z := 600*float64(k), 100.0, 512.0
			q := int32(256)
			if k < 5 {
				x, y, q = 500*math.Sin(at)+float64(40*k), 400*math.Cos(at), turn
			}
			if k == 7 {
				z += 2000 * at
			}
			on := int32(0)
			if k < 5 {
				on = 1
			}
			put(3, 256, 256, q, int32(x), int32(y), int32(z), on)
		}
	}
	path := filepath.Join(t.TempDir(), name)
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, w.EncodeAll(b, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheFiguresAreThere(t *testing.T) {
	train, score := record(t, "train", 90, 0), record(t, "score", 120, 1)
	args := []string{"-train", train, "-score", score, "-cubes", "20", "-rounds", "1"}
	var stdout, stderr bytes.Buffer
	if code := run(append(args, "-json"), &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	var got map[string]any
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	for _, name := range []string{"", "zstd_only", "no_parent", "untrained", "lossy"} {
		r := got
		if name != "" {
			r, _ = got[name].(map[string]any)
		}
		if r["frames"] != 114.0 || r["exact"] != true || !(r["bytes_per_frame"].(float64) > 0) || !(r["encode_us"].(float64) > 0) || !(r["decode_us"].(float64) > 0) {
			t.Errorf("%q: %v", name, r)
		}
	}
	stdout.Reset()
	if code := run(args, &stdout, &stderr); code != 0 || !bytes.Contains(stdout.Bytes(), []byte("lossy")) {
		t.Errorf("exit code %d, table:\n%s", code, stdout.String())
	}
}

func TestWrongArguments(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
	}{
		"help":          {[]string{"-h"}, 0},
		"no file":       {nil, 2},
		"unknown flag":  {[]string{"-speed"}, 2},
		"missing file":  {[]string{"-score", filepath.Join(t.TempDir(), "none")}, 1},
		"another count": {[]string{"-score", record(t, "t", 10, 0), "-cubes", "19"}, 1},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(c.args, &stdout, &stderr); code != c.code || stderr.Len() == 0 {
			t.Errorf("%s: exit code %d, want %d\n%s", name, code, c.code, stderr.String())
		}
	}
}
