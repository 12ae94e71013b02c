package apart

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// variable names the environment variable by which a program is told that it is the other process, and what for.
const variable = "TACTUS_BENCH_APART"

// Order is what this process was started for by [Start], false where it was not.
func Order() (order string, ok bool) { return os.LookupEnv(variable) }

// Process is the other process, seen from the program that started it.
type Process struct {
	// Told is what the process writes to [Telling].
	Told *os.File

	cmd   *exec.Cmd
	ask   io.WriteCloser
	lines *bufio.Reader
}

// Start runs this program again as another process, for an order, with more environment, by way of on: see
// [Processors.On]. What it complains of goes to complaints. It ends when its input does, so that it does not outlive
// this one.
func Start(order string, environment []string, complaints io.Writer, on func(start func() error) error) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: exec.Command(self)}
	p.cmd.Env = append(append(os.Environ(), variable+"="+order), environment...)
	p.cmd.Stderr = complaints
	if p.ask, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.lines = bufio.NewReader(stdout)
	told, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.Told, p.cmd.ExtraFiles = told, []*os.File{tell}
	err = on(p.cmd.Start)
	_ = tell.Close()
	if err != nil {
		return nil, errors.Join(err, told.Close())
	}
	return p, nil
}

// Telling is the file that the other process writes to what [Process.Told] reads.
func Telling() *os.File { return os.NewFile(3, "telling") }

// Line is the next line that the process prints, without its end.
func (p *Process) Line() (string, error) {
	line, err := p.lines.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the server's process has ended: %w", err)
	}
	return line[:len(line)-1], nil
}

// Ask asks the process a question of one line, and reads the answer, of [Answer], into a pointer.
func (p *Process) Ask(question string, answer any) error {
	if _, err := io.WriteString(p.ask, question+"\n"); err != nil {
		return fmt.Errorf("asking the server's process: %w", err)
	}
	line, err := p.Line()
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(line), answer)
}

// Answer is what the other process does: it answers each question that it reads, in a line of JSON, until there are
// no more or an error.
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

// Hold keeps the process from running at all, until Resume.
func (p *Process) Hold() error { return p.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume ends what Hold began.
func (p *Process) Resume() error { return p.cmd.Process.Signal(syscall.SIGCONT) }

// Close ends the process, and waits for that.
func (p *Process) Close() error {
	_ = p.Resume()
	_ = p.ask.Close()
	_ = p.Told.Close()
	return p.cmd.Wait()
}
