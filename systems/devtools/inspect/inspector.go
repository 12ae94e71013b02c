package inspect

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Inspector shows a server to browsers and to Prometheus. It is an http.Handler. Requests are read from the server on
// the server's goroutine, at the end of a wake-up.
type Inspector struct {
	config       Config
	server       *systems.Server
	serverConfig systems.ServerConfig // configuration of the server
	protocol     *ecs.Protocol
	timings      timings
	wanted       chan *job
	lease        lease
	gate         *Gate
	causeTables  causeTables
	mux          *http.ServeMux
	metrics      http.Handler
	on           bool // only used on the server's goroutine
}

// mostWaiting limits the requests that wait for the end of a wake-up. mostRequests limits the concurrent requests.
const (
	mostWaiting  = 16
	mostRequests = 64
)

// errBusy is returned for a request that no wake-up answered in time.
var errBusy = errors.New("the server has not answered in time: it does not tick, or too many ask it")

// Open is [New] with a token, which may be empty, and a logger, which may be nil. It has the signature that
// runner.Inspect expects.
func Open(s *systems.Server, token string, log *slog.Logger) (*Inspector, error) {
	return New(s, Config{Token: token, Logger: log})
}

// New attaches an inspector to a server. Call it before the server runs, or between two ticks. The schedule must not
// change afterwards. A server has one inspector at a time. The error wraps [ErrConfig].
func New(s *systems.Server, c Config) (*Inspector, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	filled := c.filled()
	x := &Inspector{
		config: filled, server: s, serverConfig: s.Config(), protocol: s.World().Protocol(),
		wanted: make(chan *job, mostWaiting), on: true,
	}
	start := time.Now()
	x.timings.clock = func() time.Duration { return time.Since(start) }
	x.timings.attach(s.Schedule(), &x.on)
	x.metrics = x.newMetrics()
	x.mux = x.routes()
	x.gate, _ = NewGate(c, x.mux, Posts{}) // c is valid
	s.SetProbe((*probe)(x))
	return x, nil
}

// Close detaches the inspector and restores the server's schedule. Later requests get status 503. Call it between two
// ticks of the server.
func (x *Inspector) Close() {
	x.on = false
	x.timings.detach(x.server.Schedule())
	x.lease.end(x.server)
	x.server.SetProbe(nil)
}

// probe implements the probe of the server, so that Inspector needs no such methods.
type probe Inspector

func (p *probe) Begin() { p.timings.startWakeup() }

// End answers at most one request, so that many requests do not delay ticks.
func (p *probe) End() {
	p.timings.endWakeup()
	select {
	case j := <-p.wanted:
		if j.state.CompareAndSwap(jobWaits, jobTaken) {
			j.read(p.server)
			j.state.Store(jobDone)
		}
	default:
	}
	if p.lease.on {
		p.lease.check(p.server, p.timings.clock())
	}
}

// job is a request to the server's goroutine. The HTTP goroutine polls its state, because waking that goroutine could
// cost the server more time than the job.
type job struct {
	read  func(*systems.Server)
	state atomic.Uint32
}

const (
	jobWaits = iota
	jobTaken
	jobDone
	jobGivenUp
)

// pollInterval is how often a request checks whether it has been answered.
const pollInterval = 2 * time.Millisecond

// runInWakeup runs read at the end of a wake-up. If it returns an error, read has not run and will not run.
func (x *Inspector) runInWakeup(ctx context.Context, read func(*systems.Server)) error {
	j := &job{read: read}
	select {
	case x.wanted <- j:
	default:
		return errBusy
	}
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for until := time.Now().Add(x.config.Wait); j.state.Load() != jobDone; <-poll.C {
		err := ctx.Err()
		if err == nil && time.Now().After(until) {
			err = errBusy
		}
		if err != nil && j.state.CompareAndSwap(jobWaits, jobGivenUp) {
			return err
		}
	}
	return nil
}

// lease keeps the accounting by entity enabled while requests need it.
type lease struct {
	on    bool
	until time.Duration
}

// leaseDuration is how long the accounting continues after the last request.
const leaseDuration = 15 * time.Second

func (l *lease) renew(s *systems.Server, now time.Duration) {
	if !l.on {
		s.AccountEntities(true)
	}
	l.on, l.until = true, now+leaseDuration
}

func (l *lease) check(s *systems.Server, now time.Duration) {
	if now > l.until {
		l.end(s)
	}
}

func (l *lease) end(s *systems.Server) {
	if l.on {
		s.AccountEntities(false)
	}
	l.on = false
}
