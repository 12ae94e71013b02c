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

// Inspector shows a server to browsers and to Prometheus. It is an http.Handler.
//
// What reads the server runs on the server's goroutine, at the end of a wake-up: requests
// hand it over and wait.
type Inspector struct {
	config      Config
	server      *systems.Server
	settled     systems.ServerConfig // the server's
	protocol    *ecs.Protocol
	timings     timings
	wanted      chan *job
	lease       lease
	gate        *Gate
	causeTables causeTables
	mux         *http.ServeMux
	metrics     http.Handler
	on          bool // touched by the server's goroutine alone
}

// mostWaiting is how many requests may wait for the end of a wake-up, and mostRequests
// how many may be under way.
const (
	mostWaiting  = 16
	mostRequests = 64
)

// errBusy is the error of a request that no wake-up has answered.
var errBusy = errors.New("the server has not answered in time: it does not tick, or too many ask it")

// Open is [New] with a token, which may be empty, and a log, which may be nil: runner.Inspect takes it.
func Open(s *systems.Server, token string, log *slog.Logger) (*Inspector, error) {
	return New(s, Config{Token: token, Logger: log})
}

// New attaches an inspector to a server, whose schedule stays as it is now: call it before
// the server runs, or between two of its ticks. The error wraps [ErrConfig]. A server has
// one inspector at a time.
func New(s *systems.Server, c Config) (*Inspector, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	filled := c.filled()
	x := &Inspector{
		config: filled, server: s, settled: s.Config(), protocol: s.World().Protocol(),
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

// Close detaches the inspector, and leaves the server as it was before [New]; requests get
// 503 from then on. Like New it belongs between two ticks of the server.
func (x *Inspector) Close() {
	x.on = false
	x.timings.detach(x.server.Schedule())
	x.lease.end(x.server)
	x.server.SetProbe(nil)
}

// probe keeps what the server calls out of Inspector's methods.
type probe Inspector

func (p *probe) Begin() { p.timings.begin() }

// End answers one request at most, so that many of them make no tick late.
func (p *probe) End() {
	p.timings.end()
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

// job is what a request wants of the server. The request looks at its state every now and
// then: for the server to wake it could take longer than all the rest.
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

// lookEvery is how often a request looks whether it has been answered.
const lookEvery = 2 * time.Millisecond

// ask has read run at the end of a wake-up. Where it returns an error read has not run,
// and will not.
func (x *Inspector) ask(ctx context.Context, read func(*systems.Server)) error {
	j := &job{read: read}
	select {
	case x.wanted <- j:
	default:
		return errBusy
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for until := time.Now().Add(x.config.Wait); j.state.Load() != jobDone; <-look.C {
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

// lease keeps the server measuring by entity while somebody looks.
type lease struct {
	on    bool
	until time.Duration
}

// leaseFor is how long after the last look it goes on.
const leaseFor = 15 * time.Second

func (l *lease) renew(s *systems.Server, now time.Duration) {
	if !l.on {
		s.AccountEntities(true)
	}
	l.on, l.until = true, now+leaseFor
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
