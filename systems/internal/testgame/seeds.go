package testgame

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/tactusgo/tactus/internal/race"
)

// Seeds runs f for the seeds 1 to n, each in a subtest like seed=17. With -short and under the race detector it
// runs a quarter of them, at least one. The environment variable TACTUS_SEEDS overrides the number. A failing seed
// prints the command that repeats it.
func Seeds(t *testing.T, n int, f func(t *testing.T, seed uint64)) {
	t.Helper()
	if testing.Short() || race.Enabled {
		n = max(n/4, 1)
	}
	if v, err := strconv.Atoi(os.Getenv("TACTUS_SEEDS")); err == nil {
		n = v
	}
	for seed := 1; seed <= n; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("repeat it alone, in its folder: TACTUS_SEEDS=%d go test -run '^%s$/^seed=%d$'", seed, t.Name()[:len(t.Name())-len(fmt.Sprintf("/seed=%d", seed))], seed)
				}
			})
			f(t, uint64(seed))
		})
	}
}
