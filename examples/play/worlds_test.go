//go:build !js

package main

import (
	"bufio"
	"fmt"
	"os/exec"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	duel "github.com/tactusgo/tactus/examples/duel/game"
	"github.com/tactusgo/tactus/examples/play/internal/playtest"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/systems"
)

// The command of every world serves a page on which that world is played, on a screen and on a phone: another
// player sees who has come by the page. What it shows fits the screen, also when the server is gone.
func TestEveryWorldInABrowser(t *testing.T) {
	b := browse(t, 1280, 800, 1, false)
	for _, w := range worlds() {
		b.step(w.Name, func() {
			page, address, end := serve(b.T, w.Name)
			players := visit(b.T, w, address)
			const before = 3 + 1 // bots, and who looks on
			playtest.Until(b.T, "everybody is there", func() bool { return players.Load() == before })
			for _, width := range []int64{1280, 390} {
				name := fmt.Sprintf("%s-%s-%d", w.Name, "%s", width)
				if width == 390 {
					b.screen(390, 844, 2, true)
				}
				b.do(chromedp.Navigate(page), chromedp.WaitEnabled("#play"))
				if wide := ask[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
					b.Errorf("the card is %d pixels too wide for a screen of %d", wide, width)
				}
				b.picture(fmt.Sprintf(name, "card"))
				b.do(chromedp.Navigate(page+"/?name=Ada"), chromedp.WaitVisible("canvas"))
				playtest.Until(b.T, "somebody has come by the page", func() bool { return players.Load() == before+1 })
				b.press("d", "KeyD", time.Second)
				b.picture(fmt.Sprintf(name, "play"))
				b.press("F3", "F3", 100*time.Millisecond)
				time.Sleep(2 * time.Second)
				b.picture(fmt.Sprintf(name, "figures"))
				b.press("F3", "F3", 100*time.Millisecond)
			}
			end()
			time.Sleep(4 * time.Second)
			b.picture(w.Name + "-silent-390")
			time.Sleep(8 * time.Second)
			b.picture(w.Name + "-gone-390")
			b.screen(1280, 800, 1, false)
			time.Sleep(time.Second)
			b.picture(w.Name + "-gone-1280")
			b.do(chromedp.Navigate("about:blank"))
		})
	}
}

// serve starts the command of a world with three bots, and returns the addresses of its page and of the game, and how to end it.
func serve(t *testing.T, name string) (page, address string, end func()) {
	t.Helper()
	command := exec.Command(program(t, name), "-http", "127.0.0.1:0", "-clients", "3", "-guests", "0")
	said, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() { _ = command.Process.Kill(); _ = command.Wait() }
	t.Cleanup(end)
	told := regexp.MustCompile(`in a (browser|window):.* (?:(http://\S+)|-connect (\S+))`)
	for lines := bufio.NewScanner(said); lines.Scan(); {
		found := told.FindStringSubmatch(lines.Text())
		switch {
		case found == nil:
			continue
		case found[1] == "browser":
			page = found[2]
			continue
		}
		go func() {
			for lines.Scan() { // so that it does not wait for somebody to read
			}
		}()
		return page, found[3], end
	}
	t.Fatalf("%s told no address", name)
	return "", "", nil
}

// visit plays a world without a screen, and counts the players of the match as it sees them.
func visit(t *testing.T, w stage.World, address string) *atomic.Int64 {
	t.Helper()
	on := stage.New(w, &stage.Options{Connect: address})
	players, stop, done := new(atomic.Int64), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for frames := time.NewTicker(time.Second / 60); ; {
			select {
			case <-stop:
				frames.Stop()
				on.Leave()
				return
			case now := <-frames.C:
				if c := on.Blink(now); c != nil {
					players.Store(count(c))
				}
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-done })
	return players
}

// count is how many players there are. Those of a duel may have no entity.
func count(c *systems.Client) int64 {
	if ecs.ComponentOf[duel.Ring](c.World().Protocol()) != nil {
		r, fighters := ecs.Single[duel.Ring](c.World()), int64(0)
		for range ecs.All[struct{ Is duel.Fighter }](c.World()) {
			fighters++
		}
		return fighters + int64(r.Watching) + int64(r.Bots.Len())
	}
	all := map[uint32]bool{}
	for _, p := range ecs.All[struct{ Owner components.Owner }](c.View()) {
		all[p.Owner.Client] = true
	}
	return int64(len(all))
}
