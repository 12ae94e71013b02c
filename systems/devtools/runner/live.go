package runner

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems"
)

// publishEvery is how often the figures of a running match are refreshed.
const publishEvery = 500 * time.Millisecond

// live holds copies of the figures that the running match shows.
type live struct {
	note func() string // below the table; may be nil

	mu     sync.Mutex
	at     time.Time
	server systems.ServerStats
	sent   systems.Traffic
}

// touch notes the time of figures that come from clients alone.
func (l *live) touch(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = now
}

// publish copies the server's figures for readers on other goroutines.
func (l *live) publish(now time.Time, s *systems.Server) {
	if now.Sub(l.at) < publishEvery {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = now
	l.server = s.Stats()
	s.Traffic(&l.sent)
}

// table prints the running match: a line for the server, the composition of its snapshots, and a line for each
// client. It may be called from any goroutine. before is the result of the previous call, for rates.
func (l *live) table(m *match, out io.Writer, before reading) reading {
	r := l.read(m)
	seconds := r.at.Sub(before.at).Seconds()
	if before.at.IsZero() || seconds <= 0 {
		seconds = max(r.at.Sub(m.start).Seconds(), 0.001)
	}
	if m.server != nil {
		fmt.Fprintf(out, "server  tick %d, %d dropped; inputs consumed %d, missing %d, late %d; datagrams dropped: %s\n\n",
			r.server.Ticks, r.server.TicksDropped, r.server.Inputs.Consumed, r.server.Inputs.Missing, r.server.Inputs.Late, drops(&r.server))
		r.traffic(out, before, seconds)
	}
	if m.o.thin {
		fmt.Fprintln(out, "bot   RTT ms   loss   buffer   B/s down   B/s up")
	} else {
		fmt.Fprintln(out, "bot   RTT ms   loss   buffer   corrections   re-simulated   error   stalls   B/s down   B/s up")
	}
	for i, c := range r.clients {
		var down, up float64
		if i < len(before.clients) && before.clients[i].id == c.id {
			down = float64(c.stats.Session.BytesIn-before.clients[i].stats.Session.BytesIn) / seconds
			up = float64(c.stats.Session.BytesOut-before.clients[i].stats.Session.BytesOut) / seconds
		}
		fmt.Fprintf(out, "%3d %8d %5.1f%% %8d", c.bot, c.stats.Session.RTT.Milliseconds(), 100*c.stats.Session.LossIn, c.stats.InputBuffer)
		if !m.o.thin {
			fmt.Fprintf(out, " %13d %14d %7.2f %8d", c.stats.Corrections, c.stats.Resimulated, c.error, c.stats.Stalls)
		}
		fmt.Fprintf(out, " %10.0f %8.0f\n", down, up)
	}
	return r
}

// reading is a copy of the figures of a running match.
type reading struct {
	at      time.Time
	server  systems.ServerStats
	sent    systems.Traffic
	clients []clientReading
}

type clientReading struct {
	bot   int
	id    uint32
	error float64 // error of the latest prediction that the server has confirmed
	stats systems.ClientStats
}

func (l *live) read(m *match) reading {
	l.mu.Lock()
	r := reading{at: l.at, server: l.server, sent: l.sent.Clone()}
	l.mu.Unlock()
	for _, p := range m.players {
		c := clientReading{bot: p.n, id: p.id.Load()}
		p.live.mu.Lock()
		c.stats = p.live.stats
		p.live.mu.Unlock()
		p.watch.mu.Lock()
		c.error = p.watch.newest
		p.watch.mu.Unlock()
		r.clients = append(r.clients, c)
	}
	return r
}

// drops formats the dropped datagrams of strangers and packets of sessions, by reason.
func drops(st *systems.ServerStats) string {
	return fmt.Sprintf("%v; in sessions: %v", st.DatagramDrops, st.Drops)
}
