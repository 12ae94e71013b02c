package campaign

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/recording"
)

// record is the recording of a match, and a spectator that watches it live.
type record struct {
	m      *match
	r      *rand.Rand
	from   time.Duration // when it begins
	file   chunks
	due    bool  // another segment is due
	starts int64 // number of segments that were due
	to     *recording.Writer
	feed   recording.Feed
	watch  *systems.Replay
	ticks  int
	checks int
	ended  bool
}

// chunks is a file that counts the chunks of a recording.
type chunks struct {
	bytes.Buffer
	written atomic.Int64
}

func (c *chunks) Write(b []byte) (int, error) {
	defer c.written.Add(1)
	return c.Buffer.Write(b)
}

func newRecord(m *match) *record {
	x := &record{m: m, r: m.stream("record")}
	x.from = time.Duration(x.r.Int64N(int64(5 * time.Second)))
	return x
}

// maxWaiting is the number of segments that may wait for the writer.
const maxWaiting = 4

// framesEvery is the number of wake-ups of the server between two frames of the spectator.
const framesEvery = 5

// spectator returns the configuration of a client that plays the recording.
func (x *record) spectator() systems.ClientConfig {
	return systems.ClientConfig{Events: event.NewClient(news(), event.ClientConfig{}), Outcomes: newLedger("spectator").register}
}

// step records the server's tick and draws the spectator.
func (x *record) step() error {
	now, err := x.m.crowd.Now(), error(nil)
	if x.m.steps > 0 || x.m.asleep || x.ended {
		return nil // the times of a recording are those of the server's clock; and frames while nothing happens would take long
	}
	if x.to == nil && x.m.crowd.Elapsed() >= x.from {
		x.to = recording.NewWriter(&x.file, recording.Config{Interval: time.Duration(1+x.r.IntN(4)) * time.Second, Live: &x.feed})
		return x.m.crowd.Server.Record(x.to, 0)
	}
	if !x.feed.Begun() {
		return nil
	}
	if x.watch == nil {
		if x.watch, err = systems.Watch(&x.feed, x.m.sea(), x.spectator()); err != nil {
			return err
		}
	}
	// The writer compresses on a goroutine of its own, and gives up if many segments wait. Virtual time would not wait for it.
	due := x.to.Due(now)
	if due && !x.due {
		x.starts++
	}
	for x.due = due; x.starts > x.file.written.Load()+maxWaiting && x.to.Err() == nil; {
		time.Sleep(time.Millisecond)
	}
	runtime.Gosched() // virtual time never sleeps: with GOMAXPROCS=1 the writer's goroutine would not run
	if err = x.to.Err(); err != nil {
		return err
	}
	if x.ticks++; x.ticks%framesEvery != 0 {
		return nil
	}
	if err = x.watch.Play(now.Sub(x.to.Began())); err == nil && x.watch.Client().View() != nil {
		x.to.Check(now, x.watch.Client().View().Hash())
		x.checks++
	}
	return err
}

// plays returns an error if a replay differs from the spectator, or the spectator from the server.
func (x *record) plays() error {
	if x.watch == nil || x.ended {
		return nil
	}
	server := x.m.crowd.Server
	if err := x.watch.Play(x.m.crowd.Now().Sub(x.to.Began())); err != nil {
		return err
	}
	if err := systems.Difference(server, x.watch.Client()); err != nil {
		return fmt.Errorf("the spectator of the recording: %w", err)
	}
	replay, err := x.end()
	if err != nil {
		return err
	}
	for range 5 {
		if err := replay.Seek(time.Duration(x.r.Int64N(int64(replay.Duration()) + 1))); err != nil {
			return err
		}
	}
	if err := replay.Seek(replay.Duration()); err != nil {
		return err
	}
	if err := systems.Difference(server, replay.Client()); err != nil {
		return fmt.Errorf("the replay after going to its end: %w", err)
	}
	return nil
}

// end ends the recording and returns a replay that has played it. It returns an error if the replay differs from the spectator.
func (x *record) end() (*systems.Replay, error) {
	x.ended = true
	if x.watch == nil {
		return nil, nil
	}
	if err := x.to.Close(); err != nil {
		return nil, err
	}
	r, err := recording.Open(bytes.NewReader(x.file.Bytes()), int64(x.file.Len()))
	if err != nil {
		return nil, err
	}
	var checks []recording.Record
	if err := r.All(func(c *recording.Record) bool {
		if c.Kind == recording.Check {
			checks = append(checks, *c)
		}
		return true
	}); err != nil || len(checks) != x.checks {
		return nil, fmt.Errorf("%d frames of %d were recorded: %w", len(checks), x.checks, err)
	}
	replay, err := systems.NewReplay(r, x.m.sea(), x.spectator())
	if err != nil {
		return nil, err
	}
	for _, c := range checks {
		if err := replay.Play(c.At); err != nil {
			return nil, err
		}
		if replay.Client().View().Hash() != c.Hash {
			return nil, fmt.Errorf("the replay shows another frame at %v", c.At)
		}
	}
	return replay, nil
}
