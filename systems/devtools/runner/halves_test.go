package runner

import (
	"bytes"
	"encoding/json"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/tactusgo/tactus/internal/printed"
)

// half is a command that runs in a goroutine. Read its outputs after done.
type half struct {
	code     int
	out      bytes.Buffer
	progress printed.Text
	done     sync.WaitGroup
}

func startHalf(t *testing.T, game Game, args string) *half {
	h := &half{}
	h.done.Go(func() { h.code = Main(t.Context(), game, strings.Fields(args), &h.out, &h.progress) })
	return h
}

// fields returns the fields of the JSON object, including those of nested objects.
func (h *half) fields(t *testing.T, into any) map[string]any {
	t.Helper()
	h.done.Wait()
	var all map[string]any
	if h.code != 0 || json.Unmarshal(h.out.Bytes(), into) != nil || json.Unmarshal(h.out.Bytes(), &all) != nil {
		t.Fatalf("exit code %d, %q, %s", h.code, &h.out, h.progress.String())
	}
	for _, name := range []string{"server", "client"} {
		object, _ := all[name].(map[string]any)
		for f, v := range object {
			all[name+"."+f] = v
		}
	}
	return all
}

// A server and its bots by different commands: each prints its half of the object, and no field that it cannot know.
func TestHalvesOfAMatch(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays in real time for some seconds")
	}
	server := startHalf(t, plaza(), "-headless -json -serve 127.0.0.1:0 -duration 5s -warmup 1s -npcs 7 -clients 3")
	addr := server.progress.Find(t, `serving on (\S+) for 5s`)
	// They play on when the server ends, which is their end too.
	bots := startHalf(t, plaza(), "-headless -json -duration 1m -warmup 1s -clients 3 -rtt 20ms -jitter 0s -loss 0 -connect "+addr)
	var s ServerHalf
	var c ClientHalf
	sf, cf := server.fields(t, &s), bots.fields(t, &c)

	if s.Preset != "LocalSync" || s.Clients != 3 || s.NPCs != 7 || s.Ticks < 250 || s.TickP50us == 0 || s.WorldHash == "" {
		t.Errorf("the server's half: %+v", s)
	}
	if r := s.Server; r.InputsConsumed < 3*120 || r.UpdatesPerClientS < 15 || r.UpdatesPerClientS > 62 || r.BytesPerUpdate == 0 {
		t.Errorf("the server's half: %+v", r)
	}
	if c.Preset != "LocalSync" || c.Timing != "buffered" || c.Clients != 3 || c.Client.DatagramsPerTick < 0.9 || c.Client.InputBufferTicks == 0 {
		t.Errorf("the bots' half: %+v", c)
	}
	if ms := c.Client.InterpolationDelayMS; ms < 20 || ms > 500 {
		t.Errorf("what is drawn is %v ms old", ms)
	}
	for _, x := range []struct {
		half      map[string]any
		has, lack string
	}{
		{sf, "preset timing clients npcs ticks tick_overruns tick_p50_us tick_p99_us allocs_per_tick world_hash server.inputs_missing server.updates_per_client_s", "converged client"},
		{cf, "preset timing clients client.corrections client.interpolation_delay_ms client.input_buffer_ticks", "ticks world_hash converged server client.max_error client.p99_error client.pushes"},
	} {
		for name := range strings.FieldsSeq(x.has) {
			if _, ok := x.half[name]; !ok {
				t.Errorf("no %s in %v", name, x.half)
			}
		}
		for name := range strings.FieldsSeq(x.lack) {
			if _, ok := x.half[name]; ok {
				t.Errorf("%s in %v, which this side does not know", name, x.half)
			}
		}
	}
}

// Bots whose time is over leave, and the server plays on without them; both sum up in words, too.
func TestHalvesInWords(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays in real time for some seconds")
	}
	server := startHalf(t, plaza(), "-headless -serve 127.0.0.1:0 -duration 4s -model Rollback")
	addr := server.progress.Find(t, `serving on (\S+) for 4s`)
	bots := startHalf(t, plaza(), "-headless -duration 2s -clients 2 -rtt 0s -jitter 0s -loss 0 -connect "+addr)
	server.done.Wait()
	bots.done.Wait()
	for _, x := range []struct {
		*half
		want string
	}{{server, "server  inputs consumed"}, {bots, "2 clients of a remote server, Rollback"}} {
		if x.code != 0 || !strings.Contains(x.out.String(), x.want) {
			t.Errorf("exit code %d, %q, %s", x.code, &x.out, x.progress.String())
		}
	}
}

// Bots that no server has answered print no report.
func TestHalfWithoutAServer(t *testing.T) {
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	code, out, errs := execute(t, plaza(), "-headless -duration 300ms -clients 2 -connect "+silent.LocalAddr().String())
	if code != 1 || out != "" || !strings.Contains(errs, "none of 2 bots has joined 127.0.0.1:") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
}

// Flags that contradict each other are refused.
func TestHalvesRefused(t *testing.T) {
	for args, want := range map[string]string{
		"-headless -virtual -serve 127.0.0.1:0":   "-virtual: not allowed with -serve",
		"-headless -virtual -connect 127.0.0.1:1": "-virtual: not allowed with -serve",
		"-json -serve 127.0.0.1:0":                "-json: allowed with -headless only",
		"-headless -clients 10001":                "1 to 10000",
	} {
		if code, _, errs := execute(t, plaza(), args); code != ExitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %q", args, code, errs)
		}
	}
	if _, err := Headless(t.Context(), plaza(), "-serve", "127.0.0.1:0"); err == nil || !strings.Contains(err.Error(), "half of a match") {
		t.Error(err)
	}
}
