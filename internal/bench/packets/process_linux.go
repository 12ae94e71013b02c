package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
)

// serverVariable names the environment variable that makes this program one of its servers.
const serverVariable = "TACTUS_PACKETS_SERVER"

// processUsage is what a server process has used since it began.
type processUsage struct {
	CPU     int64 // ns, user and system
	In, Out uint64
	Mallocs uint64
}

// serve is the server's process: it writes the address, then, for every line that it reads, its usage. It ends
// with its input, so that no server outlives the program that started it.
func serve(name string, stdin io.Reader, stdout, stderr io.Writer) int {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		fmt.Fprintf(stderr, "packets: %s=%q is no server\n", serverVariable, name)
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
	out := json.NewEncoder(stdout)
	for lines := bufio.NewScanner(stdin); lines.Scan(); {
		var r syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
			fmt.Fprintln(stderr, "packets:", err)
			return 1
		}
		u := processUsage{CPU: r.Utime.Nano() + r.Stime.Nano(), In: c.in.Load(), Out: c.out.Load()}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		u.Mallocs = m.Mallocs
		if err := out.Encode(u); err != nil {
			return 1
		}
	}
	return 0
}

// process is a server seen from the program that started it.
type process struct {
	kind  kind
	addr  netip.AddrPort
	cmd   *exec.Cmd
	ask   io.WriteCloser
	lines *bufio.Reader
}

// start runs a server on its processors.
func start(k kind, on processors) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{kind: k, cmd: exec.Command(self)}
	// On one processor Go would else run goroutines by turns, as on no server.
	p.cmd.Env = append(os.Environ(), serverVariable+"="+k.name, fmt.Sprint("GOMAXPROCS=", runtime.GOMAXPROCS(0)))
	p.cmd.Stderr = os.Stderr
	if p.ask, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.lines = bufio.NewReader(stdout)
	if err := on.on(&on.servers, p.cmd.Start); err != nil {
		return nil, err
	}
	line, err := p.lines.ReadString('\n')
	if err == nil {
		p.addr, err = netip.ParseAddrPort(line[:len(line)-1])
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s did not start: %w", k.name, err), p.close())
	}
	return p, nil
}

func (p *process) usage() (u processUsage, err error) {
	if _, err := io.WriteString(p.ask, "\n"); err != nil {
		return u, fmt.Errorf("%s: %w", p.kind.name, err)
	}
	line, err := p.lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &u)
	}
	if err != nil {
		return u, fmt.Errorf("%s: %w", p.kind.name, err)
	}
	return u, nil
}

// hold keeps a server from running at all, until resume.
func (p *process) hold() error { return p.signal(syscall.SIGSTOP) }

func (p *process) resume() error { return p.signal(syscall.SIGCONT) }

func (p *process) signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("%s: %w", p.kind.name, err)
	}
	return nil
}

func (p *process) close() error {
	_ = p.resume()
	_ = p.ask.Close()
	return p.cmd.Wait()
}
