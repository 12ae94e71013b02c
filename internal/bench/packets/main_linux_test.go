package main

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/internal/bench/apart"
)

// TestMain lets the test's binary be the servers.
func TestMain(m *testing.M) {
	if name, ok := apart.Order(); ok {
		os.Exit(serve(name, os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestEveryFieldIsThere(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-json", "-clients", "5", "-seconds", "0.2"}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	var got map[string]any
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	var usage bytes.Buffer
	run([]string{"-h"}, nil, &usage)
	for name := range got {
		if !strings.Contains(usage.String(), name) {
			t.Errorf("-h does not say what %s is", name)
		}
	}
	var numbers []string
	for _, k := range kinds {
		numbers = append(numbers, k.name)
	}
	for _, c := range comparisons {
		numbers = append(numbers, c.name())
	}
	for _, name := range numbers {
		if v, ok := got[name].(float64); !ok || !(v > 0) {
			t.Errorf("%s is %v", name, got[name])
		}
	}
	for _, name := range []string{"allocs_per_packet", "packets_per_second", "lost"} {
		of, _ := got[name].(map[string]any)
		for _, k := range kinds {
			if v, ok := of[k.name].(float64); !ok || v < 0 {
				t.Errorf("%s of %s is %v", name, k.name, of[k.name])
			}
		}
	}
}

func TestTable(t *testing.T) {
	results := make(map[string]result)
	for i, k := range kinds {
		results[k.name] = result{micros: float64(1 + i), turns: []float64{1, float64(1 + i), float64(2 + 2*i)}, allocs: 0.25, rate: 30720, lost: 0.01}
	}
	var out bytes.Buffer
	if err := table(&out, results); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"plain_udpconn", "30720", "0.25", "1.00%", "gnet_plain_vs_plain_udpconn", "2.00", "gnet_secure_vs_gnet_plain", "1.50"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"-clients", "0"}, {"-clients", "100000"}, {"-seconds", "0"}, {"-seconds", "NaN"}, {"x"}, {"-nonsense"}} {
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != 2 || stdout.Len() > 0 {
			t.Errorf("%v: code %d, stdout %q", args, code, stdout.String())
		}
	}
	var stderr bytes.Buffer
	if code := serve("nonsense", strings.NewReader(""), nil, &stderr); code != 2 {
		t.Errorf("no such server: code %d", code)
	}
}

func TestMedian(t *testing.T) {
	turns := []result{{micros: 9}, {micros: 1}, {micros: 2}}
	if got := median(turns, func(r result) float64 { return r.micros }); got != 2 {
		t.Errorf("median %v", got)
	}
}

func TestRoom(t *testing.T) {
	var r room
	client := func(i int) netip.AddrPort { return netip.AddrPortFrom(netip.IPv4Unspecified(), uint16(i)) }
	for i := range maxClients + 5 {
		if ok := r.hear(client(i), 1); ok != (i < maxClients) {
			t.Fatalf("client %d: %v", i, ok)
		}
	}
	if !r.hear(client(3), 7) || r.seats[3].heard != 7 || len(r.seats) != maxClients {
		t.Errorf("%d seats", len(r.seats))
	}
}
