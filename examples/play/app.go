package main

import (
	"errors"
	"math"
	"sync"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
)

// app is the game as Ebitengine runs it. Its lock is for the keeper, which goes on with
// the session while nothing is drawn, in a hidden tab.
type app struct {
	mu       sync.Mutex
	online   *online
	controls controls
	scene    *scene
	canvas   canvas
	chat     chat
	panel    *panel
	verdicts verdicts
	silence  silence
	was      bool      // connected
	frame    time.Time // drawn last
	began    time.Time // the newest frame
	scale    float64   // pixels of a world unit
	fps      float64
	picture  picture
	dot      *ebiten.Image
	cleared  bool // frames begin in the colour of the floor
}

func newApp(o *options) *app {
	a := &app{scene: newScene(), canvas: newCanvas(), picture: picture{name: o.picture}, dot: ebiten.NewImage(1, 1)}
	a.panel = newPanel(&a.canvas, a.onScreen)
	a.online = newOnline(o, &a.controls, func(s *game.Said) { a.chat.said(s, time.Now()) })
	a.online.net = a.panel.net
	a.listen()
	go a.keep()
	return a
}

// keepEvery is how often the session is looked after while nothing is drawn.
const keepEvery = 100 * time.Millisecond

func (a *app) keep() {
	for range time.Tick(keepEvery) {
		a.mu.Lock()
		if now := time.Now(); now.Sub(a.frame) > 2*keepEvery && !a.frame.IsZero() {
			a.controls.buttons = 0
			a.online.advance(now)
		}
		a.mu.Unlock()
	}
}

// Update implements [ebiten.Game]: it reads the devices and runs the ticks that are due.
func (a *app) Update() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if inpututil.IsKeyJustPressed(ebiten.KeyF3) {
		a.panel.net.Toggle()
	}
	a.began = time.Now()
	c := &a.canvas
	x, y := a.onScreen(a.ownPlace())
	a.controls.sample(c.w, c.unit, x, y, a.chat.typing, func(x, y float64) bool { return a.panel.takes(c, x, y) })
	a.online.points, a.online.target = a.controls.points, a.inWorld(float64(a.controls.mx), float64(a.controls.my))
	for _, tap := range a.controls.taps[:a.controls.nTaps] {
		a.panel.tap(c, tap.x, tap.y)
	}
	a.panel.drag(c)
	if text, done := a.chat.write(); done {
		a.online.say(text)
	}
	a.online.advance(time.Now())
	if a.picture.done {
		return errors.Join(ebiten.Termination, a.picture.err)
	}
	return nil
}

// ownPlace is where the own player is, in world units.
func (a *app) ownPlace() (x, y float64) {
	if a.scene.own != nil {
		return a.scene.own.x, a.scene.own.y
	}
	return a.scene.cx, a.scene.cy
}

// onScreen is where a place in the world is on the screen, in pixels.
func (a *app) onScreen(x, y float64) (sx, sy float64) {
	return (x-a.scene.cx)*a.scale + a.canvas.w/2, (y-a.scene.cy)*a.scale + a.canvas.h/2
}

// inWorld is where a point of the screen is in the world.
func (a *app) inWorld(sx, sy float64) point {
	return point{(sx-a.canvas.w/2)/a.scale + a.scene.cx, (sy-a.canvas.h/2)/a.scale + a.scene.cy}
}

// LayoutF implements [ebiten.LayoutFer]: as many pixels as the screen has.
func (a *app) LayoutF(w, h float64) (float64, float64) {
	f := ebiten.Monitor().DeviceScaleFactor()
	return math.Ceil(w * f), math.Ceil(h * f)
}

// Layout is what [ebiten.Game] asks for where there is a LayoutF.
func (a *app) Layout(w, h int) (int, int) { return w, h }

// seen is how many units of the world there are on a screen, along the side of a square of
// its area.
const seen = 760

// Draw implements [ebiten.Game]. It draws on the screen behind the screen only where a
// picture is wanted; else one pixel there says that there is a new frame.
func (a *app) Draw(behind *ebiten.Image) {
	if a.picture.name == "" {
		behind.DrawImage(a.dot, nil)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.draw(behind)
	if a.picture.due(a.was, a.frame) {
		a.picture.take(behind)
	}
}

// DrawFinalScreen implements [ebiten.FinalScreenDrawer]: everything is drawn right where
// it is seen, not copied there.
func (a *app) DrawFinalScreen(screen ebiten.FinalScreen, behind *ebiten.Image, _ ebiten.GeoM) {
	if a.picture.name != "" {
		screen.DrawImage(behind, nil)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.draw(screen)
	a.canvas.work += (time.Since(a.began).Seconds() - a.canvas.work) * 0.1
}

// draw brings everything up to date, and draws it.
func (a *app) draw(screen ebiten.FinalScreen) {
	now := time.Now()
	dt := min(max(now.Sub(a.frame).Seconds(), 0), 0.25)
	a.frame = now
	if dt > 0 {
		a.fps += (1/dt - a.fps) * min(dt*2, 1)
	}
	a.resize(screen)
	if connected := a.online.connected(); connected {
		if !a.was {
			a.scene.reset()
		}
		a.was = true
		a.online.client.Frame(now)
		a.silence.listen(a.online.client, now)
		a.chat.own = a.online.client.ID()
		a.scene.update(a.online, dt)
		a.chat.feed(a.scene, ecs.Single[game.Feed](a.online.client.World()), now)
		a.verdicts.take(a.online.client, a.panel.net.Hit)
		a.panel.sample(&a.canvas, now)
	} else {
		a.was = false
	}
	a.drawWorld()
	a.drawHUD(now)
	a.canvas.flush()
	a.panel.draw()
	a.canvas.flush()
}

// resize fits everything to the screen.
func (a *app) resize(screen ebiten.FinalScreen) {
	c := &a.canvas
	c.to = screen
	w, h := float64(screen.Bounds().Dx()), float64(screen.Bounds().Dy())
	if w == c.w && h == c.h {
		return
	}
	c.w, c.h = w, h
	a.cleared = clearTo(floor)
	a.scale = math.Sqrt(w*h) / seen
	points := ebiten.Monitor().DeviceScaleFactor()
	unit := points * min(max(min(w, h)/points/720, 0.9), 2)
	if unit != c.unit {
		c.unit, c.glyphs = unit, newGlyphs(unit)
	}
}
