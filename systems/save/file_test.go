package save_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/codec/compression"
	"github.com/tactusgo/tactus/systems/save"
)

// sample returns data that compress to about half.
func sample(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(16))
	}
	return b
}

// files returns the names of the files in a directory.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		names = append(names, f.Name())
	}
	return names
}

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "world.save")
	for _, data := range [][]byte{sample(1), sample(100_000)} {
		if err := save.WriteFile(name, data); err != nil {
			t.Fatal(err)
		}
		got, err := save.ReadFile(name)
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%d bytes of %d: %v", len(got), len(data), err)
		}
		if n := files(t, filepath.Dir(name)); len(n) != 1 {
			t.Fatalf("files %q", n)
		}
	}
}

// Every torn, damaged or foreign file is refused, with its name.
func TestBadFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "world.save")
	packed := compression.Compress(sample(300))
	var bad [][]byte
	for n := range packed {
		flipped := bytes.Clone(packed)
		flipped[n] ^= 1
		bad = append(bad, packed[:n], flipped)
	}
	bad = append(bad, append(bytes.Clone(packed), 0), []byte("PNG"), sample(5000))
	for i, b := range bad {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		data, err := save.ReadFile(name)
		if bytes.Equal(data, sample(300)) {
			continue // a bit without meaning
		}
		if !errors.Is(err, save.ErrFile) || !strings.Contains(err.Error(), name) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	if _, err := save.ReadFile(name + ".none"); !errors.Is(err, fs.ErrNotExist) || err.Error() != "load "+name+".none: no such file or directory" {
		t.Errorf("no file: %v", err)
	}
}

// A save that cannot be written leaves the earlier file and no temporary one.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	refused := func(name, reason string) {
		t.Helper()
		for _, err := range []error{save.CheckFile(name), save.WriteFile(name, sample(9))} {
			if err == nil || err.Error() != "save "+name+": "+reason {
				t.Errorf("%v, want %s", err, reason)
			}
		}
	}
	refused(filepath.Join(dir, "no", "world.save"), "no such file or directory")
	taken := filepath.Join(dir, "taken")
	if err := os.Mkdir(taken, 0o700); err != nil {
		t.Fatal(err)
	}
	refused(taken, "it is a directory")
	if err := save.CheckFile(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
	if n := files(t, dir); len(n) != 1 {
		t.Errorf("files %q", n)
	}
	if os.Getuid() == 0 {
		return // nothing is read-only for root
	}
	if err := os.Chmod(taken, 0o500); err != nil {
		t.Fatal(err)
	}
	refused(filepath.Join(taken, "world.save"), "permission denied")
}
