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
