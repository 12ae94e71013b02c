package campaign

import (
	"fmt"
	"testing"
)

// The same match has the same datagrams, worlds, views and counts on any number of workers: on bad links, with players
// who come, go and come back, commands, messages, and components that clients own.
func TestWorkersChangeNothing(t *testing.T) {
	seeds := []uint64{66, 132, 228, 116, 123, 201, 142, 95}
	if testing.Short() {
		seeds = seeds[:2]
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			var one print
			for _, workers := range []int{1, 2, 4} {
				d := newDraw(t, seed)
				d.server.Workers = workers
				m := newMatch(t, d)
				got := m.print(true)
				if err := m.crowd.Server.Close(m.crowd.Now()); err != nil {
					t.Error(err)
				}
				if workers == 1 {
					one = got
				}
				if got != one {
					t.Errorf("%d workers: %x, one has %x: go test ./internal/campaign -run 'TestWorkersChangeNothing/seed=%d$'\n%v", workers, got, one, seed, d)
				}
			}
		})
	}
}
