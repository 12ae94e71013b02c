package netsys_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// delays returns how long each datagram took, sorted, and how many were lost. It covers the datagrams whose number is at
// least from and below to.
func (w *traffic) delays(from, to int) (sorted []time.Duration, lost int) {
	for i := from; i < to; i++ {
		if w.came[i].IsZero() {
			lost++
			continue
		}
		sorted = append(sorted, w.came[i].Sub(w.sent[i]))
	}
	slices.Sort(sorted)
	return sorted, lost
}

// The server transfers bulk data while 60 datagrams of 500 bytes per second go to the client and 60 of 80 bytes to the server.
// The transfer delays the datagrams only where it fills the link, and then only by the queue that it may cause.
func TestReliableMegabyte(t *testing.T) {
	for _, test := range []struct {
		name      string
		link      netsys.Link
		megabytes int
		// How much later than without the transfer half of them and 99 % may come.
		median, most time.Duration
	}{
		{"5 % lost", netsys.Link{Latency: 40 * time.Millisecond, Loss: 0.05}, 1, 0, 0},
		{"5 % lost, 8 Mbit/s", netsys.Link{Latency: 40 * time.Millisecond, Loss: 0.05, Bandwidth: 1e6}, 1, frame / 2, frame},
		{"a full link of 8 Mbit/s", netsys.Link{Latency: 40 * time.Millisecond, Bandwidth: 1e6}, 8, frame, 100 * time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newStage(t, netsys.ServerConfig{})
			p := s.seat(7, test.link)
			rest := make([]byte, 500)
			play := func() {
				p.up.send(p, p.Session(), rest[:80])
				p.down.send(p, p.atServer, rest)
			}
			s.run(10*time.Second, play)
			from, begun := len(p.down.sent), s.now
			bulk := &p.down.messages[bulkChannel]
			s.until("the transfer is done", func() bool {
				if bulk.sent < test.megabytes && bulk.sent < bulk.came+2 {
					bulk.send(p, p.atServer, bulkChannel, 1<<20)
				}
				play()
				return bulk.came == test.megabytes
			})
			took, to := s.now.Sub(begun), len(p.down.sent)-1
			s.run(time.Second, play)
			p.alive()
			for name, way := range map[string]*traffic{"down": &p.down, "up": &p.up} {
				before, lostBefore := way.delays(0, from)
				during, lost := way.delays(from, to)
				usual := before[len(before)-1]
				median, late, last := during[len(during)/2]-usual, during[len(during)*99/100]-usual, during[len(during)-1]-usual
				t.Logf("%s: %d MiB in %v; later than before: median %v, 99 %% %v, all %v; lost %d of %d, before %d of %d",
					name, test.megabytes, took, median, late, last, lost, to-from, lostBefore, from)
				if median > test.median || late > test.most {
					t.Errorf("%s: later than without the transfer: median %v, 99 %% %v, all %v", name, median, late, last)
				}
				if share := float64(lost) / float64(to-from); share > 1.3*test.link.Loss {
					t.Errorf("%s: %.3f lost, the link takes %v", name, share, test.link.Loss)
				}
			}
		})
	}
}
