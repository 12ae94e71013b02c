package main

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/bench/rooms/crowd"
)

// TestMain is the server, where a test has started it as a child: nothing but the end of a process ends a loop.
func TestMain(m *testing.M) {
	if os.Getenv("TACTUS_BENCH_ROOMS") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// One room panics, one loops forever, and one allocates 128 MiB and releases it. The operator learns of the first two, and the
// other rooms lose no tick. At two ticks per second a room loses a tick after a wait of two and a half seconds. A machine that
// is so slow three times in a row proves nothing about rooms.
func TestTrouble(t *testing.T) {
	t.Parallel()
	o := crowd.Options{Rooms: 10, Players: 1, Hz: 2, Seconds: 6, Warmup: time.Millisecond, Troubles: "panic,loop,mib=128"}
	var lost uint64
	for range 3 {
		p, err := crowd.Start(o.Args(), []string{"TACTUS_BENCH_ROOMS=1"}, os.Stderr, func(start func() error) error { return start() })
		if err != nil {
			t.Fatal(err)
		}
		r, err := crowd.Play(o, []*crowd.Process{p})
		if err := errors.Join(err, p.Close()); err != nil {
			t.Fatal(err)
		}
		if r.Told["panic"] != "failed in system panic, with its stack" || r.Told["loop"] != "stuck in system loop, with its stack" {
			t.Errorf("the operator was told %q", r.Told)
		}
		if r.RoomsMost != 9 || r.Connected < 8 {
			t.Errorf("%d rooms are left, with %d players", r.RoomsMost, r.Connected)
		}
		if lost = r.LostOthers; lost == 0 {
			return
		}
		t.Logf("the other rooms have lost %d ticks", lost)
	}
	t.Errorf("the other rooms have lost %d ticks, and some each time before", lost)
}

// Unknown troubles are refused.
func TestTroubleIsNamed(t *testing.T) {
	for _, list := range []string{"flood", "panic,", "mib=", "mib=-1", "mib=99999"} {
		o := crowd.Options{Rooms: 1, Players: 1, Hz: 1, Seconds: 1, Troubles: list}
		if err := o.Validate(); err == nil {
			t.Errorf("%q is trouble", list)
		}
	}
}
