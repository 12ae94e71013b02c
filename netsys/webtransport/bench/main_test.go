package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestMain lets the test be the ends of a link, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && parts[os.Args[1]] {
		main()
		return
	}
	os.Exit(m.Run())
}

// Both transports work over a link with losses, in Go and in a page, and the losses are counted.
func TestBench(t *testing.T) {
	for _, client := range players {
		t.Run(client, func(t *testing.T) {
			if client == "page" && testing.Short() {
				t.Skip("builds a module and starts a browser")
			}
			var out, told bytes.Buffer
			if code := run([]string{"-json", "-seconds", "1", "-settle", "0s", "-loss", "5", "-delay", "10ms", "-clients", client}, &out, &told); code != 0 {
				if strings.Contains(told.String(), "needs") || strings.Contains(told.String(), "Linux") {
					t.Skip(told.String())
				}
				t.Fatalf("exit %d: %s", code, &told)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if len(lines) != len(transports) {
				t.Fatalf("%d lines, want one for each transport:\n%s", len(lines), &out)
			}
			for i, want := range transports {
				var r result
				if err := json.Unmarshal([]byte(lines[i]), &r); err != nil {
					t.Fatal(err)
				}
				if r.Client != client || r.Transport != want || !r.Connected || r.Snapshots == 0 || r.Frames == 0 || r.AgeP50MS < 20 || r.Lost == 0 || r.Lost*4 > r.Passed {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

// Flags that mean nothing are refused.
func TestFlags(t *testing.T) {
	var out, told bytes.Buffer
	for _, args := range [][]string{{"-loss", "x"}, {"-loss", "99"}, {"-seconds", "0"}, {"-settle", "-1s"}, {"-nothing"}, {"-clients", "fax"}, {"-transports", "udp"}} {
		if code := run(args, &out, &told); code != 2 {
			t.Errorf("%q: exit %d, want 2", args, code)
		}
	}
}
