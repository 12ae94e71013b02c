package netsys

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// TestBulkOnNarrowPaths sends endless bulk beside snapshots over paths of limited bandwidth. The queue at the bottleneck stays
// short, and the bulk uses most of the bandwidth that the snapshots leave.
func TestBulkOnNarrowPaths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		bandwidth, snapshot int
		latency             time.Duration
		loss                float64
		seconds             int // so many that the way up to the full rate matters little
	}{
		{32 << 10, 150, 40 * time.Millisecond, 0, 30},
		{64 << 10, 300, 40 * time.Millisecond, 0.05, 30},
		{256 << 10, 400, 10 * time.Millisecond, 0, 30},
		{64 << 10, 300, 40 * time.Millisecond, 0, 30},
		{128 << 10, 400, 40 * time.Millisecond, 0, 30},
		{256 << 10, 400, 40 * time.Millisecond, 0, 30},
		{1 << 20, 400, 40 * time.Millisecond, 0, 30},
		{1 << 20, 400, 100 * time.Millisecond, 0, 60},
	}
	if os.Getenv("TACTUS_LONG") == "" {
		tests = tests[:3]
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%d KiB/s %v loss %v", test.bandwidth>>10, test.latency, test.loss), func(t *testing.T) {
			link := Link{Latency: test.latency, Loss: test.loss, Bandwidth: test.bandwidth, Queue: 500 * time.Millisecond}
			m := newMatch(t, matchConfig{link: link}).connect()
			bulk := make([]byte, 16<<10)
			bytes := 0
			m.atClient.onMessage = func(_ int, b []byte) { bytes += len(b) }
			var sum, worst time.Duration
			n := 0
			sent := make(map[uint16]time.Time)
			m.atClient.onReceived = func(now time.Time, _ Session, p Packet) {
				if d := p.At.Sub(sent[p.Seq]) - test.latency; n > 600 {
					sum += d
					worst = max(worst, d)
				}
				n++
			}
			for range test.seconds * 60 {
				for m.atServer.last.Channels().Send(4, bulk) == nil {
				}
				m.send(m.client.Session(), "input")
				sent[m.send(m.atServer.last, string(make([]byte, test.snapshot)))] = m.now
				m.step()
			}
			mean := sum / time.Duration(n-600)
			s := m.atServer.last.Channels().Stats()
			left := test.bandwidth - 60*(test.snapshot+60)
			if mean > 60*time.Millisecond || bytes/test.seconds < left/2 {
				t.Errorf("the queue is too long or the bulk too little")
			}
			t.Logf("queue %v mean, %v worst; bulk %d B/s of %d; rate %d, lost %d", mean, worst, bytes/test.seconds, left, s.Rate, s.Lost)
		})
	}
}
