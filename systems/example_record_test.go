package systems_test

import (
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/recording"
)

// record records a match to a file. Close the writer when the match is over.
func record(s *systems.Server, file string) (*recording.Writer, error) {
	w, err := recording.Create(file, recording.Config{})
	if err != nil {
		return nil, err
	}
	return w, s.Record(w, 0)
}

// replay plays a recording from its second minute on, at half speed. draw returns false to stop.
func replay(file string, p *ecs.Protocol, draw func(view *ecs.World) bool) error {
	r, err := recording.OpenFile(file)
	if err != nil {
		return err
	}
	defer r.Close()
	x, err := systems.NewReplay(r, p, systems.ClientConfig{})
	if err != nil {
		return err
	}
	x.SetRate(0.5)
	if err := x.Seek(time.Minute); err != nil {
		return err
	}
	for !x.Ended() {
		if err := x.Advance(time.Now()); err != nil {
			return err
		}
		if !draw(x.Client().View()) {
			break
		}
		time.Sleep(time.Second / 60)
	}
	return nil
}

// killCam returns a client that keeps its last ten seconds, and a function that returns a replay of them.
func killCam(wire netsys.Wire, server netip.AddrPort, p *ecs.Protocol) (*systems.Client, func() (*systems.Replay, error), error) {
	ring := recording.NewRing(10*time.Second, recording.Config{})
	c, err := systems.NewClient(wire, server, p, systems.ClientConfig{Record: ring.Writer})
	last := func() (*systems.Replay, error) {
		r, err := ring.Recording()
		if err != nil {
			return nil, err
		}
		return systems.NewReplay(r, p, systems.ClientConfig{})
	}
	return c, last, err
}

// Record a match, and play it: see also docs/guide/recordings.md.
func Example_recording() {
	_, _, _ = record, replay, killCam
}
