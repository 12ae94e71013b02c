//go:build !js

package stage

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
)

// move is the input of the smallest world.
type move struct {
	DX int8 `net:"-1..1"`
}

// dotsProtocol is that world: a button moves a dot.
func dotsProtocol() *ecs.Protocol {
	p := ecs.NewProtocol("play-dots/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[move](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, move{})
	})
	p.Simulate("move", func(w *ecs.World) {
		for _, d := range ecs.Each[struct {
			Pos *components.Position
			In  *move
		}](w) {
			d.Pos.X += float32(d.In.DX)
		}
	})
	return p
}

// dots is its scene.
type dots struct{ stage *Stage }

func (d *dots) Configure(c *systems.ClientConfig) {
	Inputs(d.stage, c, func(_ *systems.Client, in *move) { in.DX = int8(d.stage.Controls.Held() & 1) })
}

func (d *dots) Draw(*systems.Client, *paint.Canvas) {}

// refused is a scene whose client cannot be made; it counts the attempts.
type refused struct {
	dots
	tries int
}

func (r *refused) Configure(c *systems.ClientConfig) { r.tries, c.Session.Timeout = r.tries+1, -1 }

// session is a stage with a session.
type session struct {
	*testing.T
	*Stage
}

// newDots starts a server and a stage, and plays until there is a session.
func newDots(t *testing.T) *session {
	t.Helper()
	wire, err := eventloop.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	address := wire.LocalAddr().String()
	go func() {
		done <- systems.Serve(ctx, wire, dotsProtocol(), systems.ServerConfig{})
	}()
	t.Cleanup(func() { stop(); <-done })
	w := World{Name: "dots", Protocol: dotsProtocol, New: func(s *Stage) Scene { return &dots{s} }}
	s := &session{t, New(w, &Options{Connect: address})}
	t.Cleanup(s.Leave)
	s.until("there is a session", func() bool { return s.client != nil && s.client.Connected() })
	return s
}

// until plays until something is so.
func (s *session) until(what string, done func() bool) {
	s.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Second / 60) {
		if s.Blink(time.Now()); done() {
			return
		}
	}
	s.Fatalf("never happened: %s", what)
}

// own is where the own dot is.
func (s *session) own() float32 {
	e, ok := s.client.Own(s.client.World())
	if !ok {
		return -1
	}
	return ecs.Get[components.Position](s.client.World(), e).X
}

// What devices press becomes input, and a session that the player left begins anew, but not one that was replaced.
func TestSession(t *testing.T) {
	s := newDots(t)
	s.Controls.Press(1)
	s.until("the dot has moved", func() bool { return s.own() > 10 })
	s.Controls.Press(0)
	first := s.client
	first.Session().Close(time.Now(), netsys.ReasonReplaced)
	s.until("it is over", func() bool { return s.online.over && s.online.err != nil && s.client == nil })
	time.Sleep(300 * time.Millisecond)
	if s.online.connected() {
		t.Error("a player who was replaced is back")
	}
	s = newDots(t)
	s.online.leave(time.Now())
	if s.online.connected() {
		t.Error("a session goes on whose player is away")
	}
	s.online.back(time.Now())
	s.until("there is another session", s.online.joined)
	s.Controls.Press(1)
	s.until("the dot moves again", func() bool { return s.own() > 10 })
}

// A client that cannot be made is not tried again.
func TestNoSession(t *testing.T) {
	scene := &refused{}
	s := &session{t, New(World{Name: "dots", Protocol: dotsProtocol, New: func(*Stage) Scene { return scene }}, &Options{Connect: "127.0.0.1:9"})}
	now := time.Now()
	for range 50 {
		now = now.Add(time.Minute)
		s.Blink(now)
		time.Sleep(time.Millisecond)
	}
	if scene.tries != 1 || !s.online.over || !errors.Is(s.online.err, systems.ErrConfig) {
		t.Errorf("it was tried %d times, and is over: %t, for %v", scene.tries, s.online.over, s.online.err)
	}
}
