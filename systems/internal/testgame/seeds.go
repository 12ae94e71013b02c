package testgame

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/tactusgo/tactus/internal/race"
)

// Seeds runs f for the seeds 1 to n, each in a subtest named like seed=17: a quarter of them with -short
// and under the race detector, at least one, or as many as the environment variable TACTUS_SEEDS says. A seed that fails
// says how to run it alone.
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
