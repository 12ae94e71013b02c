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

// Options are what a client is started with.
type Options struct {
	// Connect is the server's address, or ws:// and an address.
	Connect string
	// Name is what the player wants to be called. "": the server makes up something.
	Name string
	// Token is the connect token of a seat in a room, in base64. The client plays this one session, and ends with it, since
	// a token is used once: whoever gave it has another one for the seat. "": none.
	Token string
	// Insecure allows a server on another machine, unprotected.
	Insecure bool
	// Bots and NPCs are how many there are in a match of its own, or [Usual].
	Bots, NPCs int
	// Preset is the netcode of that match. "": that of the world.
	Preset string
	// Seed is that of its world and its bots. 0: 1.
	Seed uint64
	// Drive fills the inputs in the place of keys, mouse and thumbs. nil: these do.
	Drive *systems.GatherFunc
	// Picture is the file for a picture of the screen, after which the client ends. "": none.
	Picture string
	// Movie is the GIF file for six seconds of play, with the overlay while the link gets
	// worse, after which the client ends. "": none.
	Movie string
}

// ErrSession is wrapped by the error of [Stage.Play] when the session of a token has ended.
var ErrSession = errors.New("the session has ended")

// Usual is as many as a world has where nothing is said.
const Usual = -1

// Stage is the client of a world, as Ebitengine runs it. Its lock is for the keeper, which
// goes on with the session while nothing is drawn, in a hidden tab.
type Stage struct {
	// Controls are what the player does.
	Controls Controls

	mu      sync.Mutex
	world   World
	scene   Scene
	name    string
	online  *online
	client  *systems.Client // nil: there is none yet
	canvas  *paint.Canvas   // nil: there is no screen
	chat    chat
	panel   *panel
	crowd   crowd
	picture picture
	movie   movie
	drive   *systems.GatherFunc
	was     bool      // connected
	frame   time.Time // drawn last
	step    float64   // seconds of this frame
	began   time.Time // the newest frame
	fps     float64
	work    float64 // seconds of a frame before Ebitengine draws it, smoothed
	dot     *ebiten.Image
}

// New makes a stage that has no screen yet: see [Stage.Play]. It panics where the token is none: see [Options.Check].
func New(w World, o *Options) *Stage {
	s := &Stage{world: w, name: o.Name, drive: o.Drive, picture: picture{name: o.Picture}, movie: movie{name: o.Movie}}
	s.Controls.bind = w.Controls
	s.scene = w.New(s)
	s.panel = newPanel(s)
	s.online = newOnline(o, s)
	return s
}

// Play opens a window, or takes the page, and plays until it is closed.
func (s *Stage) Play() error { return s.PlayAs(s) }

// PlayAs is [Stage.Play] of a game that has this one within, and does more: for tests.
func (s *Stage) PlayAs(game ebiten.Game) error {
	ebiten.SetWindowTitle("Tactus " + s.world.Name)
	ebiten.SetWindowSize(1280, 720)
	if s.movie.name != "" {
		ebiten.SetWindowSize(movieWide, movieHigh)
	}
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	// A frame updates once, right before it is drawn: input is as fresh as it can be.
	ebiten.SetTPS(ebiten.SyncWithFPS)
	ebiten.SetRunnableOnUnfocused(true)
	ebiten.SetScreenClearedEveryFrame(false) // all of it is drawn over
	s.dot = ebiten.NewImage(1, 1)
	s.canvas = paint.New()
	s.listen()
	go s.keep()
	err := ebiten.RunGame(game)
	s.mu.Lock() // for good: the keeper does no more
	s.online.close()
	return err
}

// Name is what the player wants to be called; "" leaves that to the server.
func (s *Stage) Name() string { return s.name }

// Step is how long this frame takes, in seconds.
func (s *Stage) Step() float64 { return s.step }

// Ticking reports, while an input is filled, whether it is a tick's; if not, a frame shows
// it until the tick comes.
func (s *Stage) Ticking() bool { return s.Controls.ticking }

// Tell adds a line to what people say, or to what has happened: who did it, and what.
func (s *Stage) Tell(who, text string, t paint.Tint) {
	s.chat.add(note{who: who, text: text, colour: t, at: time.Now()})
}

// Hit shows in the overlay what the server made of a shot.
func (s *Stage) Hit(h overlay.Hit) { s.panel.net.Hit(h) }

// Covered reports whether the overlay lies over a part of the screen, in pixels: there is
// no use in drawing there.
func (s *Stage) Covered(x, y, w, h float64) bool { return s.panel.covers(s.canvas, x, y, w, h) }

// keepEvery is how often the session is looked after while nothing is drawn.
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

// Update implements [ebiten.Game]: it reads the devices and runs the ticks that are due.
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

// LayoutF implements [ebiten.LayoutFer]: as many pixels as the screen has.
func (s *Stage) LayoutF(w, h float64) (float64, float64) {
	f := ebiten.Monitor().DeviceScaleFactor()
	return math.Ceil(w * f), math.Ceil(h * f)
}

// Layout is what [ebiten.Game] asks for where there is a LayoutF.
func (s *Stage) Layout(w, h int) (int, int) { return w, h }

// Draw implements [ebiten.Game]. It draws on the screen behind the screen only where a
// picture is wanted; else one pixel there says that there is a new frame.
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

// kept reports whether what is drawn is kept in a file, and not only shown.
func (s *Stage) kept() bool { return s.picture.name != "" || s.movie.name != "" }

// DrawFinalScreen implements [ebiten.FinalScreenDrawer]: everything is drawn right where
// it is seen, not copied there.
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

// advance brings everything up to date for a frame, and returns the client to draw, nil
// while there is no session.
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
