package browsers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// operatorToken is the token of who runs the rooms of these tests.
const operatorToken = "ada-runs-the-rooms-with-this"

// The page of who runs rooms, in a browser: lists and rooms fit screens and phones, load nothing from elsewhere, are
// brought up to date without being made anew, and can be used with keys alone. Who signs in acts, after a confirmation
// where there is no way back, and the token goes nowhere else.
func TestOperator(t *testing.T) {
	b := browse(t, 1280, 720, 1, false)
	site := operated(t)
	list := func() (r struct {
		Rooms []struct {
			ID, Code, State string
			Taken, Capacity int
		}
	}) {
		answer, err := http.Get(site + "api/rooms?sort=age")
		if err != nil {
			b.Fatal(err)
		}
		defer answer.Body.Close()
		if err := json.NewDecoder(answer.Body).Decode(&r); err != nil {
			b.Fatal(err)
		}
		return r
	}
	until(t, "three rooms are full", func() bool {
		n := 0
		for _, r := range list().Rooms {
			if r.Taken == r.Capacity {
				n++
			}
		}
		return n == 3
	})
	room := list().Rooms[0]
	page := site + "room/" + room.ID + "/"
	b.step("the list", func() {
		b.do(chromedp.Navigate(site))
		for _, tab := range []string{"rooms", "kinds", "log", "rooms?sort=load&kind=arena"} {
			b.inspect(site, tab)
		}
		if n := ask[int](b, `document.querySelectorAll("main tr[data-key]").length`); n != 3 {
			b.Errorf("%d rooms on the page", n)
		}
		time.Sleep(3 * time.Second) // rates need answers that are apart
		b.picture("operator-rooms")
	})
	b.step("what has the focus keeps it while the page follows", func() {
		b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("main a.code").focus(); window.held = document.activeElement; document.querySelector("input[name=find]").value = "half a wo"`))
		tick := ask[string](b, tickOfFirst)
		until(b.T, "the page has followed", func() bool { return ask[string](b, tickOfFirst) != tick })
		if !ask[bool](b, `document.activeElement === window.held && window.held.isConnected && document.querySelector("input[name=find]").value === "half a wo"`) {
			b.Error("the focus, or what was written, is gone")
		}
		b.do(chromedp.KeyEvent("\r"))
		until(b.T, "the room is open", func() bool { return strings.HasPrefix(ask[string](b, "location.pathname"), "/room/") })
	})
	b.step("a room, and what its server does", func() {
		b.do(chromedp.Navigate(page))
		for _, tab := range append([]string{"room"}, inspectorTabs...) {
			b.inspect(site, tab)
		}
		b.inspect(site, "room")
		time.Sleep(2 * time.Second)
		b.picture("operator-room")
		b.inspect(site, "overview")
		time.Sleep(2 * time.Second)
		b.picture("operator-room-overview")
	})
	b.step("nobody acts without a token", func() {
		b.inspect(site, "room")
		b.button("Lock")
		b.fill("a-wrong-token-of-nobody")
		until(b.T, "it is refused", func() bool { return strings.Contains(ask[string](b, said), "No operator has this token") })
		if s := list().Rooms[0].State; s != "open" {
			b.Errorf("the room is %s", s)
		}
	})
	b.step("who signs in locks the room, by keys", func() {
		b.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll("main button")].find((x) => x.textContent === "Lock").focus()`))
		b.do(chromedp.KeyEvent("\r"), chromedp.WaitVisible("dialog input"))
		b.picture("operator-sign-in")
		b.fill(operatorToken)
		until(b.T, "it is locked", func() bool { return list().Rooms[0].State == "locked" })
		until(b.T, "the page says so", func() bool { return strings.Contains(ask[string](b, said), "Locking") && b.has("Unlock") })
		if ask[string](b, "document.cookie + location.href + document.referrer") == "" || strings.Contains(ask[string](b, "document.cookie + location.href"), operatorToken) {
			b.Error("the token is in a cookie or in the address")
		}
		b.button("Unlock")
		until(b.T, "it is open", func() bool { return list().Rooms[0].State == "open" })
	})
	b.step("players are told something", func() {
		b.button("Broadcast …")
		b.fill("The server restarts at noon.")
		until(b.T, "the log has it", func() bool {
			return strings.Contains(ask[string](b, `document.querySelector("main").innerText`), "restarts at noon")
		})
	})
	b.step("a ban is confirmed first", func() {
		players := list().Rooms[0].Taken
		b.button("Ban …")
		b.picture("operator-ban")
		b.do(chromedp.KeyEvent("\u001b"))
		until(b.T, "the question is gone", func() bool { return !ask[bool](b, `!!document.querySelector("dialog")`) })
		if n := list().Rooms[0].Taken; n != players {
			b.Errorf("%d players, were %d", n, players)
		}
		b.button("Ban …")
		b.confirm()
		until(b.T, "one is gone", func() bool { return list().Rooms[0].Taken < players })
	})
	b.step("on a phone", func() {
		b.screen(390, 844, 2, true)
		for _, tab := range []string{"room", "overview", "clients"} {
			b.inspect(site, tab)
		}
		b.inspect(site, "room")
		b.picture("operator-phone-room")
		b.do(chromedp.Navigate(site))
		for _, tab := range []string{"log", "kinds", "rooms"} {
			b.inspect(site, tab)
			b.picture("operator-phone-" + tab)
		}
		b.screen(1280, 720, 1, false)
		b.inspect(site, "log")
		b.picture("operator-log")
	})
	b.step("a room is ended, once that is confirmed", func() {
		b.do(chromedp.Navigate(page))
		b.inspect(site, "room")
		b.button("End …")
		b.fill("maintenance")
		until(b.T, "it is gone", func() bool { return len(list().Rooms) == 2 })
		until(b.T, "the page says so", func() bool {
			return strings.Contains(ask[string](b, `document.getElementById("trouble").innerText`), "ended")
		})
		until(b.T, "the page says why", func() bool {
			return strings.Contains(ask[string](b, `document.querySelector("main").innerText`), "by ada: maintenance")
		})
		b.picture("operator-ended")
	})
	b.step("the process drains, by its name", func() {
		b.do(chromedp.Navigate(site))
		b.inspect(site, "rooms")
		b.button("Drain the process …")
		b.fill("another-process")
		until(b.T, "another one is refused", func() bool { return strings.Contains(ask[string](b, said), "another process") })
		name := ask[string](b, `document.getElementById("what").textContent.split(" ")[1]`)
		b.button("Drain the process …")
		b.fill(name)
		until(b.T, "rooms drain", func() bool {
			for _, r := range list().Rooms {
				if r.State != "draining" {
					return false
				}
			}
			return true
		})
	})
}

const (
	said        = `document.getElementById("said").innerText`
	tickOfFirst = `document.querySelector("main tr[data-key] td:nth-child(5)").innerText`
)

// has reports whether there is a button.
func (b *browser) has(text string) bool {
	return ask[bool](b, fmt.Sprintf(`[...document.querySelectorAll("main button")].some((x) => x.textContent === %q && !x.disabled)`, text))
}

// button presses a button, the first that says so.
func (b *browser) button(text string) {
	b.Helper()
	until(b.T, "there is the button "+text, func() bool { return b.has(text) })
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`[...document.querySelectorAll("main button")].find((x) => x.textContent === %q).click()`, text)))
}

// fill answers a question with a text and the key Enter.
func (b *browser) fill(text string) {
	b.Helper()
	b.do(chromedp.WaitVisible("dialog input"), chromedp.SendKeys("dialog input", text+"\r"))
	until(b.T, "the question is answered", func() bool { return !ask[bool](b, `!!document.querySelector("dialog")`) })
}

// confirm presses what a question asks for.
func (b *browser) confirm() {
	b.Helper()
	b.do(chromedp.WaitVisible("dialog"), chromedp.Click("dialog button[type=submit]"))
}

// operated starts an arena whose rooms are full of players. It returns the address of the operator page.
func operated(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	client := filepath.Join(dir, "client") // nobody plays on the page
	if err := os.MkdirAll(client, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"play.wasm", "wasm_exec.js"} {
		if err := os.WriteFile(filepath.Join(client, name), []byte("//"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(folder string, args ...string) *bufio.Reader {
		c := exec.Command(program(t, folder), args...)
		c.Env = append(os.Environ(), "TACTUS_OPERATORS=ada="+operatorToken)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		return bufio.NewReader(out)
	}
	said, err := run("examples/arena", "-rooms", "-json", "-http", "127.0.0.1:0", "-inspect", "127.0.0.1:0", "-web", client, "-seats", "6", "-npcs", "20").ReadBytes('\n')
	var at struct{ HTTP, Operator string }
	if err != nil || json.Unmarshal(said, &at) != nil || at.Operator == "" {
		t.Fatalf("the arena says %q: %v", said, err)
	}
	run("examples/swarm", "-rooms", "3", "-seats", "6", "-http", at.HTTP, "-duration", "10m")
	return at.Operator + "/"
}
