package clients

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
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

// A library plays a recording, frame by frame as the spectator saw it.
func TestReplay(t *testing.T) {
	var config systems.ServerConfig
	game.Arm(&config)
	game.NewMessages().Serve(&config)
	now := time.Now()
	config.Start = now
	server, err := systems.NewServer(netsys.NewNetwork().Node(address), game.CombatProtocol(), config)
	if err != nil {
		t.Fatal(err)
	}
	game.PopulateCombat(server.World(), 3, 20)
	var file bytes.Buffer
	feed := &recording.Feed{}
	w := recording.NewWriter(&file, recording.Config{Live: feed})
	if err := server.Record(w, 0); err != nil {
		t.Fatal(err)
	}
	var spectator *systems.Replay
	frames := 0
	for range 180 {
		now = now.Add(time.Second / 60)
		server.Advance(now)
		if !feed.Begun() {
			continue
		}
		if spectator == nil {
			session := systems.ClientSession{Messages: game.NewMessages().Registry}
			if spectator, err = systems.Watch(feed, game.CombatProtocol(), systems.ClientConfig{Session: session}); err != nil {
				t.Fatal(err)
			}
			continue // a replay starts with the frame after this one
		}
		if err := spectator.Play(now.Sub(w.Began())); err != nil {
			t.Fatal(err)
		}
		if v := spectator.Client().View(); v != nil {
			w.Check(now, v.Hash())
			frames++
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	m := newMatch(t)
	if _, err := m.Open(Options{Recording: []byte("nothing")}); err == nil {
		t.Error("it plays nothing")
	}
	n, err := m.Open(Options{Recording: file.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	equal := 0
	for m.Replay(n, host.ControlCheck, 0) == 1 {
		equal++
	}
	if equal != frames || frames < 150 {
		t.Errorf("%d of %d frames are equal", equal, frames)
	}
	if at := m.Replay(n, host.ControlSeek, 500); at != 500 {
		t.Error(at)
	}
	if v := m.Frame(n, 0); v == nil || v.Stats.Rows < 20 {
		t.Errorf("%+v", v)
	}
	if !math.IsNaN(m.Replay(n, 99, 0)) || !strings.Contains(string(m.Text(n)[:]), "no command 99") || !math.IsNaN(m.Replay(0, 0, 0)) {
		t.Error("wrong calls have no errors")
	}
	if c := m.Close(n); c != OK {
		t.Error(c)
	}
}
