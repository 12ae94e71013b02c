package host_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/recording"
)

// record plays a match with two players for some seconds. In each second there is a bang with its number. It returns the
// recording and the number of frames that a spectator drew.
func record(t *testing.T, seconds int) (file []byte, frames int) {
	t.Helper()
	m := newMatch(t, protocol(), systems.ServerConfig{})
	a, b := m.join(protocol(), link, m.config()), m.join(protocol(), netsys.Link{}, m.config())
	m.play(time.Second, 60, nil)
	var out bytes.Buffer
	feed := &recording.Feed{}
	w := recording.NewWriter(&out, recording.Config{Live: feed, Interval: 2 * time.Second})
	must(t, m.server.Record(w, 0))
	var spectator *systems.Replay
	for second := range seconds {
		must(t, a.SetInput(bytesOf(keys{DX: int8(1 - second%2*2), Jump: true})))
		must(t, b.SetInput(bytesOf(keys{DY: 1})))
		frame := 0
		m.play(time.Second, 60, func() {
			if frame++; frame == 30 {
				event.Raise(m.server.World(), event.ToAll(), bang{Loud: uint8(second)})
			}
			if !feed.Begun() {
				return
			}
			if spectator == nil {
				var err error
				spectator, err = systems.Watch(feed, protocol(), m.config().Client)
				must(t, err)
			}
			must(t, spectator.Play(m.now.Sub(w.Began())))
			if v := spectator.Client().View(); spectator.Client().World() != nil {
				w.Check(m.now, v.Hash())
				frames++
			}
		})
	}
	must(t, w.Close())
	return out.Bytes(), frames
}

// replayOf returns a host that plays a recording. It needs no input.
func replayOf(t *testing.T, file []byte) *host.Host {
	t.Helper()
	r, err := recording.Open(bytes.NewReader(file), int64(len(file)))
	must(t, err)
	k := newTypes()
	h, err := host.NewReplay(protocol(), r, start, host.Config{
		Client: systems.ClientConfig{Events: event.NewClient(k.events, event.ClientConfig{})}, Book: k.book(),
	})
	must(t, err)
	return h
}

// bangs returns the numbers of the bangs in the news of a frame.
func bangs(h *host.Host) (all []uint8) {
	for _, n := range h.News() {
		if n.Kind == host.NewsEvent {
			all = append(all, valueOf[bang](h.Value(n)).Loud)
		}
	}
	return all
}

// A host plays a recording frame by frame as the spectator saw it.
func TestReplayShowsWhatWasSeen(t *testing.T) {
	file, frames := record(t, 5)
	h := replayOf(t, file)
	n := 0
	for {
		equal, more, err := h.Replay().Check()
		must(t, err)
		if !more {
			break
		}
		if n++; !equal {
			t.Fatalf("another view at %v", h.Replay().Position())
		}
	}
	if n != frames || n < 250 {
		t.Errorf("%d frames, the spectator drew %d", n, frames)
	}
	must(t, h.Frame(start))
	if rows := h.Stats().Rows; rows < 2 {
		t.Errorf("%v rows", rows)
	}
}

// A replay plays each event once, at any rate, and a seek plays none that it skips.
func TestReplaySeeks(t *testing.T) {
	file, _ := record(t, 7)
	h := replayOf(t, file)
	r, now := h.Replay(), start
	all, err := r.Moments()
	must(t, err)
	if len(all) != 7 || all[3].Name != "bang" || all[3].Kind != host.NewsEvent || all[3].At < 3*time.Second || all[3].At > 4*time.Second {
		t.Fatalf("%+v", all)
	}
	// play plays up to a position and returns the bangs.
	play := func(to time.Duration) (heard []uint8) {
		for r.Position() < to && !r.Ended() {
			now = now.Add(time.Second / 30)
			ticks, err := h.Advance(now)
			if err != nil || ticks != 0 {
				t.Fatal(ticks, err)
			}
			must(t, h.Frame(now))
			heard = append(heard, bangs(h)...)
		}
		return heard
	}
	seek := func(to time.Duration) {
		must(t, r.Seek(to))
		now = now.Add(time.Millisecond)
		must(t, h.Frame(now))
		if heard := bangs(h); len(heard) > 0 || h.Stats().Rows < 2 && to > 0 {
			t.Errorf("after a seek to %v: %v, %v rows", to, heard, h.Stats().Rows)
		}
	}
	must(t, h.Frame(now))
	for i, step := range []struct {
		seek, to time.Duration
		rate     float64
		want     []uint8
	}{
		{0, 2 * time.Second, 1, []uint8{0, 1}},
		{0, 2 * time.Second, 4, []uint8{0, 1}},
		{all[4].At - 100*time.Millisecond, 5 * time.Second, 0.25, []uint8{4}},
		{all[4].At + 50*time.Millisecond, 5 * time.Second, 1, nil},
		{5100 * time.Millisecond, time.Hour, 8, []uint8{5, 6}},
		{2 * time.Second, 2400 * time.Millisecond, 1, nil}, // where a segment starts
		{time.Second, 1400 * time.Millisecond, 1, nil},
		{1900 * time.Millisecond, 2900 * time.Millisecond, 1, []uint8{2}}, // within a segment
	} {
		if i > 0 {
			seek(step.seek)
		}
		r.SetRate(step.rate)
		if heard := play(step.to); !slices.Equal(heard, step.want) {
			t.Errorf("from %v to %v: bangs %v, want %v", step.seek, step.to, heard, step.want)
		}
	}
	if at := r.Position(); !r.Ended() && at > 3*time.Second {
		t.Error(at)
	}
	r.SetRate(0)
	at := r.Position()
	now = now.Add(time.Second)
	must(t, h.Frame(now))
	if r.Position() != at {
		t.Error("it plays while it is paused")
	}
}

// A replay shows the view of any player. Inputs, messages, events and commands have no effect.
func TestReplayFollows(t *testing.T) {
	file, _ := record(t, 3)
	h := replayOf(t, file)
	must(t, h.Frame(start))
	must(t, h.Replay().Seek(2*time.Second))
	seen := map[float64]bool{}
	for _, client := range []uint32{1, 2, 9, 0} {
		h.Replay().Follow(client)
		must(t, h.Frame(start))
		s := h.Stats()
		if s.Client != float64(client) || (s.Own != 0) != (client == 1 || client == 2) || seen[s.Own] && s.Own != 0 {
			t.Errorf("client %d: %v with %v", client, s.Client, s.Own)
		}
		seen[s.Own] = true
	}
	must(t, errors.Join(h.SetInput(bytesOf(keys{DX: 1})), h.Send(0, bytesOf(said{})), h.Raise(0, bytesOf(bang{})), h.Command(0, bytesOf(rename{}))))
	h.Away()
	if reason, _ := h.End(); reason != host.Going {
		t.Error(reason)
	}
	must(t, h.Close())
	if _, _, err := h.Control(host.ControlSeek, 0); !errors.Is(err, netsys.ErrClosed) {
		t.Error(err)
	}
}

// Control calls the methods of a replay by number. Unknown numbers, and hosts that play on a server, are refused.
func TestControl(t *testing.T) {
	file, frames := record(t, 2)
	h := replayOf(t, file)
	do := func(command int, value float64) (float64, string) {
		t.Helper()
		v, text, err := h.Control(command, value)
		must(t, err)
		return v, text
	}
	if v, _ := do(host.ControlDuration, 0); v < 1900 || v > 2100 {
		t.Error(v)
	}
	if v, text := do(host.ControlMoment, 1); v < 1000 || v > 2000 || text != "event bang" {
		t.Error(v, text)
	}
	if v, _ := do(host.ControlMoment, 2); v != -1 {
		t.Error(v)
	}
	n := 0
	for ; ; n++ {
		if v, _ := do(host.ControlCheck, 0); v < 0 {
			break
		} else if v == 0 {
			t.Error("another view")
		}
	}
	if n != frames {
		t.Errorf("%d of %d frames", n, frames)
	}
	if v, _ := do(host.ControlSeek, 1000); v != 1000 {
		t.Error(v)
	}
	for range 500 {
		must(t, h.Replay().Seek(h.Replay().Position()+time.Second/600+1))
		at, _ := do(host.ControlPosition, 0)
		if v, _ := do(host.ControlSeek, at); v != at {
			t.Errorf("a seek to the position, %v ms, goes to %v ms", at, v)
		}
	}
	if v, _ := do(host.ControlSeek, -5); v > 10 { // one step after the beginning
		t.Error(v)
	}
	if _, _, err := h.Control(host.ControlSeek, 1e300); !errors.Is(err, host.ErrValue) {
		t.Error(err)
	}
	if _, _, err := h.Control(99, 0); !errors.Is(err, host.ErrValue) {
		t.Error(err)
	}
	m := newMatch(t, protocol(), systems.ServerConfig{})
	if _, _, err := m.join(protocol(), netsys.Link{}, m.config()).Control(host.ControlSeek, 0); !errors.Is(err, host.ErrReplay) {
		t.Error(err)
	}
}

// A damaged replay ends with the reason.
func TestReplayDamaged(t *testing.T) {
	file, _ := record(t, 5)
	file[len(file)/2] ^= 1
	r, err := recording.Open(bytes.NewReader(file), int64(len(file)))
	must(t, err)
	h, err := host.NewReplay(protocol(), r, start, host.Config{Client: systems.ClientConfig{Events: event.NewClient(newTypes().events, event.ClientConfig{})}})
	must(t, err)
	h.Replay().SetRate(64)
	now := start
	for range 200 {
		now = now.Add(time.Second / 60)
		must(t, h.Frame(now))
	}
	_, err = h.Advance(now)
	if reason, text := h.End(); !errors.Is(err, recording.ErrFormat) || reason != host.Other || text == "" {
		t.Error(err, reason, text)
	}
	other := protocol(func(p *ecs.Protocol) { ecs.Replicate[leaps2](p, 0) })
	if _, err := host.NewReplay(other, r, start, host.Config{}); host.ReasonOf(err) != host.OtherSchema {
		t.Error(err)
	}
}

type leaps2 struct {
	N uint8 `net:"0..9"`
}
