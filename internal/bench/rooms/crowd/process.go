package crowd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tactusgo/tactus/internal/bench/apart"
)

// Process is a process with rooms, seen from its parent. Any goroutine may ask it.
type Process struct {
	Hello
	*apart.Process
}

// Start starts this program again as a process with rooms. on selects its processors: see [Apart].
func Start(args, env []string, complaints io.Writer, on func(start func() error) error) (*Process, error) {
	p, err := apart.Start(apart.Config{Args: args, Env: env, Errors: complaints, On: on})
	if err != nil {
		return nil, err
	}
	started, err := greet(p)
	if err != nil {
		return nil, errors.Join(err, p.Kill())
	}
	return started, nil
}

// Talk returns a process with the given input and output.
func Talk(in io.WriteCloser, out io.Reader) (*Process, error) { return greet(apart.Talk(in, out)) }

// greet reads the first line of a process.
func greet(p *apart.Process) (*Process, error) {
	line, err := p.Line()
	if err != nil {
		return nil, fmt.Errorf("the process with rooms has said nothing: %w", err)
	}
	started := &Process{Process: p}
	return started, json.Unmarshal([]byte(line), &started.Hello)
}

// Ask sends the process a question and decodes the answer.
func (p *Process) Ask(question string, answer any) error {
	if err := p.Process.Ask(question, answer); err != nil {
		return fmt.Errorf("process %s: %w", p.Name, err)
	}
	return nil
}

// Apart keeps this process off the last processor and returns a function that starts processes there. All processes share
// all processors if want is false, if there is only one, or if the system cannot separate them.
func Apart(want bool) (on func(start func() error) error, err error) {
	if want {
		if on, _, err := apart.Separate(1); err == nil {
			return on, nil
		}
	}
	return func(start func() error) error { return start() }, nil
}
