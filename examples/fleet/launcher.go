package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/tactusgo/tactus/systems/rooms"
)

// launcher holds the processes with rooms. Its methods may be called from any goroutine.
type launcher struct {
	env []string

	mu  sync.Mutex
	out io.Writer
	all []*child
}

// child is a process with rooms.
type child struct {
	*exec.Cmd
	name string
	in   io.Closer // when that is closed, it ends
	gone chan struct{}
}

// running reports whether it has not ended.
func (c *child) running() bool {
	select {
	case <-c.gone:
		return false
	default:
		return true
	}
}

// say prints, one at a time.
func (x *launcher) say(format string, v ...any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	_, _ = fmt.Fprintf(x.out, format+"\n", v...)
}

// start starts this program again as a process with rooms.
func (x *launcher) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	c := &child{Cmd: exec.Command(self), name: fmt.Sprintf("process-%d", len(x.all)+1), gone: make(chan struct{})}
	c.Env = append(append(os.Environ(), x.env...), nameVariable+"="+c.name)
	c.Stderr = os.Stderr
	if c.in, err = c.StdinPipe(); err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	x.all = append(x.all, c)
	go func() {
		_ = c.Wait()
		close(c.gone)
	}()
	return nil
}

// strike sends a signal to the process of that number.
func (x *launcher) strike(n int, s os.Signal) {
	x.mu.Lock()
	var c *child
	if n >= 1 && n <= len(x.all) {
		c = x.all[n-1]
	}
	x.mu.Unlock()
	if c == nil || !c.running() {
		x.say("there is no process %d", n)
		return
	}
	x.say("%v: %s", s, c.name)
	_ = c.Process.Signal(s)
}

// end ends all processes, and waits for that.
func (x *launcher) end() {
	x.mu.Lock()
	all := x.all
	x.mu.Unlock()
	for _, c := range all {
		_ = c.in.Close()
	}
	for _, c := range all {
		<-c.gone
	}
}

// rows are the processes as a table: what they have said in the directory, and whether they run.
func (x *launcher) rows(said []rooms.Record) string {
	in := make(map[string]rooms.ProcessEntry)
	for _, r := range said {
		var e rooms.ProcessEntry
		if json.Unmarshal(r.Value, &e) == nil {
			in[e.Process] = e
		}
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "process\tpid\trooms\tplayers\t ")
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range x.all {
		e, listed := in[c.name]
		state := "plays"
		switch {
		case !c.running() && listed:
			state = "dead, until its lease ends"
		case !c.running():
			continue
		case !listed:
			state = "starts"
		case e.Draining:
			state = "drains"
		}
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t  %s\n", c.name, c.Process.Pid, e.Rooms, e.Players, state)
	}
	_ = w.Flush()
	return b.String()
}
