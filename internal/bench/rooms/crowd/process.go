package crowd

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// Process is a process with rooms, as its parent sees it. It may be asked from any goroutine.
type Process struct {
	Hello

	mu  sync.Mutex
	in  io.WriteCloser
	out *bufio.Reader
	cmd *exec.Cmd // nil: it is no process of its own

	killed bool
}

// Start starts this program again as a process with rooms, by way of on: see [Apart]. It ends when its input does, so it
// does not outlive this one. What it complains of goes to complaints.
func Start(args, env []string, complaints io.Writer, on func(start func() error) error) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), complaints
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := on(cmd.Start); err != nil {
		return nil, err
	}
	p, err := Talk(in, out)
	if err != nil {
		return nil, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	p.cmd = cmd
	return p, nil
}

// Talk is the process that reads in and writes out.
func Talk(in io.WriteCloser, out io.Reader) (*Process, error) {
	p := &Process{in: in, out: bufio.NewReaderSize(out, 1<<16)}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("the process with rooms has said nothing: %w", err)
	}
	return p, json.Unmarshal(line, &p.Hello)
}

// Ask asks something.
func (p *Process) Ask(what string, answer any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := fmt.Fprintln(p.in, what); err != nil {
		return err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("process %s has ended: %w", p.Name, err)
	}
	return json.Unmarshal(line, answer)
}

// Close ends it, and waits for that.
func (p *Process) Close() error {
	if p.killed {
		return nil
	}
	err := p.in.Close()
	if p.cmd != nil {
		err = errors.Join(err, p.cmd.Wait())
	}
	return err
}

// Kill ends it as a crash does, and waits for that.
func (p *Process) Kill() error {
	err := p.cmd.Process.Kill()
	_ = p.cmd.Wait() // of how it ended
	p.killed = true
	return err
}
