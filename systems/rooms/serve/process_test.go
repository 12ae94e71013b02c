//go:build unix

package serve

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
)

// deadlineOf is how a test asks its child to be a server.
const deadlineOf = "TACTUS_SERVE_DEADLINE"

// TestMain is the server, where a test of this file has started it as a child.
func TestMain(m *testing.M) {
	if deadline, err := time.ParseDuration(os.Getenv(deadlineOf)); err == nil {
		if err := child(deadline); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child runs a server in a child process. It prints the tokens of two players.
func child(deadline time.Duration) error {
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		return err
	}
	s, err := rooms.New(rooms.Config{Kinds: []rooms.Kind{{Name: "field", Protocol: func() *ecs.Protocol { return field(nil) }, Capacity: 2, Server: systems.ServerConfig{Overload: systems.Overload{Off: true}}}}}, wire)
	if err != nil {
		return err
	}
	all, err := s.Join("field", nil, rooms.Player{ID: 1}, rooms.Player{ID: 2})
	if err != nil {
		return err
	}
	for _, a := range all {
		fmt.Println(base64.StdEncoding.EncodeToString(a.Token.Append(nil)))
	}
	return Run(context.Background(), s, Config{Deadline: deadline, Logger: slog.New(slog.NewTextHandler(os.Stdout, nil))})
}

// guest plays in a child's room.
type guest struct {
	frames atomic.Int64 // in which it has seen both players
	leave  context.CancelFunc
	over   chan error
}

// family is a child, and two players.
type family struct {
	*exec.Cmd
	lines  *bufio.Scanner
	guests [2]*guest
}

func newFamily(t *testing.T, deadline string) *family {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := &family{Cmd: exec.Command(self)}
	f.Env = append(os.Environ(), deadlineOf+"="+deadline)
	f.Stderr = os.Stderr
	out, err := f.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	f.lines = bufio.NewScanner(out)
	if err := f.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Process.Kill(); _ = f.Wait() })
	for i := range f.guests {
		if !f.lines.Scan() {
			t.Fatal("the server prints no token")
		}
		b, err := base64.StdEncoding.DecodeString(f.lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		token, err := netcode.ParseToken(b)
		if err != nil {
			t.Fatal(err)
		}
		g := &guest{over: make(chan error, 1)}
		var ctx context.Context
		ctx, g.leave = context.WithCancel(t.Context())
		c, err := systems.Dial(ctx, "", field(nil), systems.ClientConfig{Session: systems.ClientSession{Token: token}})
		if err != nil {
			t.Fatal(err)
		}
		f.guests[i] = g
		go func() {
			g.over <- c.Run(ctx, func(c *systems.Client) {
				n := 0
				for range ecs.All[struct{ At place }](c.View()) {
					n++
				}
				if n == 2 {
					g.frames.Add(1)
				}
			})
		}()
	}
	f.play(t)
	return f
}

// play waits until each guest has received 20 more frames that show both.
func (f *family) play(t *testing.T) {
	t.Helper()
	for i, g := range f.guests {
		from := g.frames.Load()
		for deadline := time.Now().Add(generous); g.frames.Load() < from+20; time.Sleep(time.Millisecond) {
			select {
			case err := <-g.over:
				t.Fatalf("player %d has ended: %v", i+1, err)
			default:
			}
			if time.Now().After(deadline) {
				t.Fatalf("player %d does not play", i+1)
			}
		}
	}
}

// tell sends a signal, and waits until the server has written a line.
func (f *family) tell(t *testing.T, s os.Signal, line string) {
	t.Helper()
	if err := f.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	for f.lines.Scan() {
		if strings.Contains(f.lines.Text(), line) {
			return
		}
	}
	t.Fatalf("the server does not write %q", line)
}

// code returns the child's exit code.
func (f *family) code() int {
	for f.lines.Scan() {
	}
	_ = f.Wait()
	return f.ProcessState.ExitCode()
}

// A process with players that gets SIGTERM plays on with them until they have left, and has exit code 0.
func TestSIGTERM(t *testing.T) {
	f := newFamily(t, "0")
	f.tell(t, syscall.SIGTERM, "draining")
	f.play(t)
	for _, g := range f.guests {
		g.leave()
	}
	if code := f.code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A second signal, and the deadline, end the process immediately: its players get the reason, and the exit code reports that
// they were playing.
func TestSecondSignal(t *testing.T) {
	for deadline, signals := range map[string][]os.Signal{"0": {syscall.SIGTERM, os.Interrupt}, "300ms": {os.Interrupt}} {
		f := newFamily(t, deadline)
		for _, s := range signals {
			f.tell(t, s, map[bool]string{true: "draining", false: "before their time"}[s == signals[0]])
		}
		for i, g := range f.guests {
			select {
			case err := <-g.over:
				if c, ok := errors.AsType[*netsys.CloseError](err); !ok || c.Reason != netsys.ReasonServerClosing {
					t.Errorf("deadline %v: player %d: %v", deadline, i+1, err)
				}
			case <-time.After(generous):
				t.Errorf("deadline %v: player %d was not told", deadline, i+1)
			}
		}
		if code := f.code(); code != 1 {
			t.Errorf("deadline %v: exit code %d", deadline, code)
		}
	}
}
