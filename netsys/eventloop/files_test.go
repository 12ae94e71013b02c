//go:build linux

package eventloop_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
)

const filesEnv = "TACTUS_TEST_WITHOUT_FILES"

// A process that has no free file descriptor for a moment goes on serving: UDP meanwhile, WebSocket afterwards.
func TestWithoutFiles(t *testing.T) {
	if os.Getenv(filesEnv) != "" {
		serveWithoutFiles()
		return
	}
	server := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWithoutFiles$")
	server.Env, server.Stderr = append(os.Environ(), filesEnv+"=1"), os.Stderr
	in, err := server.StdinPipe()
	must(t, err)
	pipe, err := server.StdoutPipe()
	must(t, err)
	must(t, server.Start())
	out := bufio.NewScanner(pipe)
	say := func(format string, args ...any) string {
		fmt.Fprintf(in, format+"\n", args...)
		if !out.Scan() {
			t.Fatalf("the server has ended: %v", out.Err())
		}
		return out.Text()
	}
	udp, web, _ := strings.Cut(say("addresses"), " ")
	datagram, err := net.Dial("udp", udp)
	must(t, err)
	defer datagram.Close()
	opened := func() net.Conn {
		c, err := net.Dial("tcp", web)
		must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		_, err = io.WriteString(c, request())
		must(t, err)
		return c
	}
	answered := func(c net.Conn) {
		t.Helper()
		must(t, c.SetReadDeadline(time.Now().Add(30*time.Second)))
		if answer, err := bufio.NewReader(c).ReadString('\n'); !strings.Contains(answer, "101") {
			t.Fatalf("answer %q, %v", answer, err)
		}
	}
	receives := func() {
		t.Helper()
		for range 1000 {
			write(t, datagram, []byte("hello"))
			if say("received") != "0" {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Fatal("UDP is not served")
	}
	answered(opened())
	say("limit")
	waiting := opened()
	for n := 0; say("errors") == "0" && n < 10_000; n++ {
		time.Sleep(time.Millisecond)
	}
	receives()
	say("release")
	answered(waiting)
	answered(opened())
	receives()
	if err := say("err"); err != "<nil>" {
		t.Errorf("Err: %v", err)
	}
	must(t, in.Close())
	must(t, server.Wait())
}

// serveWithoutFiles serves until the end of its input, which has a command in each line.
func serveWithoutFiles() {
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	l, err := eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{Addr: "127.0.0.1:0"}}.Listen("127.0.0.1:0")
	check(err)
	defer l.Close()
	var all unix.Rlimit
	check(unix.Getrlimit(unix.RLIMIT_NOFILE, &all))
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch in.Text() {
		case "addresses":
			fmt.Println(l.LocalAddr(), l.WebSocketAddr())
		case "limit":
			next, err := unix.Dup(0) // the lowest free descriptor
			check(err)
			check(unix.Close(next))
			check(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(next), Max: all.Max}))
			fmt.Println()
		case "release":
			check(unix.Setrlimit(unix.RLIMIT_NOFILE, &all))
			fmt.Println()
		case "errors":
			fmt.Println(acceptErrors(l))
		case "received":
			n := 0
			l.Poll(time.Now(), func(netsys.Datagram) { n++ })
			fmt.Println(n)
		case "err":
			fmt.Println(l.Err())
		}
	}
}

func acceptErrors(l *eventloop.Listener) uint64 { return l.WebSocketStats().AcceptErrors }
