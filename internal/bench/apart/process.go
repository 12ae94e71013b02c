package apart

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
)

// variable is the environment variable with the order of a process.
const variable = "TACTUS_BENCH_APART"

// Order returns Config.Order of this process. ok is false if the process has no order.
func Order() (order string, ok bool) { return os.LookupEnv(variable) }

// Process is a child process that runs this program. Ask may be called from any goroutine.
type Process struct {
	// Told reads the data that the process writes to [Telling]; nil without Config.Tells.
	Told *os.File

	mu     sync.Mutex
	cmd    *exec.Cmd // nil: see Talk
	in     io.WriteCloser
	lines  *bufio.Reader
	killed bool
}

// Config configures a child process.
type Config struct {
	// Args are the arguments, and Env additional environment variables.
	Args, Env []string
	// Order is the result of [Order] in the process. Default (""): no order.
	Order string
	// Errors receives the standard error of the process.
	Errors io.Writer
	// On starts the process on some processors: see [Separate].
	On func(start func() error) error
	// Tells opens a pipe from the process: see [Telling]. Not supported on Windows.
	Tells bool
}

// Start runs this program as a child process. The child ends when its standard input is closed, at the latest when this
// process ends.
func Start(c Config) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, c.Args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), c.Env...), c.Errors
	endWithParent(cmd) // a paused process does not read its input
	if c.Order != "" {
		cmd.Env = append(cmd.Env, variable+"="+c.Order)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := Talk(in, out)
	p.cmd = cmd
	if !c.Tells {
		return p, onLastingThread(func() error { return c.On(cmd.Start) })
	}
	told, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.Told, cmd.ExtraFiles = told, []*os.File{tell}
	err = onLastingThread(func() error { return c.On(cmd.Start) })
	_ = tell.Close()
	if err != nil {
		return nil, errors.Join(err, told.Close())
	}
	return p, nil
}

// lasting passes functions to a thread that lives as long as this process.
var lasting = sync.OnceValue(func() chan<- func() {
	calls := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range calls {
			f()
		}
	}()
	return calls
})

// onLastingThread runs f on a thread that lives as long as this process, because the kernel ends a child process with the thread that
// started it.
func onLastingThread(f func() error) error {
	result := make(chan error)
	lasting() <- func() { result <- f() }
	return <-result
}

// Talk returns a process that reads in and writes out. Tests use it to run the child in a goroutine.
func Talk(in io.WriteCloser, out io.Reader) *Process {
	return &Process{in: in, lines: bufio.NewReaderSize(out, 1<<16)}
}

// Telling returns the file that the child process writes and [Process.Told] reads.
func Telling() *os.File { return os.NewFile(3, "telling") }

// Line returns the next line that the process prints, without the line feed.
func (p *Process) Line() (string, error) {
	line, err := p.lines.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the server's process has ended: %w", err)
	}
	return line[:len(line)-1], nil
}

// Ask sends the process a question of one line, and decodes the answer of [Answer] into a pointer.
func (p *Process) Ask(question string, answer any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := io.WriteString(p.in, question+"\n"); err != nil {
		return fmt.Errorf("asking the server's process: %w", err)
	}
	line, err := p.Line()
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(line), answer)
}

// Answer reads questions from the parent process and answers each with a line of JSON. It returns at the end of the input or
// at the first error.
func Answer(in io.Reader, out io.Writer, answer func(question string) (any, error)) error {
	encoder := json.NewEncoder(out)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		v, err := answer(lines.Text())
		if err == nil {
			err = encoder.Encode(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Close ends the process and waits for its end.
func (p *Process) Close() error {
	if p.killed {
		return nil
	}
	err := p.in.Close()
	if p.cmd == nil {
		return err
	}
	_ = p.Resume() // the process may be paused
	if p.Told != nil {
		_ = p.Told.Close()
	}
	return errors.Join(err, p.cmd.Wait())
}

// Kill kills the process and waits for its end.
func (p *Process) Kill() error {
	err := p.cmd.Process.Kill()
	_ = p.cmd.Wait() // ignore the error: the process was killed
	p.killed = true
	return err
}
