package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems/devtools/swarm"
)

// TestMain lets the test's binary be the server's process.
func TestMain(m *testing.M) {
	if code, ok := serveApart(); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// contract are the fields that others read.
const contract = `ticks_pct updates_per_client_s cpu_s_per_s cpu_us_per_client_update bytes_per_update rss_mb kib_per_client
	tick_p50_us tick_p99_us tick_p999_us gc_pause_max_us inputs_consumed_pct max_error datagrams_up_per_client_s
	datagrams_down_per_update load_cpu_s_per_s load_limited server_allocs_per_tick
	sampled compared blocks blocks_decoded blocks_matched different`

// In a match on each transport, all inputs are consumed, and all states are sent and correct.
func TestSockets_MatchIsWhatItWas(t *testing.T) {
	if testing.Short() {
		t.Skip("plays in real time for some seconds on each transport; matches in virtual time are beside")
	}
	for i, match := range []struct{ transport, flags string }{{"udp", "-interest grid -size 900 -hz 30"}, {"udp", "-rtt 30ms -loss 0.02"}, {"ws", ""}} {
		t.Run(match.transport, func(t *testing.T) {
			if i > 0 && os.Getenv("TACTUS_LONG") == "" {
				t.Skip("one match is enough for everyday: set TACTUS_LONG=1")
			}
			var out, progress bytes.Buffer
			o, err := parse(strings.Fields("-clients 24 -npcs 20 -seconds 2 -json -transport "+match.transport+" "+match.flags), &progress)
			if err != nil {
				t.Fatal(err)
			}
			o.warm = time.Second
			if err := show(measureSockets(o, &progress))(&o, &out); err != nil {
				t.Fatalf("%v: %s", err, &progress)
			}
			var r socketReport
			var fields map[string]any
			if err := errors.Join(json.Unmarshal(out.Bytes(), &r), json.Unmarshal(out.Bytes(), &fields)); err != nil {
				t.Fatal(err)
			}
			for name := range strings.FieldsSeq(contract) {
				if _, ok := fields[name]; !ok {
					t.Errorf("no %s", name)
				}
			}
			if r.Different != 0 || r.MaxError > 1.0/16 || r.Compared == 0 || (r.ComparedEntities == 44*r.Compared) != (i > 0) {
				t.Errorf("%d entities differ (%s), by up to %v; %d states with %d entities compared",
					r.Different, r.Difference, r.MaxError, r.Compared, r.ComparedEntities)
			}
			if r.Blocks == 0 || r.BlocksDistinct == 0 || r.BlocksDistinct+r.BlocksMatched != r.Blocks {
				t.Errorf("of %d blind clients %d blocks were distinct, %d matched, %d in all", 24-r.Sampled, r.BlocksDistinct, r.BlocksMatched, r.Blocks)
			}
			if r.InputsConsumedPct == 0 || r.UpdatesPerClientS == 0 || r.BytesPerUpdate == 0 || r.CPUPerS == 0 || r.TickP999 < r.TickP50 || r.TickP50 == 0 {
				t.Errorf("nothing happened: %+v", r)
			}
		})
	}
}

// In a burst, the server drops its optional work in the documented order, messages arrive, and nobody is disconnected.
func TestSockets_Burst(t *testing.T) {
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("plays in real time for ten seconds: set TACTUS_LONG=1")
	}
	var progress bytes.Buffer
	o, err := parse(strings.Fields("-clients 24 -npcs 20 -seconds 1 -transport udp -overload -burst 2s"), &progress)
	if err != nil {
		t.Fatal(err)
	}
	o.warm = time.Second
	r, err := measureSockets(o, &progress)
	if err != nil {
		t.Fatalf("%v: %s", err, &progress)
	}
	b := r.Burst
	if b.MessagesSent < 24/2 || b.MessagesComplete != b.MessagesSent || b.Disconnected != 0 || b.Different != 0 || b.Factor <= 1 || b.InputsConsumedPct == 0 {
		t.Errorf("%+v", b)
	}
	if len(b.Steps) == 0 || b.Steps[0].Step != 1 {
		t.Errorf("given up: %+v", b.Steps)
	}
	var out bytes.Buffer
	if err := r.print(&out); err != nil || !strings.Contains(out.String(), "far entities at half the rate") {
		t.Errorf("%v: %s", err, &out)
	}
}

func TestSockets_RefuseBadFlags(t *testing.T) {
	for flags, want := range map[string]string{
		"-transport tcp":                                    "udp, ws",
		"-transport udp -interest circle":                   "none, grid",
		"-transport udp -hz 0":                              "1 to 1000",
		"-transport udp -size 99":                           "100 to 16000",
		"-transport udp -jitter 5ms":                        "0 to half of the shortest round trip, 0s",
		"-transport udp -workers 1000":                      "one is for the load",
		"-transport udp -clients 10001":                     "1 to 10000",
		"-transport udp -load-pct 101":                      "0 to 100",
		"-transport udp -burst 1s":                          "-overload only",
		"-transport udp -overload -burst 1s -burst-pct 100": "101 to 1000",
		"-transport udp -search -load-pct 70":               "-search: not with",
		"-transport udp -burst-of ticks":                    "all, snapshots",
		"-search":                                           "-transport only",
		"-workers 1":                                        "-transport only",
		"-hz 30":                                            "-transport only",
	} {
		var out, errs bytes.Buffer
		if code := run(strings.Fields(flags), &out, &errs); code != 2 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d, %q, want %q", flags, code, &errs, want)
		}
	}
	if o := (sockets{transport: "udp", interest: "none", hz: 60, size: 2000, workers: max(runtime.NumCPU()-1, 1)}); o.supported() != nil {
		t.Error(o.supported())
	}
}

// A state from the server's process is decoded unchanged, into reused memory. A truncated one is an error.
func TestTold_IsReadAsItWas(t *testing.T) {
	b := binary.LittleEndian.AppendUint32(nil, 33)
	b = append(b, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0x34, 0x12, 99, 0)
	x, err := readTold(bufio.NewReader(bytes.NewReader(b)), &told{at: map[components.NetID]row{3: {}}})
	if want := (row{1, 2, 0x1234, 99}); err != nil || x.tick != 33 || len(x.at) != 1 || x.at[7] != want {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err := readTold(bufio.NewReader(bytes.NewReader(b[:20])), nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if _, err := readTold(bufio.NewReader(bytes.NewReader([]byte{0, 0, 0, 0, 0, 0, 0, 255})), nil); err == nil {
		t.Error("four billion entities were believed")
	}
}

// The report of a bench that compared nothing, or could not read something, does not say that all is right.
func TestReport_NothingComparedIsNotRight(t *testing.T) {
	for name, c := range map[string]struct {
		states, different uint64
		swarm             swarm.Verified
		wrong             bool
	}{
		"all is right":     {states: 3},
		"nothing compared": {wrong: true},
		"unread":           {states: 3, swarm: swarm.Verified{Malformed: 2}, wrong: true},
		"clients disagree": {states: 3, swarm: swarm.Verified{Different: 1}, wrong: true},
		"a wrong entity":   {states: 3, different: 1, wrong: true},
	} {
		var r socketReport
		b := sent{verified: verified{States: c.states, Different: c.different}, swarm: &swarm.Report{Verified: c.swarm}}
		if r.verify(&sent{}, &b); (r.Different > 0) != c.wrong || (r.Difference != "") != (r.Different > c.different) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
