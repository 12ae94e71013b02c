package browsers

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/stage/browsers/internal/dots"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
	"github.com/tactusgo/tactus/systems/rooms"
	roomsweb "github.com/tactusgo/tactus/systems/rooms/web"
)

// lobby starts the arena with rooms of two seats, and returns the URL of its page and how to end it.
func lobby(t *testing.T, program, address string) (url string, end func()) {
	t.Helper()
	command := exec.Command(program, "-rooms", "-json", "-http", address, "-seats", "2", "-npcs", "10")
	command.Stderr = t.Output()
	said, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() { _ = command.Process.Kill(); _ = command.Wait() }
	t.Cleanup(end)
	var at struct{ HTTP string }
	lines := bufio.NewReader(said)
	if line, err := lines.ReadBytes('\n'); err != nil || json.Unmarshal(line, &at) != nil || at.HTTP == "" {
		t.Fatalf("%q, %v", line, err)
	}
	return at.HTTP, end
}

// tab opens another page in the same browser.
func (b *browser) tab(w, h int64, scale float64, phone bool) *browser {
	b.Helper()
	ctx, stop := chromedp.NewContext(b.ctx)
	b.Cleanup(stop)
	other := &browser{T: b.T, ctx: ctx, dir: b.dir}
	if err := chromedp.Do(ctx); err != nil { // it lives as long as this first context
		b.Fatal(err)
	}
	other.screen(w, h, scale, phone)
	return other
}

// shown is what a page with a lobby shows.
type shown struct {
	Lobby  bool   // in place of a room
	Ready  bool   // to ask for a seat
	Status string // what it says
	Code   string // of the room
	Crowd  string // how many play, as it says beside the code
	Room   string // id, of the seat that the page keeps
	Names  string // of rooms in the list
	Offers string // what can be done with them
	Wide   int    // pixels that do not fit the screen
	Covers bool   // one button lies over another
}

func (b *browser) look() shown {
	b.Helper()
	s, err := chromedp.Run(b.ctx, chromedp.Evaluate[shown](`(() => {
		const at = (id) => document.getElementById(id), all = (what) => [...document.querySelectorAll("#rooms " + what)].map((e) => e.textContent).join("|");
		if (!at("card") || !at("seat") || !at("play")) return { Lobby: false };
		const boxes = [at("seat"), at("open")].filter((e) => e).map((e) => e.getBoundingClientRect()), [a, b] = boxes;
		const covers = boxes.length > 1 && boxes.every((r) => r.width > 0) && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
		const gone = at("card").hidden || at("card").classList.contains("gone"), seat = JSON.parse(sessionStorage.getItem("seat")) || {};
		return { Lobby: !gone, Ready: !gone && !at("play").disabled && at("play").textContent === "Quick match", Status: at("status").textContent,
			Code: at("seat").hidden ? "" : at("share").querySelector("b").textContent, Crowd: at("share").querySelector("span").textContent,
			Room: seat.room || "", Names: all("b"), Offers: all("button"), Wide: document.documentElement.scrollWidth - innerWidth, Covers: covers };
	})()`))
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// wants waits until a page shows something.
func (b *browser) wants(what string, is func(s shown) bool) (s shown) {
	b.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if s = b.look(); is(s) {
			return s
		}
	}
	b.Fatalf("never happened: %s; it shows %+v", what, s)
	return s
}

// arrive opens a lobby, and waits until it is ready.
func (b *browser) arrive(url, name string) {
	b.Helper()
	b.do(chromedp.Navigate(url), chromedp.WaitVisible("#card"))
	b.wants("the lobby is ready", func(s shown) bool { return s.Ready })
	b.typed("#name", name)
}

// byCode asks for a seat in the room of a code.
func (b *browser) byCode(code string) {
	b.Helper()
	b.typed("#code", code+"\r")
}

// typed types in a field, in place of what stands there.
func (b *browser) typed(field, text string) {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%q).value = ''", field)), chromedp.SendKeys(field, text))
}

// free is how many seats a listed room has free, -1 where it is not listed.
func free(t *testing.T, url, room string) int {
	t.Helper()
	r, err := http.Get(url + "/rooms")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var list struct {
		Rooms []struct {
			ID   string
			Free int
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	for _, x := range list.Rooms {
		if x.ID == room {
			return x.Free
		}
	}
	return -1
}

// Three people and two seats in a room: one creates it and shares its code, another joins by that, the third is told
// that it is full and gets a room by a quick match. A reload leads back to the seat, a goodbye to the lobby.
func TestLobby(t *testing.T) {
	program := program(t, "arena")
	url, end := lobby(t, program, "127.0.0.1:0")
	ada := browse(t, 1280, 720, 1, false)
	ada.arrive(url, "Ada") // which starts the browser
	bo, cy := ada.tab(390, 844, 2, true), ada.tab(1280, 720, 1, false)
	var room shown
	step := func(name string, f func()) {
		t.Helper()
		ada.step(name, func() {
			bo.T, cy.T = ada.T, ada.T
			f()
		})
	}
	fits := func(b *browser) {
		b.Helper()
		if s := b.look(); s.Wide > 0 {
			b.Errorf("the lobby is %d pixels wider than the screen", s.Wide)
		}
	}
	two := func(s shown) bool { return !s.Lobby && s.Crowd == "2 players" }

	step("one creates a room, and has its code", func() {
		fits(ada)
		ada.picture("14-lobby")
		ada.do(chromedp.SendKeys("#room", "Ada's room\r"))
		room = ada.wants("Ada is in her room", func(s shown) bool { return !s.Lobby && s.Code != "" && s.Crowd == "you alone" })
		if room.Room == "" || len(room.Code) != 6 {
			ada.Fatalf("it shows %+v", room)
		}
		ada.do(chromedp.WaitVisible("#view"))
	})
	step("another joins by the code, and both see each other", func() {
		bo.arrive(url, "Bo")
		bo.wants("the room is on the list", func(s shown) bool { return s.Names == "Ada's room" && s.Offers == "Watch|Join" })
		fits(bo)
		bo.picture("15-lobby-phone")
		bo.byCode(strings.ToUpper(room.Code))
		bo.wants("Bo sees both", two)
		ada.wants("Ada sees both", two)
		code := "document.querySelector('#share b').textContent = "
		bo.do(chromedp.Evaluate[chromedp.Void](code + "'mwmwmw'"))
		for _, wide := range []int64{360, 390, 481} {
			bo.screen(wide, 844, 2, true)
			bo.wants("no button lies over another", func(s shown) bool { return !s.Covers })
		}
		bo.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("%s%q", code, room.Code)))
		bo.screen(390, 844, 2, true)
		bo.picture("16-room-phone")
		ada.picture("17-room")
	})
	step("a third is told that it is full", func() {
		cy.arrive(url, "Cy")
		cy.wants("the list says so", func(s shown) bool { return s.Offers == "Watch|full" })
		cy.byCode(room.Code)
		s := cy.wants("the page says so", func(s shown) bool { return strings.Contains(s.Status, "full") })
		if !s.Lobby || s.Status != "That room is full. Join another one, or create one." {
			cy.Errorf("it shows %+v", s)
		}
		cy.picture("18-full")
	})
	step("and gets another room by a quick match", func() {
		cy.do(chromedp.Click("#play"))
		s := cy.wants("Cy plays", func(s shown) bool { return !s.Lobby && s.Crowd == "you alone" })
		if s.Room == room.Room {
			cy.Errorf("in the room that is full: %+v", s)
		}
		cy.do(chromedp.Click("#leave"))
		cy.wants("the lobby is back", func(s shown) bool { return s.Ready && s.Room == "" })
	})
	step("a reload leads back to the seat", func() {
		bo.do(chromedp.Reload())
		s := bo.wants("Bo is back", two)
		if s.Room != room.Room || free(bo.T, url, room.Room) != 0 {
			bo.Errorf("it shows %+v, and the room has %d seats free", s, free(bo.T, url, room.Room))
		}
	})
	step("who leaves is in the lobby, and the seat is free", func() {
		bo.do(chromedp.Click("#leave"))
		bo.wants("the lobby is back", func(s shown) bool { return s.Ready && s.Room == "" && s.Offers != "" })
		until(bo.T, "the seat is free", func() bool { return free(bo.T, url, room.Room) == 1 })
		ada.wants("Ada is alone", func(s shown) bool { return s.Crowd == "you alone" })
	})
	step("a link leads into a private room", func() {
		ada.do(chromedp.Click("#leave"))
		ada.wants("the lobby is back", func(s shown) bool { return s.Ready })
		ada.do(chromedp.Click("#private"), chromedp.Click("#create button"))
		s := ada.wants("Ada has a private room", func(s shown) bool { return s.Crowd == "you alone" })
		if n := free(ada.T, url, s.Room); n != -1 {
			ada.Errorf("it is listed, with %d seats free", n)
		}
		cy.do(chromedp.Navigate(fmt.Sprintf("%s/?name=Cy#%s", url, s.Code)))
		cy.wants("Cy sees both", two)
	})
	step("a server that ends is waited for", func() {
		end()
		cy.wants("the page says so", func(s shown) bool { return s.Lobby && strings.Contains(s.Status, "does not answer") })
		_, _ = lobby(t, program, strings.TrimPrefix(url, "http://"))
		s := cy.wants("the lobby is back", func(s shown) bool { return s.Ready })
		if s.Status != "There is no such room, or it has ended." || s.Code != "" {
			cy.Errorf("it shows %+v", s)
		}
	})
}

// A client of package browser plays in rooms on the same page, which no world of this folder is behind.
func TestLobbyOfAnotherGame(t *testing.T) {
	on, err := eventloop.ListenBoth("127.0.0.1:0", "127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	server, err := rooms.New(rooms.Config{Kinds: []rooms.Kind{{Name: "dots", Protocol: dots.Protocol, Capacity: 2}}}, on)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := roomsweb.New(roomsweb.Config{}, rooms.Here(server))
	if err != nil {
		t.Fatal(err)
	}
	site := web.New(web.Config{Package: "internal/dots/page", Title: "Dots", Port: on.WebSocketAddr().Port(), Progress: t.Output(),
		Lobby: &web.Lobby{Rooms: handler, Kind: "dots", Schema: rooms.SchemaOf(dots.Protocol())}})
	var broken atomic.Bool // the client does not come
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken.Load() && r.URL.Path == "/play.wasm" {
			http.NotFound(w, r)
			return
		}
		site.ServeHTTP(w, r)
	}))
	defer page.Close()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	defer func() { stop(); <-done }()

	b := browse(t, 390, 844, 2, true)
	if err := site.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	b.arrive(page.URL, "Ada")
	b.do(chromedp.Click("#create button"))
	mine := b.wants("it plays", func(s shown) bool { return !s.Lobby && s.Crowd == "you alone" })
	id, err := rooms.ParseID(mine.Room)
	if err != nil || server.Room(id) == nil {
		t.Fatalf("room %q: %v", mine.Room, err)
	}
	walks := func(what string) {
		t.Helper()
		at := func() (x float32) {
			_ = server.Room(id).Do(func(s *systems.Server) {
				for _, d := range ecs.All[struct{ At components.Position }](s.World()) {
					x = d.At.X
				}
			})
			return x
		}
		from := at()
		b.insist(what, func(n int) {
			if n > 0 { // a finger that is still down starts nothing
				_ = b.tryTouch(input.DispatchTouchEventTypeTouchEnd)
			}
			_ = b.tryTouch(input.DispatchTouchEventTypeTouchStart, point{X: 100, Y: 50})
			_ = b.tryTouch(input.DispatchTouchEventTypeTouchMove, point{X: 150, Y: 50})
		}, func() bool { return at() > from+20 })
		b.touch(input.DispatchTouchEventTypeTouchEnd)
	}
	walks("it walks by touch")
	seat := func() (seats []rooms.SeatInfo) { return server.Room(id).Seats() }
	before := seat()
	b.do(chromedp.Reload())
	b.wants("it is back", func(s shown) bool { return !s.Lobby && s.Crowd == "you alone" })
	if after := seat(); len(after) != 1 || len(before) != 1 || after[0].Player != before[0].Player || after[0].Number != before[0].Number {
		t.Errorf("seats %+v, and after a reload %+v", before, after)
	}
	b.do(chromedp.Evaluate[chromedp.Void]("addEventListener('pageshow', (e) => sessionStorage.setItem('persisted', e.persisted))"),
		chromedp.Navigate(page.URL+"/nothing"), chromedp.Evaluate[chromedp.Void]("setTimeout(() => history.back(), 100)"))
	b.wants("it is back from the browser's cache", func(s shown) bool { return !s.Lobby && s.Crowd == "you alone" })
	walks("it walks when it is back")
	if !ask[bool](b, "sessionStorage.getItem('persisted') === 'true'") {
		t.Error("the browser has not kept the page")
	}
	if err := server.Room(id).Kick(before[0].Player); err != nil {
		t.Fatal(err)
	}
	s := b.wants("who is sent away is in the lobby", func(s shown) bool { return s.Ready })
	if !strings.Contains(s.Status, "removed") {
		t.Errorf("it shows %+v", s)
	}
	b.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('#rooms button').click()"))
	b.wants("it joins again", func(s shown) bool { return !s.Lobby && s.Crowd == "you alone" && s.Room == mine.Room })
	b.do(chromedp.Click("#leave"))
	b.wants("it has left", func(s shown) bool { return s.Ready && s.Room == "" })
	b.do(chromedp.Evaluate[chromedp.Void]("fetch = () => Promise.reject(new TypeError('Failed to fetch')); document.querySelector('#create button').click()"))
	b.wants("players are told in a sentence that nobody answers", func(s shown) bool {
		return s.Lobby && strings.Contains(s.Status, "network") && !strings.Contains(s.Status, "fetch")
	})
	broken.Store(true)
	b.do(chromedp.Reload())
	b.wants("and that the client does not come", func(s shown) bool {
		return strings.Contains(s.Status, "network") && !strings.Contains(s.Status, "WebAssembly")
	})
}
