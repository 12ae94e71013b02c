package campaign

import (
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

var update = flag.Bool("update", false, "write testdata/fingerprints.txt anew")

// fingerprintsFile has a line per match: its seed, its two hashes, and its features.
const fingerprintsFile = "testdata/fingerprints.txt"

// fingerprinted lists four seeds of each preset, on bad links, that together run most of the netcode.
var fingerprinted = []uint64{
	102, 66, 228, 132, 73, 109, 127, 133, 68, 122, 158, 224, 15, 51, 123, 201, 130, 142, 160, 214, 5, 95, 113, 167,
}

// TestFingerprints shows whether a change of the code changes its behaviour: every datagram of these matches, the hashes of worlds
// and views, and all statistics stay the same with any number of workers. The file holds the results with one worker. By default
// half of the matches run, with two or four workers. With TACTUS_LONG each runs with one, two and four. A commit that changes the
// behaviour on purpose updates the file and says why. A new statistic changes only the second hash:
//
//	go test ./internal/campaign -run TestFingerprints -update
func TestFingerprints(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skipf("on %s products and sums may be rounded once, and not twice", runtime.GOARCH)
	}
	if *update && testing.Short() {
		t.Fatal("-update needs all of them, without -short")
	}
	known, lines := prints(t), make([]string, len(fingerprinted))
	t.Run("matches", func(t *testing.T) {
		for i, seed := range fingerprinted {
			if testing.Short() && i%4 > 0 || i%2 > 0 && !long() && !*update {
				continue
			}
			t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
				t.Parallel()
				on := []int{4 - i%4}
				switch {
				case *update:
					on = []int{1}
				case long():
					on = []int{1, 2, 4}
				}
				for _, workers := range on {
					d := newDraw(t, seed)
					d.server.Workers = workers
					now := line(d, fingerprint(t, d))
					switch went := fmt.Sprintf("%.21s", now); {
					case *update:
						lines[i] = now
					case strings.Contains(known, now):
					case strings.Contains(known, went):
						t.Errorf("on %d workers this match goes as it did, and other things are counted; if they are meant to be: -update\n%s", workers, now)
					default:
						t.Errorf("on %d workers this match does not go as it did on one; if it is meant to: -update\n%s", workers, now)
					}
				}
			})
		}
	})
	if *update {
		if err := os.WriteFile(fingerprintsFile, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// print is two hashes: of a match's datagrams, worlds and views, and of its statistics.
type print struct{ went, counts uint64 }

// line returns the file's line for a match.
func line(d *draw, p print) string {
	return fmt.Sprintf("%4d %016x %016x %v\n", d.seed, p.went, p.counts, d)
}

// prints returns the lines of the file.
func prints(t *testing.T) string {
	b, err := os.ReadFile(fingerprintsFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// long reports whether a test is to play all matches that it has, as it does at night.
func long() bool { return os.Getenv("TACTUS_LONG") != "" }

// fingerprint plays a match and returns hashes of all of it that can be seen.
func fingerprint(t *testing.T, d *draw) print {
	if d.storm < 0 {
		t.Fatalf("%v: the links are good", d)
	}
	m := newMatch(t, d)
	p := m.print(true)
	m.must(m.crowd.Server.Close(m.crowd.Now()))
	return p
}

// print plays the match and returns the hashes. With views, they include everything that is drawn.
func (m *match) print(views bool) print {
	h, counts := m.went, fnv.New64a()
	if views {
		now := rand.New(rand.NewPCG(m.seed, 0))
		m.crowd.OnFrame(func(k *systemstest.Client) {
			if v := k.View(); v != nil && now.IntN(8) == 0 {
				fmt.Fprintf(h, "%d %x\n", k.N, v.Hash())
			}
		})
	}
	m.play()
	m.hush()
	for range 4 {
		m.crowd.Run(time.Second)
		fmt.Fprintf(h, "%x\n", m.crowd.Hash())
	}
	fmt.Fprintln(h, m.hash)
	fmt.Fprintln(counts, m.crowd.Server.Stats(), m.events.Stats())
	for _, k := range m.players {
		stats, lit := k.Stats(), 0
		if views {
			lit = k.lit
		} else {
			stats.Delay = systems.Delay{} // depends on what is drawn
		}
		fmt.Fprintln(counts, stats, k.events.Stats(), closeReason(k.Err()), lit, len(k.ledger.committed))
	}
	return print{h.Sum64(), counts.Sum64()}
}

// closeReason returns why a client has ended, without the text of the error.
func closeReason(err error) string {
	var closed *netsys.CloseError
	switch {
	case err == nil:
		return "plays"
	case errors.As(err, &closed):
		return fmt.Sprintf("closed %d remote %v", closed.Reason, closed.Remote)
	case errors.Is(err, netsys.ErrTimeout):
		return "timeout"
	case errors.Is(err, netsys.ErrRefused):
		return "refused"
	}
	return "error"
}
