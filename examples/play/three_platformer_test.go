//go:build !js

package main

import (
	"context"
	"math"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/platformer/game"
	"github.com/tactusgo/tactus/examples/play/internal/playtest"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// climb serves the platformer with bots until stop, and returns its page in three.js and what another client sees of the newest player.
func climb(t *testing.T, bots int) (page string, newest func() (client uint32, b game.Body), stop func()) {
	t.Helper()
	dist := playtest.Three(t)
	wire, err := eventloop.ListenBoth("127.0.0.1:0", "127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	world, config := game.World(), systems.ServerConfig{}
	world.Server(nil, &config)
	server, err := systems.NewServer(wire, game.Protocol(), config)
	if err != nil {
		t.Fatal(err)
	}
	world.Populate(server.World(), &world.Defaults)
	serving, end := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = server.Run(serving) })
	stop = func() { end(); running.Wait() }
	t.Cleanup(stop)

	var mu sync.Mutex
	var who uint32
	var body game.Body
	watching, leave := context.WithCancel(context.Background())
	watcher := systems.ClientConfig{}
	game.Listen(&watcher, func(*game.Taken) {})
	if bots > 0 { // else it stands
		watcher.Gather = world.Bot(&world.Defaults, bots).Gather()
	}
	c, err := systems.Dial(watching, wire.LocalAddr().String(), game.Protocol(), watcher)
	if err != nil {
		t.Fatal(err)
	}
	var looking sync.WaitGroup
	looking.Go(func() {
		_ = c.Run(watching, func(c *systems.Client) {
			mu.Lock()
			defer mu.Unlock()
			for _, p := range ecs.All[struct {
				Owner components.Owner
				Body  game.Body
			}](c.View()) {
				if p.Owner.Client != c.ID() && p.Owner.Client >= who {
					who, body = p.Owner.Client, p.Body
				}
			}
		})
	})
	for n := range bots {
		config := systems.ClientConfig{Gather: world.Bot(&world.Defaults, n).Gather(), Schedule: systems.Thin}
		world.Client(&world.Defaults, &config)
		bot, err := systems.Dial(watching, wire.LocalAddr().String(), game.Protocol(), config)
		if err != nil {
			t.Fatal(err)
		}
		looking.Go(func() { _ = bot.Run(watching, nil) })
	}
	t.Cleanup(func() { leave(); looking.Wait() })
	site := httptest.NewServer(&web.Dist{Folder: dist, Index: "platformer.html", Port: wire.WebSocketAddr().Port()})
	t.Cleanup(site.Close)
	return site.URL, func() (uint32, game.Body) { mu.Lock(); defer mu.Unlock(); return who, body }, stop
}

// The platformer's page in three.js: its player walks and jumps, as another client sees, and the page says when the server ends.
func TestThreePlatformer(t *testing.T) {
	page, newest, stop := climb(t, 0)
	b := browse(t, 800, 450, 1, false)
	faults, compiled, before := b.faults(), b.compiled(), 0

	b.step("it joins", func() {
		b.do(chromedp.Navigate(page), chromedp.WaitEnabled("#play"))
		b.picture("three-platformer-1-title")
		before = compiled()
		b.do(chromedp.Click("#play"), chromedp.WaitNotVisible("#card"))
		playtest.Until(b.T, "another client sees somebody", func() bool { who, _ := newest(); return who != 0 })
		playtest.Until(b.T, "it shows who plays", func() bool { return strings.Contains(b.text("#scores"), "You") })
	})
	b.step("it walks and jumps", func() {
		_, before := newest()
		b.insist("another client sees it walk", func(int) { b.press("d", "KeyD", time.Second); b.press("w", "KeyW", time.Second) }, func() bool {
			_, now := newest()
			return math.Hypot(float64(now.At.X-before.At.X), float64(now.At.Z-before.At.Z)) > 1
		})
		b.insist("another client sees it jump", func(int) { b.press(" ", "Space", 100*time.Millisecond) },
			func() bool { _, now := newest(); return now.Jumps > before.Jumps })
		b.picture("three-platformer-2-game")
	})
	b.step("it shows figures of the network", func() {
		b.insist("they are there", func(int) { b.press("F3", "F3", 100*time.Millisecond) },
			func() bool { return strings.Contains(b.text("#figures"), "round trip") })
	})
	if all := faults(); len(all) > 0 {
		t.Errorf("the console has %q", all)
	}
	if n := compiled(); n != before || n == 0 {
		t.Errorf("%d shader programs were compiled before the match, and %d in it", before, n-before)
	}
	b.step("it fits a phone", func() {
		b.screen(390, 844, 2, true)
		time.Sleep(2 * time.Second)
		b.picture("three-platformer-3-phone")
	})
	b.step("it says when the server ends", func() {
		stop()
		playtest.Until(b.T, "it says so", func() bool { return strings.Contains(b.text("#link")+b.text("#status"), "server") })
	})
}
