//go:build !js

package main

import (
	"context"
	"io"
	"math"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/internal/web"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/overlay"
)

// match is a server with bots for a browser to play on, and what it knows of players.
type match struct {
	url string

	proxy *proxy // between browsers and the server

	mu      sync.Mutex
	players map[string]known
	others  map[uint32]point // what another client draws, by owner
}

// proxy passes TCP connections on, until they are cut.
type proxy struct {
	net.Listener
	to string

	mu    sync.Mutex
	conns []net.Conn
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: ln, to: to}
	t.Cleanup(func() { _ = ln.Close(); p.cut() })
	go func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", p.to)
			if err != nil {
				_ = in.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, in, out)
			p.mu.Unlock()
			go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
			go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
		}
	}()
	return p
}

// cut breaks all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

func (p *proxy) port() uint16 { return uint16(p.Addr().(*net.TCPAddr).Port) }

// known is what the server knows of a player.
type known struct {
	client uint32
	x, y   float32
	rtt    time.Duration
	shots  uint8
	kills  uint16
}

// newMatch starts a server, bots, and the page.
func newMatch(t *testing.T, bots int) *match {
	t.Helper()
	m := &match{players: map[string]known{}, others: map[uint32]point{}}
	wire, err := eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{Addr: "127.0.0.1:0"}}.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config := systems.ServerConfig{Seed: 7}
	game.Arm(&config)
	game.NewMessages().Serve(&config)
	var server *systems.Server
	config.Schedule = func(s *ecs.Schedule) error {
		s.Stage("After").Add(ecs.System{Name: "watch", Run: func(w *ecs.World) { m.watch(server, w) }})
		return nil
	}
	server, err = systems.NewServer(wire, game.CombatProtocol(), config)
	if err != nil {
		t.Fatal(err)
	}
	game.PopulateCombat(server.World(), bots, 60)
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { _ = server.Run(ctx) })
	for n := range bots {
		all.Go(func() { _ = playBot(ctx, wire.LocalAddr().String(), n, bots) })
	}
	all.Go(func() { m.look(ctx, wire.LocalAddr().String()) })
	m.proxy = newProxy(t, wire.WebSocketAddr().String())
	site := web.New(web.Config{Package: "examples/play", Port: m.proxy.port(), Progress: t.Output()})
	if err := site.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	page := httptest.NewServer(site)
	m.url = page.URL
	t.Cleanup(func() { page.Close(); cancel(); all.Wait() })
	return m
}

// look is another client, which draws.
func (m *match) look(ctx context.Context, address string) {
	config := systems.ClientConfig{}
	game.NewMessages().Play(&config, nil)
	c, err := systems.Dial(ctx, address, game.CombatProtocol(), config)
	if err != nil {
		return
	}
	_ = c.Run(ctx, func(c *systems.Client) {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, r := range ecs.All[struct {
			Owner components.Owner
			Pos   components.Position
		}](c.View()) {
			m.others[r.Owner.Client] = point{float64(r.Pos.X), float64(r.Pos.Y)}
		}
	})
}

// drawn is where another client draws a player.
func (m *match) drawn(client uint32) point {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.others[client]
}

// watch copies what tests ask for.
func (m *match) watch(s *systems.Server, w *ecs.World) {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.players)
	for _, p := range ecs.All[struct {
		Owner components.Owner
		Pos   components.Position
		Who   game.Player
		Is    game.Fighter
	}](w) {
		now := known{client: p.Owner.Client, x: p.Pos.X, y: p.Pos.Y, shots: p.Is.Shots, kills: p.Who.Kills}
		if session := s.Session(p.Owner.Client); session != nil {
			now.rtt = session.Stats().RTT
		}
		m.players[p.Who.Name.String()] = now
	}
}

func (m *match) player(name string) (known, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.players[name]
	return p, ok
}

// until waits for something that the server should see.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(40 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if condition() {
			return
		}
	}
	t.Fatalf("never happened: %s", what)
}

// browser is a page in a browser.
type browser struct {
	*testing.T
	ctx context.Context
}

// browse starts a browser with a screen of that size, or skips the test.
func browse(t *testing.T, w, h int64, scale float64, phone bool) *browser {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && program == "" {
			program = found
		}
	}
	if program == "" {
		t.Skip("there is no Chromium: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.Flag("disable-gpu", false), chromedp.WindowSize(int(w), int(h)), chromedp.WSURLReadTimeout(time.Minute))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	b := &browser{t, ctx}
	b.do(chromedp.EmulateViewport(w, h, func(d *emulation.SetDeviceMetricsOverrideParams, touch *emulation.SetTouchEmulationEnabledParams) {
		d.DeviceScaleFactor, d.Mobile = scale, phone
		touch.Enabled = phone
		if phone {
			touch.MaxTouchPoints = 5
		}
	}))
	go func() {
		for m, err := range chromedp.Console(ctx) {
			if err != nil {
				return
			}
			t.Logf("console: %v", m)
		}
	}()
	return b
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 2*time.Minute)
	if _, started := b.ctx.Deadline(); !started && chromedp.FromContext(b.ctx).Browser == nil {
		ctx = b.ctx // the browser lives as long as the first context
	}
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// picture keeps what is on the screen: in the folder that PLAY_PICTURES names, else
// where go test keeps a test's files.
func (b *browser) picture(name string) {
	b.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	dir := os.Getenv("PLAY_PICTURES")
	if dir == "" {
		dir = b.ArtifactDir()
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.Fatal(err)
	}
	if len(png) < 10_000 {
		b.Errorf("%s: %d bytes: there is nothing on it", name, len(png))
	}
}

// press holds a key for a while.
func (b *browser) press(key, code string, d time.Duration) {
	b.Helper()
	for i, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: key, Code: code}); err != nil {
			b.Fatal(err)
		}
		if i == 0 {
			time.Sleep(d)
		}
	}
}

// typeText types on the keyboard.
func (b *browser) typeText(text string) {
	b.Helper()
	for _, r := range text {
		if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeKeyDown, Key: string(r), Text: string(r)}); err != nil {
			b.Fatal(err)
		}
		time.Sleep(30 * time.Millisecond)
	}
}

func (b *browser) mouse(kind input.DispatchMouseEventType, x, y float64) {
	b.Helper()
	b.do(chromedp.MouseEvent(kind, x, y, chromedp.ButtonType(input.MouseButtonLeft), chromedp.ClickCount(1)))
}

func (b *browser) touch(kind input.DispatchTouchEventType, points ...point) {
	b.Helper()
	params := input.DispatchTouchEventParams{Type: kind, TouchPoints: []*input.TouchPoint{}}
	for i, p := range points {
		id := float64(i)
		params.TouchPoints = append(params.TouchPoints, &input.TouchPoint{X: p.x, Y: p.y, ID: &id})
	}
	if _, err := chromedp.Call(b.ctx, input.DispatchTouchEvent, params); err != nil {
		b.Fatal(err)
	}
}

// The page loads, joins, moves by key press, shoots, chats, and its sliders change the
// round trip; the server sees all of it.
func TestBrowser(t *testing.T) {
	m := newMatch(t, 8)
	b := browse(t, 1280, 720, 1, false)
	b.do(chromedp.Navigate(m.url), chromedp.WaitEnabled("#play"))
	b.picture("1-title")
	b.do(chromedp.SendKeys("#name", "Ada\r"), chromedp.WaitVisible("canvas"))
	until(t, "the player is there", func() bool { _, ok := m.player("Ada"); return ok })
	before, _ := m.player("Ada")
	key, code, toward := "d", "KeyD", float32(1)
	if before.x > game.Size/2 {
		key, code, toward = "a", "KeyA", -1
	}
	b.press(key, code, 1500*time.Millisecond)
	until(t, "the player has moved", func() bool {
		p, _ := m.player("Ada")
		return (p.x-before.x)*toward > 60 || math.Abs(float64(p.y-before.y)) > 200 // shot down, it comes back elsewhere
	})
	until(t, "another client sees it there", func() bool {
		p, _ := m.player("Ada")
		at := m.drawn(p.client)
		return math.Hypot(at.x-float64(p.x), at.y-float64(p.y)) < 1
	})
	b.mouse(input.DispatchMouseEventTypeMouseMoved, 880, 260)
	b.mouse(input.DispatchMouseEventTypeMousePressed, 890, 250)
	until(t, "the player has shot", func() bool { p, _ := m.player("Ada"); return p.shots > 3 })
	b.picture("2-game")
	b.mouse(input.DispatchMouseEventTypeMouseReleased, 890, 250)
	b.press("Enter", "Enter", 100*time.Millisecond)
	b.typeText("hello there")
	b.press("Enter", "Enter", 100*time.Millisecond)
	b.press("F3", "F3", 100*time.Millisecond)

	near, _ := m.player("Ada")
	net, err := overlay.New(overlay.Config{Top: panelTop})
	if err != nil {
		t.Fatal(err)
	}
	net.Show(true)
	net.Layout(1280, 720)
	x, y, _ := net.SliderAt(overlay.RoundTrip, 200)
	b.mouse(input.DispatchMouseEventTypeMouseMoved, x, y)
	time.Sleep(300 * time.Millisecond)
	b.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
	time.Sleep(400 * time.Millisecond)
	b.mouse(input.DispatchMouseEventTypeMouseReleased, x, y)
	b.picture("3-slider")
	until(t, "the round trip is 150 ms longer", func() bool {
		p, _ := m.player("Ada")
		return p.rtt > near.rtt+150*time.Millisecond
	})
	time.Sleep(4 * time.Second)
	b.picture("3-overlay")

	// The connection breaks: the session goes on with another one.
	held, _ := m.player("Ada")
	m.proxy.cut()
	b.press("w", "KeyW", 3*time.Second)
	b.press(" ", "Space", time.Second)
	until(t, "the player goes on shooting", func() bool {
		p, _ := m.player("Ada")
		return p.client == held.client && p.shots != held.shots
	})
}

// A phone plays by touch.
func TestPhone(t *testing.T) {
	m := newMatch(t, 8)
	b := browse(t, 390, 844, 2, true)
	b.do(chromedp.Navigate(m.url), chromedp.WaitEnabled("#play"))
	b.picture("4-phone-title")
	b.do(chromedp.Navigate(m.url+"/?name=Bo"), chromedp.WaitVisible("canvas"))
	until(t, "the player is there", func() bool { _, ok := m.player("Bo"); return ok })
	before, _ := m.player("Bo")
	toward := 1.0
	if before.x > game.Size/2 {
		toward = -1
	}
	left, right := point{90, 700}, point{300, 700}
	b.touch(input.DispatchTouchEventTypeTouchStart, left, right)
	time.Sleep(300 * time.Millisecond)
	left.x += 40 * toward
	right.y -= 40
	b.touch(input.DispatchTouchEventTypeTouchMove, left, right)
	until(t, "the player has moved and shot", func() bool {
		p, _ := m.player("Bo")
		return float64(p.x-before.x)*toward > 60 && p.shots > 2 || math.Abs(float64(p.y-before.y)) > 200
	})
	b.picture("5-phone")
	b.touch(input.DispatchTouchEventTypeTouchEnd)
	time.Sleep(200 * time.Millisecond)
	b.touch(input.DispatchTouchEventTypeTouchStart, point{60, 30})
	time.Sleep(200 * time.Millisecond)
	b.touch(input.DispatchTouchEventTypeTouchEnd)
	time.Sleep(2 * time.Second)
	b.picture("6-phone-overlay")
}
