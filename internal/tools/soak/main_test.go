package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestSoak runs the soak for a few seconds, or for the duration in TACTUS_SOAK, such as 10m.
func TestSoak(t *testing.T) {
	args := []string{"-for", "1s", "-round", "700ms", "-timeout", "1500ms", "-clients", "3", "-seed", "4"}
	if long := os.Getenv("TACTUS_SOAK"); long != "" {
		args = []string{"-for", long}
	} else if testing.Short() {
		t.Skip("takes seven seconds")
	}
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, &stdout, &stderr)
	var r report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	t.Logf("%s%s", stderr.String(), stdout.String())
	if code != 0 || !r.OK || len(r.Failures) > 0 {
		t.Errorf("exit code %d, failures %q", code, r.Failures)
	}
	if r.Rounds < 2 || r.Joined == 0 || r.Messages == 0 || r.Left+r.Died+r.TakenOver == 0 {
		t.Errorf("nothing happened: %+v", r)
	}
}

// An interrupted run still prints its report.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, []string{"-for", "1h", "-transports", "udp"}, &stdout, &stderr); code != 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	if !strings.Contains(stdout.String(), `"ok":true`) {
		t.Errorf("%s", stdout.String())
	}
}

func TestFlags(t *testing.T) {
	for _, test := range []struct {
		args string
		code int
		says string
	}{
		{"-h", 0, "go run -race"},
		{"-for 0s", 2, "above 0"},
		{"-timeout 10ms", 2, "less than 1s"},
		{"-clients 0", 2, "not in 1..100"},
		{"-transports tcp", 2, "no transport"},
		{"more", 2, "unexpected"},
		{"-what", 2, "not defined"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), strings.Fields(test.args), &stdout, &stderr); code != test.code || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("%s: exit code %d, %q", test.args, code, stderr.String())
		}
	}
}

func TestGrowth(t *testing.T) {
	was := figures{Goroutines: 10, Descriptors: 10, HeapKB: 5000}
	for _, test := range []struct {
		is    figures
		grown int
	}{
		{was, 0},
		{figures{5, 5, 100}, 0},
		{figures{10 + slackGoroutines, 10, 5000 + slackHeapKB}, 0},
		{figures{11 + slackGoroutines, 11, 5001 + slackHeapKB}, 3},
	} {
		if grown := test.is.growth(was); len(grown) != test.grown {
			t.Errorf("%v after %v: %q", test.is, was, grown)
		}
	}
}

// Leaked descriptors, goroutines and memory are found.
func TestLeaksShow(t *testing.T) {
	was := measure()
	end := make(chan struct{})
	for range slackGoroutines + 5 {
		go func() { <-end }()
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	kept := make([]byte, 2*slackHeapKB<<10)
	want := 2
	if was.Descriptors >= 0 {
		want = 3
	}
	if grown := measure().growth(was); len(grown) != want {
		t.Errorf("grown: %q", grown)
	}
	kept[0] = 1
	close(end)
	_ = file.Close()
	if grown := measureSettled(was).growth(was); len(grown) > 1 || len(grown) == 1 && !strings.Contains(grown[0], "heap") {
		t.Errorf("grown after all: %q", grown)
	}
}
