package apart

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain runs the processes of tests, too: a parent, which pauses its child, and the child.
func TestMain(m *testing.M) {
	switch order, _ := Order(); order {
	case "parent":
		child, err := Start(Config{Order: "child", Errors: os.Stderr, On: func(start func() error) error { return start() }})
		if err == nil {
			err = child.Pause()
		}
		fmt.Println(child.cmd.Process.Pid, err)
		select {}
	case "child":
		_ = Answer(os.Stdin, os.Stdout, func(string) (any, error) { return nil, nil })
	default:
		os.Exit(m.Run())
	}
}

// A paused child ends when its parent is killed.
func TestPausedChildEndsWithItsParent(t *testing.T) {
	parent, err := Start(Config{Order: "parent", Errors: os.Stderr, On: func(start func() error) error { return start() }})
	if err != nil {
		t.Fatal(err)
	}
	line, err := parent.Line()
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(line, &pid); err != nil || !strings.HasSuffix(line, "<nil>") {
		t.Fatal(line, err)
	}
	if err := parent.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.cmd.Wait()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(status), ") Z ") {
			return
		}
		if time.Now().After(end) {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
			t.Fatalf("the child is still there: %s", status)
		}
	}
}

// A child lives on when the thread on which Start was called has ended.
func TestChildOutlivesTheThread(t *testing.T) {
	var child *Process
	var err error
	ended := make(chan int)
	var begin func()
	begin = func() {
		runtime.LockOSThread() // the thread ends with this goroutine
		if syscall.Gettid() == os.Getpid() {
			defer runtime.UnlockOSThread() // the main thread does not: another one begins while this one waits
			go begin()
			<-t.Context().Done()
			return
		}
		child, err = Start(Config{Order: "child", Errors: os.Stderr, On: func(start func() error) error { return start() }})
		ended <- syscall.Gettid()
	}
	go begin()
	thread := <-ended
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Close() })
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", thread)); err != nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the thread has not ended")
		}
	}
	for range 10 {
		var answer any
		if err := child.Ask("", &answer); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond) // until the signal would have arrived
	}
}
