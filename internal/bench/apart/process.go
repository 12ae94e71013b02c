package apart

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

// variable is the environment variable that holds the order of a process.
const variable = "TACTUS_BENCH_APART"

// Order returns the order that this process was started with. ok is false if there is none.
func Order() (order string, ok bool) { return os.LookupEnv(variable) }

// Process is another process of this program, seen from the one that started it. It may be asked from any goroutine.
type Process struct {
	// Told reads what the process writes to [Telling]; nil without Config.Tells.
	Told *os.File

	mu     sync.Mutex
	cmd    *exec.Cmd // nil: see Talk
	in     io.WriteCloser
	lines  *bufio.Reader
	killed bool
}

// Config says how to start a process.
type Config struct {
	// Args are its arguments, and Env more environment variables.
	Args, Env []string
	// Order is what [Order] returns there. Default (""): no order.
	Order string
	// Errors receives its standard error.
	Errors io.Writer
	// On starts it, on some processors: see [Separate].
	On func(start func() error) error
	// Tells opens a pipe from it: see [Telling]. It does not work on Windows.
	Tells bool
}

// Start runs this program again as another process. The new process ends when its standard input is closed, at the latest
// when this process ends.
func Start(c Config) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, c.Args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), c.Env...), c.Errors
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
		return p, c.On(cmd.Start)
	}
	told, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.Told, cmd.ExtraFiles = told, []*os.File{tell}
	err = c.On(cmd.Start)
	_ = tell.Close()
	if err != nil {
		return nil, errors.Join(err, told.Close())
	}
	return p, nil
}

// Talk returns a process that reads in and writes out. Tests use it to run the other process in a goroutine.
func Talk(in io.WriteCloser, out io.Reader) *Process {
	return &Process{in: in, lines: bufio.NewReaderSize(out, 1<<16)}
}

// Telling returns the file that [Process.Told] reads, in the other process.
func Telling() *os.File { return os.NewFile(3, "telling") }

// Line returns the next line that the process prints, without its end.
func (p *Process) Line() (string, error) {
	line, err := p.lines.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the server's process has ended: %w", err)
	}
	return line[:len(line)-1], nil
}

// Ask asks the process a question of one line, and reads the answer of [Answer] into a pointer.
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

// Answer answers each question that it reads from the parent process, in a line of JSON. It returns at the end of the input,
// or with the first error.
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
	_ = p.Resume() // it may be paused
	if p.Told != nil {
		_ = p.Told.Close()
	}
	return errors.Join(err, p.cmd.Wait())
}

// Kill ends the process as a crash does, and waits for its end.
func (p *Process) Kill() error {
	err := p.cmd.Process.Kill()
	_ = p.cmd.Wait() // its error says that it was killed
	p.killed = true
	return err
}
