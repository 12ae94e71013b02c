package main

import (
	"fmt"
	"io"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/tactusgo/tactus/internal/bench/apart"
)

// processUsage is the resource usage of a server process since its start.
type processUsage struct {
	CPU     time.Duration // user and system
	In, Out uint64
	Mallocs uint64
}

// serve runs the server's process. It prints the address and then, for every input line, the usage. It returns at the end of
// the input, so that no server outlives the parent process.
func serve(name string, stdin io.Reader, stdout, stderr io.Writer) int {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		fmt.Fprintf(stderr, "packets: %q is no server\n", name)
		return 2
	}
	s, err := kinds[i].open()
	if err != nil {
		fmt.Fprintln(stderr, "packets:", err)
		return 1
	}
	var c counters
	go s.serve(&c)
	fmt.Fprintln(stdout, s.LocalAddr())
	err = apart.Answer(stdin, stdout, func(string) (any, error) {
		cpu, err := apart.CPU()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return processUsage{cpu, c.in.Load(), c.out.Load(), m.Mallocs}, err
	})
	if err != nil {
		fmt.Fprintln(stderr, "packets:", err)
		return 1
	}
	return 0
}

// process is a server process, seen from its parent.
type process struct {
	*apart.Process
	kind kind
	addr netip.AddrPort
}

// start starts a server on its processors.
func start(k kind, on apart.Processors) (*process, error) {
	// With GOMAXPROCS=1, Go would run goroutines in turn, unlike on a real server.
	threads := fmt.Sprint("GOMAXPROCS=", runtime.GOMAXPROCS(0))
	other, err := apart.Start(apart.Config{
		Order: k.name, Env: []string{threads}, Errors: os.Stderr,
		On: func(start func() error) error { return on.On(&on.Servers, start) },
	})
	if err != nil {
		return nil, err
	}
	p := &process{Process: other, kind: k}
	line, err := p.Line()
	if err == nil {
		p.addr, err = netip.ParseAddrPort(line)
	}
	if err != nil {
		_ = p.Close()
		return nil, fmt.Errorf("%s did not start: %w", k.name, err)
	}
	return p, nil
}

func (p *process) usage() (u processUsage, err error) {
	if err := p.Ask("", &u); err != nil {
		return u, fmt.Errorf("%s: %w", p.kind.name, err)
	}
	return u, nil
}
