package systems

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/recording"
)

// recordedMatch plays a match with two players on bad links, records it, and draws it for a spectator of the recording.
type recordedMatch struct {
	*game
	file    bytes.Buffer
	writer  *recording.Writer
	watcher *Replay
	frames  int
	hashes  map[time.Duration]uint64 // of the worlds that the spectator had
}

func recordMatch(t *testing.T, model policy.Model, seconds int) *recordedMatch {
	m := &recordedMatch{hashes: map[time.Duration]uint64{}}
	m.game = newGame(t, peopled, ServerConfig{Model: model, Seed: 3})
	feed := &recording.Feed{}
	m.writer = recording.NewWriter(&m.file, recording.Config{Live: feed})
	m.join(ClientConfig{Gather: gatherPush()}, terrible)
	m.run(200)
	if err := m.server.Record(m.writer, 0); err != nil {
		t.Fatal(err)
	}
	for i := range seconds * 60 {
		if i == 400 {
			m.join(ClientConfig{Gather: gatherPush()}, terrible)
		}
		m.step()
		if m.watcher == nil && feed.Begun() {
			var err error
			if m.watcher, err = Watch(feed, m.protocol(), ClientConfig{}); err != nil {
				t.Fatal(err)
			}
		}
		if m.watcher != nil {
			at := m.now.Sub(m.writer.Began())
			if err := m.watcher.Play(at); err != nil {
				t.Fatal(err)
			}
			if v := m.watcher.Client().View(); m.watcher.Client().World() != nil {
				m.writer.Check(m.now, v.Hash())
				m.hashes[at] = m.watcher.Client().World().Hash()
				m.frames++
			}
		}
	}
	return m
}

// A recording shows frame by frame what a spectator saw, under every model, and the spectator saw the server's world.
func TestReplay(t *testing.T) {
	for _, model := range []policy.Model{policy.LocalSync{}, policy.ServerRewind{}, policy.CorrectOnMismatch{}, policy.Rollback{}, policy.Lockstep{}} {
		t.Run(model.String(), func(t *testing.T) {
			t.Parallel()
			m := recordMatch(t, model, 17)
			if err := Difference(m.server, m.watcher.Client()); err != nil {
				t.Error("the spectator:", err)
			}
			if err := m.writer.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := recording.Open(bytes.NewReader(m.file.Bytes()), int64(m.file.Len()))
			if err != nil {
				t.Fatal(err)
			}
			replay, err := NewReplay(r, m.protocol(), ClientConfig{})
			if err != nil {
				t.Fatal(err)
			}
			var checks []recording.Record
			err = r.All(func(x *recording.Record) bool {
				if x.Kind == recording.Check {
					checks = append(checks, *x)
				}
				return true
			})
			if err != nil || len(checks) != m.frames {
				t.Errorf("%d frames of %d: %v", len(checks), m.frames, err)
			}
			for _, again := range []bool{false, true} {
				if again {
					if err := replay.Seek(0); err != nil {
						t.Fatal(err)
					}
				}
				for _, x := range checks {
					if err := replay.Play(x.At); err != nil {
						t.Fatal(err)
					}
					if replay.Client().View().Hash() != x.Hash {
						t.Fatalf("another view at %v, again %v", x.At, again)
					}
				}
			}
			m.seeks(t, replay)
		})
	}
}

// seeks goes to times in any order. A moment later the client's world is that of the spectator at this time.
func (m *recordedMatch) seeks(t *testing.T, replay *Replay) {
	for _, at := range []time.Duration{12*time.Second + 10*time.Millisecond, 3 * time.Second, 4 * time.Second, 0, 11 * time.Second, replay.Duration()} {
		if err := replay.Seek(at); err != nil {
			t.Fatal(err)
		}
		if got := replay.Position(); got < at || got > at+replayStep || !replay.Client().Connected() {
			t.Errorf("seek to %v: at %v", at, got)
		}
	}
	var x recording.Record
	if left, err := replay.reader.Next(&x, replay.Duration()); left || err != nil {
		t.Errorf("after seeking to the end, %v, the record of %v is not played; %v", replay.Duration(), x.At, err)
	}
	if err := Difference(m.server, replay.Client()); err != nil {
		t.Error("after seeking to the end:", err)
	}
}

// A truncated recording plays up to the last whole segment, wherever it is cut. A damaged one is refused.
func TestTornRecording(t *testing.T) {
	m := recordMatch(t, nil, 12)
	if err := m.writer.Close(); err != nil {
		t.Fatal(err)
	}
	whole := m.file.Bytes()
	last := time.Duration(-1)
	for n := 0; n <= len(whole); n += 1 + len(whole)/2000 {
		r, err := recording.Open(bytes.NewReader(whole[:n]), int64(n))
		if err != nil {
			if last >= 0 {
				t.Fatalf("%d bytes are refused, and fewer were not: %v", n, err)
			}
			continue
		}
		if r.Duration() < last {
			t.Fatalf("%d bytes play %v, fewer %v", n, r.Duration(), last)
		}
		if last = r.Duration(); n%7 == 0 {
			replay, err := NewReplay(r, m.protocol(), ClientConfig{})
			if err != nil {
				t.Fatal(err)
			}
			if err := replay.Seek(last); err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
		}
	}
	if last < 10*time.Second {
		t.Errorf("all of it plays %v", last)
	}
}

// A replay has a view in its first frame and after a seek to the beginning.
func TestReplayHasAView(t *testing.T) {
	m := recordMatch(t, nil, 6)
	if err := m.writer.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := recording.Open(bytes.NewReader(m.file.Bytes()), int64(m.file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	replay, err := NewReplay(r, m.protocol(), ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	look := func(when string) {
		if replay.Client().View() == nil {
			t.Errorf("%s there is no view", when)
		}
	}
	if err := replay.Advance(time.Now()); err != nil {
		t.Fatal(err)
	}
	look("in the first frame")
	if err := replay.Seek(0); err != nil {
		t.Fatal(err)
	}
	look("after a seek to 0")
}

// A recording plays on after its server was suspended for longer than a session may be silent, under every model.
func TestReplayOfSuspendedServer(t *testing.T) {
	for _, model := range []policy.Model{policy.LocalSync{}, policy.ServerRewind{}, policy.CorrectOnMismatch{}, policy.Rollback{}, policy.Lockstep{}} {
		m := &recordedMatch{game: newGame(t, peopled, ServerConfig{Model: model, Seed: 3})}
		m.writer = recording.NewWriter(&m.file, recording.Config{})
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%v: %v", model, err)
			}
		}
		m.join(ClientConfig{Gather: gatherPush()}, netsys.Link{})
		m.run(100)
		check(m.server.Record(m.writer, 0))
		m.run(100)
		m.now = m.now.Add(10 * time.Minute)
		m.run(100)
		check(m.writer.Close())
		r, err := recording.Open(bytes.NewReader(m.file.Bytes()), int64(m.file.Len()))
		check(err)
		replay, err := NewReplay(r, m.protocol(), ClientConfig{})
		check(err)
		if check(replay.Play(r.Duration())); r.Duration() < 10*time.Minute {
			t.Errorf("%v: a recording of only %v", model, r.Duration())
		}
		check(Difference(m.server, replay.Client()))
	}
}

// A recording of another protocol is refused, and the error names the line that differs.
func TestRecordingOfAnotherGame(t *testing.T) {
	m := recordMatch(t, nil, 6)
	if err := m.writer.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := recording.Open(bytes.NewReader(m.file.Bytes()), int64(m.file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	other := plaza()
	ecs.Replicate[struct {
		Level uint8 `net:"0..9"`
	}](other, 0)
	_, err = NewReplay(r, other, ClientConfig{})
	if err == nil {
		t.Fatal("played")
	}
	t.Log(err)
}

// A replay of recorded inputs with other rules stops, and names the first tick and component that differ. With the same rules, and before
// that tick, it plays on. So does what a client has recorded.
func TestReplayWithOtherRules(t *testing.T) {
	const from = 500
	rules := func(f func(w *ecs.World)) func() *ecs.Protocol {
		return joining(func() *ecs.Protocol {
			p := plaza()
			p.Simulate("rule", func(w *ecs.World) {
				if w.Tick() >= from {
					f(w)
				}
			})
			return p
		}, spawnPawn)
	}
	same := rules(func(*ecs.World) {})
	games := map[string]func() *ecs.Protocol{
		"": same,
		"place": rules(func(w *ecs.World) {
			for _, e := range ecs.Each[struct{ At *place }](w) {
				e.At.X += 0.5
			}
		}),
		"shots": rules(func(w *ecs.World) {
			for _, e := range ecs.Each[struct{ Shots *shots }](w) {
				e.Shots.Count = 7
			}
		}),
		"entities": rules(func(w *ecs.World) {
			if w.Tick() == from {
				w.Spawn(place{})
			}
		}),
	}
	for _, model := range []policy.Model{policy.Rollback{}, policy.Lockstep{}} {
		for _, own := range []bool{false, true} {
			g := newGame(t, same, ServerConfig{Model: model, Seed: 3})
			var file bytes.Buffer
			ring := recording.NewRing(time.Hour, recording.Config{})
			g.join(ClientConfig{Gather: gatherPush(), Record: ring.Writer}, terrible)
			g.join(ClientConfig{Gather: gatherPush()}, terrible)
			w := recording.NewWriter(&file, recording.Config{})
			g.run(100)
			if err := g.server.Record(w, 0); err != nil {
				t.Fatal(err)
			}
			g.run(900)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			for where, protocol := range games {
				t.Run(fmt.Sprintf("%v/own=%v/%s", model, own, cmp.Or(where, "same")), func(t *testing.T) {
					r, err := recording.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
					if own {
						r, err = ring.Recording()
					}
					if err != nil {
						t.Fatal(err)
					}
					replay, err := NewReplay(r, protocol(), ClientConfig{})
					if err != nil {
						t.Fatal(err)
					}
					play := func() (err error) {
						for at := replay.Position(); err == nil && at < replay.Duration(); at += time.Second / 60 {
							err = replay.Play(at)
						}
						return err
					}
					err = play()
					if where == "" {
						if err != nil {
							t.Error(err)
						}
						return
					}
					if want := fmt.Sprintf("tick %d: %s differs", from, where); !errors.Is(err, ErrRules) || !strings.Contains(err.Error(), want) {
						t.Errorf("%v, want %q", err, want)
					}
					if at := replay.Position(); replay.Play(replay.Duration()) == nil || replay.Position() != at {
						t.Error("it plays on")
					}
					if err := replay.Seek(time.Second); err != nil {
						t.Error(err)
					}
					if again := play(); again == nil || again.Error() != err.Error() {
						t.Errorf("after a seek: %v", again)
					}
				})
			}
		}
	}
}

// A client replays its last seconds: entities of others as it saw them, and its own entities as the server had them.
func TestOwnReplay(t *testing.T) {
	for _, model := range []policy.Model{policy.LocalSync{}, policy.ServerRewind{}, policy.CorrectOnMismatch{}, policy.Rollback{}, policy.Lockstep{}} {
		t.Run(model.String(), func(t *testing.T) {
			t.Parallel()
			g := newGame(t, peopled, ServerConfig{Model: model, Seed: 3, Players: Players{ReconnectWindow: time.Minute}})
			ring := recording.NewRing(4*time.Second, recording.Config{})
			me := g.join(ClientConfig{Gather: gatherPush(), Record: ring.Writer}, terrible)
			g.join(ClientConfig{Gather: gatherPush()}, terrible)
			g.connect().run(850)
			third := g.join(ClientConfig{Gather: gatherPush()}, terrible)
			g.run(150)
			_ = third.Close(g.now)
			g.run(100)
			r, err := ring.Recording()
			if err != nil {
				t.Fatal(err)
			}
			kept := r.Duration() - r.Segments()[0].Start
			if kept < 4*time.Second || kept > 9*time.Second {
				t.Errorf("%v are kept: %v", kept, r.Segments())
			}
			replay, err := NewReplay(r, g.protocol(), ClientConfig{})
			if err != nil {
				t.Fatal(err)
			}
			frames, moved := 0, map[uint32]float32{}
			last := map[uint32]place{}
			for at := replay.Position(); at < replay.Duration(); at += time.Second / 60 {
				if err := replay.Play(at); err != nil {
					t.Fatal(err)
				}
				w := replay.Client().View()
				if w == nil {
					continue
				}
				frames++
				for _, x := range ecs.All[struct {
					Owner components.Owner
					At    place
				}](w) {
					id := x.Owner.Client
					if before, seen := last[id]; seen {
						moved[id] += max(x.At.X-before.X, before.X-x.At.X)
					}
					last[id] = x.At
				}
			}
			for _, id := range []uint32{1, 2} {
				if moved[id] < 3 {
					t.Errorf("in %d frames player %d moves by %v", frames, id, moved[id])
				}
			}
			if _, there := replay.Client().Own(replay.Client().View()); !there {
				t.Error("the player is not in the replay")
			}
			if policy.TraitsOf(model).RelaysInputs {
				if err := Difference(g.server, replay.Client()); err != nil {
					t.Error(err)
				}
			}
			if !me.Connected() {
				t.Error(me.Err())
			}
		})
	}
}

// A client that lost its session keeps what it received in the one before and in the next one.
func TestOwnReplayAfterReconnect(t *testing.T) {
	for _, model := range []policy.Model{policy.LocalSync{}, policy.Rollback{}, policy.Lockstep{}} {
		t.Run(model.String(), func(t *testing.T) {
			t.Parallel()
			g := newGame(t, peopled, ServerConfig{Model: model, Seed: 3, Players: Players{ReconnectWindow: time.Minute}})
			ring := recording.NewRing(20*time.Second, recording.Config{Interval: 2 * time.Second})
			me := g.join(ClientConfig{Gather: gatherPush(), Record: ring.Writer, Session: ClientSession{Reconnect: true, Timeout: time.Second}}, terrible)
			g.join(ClientConfig{Gather: gatherPush()}, terrible)
			g.connect().run(240)
			if err := g.links[0].SetLinks(netsys.Link{Loss: 1}, netsys.Link{Loss: 1}); err != nil {
				t.Fatal(err)
			}
			g.until("the session is lost", func() bool { return me.Lost() != nil })
			if err := g.links[0].SetLinks(terrible, terrible); err != nil {
				t.Fatal(err)
			}
			g.until("the client is back", func() bool { return me.Lost() == nil && me.Connected() })
			g.run(240)
			r, err := ring.Recording()
			if err != nil {
				t.Fatal(err)
			}
			replay, err := NewReplay(r, g.protocol(), ClientConfig{})
			if err != nil {
				t.Fatal(err)
			}
			for at := replay.Position(); at < replay.Duration(); at += time.Second / 60 {
				if err := replay.Play(at); err != nil {
					t.Fatal(at, err)
				}
			}
			if err := Difference(g.server, replay.Client()); err != nil {
				t.Error(err)
			}
		})
	}
}

// chime is an event that the server raises every second.
type chime struct {
	N uint16 `net:"0..999"`
}

func chimes() *event.Registry {
	r := event.NewRegistry(channel.Config{})
	event.Register[chime](r, event.Options{})
	return r
}

// A replay handles each event that it plays once. A seek skips events without handling them, and repeats those that are played again.
func TestEventsOfReplays(t *testing.T) {
	protocol := joining(func() *ecs.Protocol {
		p := plaza()
		p.Authority("chime", func(w *ecs.World) {
			if w.Tick()%60 == 30 {
				event.Raise(w, event.ToAll(), chime{uint16(w.Tick() / 60)})
			}
		})
		return p
	}, spawnPawn)
	g := newGame(t, protocol, ServerConfig{Events: event.NewServer(chimes(), event.ServerConfig{})})
	var file bytes.Buffer
	w := recording.NewWriter(&file, recording.Config{})
	if err := g.server.Record(w, 0); err != nil {
		t.Fatal(err)
	}
	g.run(20 * 60)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := recording.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var heard []uint16
	client := event.NewClient(chimes(), event.ClientConfig{})
	event.OnClient(client, func(_ *ecs.World, _ event.Origin, v *chime) { heard = append(heard, v.N) })
	replay, err := NewReplay(r, protocol(), ClientConfig{Events: client})
	if err != nil {
		t.Fatal(err)
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	second := func(s int) time.Duration { return time.Duration(s) * time.Second }
	do(replay.Play(second(4)))  // 0 1 2 3
	do(replay.Seek(second(9)))  // skips 4 to 8
	do(replay.Play(second(11))) // 9 10
	do(replay.Seek(second(2)))
	do(replay.Play(second(4))) // 2 3
	do(replay.Seek(second(5))) // skips 4
	do(replay.Play(second(6))) // 5
	if want := []uint16{0, 1, 2, 3, 9, 10, 2, 3, 5}; !slices.Equal(heard, want) {
		t.Errorf("heard %d, want %d", heard, want)
	}
}
