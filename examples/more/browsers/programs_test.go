package browsers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// programs are the commands of worlds that tests start: each is built once.
var programs struct {
	sync.Mutex
	folder string // TestMain makes it, and removes it
	built  map[string]bool
}

func TestMain(m *testing.M) { os.Exit(testsWithPrograms(m)) }

// testsWithPrograms runs the tests.
func testsWithPrograms(m *testing.M) (code int) {
	folder, err := os.MkdirTemp("", "play-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	programs.folder, programs.built = folder, map[string]bool{}
	defer func() {
		if err := os.RemoveAll(folder); err != nil {
			fmt.Println(err)
			code = 1
		}
	}()
	return m.Run()
}

// program builds the command in a folder of the checkout.
func program(t *testing.T, folder string) string {
	t.Helper()
	programs.Lock()
	defer programs.Unlock()
	file := filepath.Join(programs.folder, "world-"+filepath.Base(folder))
	if programs.built[folder] {
		return file
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", file, ".") // without what debuggers need, which takes longer to link
	build.Dir, build.Env = filepath.Join(root(t), folder), append(os.Environ(), "GOWORK=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	programs.built[folder] = true
	return file
}
