package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// A small match on each server: ticks are simulated, every client receives them, and entities move.
func TestServersPlayTheArena(t *testing.T) {
	if os.Getenv("TACTUS_PEERS") == "" {
		t.Skip("set TACTUS_PEERS=1: it takes a minute, and needs Node and npm")
	}
	var progress bytes.Buffer
	servers, err := open(t.Context(), &progress)
	if err != nil {
		t.Fatal(err, progress.String())
	}
	for _, s := range servers {
		f, err := s.measure(t.Context(), 20, 40, 2)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
		t.Logf("%s: %+v", s.name, f)
		if f.Bytes < 20 || f.Updates == 0 || f.Ticks == 0 || f.CPU <= 0 {
			t.Errorf("%s: %+v", s.name, f)
		}
	}
}

// Two players on each server see each other's turns, and later by about the latency of the link.
func TestScreens(t *testing.T) {
	if os.Getenv("TACTUS_PEERS") == "" {
		t.Skip("set TACTUS_PEERS=1: it takes two minutes, and needs Node and npm")
	}
	var out, errs bytes.Buffer
	if code := run([]string{"-screens", "-seconds", "3", "-json"}, &out, &errs); code != 0 {
		t.Fatal(code, &errs)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var r struct{ Rows []delay }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil {
		t.Fatal(err, &out)
	}
	t.Log(&out)
	if len(r.Rows) != 14 {
		t.Errorf("%d rows, want 14", len(r.Rows))
	}
	for _, d := range r.Rows {
		if link := float64(d.RTT); d.P50 < link+10 || d.P50 > link+400 || d.P99 < d.P50 {
			t.Errorf("%+v", d)
		}
	}
}

// The relay delays each direction, keeps the bytes, and passes the end of a connection on.
func TestRelayDelaysBothDirections(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer echo.Close()
	go func() {
		if c, err := echo.Accept(); err == nil {
			_, _ = io.Copy(c, c)
			_ = c.Close()
		}
	}()
	addr, err := relay(t.Context(), echo.Addr().String(), 30*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	sent, want := time.Now(), strings.Repeat("turn", 3000)
	if _, err := io.WriteString(c, want); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Error("other bytes", err)
	}
	if passed := time.Since(sent); passed < 60*time.Millisecond {
		t.Errorf("back after %s, want at least 60ms", passed)
	}
}

func TestRefusesBadFlags(t *testing.T) {
	for _, flags := range [][]string{{"-clients", "0"}, {"-npcs", "-1"}, {"-seconds", "1"}, {"-screens", "-seconds", "1"}, {"more"}, {"-what"}} {
		var out, errs bytes.Buffer
		if code := run(flags, &out, &errs); code != 2 || errs.Len() == 0 {
			t.Errorf("%v: exit code %d, %q", flags, code, &errs)
		}
	}
}
