package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"time"

	"github.com/tactusgo/tactus/internal/bench/apart"
)

// supported returns an error if there is no processor for the load.
func (s *sockets) supported() error {
	if n := runtime.NumCPU(); s.workers > max(n-1, 1) {
		return fmt.Errorf("-workers %d: 1 to %d are allowed, of %d processors one is for the load", s.workers, max(n-1, 1), n)
	}
	return nil
}

// measureSockets plays the requested match on real sockets and reports.
func measureSockets(o options, progress io.Writer) (r *socketReport, err error) {
	on, processors, err := apart.Separate(o.workers)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(o.order())
	if err != nil {
		return nil, err
	}
	server, err := apart.Start(apart.Config{Order: string(text), Errors: progress, On: on, Tells: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	m := &socketMatch{truths: truths{steps: uint32(o.hz / sendRate(o.hz))}, o: o, server: server, loaders: processors, progress: progress}
	return m.play()
}

// socketMatch is a match whose server is another process.
type socketMatch struct {
	o        options
	server   *apart.Process
	truths   truths
	load     *load
	loaders  int // processors for the load
	progress io.Writer
}

// rest is how long the server runs without clients before its memory is read.
const rest = time.Second

// connectTime is the timeout for connecting all clients, besides the time of the ramp.
const connectTime = 30 * time.Second

func (m *socketMatch) play() (*socketReport, error) {
	line, err := m.server.Line()
	if err != nil {
		return nil, err
	}
	addr, err := netip.ParseAddrPort(line)
	if err != nil {
		return nil, err
	}
	go m.truths.follow(m.server.Told)
	time.Sleep(rest)
	var empty, full memory
	if err := m.server.Ask(askMemory, &empty); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if m.load, err = newLoad(ctx, m.o.order(), addr, &m.truths); err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer stop()
		m.load.play(ctx)
		m.load.close()
	}()
	a, b, err := m.measure(ctx)
	if err == nil {
		err = m.server.Ask(askMemory, &full)
	}
	var burst *burstReport
	if err == nil && m.o.burst > 0 {
		burst, err = m.overload(ctx)
	}
	stop()
	<-done
	if err != nil {
		return nil, err
	}
	r := m.report(a, b, empty, full)
	r.Burst = burst
	return r, nil
}

// moment holds the figures of both processes at one time.
type moment struct {
	counts
	load time.Duration // processor time of this process
	sent sent
}

// measure waits for all clients and measures.
func (m *socketMatch) measure(ctx context.Context) (a, b moment, err error) {
	for limit := time.Now().Add(connectTime + time.Duration(m.o.clients)*time.Second/rampRate); a.Clients < m.o.clients; {
		if err := m.wait(ctx, 500*time.Millisecond); err != nil {
			return a, b, err
		}
		if a, err = m.ask(ctx, askBegin); err != nil {
			return a, b, err
		}
		if err := a.sent.lost(); err != nil {
			return a, b, err
		}
		fmt.Fprintf(m.progress, "%d of %d clients are there\n", a.Clients, m.o.clients)
		if time.Now().After(limit) {
			return a, b, fmt.Errorf("%w: %d of %d are there after %v", errMissing, a.Clients, m.o.clients, connectTime)
		}
	}
	if err := m.wait(ctx, m.o.warm); err != nil {
		return a, b, err
	}
	if a, err = m.ask(ctx, askBegin); err != nil {
		return a, b, err
	}
	for s := 0; s < m.o.seconds; s += 5 {
		if err := m.wait(ctx, time.Duration(min(5, m.o.seconds-s))*time.Second); err != nil {
			return a, b, err
		}
		fmt.Fprintf(m.progress, "%d s of %d s\n", min(s+5, m.o.seconds), m.o.seconds)
	}
	if b, err = m.ask(ctx, askEnd); err == nil {
		err = b.sent.lost()
	}
	return a, b, err
}

// ask reads the figures of the server and of this process.
func (m *socketMatch) ask(ctx context.Context, question string) (x moment, err error) {
	if err := m.server.Ask(question, &x.counts); err != nil {
		return x, err
	}
	if x.sent, err = m.load.readFigures(ctx, question == askBegin); err != nil {
		return x, err
	}
	x.load, err = apart.CPU()
	return x, err
}

var errEnded = errors.New("the load has ended")

// wait waits for d, or until the load ends.
func (m *socketMatch) wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return errEnded
	case <-time.After(d):
		return nil
	}
}
