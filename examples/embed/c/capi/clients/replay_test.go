package clients

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/recording"
)

// A library plays the last seconds of a client, which goes on.
func TestLastSeconds(t *testing.T) {
	m := newMatch(t)
	without := m.open(1)
	n, err := m.Open(Options{Server: address.String(), Player: 2, Flags: Insecure, Now: m.at(), Keep: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	m.play(6*time.Second, nil, n, without)
	if _, err := m.Open(Options{LastOf: without, Now: m.at()}); err == nil || !strings.Contains(err.Error(), "Keep") {
		t.Error(err)
	}
	last, err := m.Open(Options{LastOf: n, Now: m.at()})
	if err != nil {
		t.Fatal(err)
	}
	from, to := m.Replay(last, host.ControlPosition, 0), m.Replay(last, host.ControlDuration, 0)
	if to-from < 2000 || to-from > 5000 || m.Replay(last, host.ControlSeek, to-500) != to-500 {
		t.Errorf("from %v to %v ms", from, to)
	}
	seen := false
	m.play(time.Second/10, func(v *View) { seen = seen || v.Stats.Rows > 1 }, last)
	if !seen {
		t.Error("it shows nothing")
	}
	m.play(time.Second, nil, n)
}

// A library plays a recording. A seek goes to its position.
func TestReplay(t *testing.T) {
	m := newMatch(t)
	var file bytes.Buffer
	w := recording.NewWriter(&file, recording.Config{})
	if err := m.server.Record(w, 0); err != nil {
		t.Fatal(err)
	}
	m.play(2*time.Second, nil)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	n, err := m.Open(Options{Recording: file.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	if at := m.Replay(n, host.ControlSeek, 500); at != 500 {
		t.Error(at)
	}
	if v := m.Frame(n, 0); v == nil || v.Stats.Rows < 20 {
		t.Errorf("%+v", v)
	}
	if !math.IsNaN(m.Replay(n, 99, 0)) || !strings.Contains(string(m.Text(n)[:]), "no command 99") {
		t.Error("wrong calls have no errors")
	}
}
