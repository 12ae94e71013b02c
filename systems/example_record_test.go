package systems_test

import (
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
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

// The functions that docs/guide/recordings.md names record a match and play it.
func TestRecordAndReplay(t *testing.T) {
	protocol := func() *ecs.Protocol {
		p := ecs.NewProtocol("dots/1")
		ecs.Replicate[components.Position](p, ecs.Interpolated)
		return p
	}
	now, file := time.Unix(0, 0), filepath.Join(t.TempDir(), "match.rec")
	network := netsys.NewNetwork()
	wire := network.Node(netip.MustParseAddrPort("127.0.0.1:7777"))
	s, err := systems.NewServer(wire, protocol(), systems.ServerConfig{Start: now})
	if err != nil {
		t.Fatal(err)
	}
	s.World().Spawn(components.Position{X: 1})
	w, err := record(s, file)
	if err != nil {
		t.Fatal(err)
	}
	c, last, err := killCam(network.Node(netip.AddrPort{}), wire.LocalAddr(), protocol())
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		now = now.Add(time.Second / 60)
		s.Advance(now)
		c.Advance(now)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := replay(file, protocol(), func(*ecs.World) bool { return true }); err != nil {
		t.Error(err)
	}
	if x, err := last(); err != nil || x.Duration() < time.Second {
		t.Errorf("the last seconds: %v", err)
	}
}
