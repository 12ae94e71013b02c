package netsys_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// match is a player that sends an input a frame and gets a snapshot every third, with bulk beside them or without.
type match struct {
	*player
	bulk  bool
	n     int
	least int // the least that a snapshot could have had
}

func (m *match) frame() {
	if m.n++; m.n%3 == 0 {
		m.least = min(m.least, m.atServer.Channels().Allowance(m.stage.now))
		m.down.send(m.player, m.atServer, make([]byte, 800))
	}
	m.up.send(m.player, m.Session(), nil)
	if b := &m.down.messages[bulkChannel]; m.bulk && b.sent < b.came+2 {
		b.send(m.player, m.atServer, bulkChannel, 100_000)
	}
}

// rate runs for some time and returns the mean of the estimated rate.
func (m *match) rate(d time.Duration) int {
	sum, n := 0, 0
	m.stage.run(d, func() {
		m.frame()
		sum += m.atServer.Channels().Stats().Rate
		n++
	})
	return sum / n
}

// Jitter delays packets but is not a queue: for a minute, the estimated rate leaves enough for snapshots and for bulk.
func TestJitterIsNoQueue(t *testing.T) {
	t.Parallel()
	for _, link := range []netsys.Link{
		{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05},
		{Latency: 50 * time.Millisecond, Jitter: 40 * time.Millisecond},
		{Latency: 100 * time.Millisecond, Jitter: 80 * time.Millisecond, Loss: 0.05},
	} {
		for _, bulk := range []bool{false, true} {
			t.Run(fmt.Sprintf("jitter %v loss %v bulk %v", link.Jitter, link.Loss, bulk), func(t *testing.T) {
				s := newStage(t, netsys.ServerConfig{})
				m := &match{player: s.seat(7, link), bulk: bulk, least: 1 << 30}
				m.rate(30 * time.Second)
				rate := m.rate(30 * time.Second)
				t.Logf("%d B/s, at least %d bytes for a snapshot", rate, m.least)
				if rate < 64<<10 || m.least < 2*netsys.MaxPayload {
					t.Errorf("%d B/s, at least %d bytes for a snapshot", rate, m.least)
				}
			})
		}
	}
}

// The path becomes 80 ms longer, as when a phone changes its network. For a second or two that looks like a queue. Then the
// estimate returns to its previous value.
func TestLongerPath(t *testing.T) {
	t.Parallel()
	for _, bulk := range []bool{false, true} {
		for _, bandwidth := range []int{0, 500_000} {
			t.Run(fmt.Sprintf("bulk %v bandwidth %d", bulk, bandwidth), func(t *testing.T) {
				s := newStage(t, netsys.ServerConfig{})
				m := &match{player: s.seat(7, netsys.Link{Latency: 10 * time.Millisecond, Bandwidth: bandwidth}), bulk: bulk}
				m.rate(10 * time.Second)
				before := m.rate(5 * time.Second)
				longer := netsys.Link{Latency: 50 * time.Millisecond, Bandwidth: bandwidth}
				must(t, m.link.SetLinks(longer, longer))
				during, after := m.rate(4*time.Second), m.rate(5*time.Second)
				t.Logf("%d B/s before, %d in the four seconds of the change, %d after", before, during, after)
				if after < before*2/5 {
					t.Errorf("%d B/s before, %d after", before, after)
				}
			})
		}
	}
}
