package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/bench/rooms/crowd"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms/fleet/natsdir"
)

// Two processes with rooms share one directory: players play in the rooms of both, and no seat has two players. Here both run
// in one process, so that nothing has to be built.
func TestBench(t *testing.T) {
	servers, err := natsdir.Embedded(natsdir.Embedding{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(servers.Close)
	key := netcode.GenerateKey(nil)
	o := options{Options: crowd.Options{Rooms: 4, Players: 2, Hz: 20, Seconds: 1, Joins: 50, Warmup: 100 * time.Millisecond, Overload: systems.Overload{Off: true}}, processes: 2}
	var all []*crowd.Process
	for n := range o.processes {
		asks, in := io.Pipe()
		out, answers := io.Pipe()
		one := o
		one.name = fmt.Sprint("process-", n+1)
		served := make(chan error, 1)
		go func() {
			err := serve(one, servers.Config().URL, hex.EncodeToString(key[:]), asks, answers)
			_ = answers.CloseWithError(err)
			served <- err
		}()
		p, err := crowd.Talk(in, out)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if err := <-served; err != nil {
				t.Errorf("%s ended with %v", one.name, err)
			}
		})
		all = append(all, p)
	}
	r, err := crowd.Play(o.Options, all)
	if err != nil {
		t.Fatal(err)
	}
	if r.Processes != 2 || r.RoomsMost != 2 || r.Connected != 8 || r.TicksPct <= 0 || r.Updates <= 0 {
		t.Errorf("play: %+v", r)
	}
	if r.Failed != 0 || r.Doubled != 0 || r.Over != 0 || r.Refused == 0 || r.Entered == 0 || r.Turned != 0 {
		t.Errorf("seats: %+v", r)
	}
}
