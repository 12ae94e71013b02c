package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// report is the JSON object at the end. It counts all clients.
type report struct {
	OK        bool     `json:"ok"`
	Failures  []string `json:"failures,omitempty"`
	Seconds   float64  `json:"seconds"`
	Seed      uint64   `json:"seed"`
	Rounds    int      `json:"rounds"`
	Joined    int64    `json:"joined"`
	Left      int64    `json:"left"`
	Died      int64    `json:"died"`
	TakenOver int64    `json:"taken_over"`
	Returned  int64    `json:"returned"` // clients that returned with the same client number
	Moved     int64    `json:"moved"`
	Silences  int64    `json:"silences"`
	Messages  int64    `json:"messages"` // messages that came back
	First     figures  `json:"first"`    // after the first round
	Last      figures  `json:"last"`     // after the last round
	Begin     figures  `json:"begin"`    // before the servers started
	End       figures  `json:"end"`      // after they ended
}

// counts are the counts of a [report]. All goroutines update them.
type counts struct {
	joined, left, died, takenOver, returned, moved, silences, messages atomic.Int64
}

// soak is a run of the program.
type soak struct {
	options
	key   netcode.Key
	out   io.Writer
	began time.Time
	begin figures
	hosts []*host
	seats []*seat
	counts

	mu       sync.Mutex // guards failures and printing
	failures []string
}

// keptFailures is the largest number of reported failures.
const keptFailures = 20

// fail records a failure.
func (s *soak) fail(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprintf("%.1f s: ", time.Since(s.began).Seconds()) + fmt.Sprintf(format, args...)
	_, _ = fmt.Fprintln(s.out, "FAIL", text)
	if len(s.failures) < keptFailures {
		s.failures = append(s.failures, text)
	}
}

// printf prints a line.
func (s *soak) printf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = fmt.Fprintf(s.out, format+"\n", args...)
}

// newSoak starts the servers.
func newSoak(o options, out io.Writer) (*soak, error) {
	s := &soak{options: o, key: netcode.GenerateKey(nil), out: out, began: time.Now()}
	// The first socket creates descriptors of the runtime.
	if conn, err := net.ListenPacket("udp", "127.0.0.1:0"); err == nil {
		_ = conn.Close()
	}
	s.begin = measure()
	for _, name := range o.names() {
		h, err := s.serve(name)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.hosts = append(s.hosts, h)
		for range o.clients {
			n := uint64(len(s.seats) + 1)
			s.seats = append(s.seats, &seat{soak: s, host: h, id: n, rng: rand.New(rand.NewPCG(o.seed, n))})
		}
	}
	return s, nil
}

// close stops the servers.
func (s *soak) close() error {
	var errs []error
	for _, h := range s.hosts {
		errs = append(errs, h.close())
	}
	return errors.Join(errs...)
}

// play plays rounds until the time is over.
func (s *soak) play(ctx context.Context) report {
	done := make(chan struct{})
	progress, stop := context.WithCancel(ctx)
	go func() {
		defer close(done)
		s.printProgress(progress)
	}()
	var r report
	for ctx.Err() == nil && (r.Rounds < 2 || time.Since(s.began) < s.duration) {
		s.round(ctx)
		if ctx.Err() != nil {
			break
		}
		r.Last = measure()
		s.printf("round %d: without players %v", r.Rounds+1, r.Last)
		if r.Rounds++; r.Rounds == 1 {
			r.First = r.Last
		}
		for _, grown := range r.Last.growth(r.First) {
			s.fail("after round %d: %s", r.Rounds, grown)
		}
	}
	stop()
	<-done
	if err := s.close(); err != nil {
		s.fail("%v", err)
	}
	s.hosts, s.seats = nil, nil
	r.Begin, r.End = s.begin, measureSettled(s.begin)
	for _, grown := range r.End.growth(r.Begin) {
		s.fail("after the end: %s", grown)
	}
	c := &s.counts
	r.Joined, r.Left, r.Died, r.TakenOver = c.joined.Load(), c.left.Load(), c.died.Load(), c.takenOver.Load()
	r.Returned, r.Moved, r.Silences, r.Messages = c.returned.Load(), c.moved.Load(), c.silences.Load(), c.messages.Load()
	r.Seconds, r.Seed, r.Failures = time.Since(s.began).Seconds(), s.seed, s.failures
	r.OK = len(s.failures) == 0
	return r
}

// measureSettled measures repeatedly for up to two seconds until nothing has grown since was, because ending goroutines may
// need a moment.
func measureSettled(was figures) (f figures) {
	for range 20 {
		if f = measure(); f.growth(was) == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return f
}

// round lets all players play, then leave or die, and waits until the servers have no players.
func (s *soak) round(ctx context.Context) {
	playing, cancel := context.WithTimeout(ctx, s.options.round)
	defer cancel()
	var wg sync.WaitGroup
	for _, seat := range s.seats {
		wg.Go(func() { seat.play(playing) })
	}
	wg.Wait()
	// A dead client times out and then keeps a reservation. The machine may be slow.
	for range int(10*s.timeout/(10*time.Millisecond)) + 1000 {
		left := int64(0)
		for _, h := range s.hosts {
			left += h.players.Load()
		}
		if left == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	for _, h := range s.hosts {
		if n := h.players.Load(); n != 0 {
			s.fail("%s: %d players remain after all have left", h.name, n)
		}
	}
}

// printProgress prints a line every ten seconds.
func (s *soak) printProgress(ctx context.Context) {
	t := time.NewTicker(10 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		c := &s.counts
		s.printf("%4.0f s: joined %d, left %d, died %d, taken over %d, returned %d, moved %d, silences %d, messages %d; %d goroutines, %d descriptors",
			time.Since(s.began).Seconds(), c.joined.Load(), c.left.Load(), c.died.Load(), c.takenOver.Load(), c.returned.Load(),
			c.moved.Load(), c.silences.Load(), c.messages.Load(), runtime.NumGoroutine(), descriptors())
	}
}
