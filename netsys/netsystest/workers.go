package netsystest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/tactusgo/tactus/netsys"
)

// goroutines is a number of goroutines that implement [netsys.Workers].
type goroutines int

func (g goroutines) Workers() int { return int(g) }

func (g goroutines) Each(n int, do func(worker, piece int)) {
	var wait sync.WaitGroup
	for worker := range int(g) {
		wait.Go(func() {
			for piece := worker; piece < n; piece += int(g) {
				do(worker, piece)
			}
		})
	}
	wait.Wait()
}

// severalWorkers sends from several goroutines. Each client must receive only its own payloads.
func severalWorkers(t *testing.T, setup Setup) {
	const clients, each = 6, 5
	tb := newTable(t, setup, netsys.ServerConfig{Workers: goroutines(3)})
	var seats []*seat
	var sessions []netsys.Session
	for range clients {
		c, s := tb.seated(netsys.ClientConfig{})
		seats, sessions = append(seats, c), append(sessions, s)
	}
	text := func(of netsys.Session) string { return fmt.Sprintf("for %d: %0*d", of.ID(), 100*of.ID(), 7) }
	do := func(_, i int) {
		for range each {
			_, _ = sessions[i].Send(setup.Clock.Now(), []byte(text(sessions[i])))
		}
	}
	for i, c := range seats {
		tb.until("a client got its own", func() bool {
			now := setup.Clock.Now()
			tb.server.Spread(now, sessions, do)
			tb.server.Flush(now)
			return len(c.hears.Payloads[sessions[i].ID()]) > 3*each
		})
		for _, got := range c.hears.Payloads[sessions[i].ID()] {
			if got != text(sessions[i]) {
				t.Errorf("client %d received %.30q", sessions[i].ID(), got)
			}
		}
	}
}
