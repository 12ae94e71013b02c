package save_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tactusgo/tactus/systems/save"
)

// On a full disk, and on one that is read-only, the earlier save stays.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	name := filepath.Join(dir, "world.save")
	if err := save.WriteFile(name, sample(1000)); err != nil {
		t.Fatal(err)
	}
	if err := save.WriteFile(name, sample(1_000_000)); err == nil || err.Error() != "save "+name+": no space left on device" {
		t.Errorf("a full disk: %v", err)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=64k"); err == nil {
		if err := save.WriteFile(name, sample(10)); err == nil || !strings.HasPrefix(err.Error(), "save "+name+": read-only") {
			t.Errorf("a read-only directory: %v", err)
		}
	}
	if data, err := save.ReadFile(name); err != nil || !bytes.Equal(data, sample(1000)) {
		t.Errorf("the earlier save: %v", err)
	}
	if n, _ := os.ReadDir(dir); len(n) != 1 {
		t.Errorf("%d files", len(n))
	}
}
