package stage

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// Options are the options of a client.
type Options struct {
	// Connect is the server's address, or ws:// and an address.
	Connect string
	// Name is the player's preferred name. "": the server chooses one.
	Name string
	// Token is the connect token of a seat in a room, in base64. The client then plays one session and ends, because a
	// token serves once; its issuer can issue another one for the seat. "": none.
	Token string
	// Insecure allows unprotected play on a server on another machine.
	Insecure bool
	// Bots and NPCs are the numbers in a local match, or [Usual].
	Bots, NPCs int
	// Preset is the netcode model of a local match. "": the world's default.
	Preset string
	// Seed is the seed of a local match. 0: 1.
	Seed uint64
	// Drive gathers the inputs instead of the devices. nil: the devices do.
	Drive *systems.GatherFunc
	// Picture is the file for a picture of the screen, after which the client ends. "": none.
	Picture string
	// Movie is the name of a GIF file for six seconds of play with the overlay, while the link gets worse. The client then
	// ends. "": none.
	Movie string
}

// ErrSession is wrapped by the error of [Stage.Play] when the session of a token has ended.
var ErrSession = errors.New("the session has ended")

// Usual means the world's default number.
const Usual = -1

// Stage is the client of a world as an Ebitengine game. Its lock is shared with the keeper, which continues the session
// while nothing is drawn in a hidden tab.
type Stage struct {
	// Controls is the state of the input devices.
	Controls Controls

	mu      sync.Mutex
	world   World
	scene   Scene
	name    string
	online  *online
	client  *systems.Client // nil before the first connection
	canvas  *paint.Canvas   // nil without a screen
	chat    chat
	panel   *panel
	crowd   crowd
	picture picture
	movie   movie
	drive   *systems.GatherFunc
	was     bool      // connected
	frame   time.Time // drawn last
	step    float64   // duration of this frame in seconds
	began   time.Time // start of the newest frame
	fps     float64
	work    float64 // seconds of work per frame before Ebitengine draws, smoothed
	dot     *ebiten.Image
}

// New returns a stage without a screen: see [Stage.Play]. It panics if the token is invalid: see [Options.Check].
func New(w World, o *Options) *Stage {
	s := &Stage{world: w, name: o.Name, drive: o.Drive, picture: picture{name: o.Picture}, movie: movie{name: o.Movie}}
	s.Controls.bind = w.Controls
	s.scene = w.New(s)
	s.panel = newPanel(s)
	s.online = newOnline(o, s)
	return s
}

// Play opens a window, or uses the page, and plays until it is closed.
func (s *Stage) Play() error { return s.PlayAs(s) }

// PlayAs is [Stage.Play] for a game that wraps this one, for tests.
func (s *Stage) PlayAs(game ebiten.Game) error {
	ebiten.SetWindowTitle("Tactus " + s.world.Name)
	ebiten.SetWindowSize(1280, 720)
	if s.movie.name != "" {
		ebiten.SetWindowSize(movieWide, movieHigh)
	}
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	// Update once per frame, right before drawing, for the freshest input.
	ebiten.SetTPS(ebiten.SyncWithFPS)
	ebiten.SetRunnableOnUnfocused(true)
	ebiten.SetScreenClearedEveryFrame(false) // every frame covers the whole screen
	s.dot = ebiten.NewImage(1, 1)
	s.canvas = paint.New()
	s.listen()
	go s.keep()
	err := ebiten.RunGame(game)
	s.mu.Lock() // permanently: the keeper stops
	s.online.close()
	return err
}

// Name returns the player's preferred name, or "" for the server's choice.
func (s *Stage) Name() string { return s.name }

// Step returns the duration of this frame in seconds.
func (s *Stage) Step() float64 { return s.step }

// Ticking reports whether the input being gathered is the input of a tick. Otherwise it is for a frame only.
func (s *Stage) Ticking() bool { return s.Controls.ticking }

// Tell adds a line to the chat: its author and its text.
func (s *Stage) Tell(who, text string, t paint.Tint) {
	s.chat.add(note{who: who, text: text, colour: t, at: time.Now()})
}

// Hit shows the server's decision about a shot in the overlay.
func (s *Stage) Hit(h overlay.Hit) { s.panel.net.Hit(h) }

// Covered reports whether the overlay covers a part of the screen, in pixels.
func (s *Stage) Covered(x, y, w, h float64) bool { return s.panel.covers(s.canvas, x, y, w, h) }

// keepEvery is the interval of updates while nothing is drawn.
const keepEvery = 100 * time.Millisecond

func (s *Stage) keep() {
	for range time.Tick(keepEvery) {
		s.mu.Lock()
		if now := time.Now(); now.Sub(s.frame) > 2*keepEvery && !s.frame.IsZero() {
			s.Controls.now = 0
			s.online.advance(now)
		}
		s.mu.Unlock()
	}
}

// Update implements [ebiten.Game]. It reads the devices and runs the due ticks.
func (s *Stage) Update() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if inpututil.IsKeyJustPressed(ebiten.KeyF3) {
		s.panel.net.Toggle()
	}
	s.began = time.Now()
	c := s.canvas
	k := &s.Controls
	k.sample(c, s.chat.typing, s.panel.takes)
	for _, tap := range k.taps[:k.nTaps] {
		s.panel.tap(c, tap.X, tap.Y)
	}
	s.panel.drag(c)
	if talker, ok := s.scene.(Talker); ok {
		if text, done := s.chat.write(); done {
			s.say(talker, text)
		}
	}
	s.online.advance(time.Now())
	switch {
	case errors.Is(s.online.err, errLeft):
		return ebiten.Termination
	case s.online.over && s.online.seat.token != nil:
		return fmt.Errorf("%w: %w", ErrSession, s.online.err)
	case errors.Is(s.online.err, errBegin):
		return s.online.err
	}
	if s.picture.done || s.movie.done {
		return errors.Join(ebiten.Termination, s.picture.err, s.movie.err)
	}
	return nil
}

// say sends a line of chat.
func (s *Stage) say(t Talker, text string) {
	if s.online.connected() {
		t.Say(s.client, text)
	}
}

// LayoutF implements [ebiten.LayoutFer]. The result is the number of physical pixels.
func (s *Stage) LayoutF(w, h float64) (float64, float64) {
	f := ebiten.Monitor().DeviceScaleFactor()
	return math.Ceil(w * f), math.Ceil(h * f)
}

// Layout is required by [ebiten.Game]. Ebitengine calls LayoutF instead.
func (s *Stage) Layout(w, h int) (int, int) { return w, h }

// Draw implements [ebiten.Game]. Draw draws the scene only for screenshots. In other frames, Draw sets one pixel, because
// Ebitengine presents a frame only if something was drawn.
func (s *Stage) Draw(behind *ebiten.Image) {
	if !s.kept() {
		behind.DrawImage(s.dot, nil)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw(behind)
	if s.picture.due(s.was, s.frame) {
		s.picture.take(behind)
	}
	if s.movie.name != "" {
		s.movie.take(behind, s.panel.net, s.was, s.frame)
	}
}

// kept reports whether frames are also written to a file.
func (s *Stage) kept() bool { return s.picture.name != "" || s.movie.name != "" }

// DrawFinalScreen implements [ebiten.FinalScreenDrawer]. It draws directly on the screen, without a copy.
func (s *Stage) DrawFinalScreen(screen ebiten.FinalScreen, behind *ebiten.Image, _ ebiten.GeoM) {
	if s.kept() {
		screen.DrawImage(behind, nil)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draw(screen)
	s.work += (time.Since(s.began).Seconds() - s.work) * 0.1
}

// advance updates everything for a frame. It returns the client to draw, or nil while there is no session.
func (s *Stage) advance(now time.Time) *systems.Client {
	s.step = min(max(now.Sub(s.frame).Seconds(), 0), 0.25)
	s.frame = now
	if s.step > 0 {
		s.fps += (1/s.step - s.fps) * min(s.step*2, 1)
	}
	if s.was = s.online.joined(); !s.was {
		return nil
	}
	s.client.Frame(now)
	s.crowd.look(s)
	s.panel.sample(s.work, now)
	return s.client
}

// draw draws a frame.
func (s *Stage) draw(screen ebiten.FinalScreen) {
	now := time.Now()
	client := s.advance(now)
	c := s.canvas
	b := screen.Bounds()
	points := ebiten.Monitor().DeviceScaleFactor()
	c.Begin(screen, points*min(max(min(float64(b.Dx()), float64(b.Dy()))/points/720, 0.9), 2))
	s.scene.Draw(client, c)
	c.Flush()
	s.drawOver(now)
	c.Flush()
	s.panel.draw(c)
	c.Flush()
}
