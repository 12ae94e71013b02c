//go:build !js

package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/tactusgo/tactus/examples/play/internal/playtest"
)

// Key symbols of X11, beside those of letters, which are their characters.
const (
	keyReturn = 0xff0d
	keyEscape = 0xff1b
	keyLeft   = 0xff51
	keyRight  = 0xff53
	keyF3     = 0xffc0
)

// display is a screen with a window on it, and hands on keyboard and mouse.
type display struct {
	*testing.T
	x      *xgb.Conn
	root   xproto.Window
	window xproto.Window
	w, h   float64                          // of the window, in pixels
	keys   map[xproto.Keysym]xproto.Keycode // without shift
}

// newDisplay opens the screen that DISPLAY names. It skips the test where a window manager
// runs: somebody works there, who would get the keys.
func newDisplay(t *testing.T) *display {
	t.Helper()
	x, err := xgb.NewConn()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	if err := xtest.Init(x); err != nil {
		t.Skipf("nobody can press keys on this screen: %v", err)
	}
	setup := xproto.Setup(x)
	d := &display{T: t, x: x, root: setup.DefaultScreen(x).Root, keys: map[xproto.Keysym]xproto.Keycode{}}
	if d.managed() {
		t.Skip("somebody's own screen gets no keys from a test: xvfb-run -a go test")
	}
	// A key that is held while the machine does other things is one key.
	d.repeat(xproto.AutoRepeatModeOff)
	t.Cleanup(func() { d.repeat(xproto.AutoRepeatModeDefault) })
	lowest, count := setup.MinKeycode, byte(setup.MaxKeycode-setup.MinKeycode)+1
	all, err := xproto.GetKeyboardMapping(x, lowest, count).Reply()
	if err != nil {
		t.Fatal(err)
	}
	for i := range int(count) {
		d.keys[all.Keysyms[i*int(all.KeysymsPerKeycode)]] = lowest + xproto.Keycode(i)
	}
	return d
}

// repeat says whether keys that are held come again and again.
func (d *display) repeat(mode uint32) {
	d.Helper()
	d.check(xproto.ChangeKeyboardControlChecked(d.x, xproto.KbAutoRepeatMode, []uint32{mode}).Check())
}

// managed reports whether a window manager runs.
func (d *display) managed() bool {
	p, err := xproto.GetProperty(d.x, false, d.root, d.atom("_NET_SUPPORTING_WM_CHECK"), xproto.AtomAny, 0, 1).Reply()
	return err == nil && p.ValueLen > 0
}

func (d *display) atom(name string) xproto.Atom {
	d.Helper()
	a, err := xproto.InternAtom(d.x, false, uint16(len(name)), name).Reply()
	if err != nil {
		d.Fatal(err)
	}
	return a.Atom
}

// check ends the test where the screen has refused something.
func (d *display) check(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// find waits for a window with that title, and gives it the keyboard: there is nobody
// else to do so.
func (d *display) find(title string) {
	d.Helper()
	playtest.Until(d.T, "there is a window "+title, func() bool {
		tree, err := xproto.QueryTree(d.x, d.root).Reply()
		d.check(err)
		for _, w := range tree.Children {
			name, err := xproto.GetProperty(d.x, false, w, xproto.AtomWmName, xproto.AtomAny, 0, 64).Reply()
			if err != nil || string(name.Value) != title {
				continue // windows come and go meanwhile
			}
			if a, err := xproto.GetWindowAttributes(d.x, w).Reply(); err == nil && a.MapState == xproto.MapStateViewable {
				d.window = w
			}
		}
		return d.window != 0
	})
	playtest.Until(d.T, "the window has the keyboard", func() bool {
		d.check(xproto.SetInputFocusChecked(d.x, xproto.InputFocusPointerRoot, d.window, xproto.TimeCurrentTime).Check())
		f, err := xproto.GetInputFocus(d.x).Reply()
		d.check(err)
		return f.Focus == d.window
	})
	g, err := xproto.GetGeometry(d.x, xproto.Drawable(d.window)).Reply()
	d.check(err)
	d.w, d.h = float64(g.Width), float64(g.Height)
}

// fake does what a device does: one of the events KeyPress to MotionNotify.
func (d *display) fake(event byte, detail byte, x, y float64) {
	d.Helper()
	d.check(xtest.FakeInputChecked(d.x, event, detail, 0, d.root, int16(x), int16(y), 0).Check())
}

// hold presses a key until something has come of it.
func (d *display) hold(key xproto.Keysym, what string, done func() bool) {
	d.Helper()
	d.fake(xproto.KeyPress, byte(d.code(key)), 0, 0)
	defer d.fake(xproto.KeyRelease, byte(d.code(key)), 0, 0)
	playtest.Until(d.T, what, done)
}

// press presses keys one after the other, each for some frames, and lets go for some: of
// what is over before a frame looks, the window never hears.
func (d *display) press(keys ...xproto.Keysym) {
	d.Helper()
	for _, key := range keys {
		d.fake(xproto.KeyPress, byte(d.code(key)), 0, 0)
		d.frames()
		d.fake(xproto.KeyRelease, byte(d.code(key)), 0, 0)
		d.frames()
	}
}

// frames waits until the window has shown frames that know what was done before.
func (d *display) frames() {
	d.Helper()
	last := d.pixels()
	for range 3 { // of which the first two may have begun before
		playtest.Until(d.T, "another frame", func() bool {
			now := d.pixels()
			changed := !bytes.Equal(now, last)
			last = now
			return changed
		})
	}
}

func (d *display) code(key xproto.Keysym) xproto.Keycode {
	d.Helper()
	code, ok := d.keys[key]
	if !ok {
		d.Fatalf("the keyboard has no key %#x", key)
	}
	return code
}

// point moves the mouse to a place in the window.
func (d *display) point(x, y float64) {
	d.Helper()
	at, err := xproto.TranslateCoordinates(d.x, d.window, d.root, int16(x), int16(y)).Reply()
	d.check(err)
	d.fake(xproto.MotionNotify, 0, float64(at.DstX), float64(at.DstY))
}

// click holds the left button until something has come of it.
func (d *display) click(what string, done func() bool) {
	d.Helper()
	d.fake(xproto.ButtonPress, xproto.ButtonIndex1, 0, 0)
	defer d.fake(xproto.ButtonRelease, xproto.ButtonIndex1, 0, 0)
	playtest.Until(d.T, what, done)
}

// close asks the window to close, as its frame's cross does.
func (d *display) close() {
	d.Helper()
	e := xproto.ClientMessageEvent{Format: 32, Window: d.window, Type: d.atom("WM_PROTOCOLS"),
		Data: xproto.ClientMessageDataUnionData32New([]uint32{uint32(d.atom("WM_DELETE_WINDOW")), 0, 0, 0, 0})}
	d.check(xproto.SendEventChecked(d.x, false, d.window, xproto.EventMaskNoEvent, string(e.Bytes())).Check())
}

// pixels is what the window shows: blue, green, red and a byte of nothing for each.
func (d *display) pixels() []byte {
	d.Helper()
	shown, err := xproto.GetImage(d.x, xproto.ImageFormatZPixmap, xproto.Drawable(d.window), 0, 0, uint16(d.w), uint16(d.h), ^uint32(0)).Reply()
	d.check(err)
	if len(shown.Data) != 4*int(d.w)*int(d.h) {
		d.Fatalf("a screen of depth %d, with %d bytes for %v × %v", shown.Depth, len(shown.Data), d.w, d.h)
	}
	return shown.Data
}

// picture keeps what the window shows.
func (d *display) picture(dir, name string) {
	d.Helper()
	img := image.NewRGBA(image.Rect(0, 0, int(d.w), int(d.h)))
	for i, pixels := 0, d.pixels(); i < len(pixels); i += 4 {
		copy(img.Pix[i:], []byte{pixels[i+2], pixels[i+1], pixels[i], 255})
	}
	f, err := os.Create(filepath.Join(dir, name+".png"))
	d.check(err)
	d.check(png.Encode(f, img))
	d.check(f.Close())
}
