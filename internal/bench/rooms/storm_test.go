//go:build unix

package main

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/bench/rooms/crowd"
)

// Players whose process is paused for longer than their timeout lose their sessions, and get their seats again when it
// continues. Those of a killed process do not.
func TestPlayOn(t *testing.T) {
	t.Parallel()
	o := crowd.Options{Rooms: 2, Players: 3, Hz: 20, Seconds: 6}
	start := func() *crowd.Process {
		p, err := crowd.Start(o.Args(), []string{"TACTUS_BENCH_ROOMS=1"}, os.Stderr, func(start func() error) error { return start() })
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
		return p
	}
	p := start()
	asker := crowd.NewAsker("http://127.0.0.1:1") // nobody answers there
	asker.Move(0, p.Door)
	r, err := crowd.PlayOn(o, asker, func(ctx context.Context) error {
		time.Sleep(500 * time.Millisecond)
		if err := p.Pause(); err != nil {
			return err
		}
		time.Sleep(2500 * time.Millisecond)
		if err := p.Resume(); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Residents != 6 || r.Lost != 6 || r.Back != 6 || r.Away != 0 || r.Elsewhere != 0 || r.Doubled != 0 || r.Over != 0 {
		t.Errorf("%+v", r)
	}
	other := start()
	if err := other.Kill(); err != nil {
		t.Fatal(err)
	}
	var s crowd.State
	if err := other.Ask("mark", &s); err == nil {
		t.Errorf("who was killed answers %+v", s)
	}
}
