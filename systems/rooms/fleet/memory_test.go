package fleet_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/fleet/fleettest"
)

// Memory is a conforming directory.
func TestMemory(t *testing.T) {
	fleettest.Directory(t, func(*testing.T) fleettest.Store {
		var mu sync.Mutex
		now := time.Unix(0, 0)
		m := fleet.NewMemory(func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return now
		})
		return fleettest.Store{Directory: m, Pass: func(d time.Duration) {
			mu.Lock()
			now = now.Add(d)
			mu.Unlock()
			_, _ = m.Load(t.Context(), "") // leases run out when somebody calls
		}}
	})
}

// The name of a process is valid in a key.
func TestProcessNamesAreKeys(t *testing.T) {
	for name, good := range map[string]bool{"": true, "one-2_B": true, "a b": false, "*": false, "a.": false, "ä": false} {
		err := rooms.Config{Kinds: []rooms.Kind{{Name: "none"}}, Process: name}.Validate()
		if named := err != nil && strings.Contains(err.Error(), "Process"); named == good {
			t.Errorf("%q: %v", name, err)
		}
	}
}
