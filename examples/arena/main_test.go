package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/keyfile"
	"github.com/tactusgo/tactus/internal/printed"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// run is the command without a process around it.
func run(t *testing.T, args string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = runner.Main(t.Context(), world(), strings.Fields(args), &out, &errs)
	return code, out.String(), errs.String()
}

// report plays a match and parses the last line of its output.
func report(t *testing.T, args string) (r runner.Report, fields map[string]any) {
	t.Helper()
	code, out, errs := run(t, "-headless -json "+args)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	last := []byte(lines[len(lines)-1])
	if code != 0 || json.Unmarshal(last, &r) != nil || json.Unmarshal(last, &fields) != nil {
		t.Fatalf("arena %s: exit code %d, output %q, errors %q", args, code, out, errs)
	}
	return r, fields
}

// start runs the command until the end of the test.
func start(t *testing.T, args string) *printed.Text {
	t.Helper()
	out := new(printed.Text)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { runner.Main(ctx, world(), strings.Fields(args), out, out) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	return out
}

func get(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", url, r.Status, err)
	}
	return string(b)
}

// counted waits until a server with an inspector has counted something.
func counted(t *testing.T, out *printed.Text, metric string) {
	t.Helper()
	url := out.Find(t, `inspector: (\S+)\n`) + "metrics"
	want := regexp.MustCompile(regexp.QuoteMeta(metric) + " [1-9]")
	text := ""
	for range 3000 {
		if text = get(t, url); want.MatchString(text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("no %s is counted:\n%s", metric, text)
}

// consumed are inputs that a server got from its clients.
const consumed = `tactus_inputs_total{fate="consumed"}`

// link is of virtual matches that are to show something.
const link = "-virtual -duration 13s -warmup 5s -rtt 200ms -jitter 30ms -loss 0.05 "

// contract has the fields that other programs read, by the object in which they stand.
var contract = map[string]string{
	"": "preset timing clients npcs ticks tick_overruns tick_p50_us tick_p99_us allocs_per_tick world_hash converged",
	"server": "inputs_consumed inputs_missing inputs_late inputs_rejected holds resimulated_ticks " +
		"bytes_down_per_client_s bytes_up_per_client_s bytes_per_update updates_per_client_s",
	"client": "corrections resimulated_ticks pushes own_response_ticks p99_error max_error seen_ms_p50 seen_ms_p99 " +
		"interpolation_stalls interpolation_delay_ms input_buffer_ticks",
}

// Each system is seen to do its work: the match plays with it and without it. The report has the contract's fields.
func TestEverySystemDoesItsWork(t *testing.T) {
	all, fields := report(t, link+"-push 2s")
	for part, names := range contract {
		object := fields
		if part != "" {
			object, _ = fields[part].(map[string]any)
		}
		for name := range strings.FieldsSeq(names) {
			if _, ok := object[name]; !ok {
				t.Errorf("the report has no %s %s", part, name)
			}
		}
	}
	roundTrip := 12 // ticks
	switch {
	case !all.Converged || all.Server.InputsMissing != 0 || all.Server.ResimulatedTicks != 0:
		t.Errorf("with everything: %+v %s", all.Server, all.Difference)
	case all.Client.Pushes == 0 || all.Client.Corrections < all.Client.Pushes:
		t.Errorf("%d pushes were noticed, %d corrections", all.Client.Pushes, all.Client.Corrections)
	case all.Client.OwnResponseTicks != 0 || all.Client.InterpolationStalls != 0:
		t.Errorf("with everything: %+v", all.Client)
	}
	if r, _ := report(t, link+"-push 2s -without Predict"); r.Client.OwnResponseTicks < roundTrip {
		t.Errorf("without Predict own entities answer after %d ticks, a round trip is %d", r.Client.OwnResponseTicks, roundTrip)
	}
	if r, _ := report(t, link+"-push 2s -without Reconcile"); r.Converged || r.Client.MaxError <= all.Client.MaxError {
		t.Errorf("without Reconcile: converged %v, errors up to %v, with it %v", r.Converged, r.Client.MaxError, all.Client.MaxError)
	}
	if r, _ := report(t, link+"-push 2s -without Interpolate"); r.Client.InterpolationStalls == 0 {
		t.Error("without Interpolate nothing stalls")
	}
}

// With a key, bots play with tokens. On a narrow link the server sends no more than its bandwidth.
func TestKeyAndBandwidth(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := keyfile.Generate(key); err != nil {
		t.Fatal(err)
	}
	r, _ := report(t, "-virtual -duration 7s -warmup 3s -npcs 200 -bandwidth 16000 -key @"+key)
	if !r.Converged || r.Server.InputsConsumed == 0 {
		t.Errorf("%+v", r)
	}
	if sum := r.Server.BytesDownPerClientS; sum > 16000 {
		t.Errorf("%v bytes a second went down a link of 16,000", sum)
	}
}

// A few seconds on real sockets work like matches on the virtual network.
func TestRealSockets(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays in real time for four seconds; the virtual matches of this file play the same game")
	}
	for transport, systems := range map[string]string{"udp": "", "ws": "linux darwin"} {
		t.Run(transport, func(t *testing.T) {
			if systems != "" && !strings.Contains(systems, runtime.GOOS) {
				t.Skipf("not on %s", runtime.GOOS)
			}
			t.Parallel()
			r, _ := report(t, "-duration 3s -warmup 1s -transport "+transport)
			if !r.Converged || r.Server.InputsConsumed == 0 || r.Server.ResimulatedTicks != 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestWrongFlagsAreRefused(t *testing.T) {
	for _, args := range []string{
		"-headless -transport carrier", "-headless -model Quantum", "-headless -timing never", "-headless -jitter 51ms",
		"-headless -send 7", "-headless -server-every 7", "-headless -without Simulate", "-headless -loss 2",
		"-headless -clients 0", "-headless -warmup 2m", "-virtual", "-headless -bogus", "-headless surplus",
		"-serve 127.0.0.1:1 -connect 127:1", "-headless -bandwidth -1", "-key 12", "-key @/none/at/all", "-key 12 -token x",
		"-token x", "-token x -login alice", "-token http://127.0.0.1/", "-public 127.0.0.1:1", "-http=",
		"-insecure-anyone-can-join -key 12",
	} {
		if code, out, errs := run(t, args); code != runner.ExitUsage || out != "" || errs == "" {
			t.Errorf("arena %s: got exit code %d, output %q, errors %q; want %d, none and a reason", args, code, out, errs, runner.ExitUsage)
		}
	}
}
