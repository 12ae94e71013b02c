package wasm

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/recording"
)

// A module replays the last seconds of a host, which continues to play.
func TestModuleReplaysItsLastSeconds(t *testing.T) {
	m := newMatch(t)
	without, player := m.join(smooth), m.join(smooth|2*keeps)
	for range 300 {
		m.module.input(player, m.input(keys{DX: 1}))
		m.frame()
	}
	for _, of := range []int32{without, player + 1, -1} {
		if n := m.module.open(ms(m.now), 0, 0, -1, float64(of), replaysLast); n != 0 || m.text() == "" {
			t.Errorf("host %d is replayed: %s", of, m.text())
		}
	}
	n := m.module.open(ms(m.now), 0, 0, -1, float64(player), replaysLast)
	if n == 0 {
		t.Fatal(m.text())
	}
	from, to := m.module.control(n, host.ControlPosition, 0), m.module.control(n, host.ControlDuration, 0)
	at := math.Trunc(to) - 1000
	if to-from < 2000 || to-from > 5000 || m.module.control(n, host.ControlSeek, at) != at {
		t.Errorf("from %v to %v ms: %s", from, to, m.text())
	}
	if m.module.frame(n, ms(m.now)) == nil || m.stat(n, func(s *host.Stats) float64 { return s.Rows }) != 2 {
		t.Error(m.text())
	}
	if m.module.frame(player, ms(m.now)) == nil {
		t.Error(m.text())
	}
}

// A module plays a recording that the page puts into its buffer, and keeps its other hosts.
func TestModuleReplays(t *testing.T) {
	m := newMatch(t)
	player := m.join(smooth)
	var file bytes.Buffer
	w := recording.NewWriter(&file, recording.Config{})
	if err := m.servers[0].Record(w, 0); err != nil {
		t.Fatal(err)
	}
	for range 150 {
		m.module.input(player, m.input(keys{DX: 1}))
		m.frame()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if n := m.module.open(ms(m.now), m.put([]byte("this is no recording")...), 0, -1, 0, replays); n != 0 || !strings.Contains(m.text(), "not a recording") {
		t.Fatal(n, m.text())
	}
	n := m.module.open(ms(m.now), m.put(file.Bytes()...), 0, -1, 0, replays)
	if n == 0 {
		t.Fatal(m.text())
	}
	m.put(make([]byte, file.Len())...) // the buffer is another one
	now := m.now.Add(time.Second)
	if m.module.control(n, host.ControlSeek, 1000) != 1000 || m.module.advance(n, ms(now)) != 0 || m.module.frame(n, ms(now)) == nil {
		t.Error(m.text())
	}
	if rows := m.stat(n, func(s *host.Stats) float64 { return s.Rows }); rows != 1 || m.module.hash(n) == 0 {
		t.Errorf("%v rows, hash %x", rows, m.module.hash(n))
	}
	if m.module.out(n) != nil || m.module.ticket(n) != 0 {
		t.Error("a replay has a link")
	}
	if v := m.module.control(player, host.ControlSeek, 0); !math.IsNaN(v) || !strings.Contains(m.text(), "no recording") {
		t.Error(v, m.text())
	}
	m.module.close(n)
	m.module.free(n)
	if v := m.module.control(n, host.ControlSeek, 0); !math.IsNaN(v) {
		t.Error(v)
	}
}
