package browsers

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/more/browsers/internal/dots"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
	"github.com/tactusgo/tactus/systems/rooms"
	roomsweb "github.com/tactusgo/tactus/systems/rooms/web"
)

// lobby starts the arena with rooms of two seats. It returns the URLs of its page and of the operator page, and a function that
// ends the arena.
func lobby(t *testing.T, program, address string, args ...string) (url, operator string, end func()) {
	t.Helper()
	return withRooms(t, program, append([]string{"-http", address, "-seats", "2", "-npcs", "10"}, args...)...)
}

// withRooms starts a world with rooms and other flags, like lobby.
func withRooms(t *testing.T, program string, flags ...string) (url, operator string, end func()) {
	t.Helper()
	command := exec.Command(program, append([]string{"-rooms", "-json", "-inspect", "127.0.0.1:0"}, flags...)...)
	command.Env = append(os.Environ(), "TACTUS_OPERATORS=ada="+operatorToken)
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
	var at struct{ HTTP, Operator string }
	lines := bufio.NewReader(said)
	if line, err := lines.ReadBytes('\n'); err != nil || json.Unmarshal(line, &at) != nil || at.HTTP == "" {
		t.Fatalf("%q, %v", line, err)
	}
	return at.HTTP, at.Operator, end
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
	other.console()
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
		const gone = at("card").hidden || at("card").classList.contains("gone"), seat = JSON.parse(sessionStorage.getItem("tactus-seat")) || {};
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

// typed replaces the text of a field by typing.
func (b *browser) typed(field, text string) {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector(%q).value = ''", field)), chromedp.SendKeys(field, text))
}

// free returns how many seats a listed room has free, -1 where it is not listed.
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

// Three players want two seats in a room. The first player creates the room and shares its code. The second joins by the code.
// The third is told that the room is full, and gets another room by a quick match. After a reload, a player is back in its
// seat. After leaving, it is in the lobby.
func TestLobby(t *testing.T) {
	program := program(t, "examples/arena")
	url, operator, end := lobby(t, program, "127.0.0.1:0")
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
	step("so does the browser's cache", func() {
		bo.cached(url + "/icon.svg")
		bo.wants("Bo is back", two)
	})
	step("a copy of the tab is another player, who is told that the room is full", func() {
		before := ask[string](bo, "globalThis.copy = open(location.href), sessionStorage.getItem('tactus-player')") // it gets the storage, as a duplicate does
		until(bo.T, "the copy says so", func() bool {
			return ask[bool](bo, "copy.document.getElementById('status')?.textContent.includes('full') ?? false")
		})
		if copied := ask[string](bo, "copy.sessionStorage.getItem('tactus-player')"); copied == before || copied == "" {
			bo.Errorf("the players are %q and %q", before, copied)
		}
		ask[bool](bo, "copy.close(), true")
		bo.wants("Bo plays on", two)
	})
	step("a removed player is told so, and may join again from the list", func() {
		order, err := http.NewRequest("POST", operator+"/room/"+room.Room+"/kick", strings.NewReader(fmt.Sprintf(`{"player":%q}`, ask[string](bo, "sessionStorage.getItem('tactus-player')"))))
		if err != nil {
			bo.Fatal(err)
		}
		order.Header.Set("Authorization", "Bearer "+operatorToken)
		order.Header.Set("Content-Type", "application/json")
		if r, err := http.DefaultClient.Do(order); err != nil || r.Body.Close() != nil || r.StatusCode != http.StatusOK {
			bo.Fatalf("%v, %+v", err, r)
		}
		bo.wants("the lobby says so", func(s shown) bool { return s.Ready && strings.Contains(s.Status, "removed") })
		bo.wants("the seat is on the list", func(s shown) bool { return s.Offers == "Watch|Join" })
		bo.do(chromedp.Evaluate[chromedp.Void]("document.querySelector('#rooms button:last-child').click()"))
		bo.wants("Bo is back", two)
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
		_, _, _ = lobby(t, program, strings.TrimPrefix(url, "http://"))
		s := cy.wants("the lobby is back", func(s shown) bool { return s.Ready })
		if s.Status != "There is no such room, or it has ended." || s.Code != "" {
			cy.Errorf("it shows %+v", s)
		}
	})
}

// In every world with rooms, who opens the link of a player is in the same room, beside bots that leave as people come, and
// sees the player's name. In the fog, that player may be out of sight.
func TestInvite(t *testing.T) {
	var ada *browser
	for _, world := range []string{"arena", "platformer", "snake", "snowball", "fog", "custom", "duel"} {
		program := program(t, "examples/"+world)
		if ada == nil {
			ada = browse(t, 1280, 800, 1, false)
		}
		ada.step(world, func() {
			url, _, end := withRooms(ada.T, program, "-http", "127.0.0.1:0")
			defer end()
			ada.do(chromedp.Navigate(url+"/?name=Ada"), chromedp.WaitVisible("#card"))
			first := ada.wants("Ada plays in a room", func(s shown) bool { return !s.Lobby && s.Code != "" })
			bo := ada.tab(390, 844, 2, true)
			link := strings.Replace(ask[string](ada, "location.href"), "name=Ada", "name=Bo", 1)
			opened := time.Now()
			bo.do(chromedp.Navigate(link))
			second := bo.wants("Bo plays in the same room", func(s shown) bool { return !s.Lobby && s.Code == first.Code })
			ada.Logf("%v from the link to the match", time.Since(opened).Round(10*time.Millisecond))
			if first.Room == "" || second.Room != first.Room || second.Covers || second.Wide > 0 {
				ada.Errorf("Ada: %+v, Bo: %+v", first, second)
			}
			switch world {
			case "duel": // its fighters have no names
			case "fog":
				until(ada.T, "Bo is called so", func() bool {
					return ask[bool](bo, "game.frame().some((t) => t.Named && [...Array(t.rows).keys()].some((r) => t.Named.Name(r) === 'Bo'))")
				})
			default:
				until(ada.T, "Bo sees Ada's name", func() bool {
					return ask[bool](bo, "[...document.querySelectorAll('#scores span')].some((s) => s.textContent === 'Ada')")
				})
			}
			time.Sleep(2 * time.Second) // for the pictures
			ada.picture("invite-" + world)
			bo.picture("invite-" + world + "-phone")
			ada.do(chromedp.Navigate("about:blank"))
			bo.do(chromedp.Navigate("about:blank"))
		})
	}
}

// Players are told in a sentence that the server does not answer, or that the client does not come.
func TestLobbyOffline(t *testing.T) {
	url, _, _ := lobby(t, program(t, "examples/arena"), "127.0.0.1:0")
	b := browse(t, 1280, 720, 1, false)
	b.arrive(url, "Ada")
	b.do(chromedp.Evaluate[chromedp.Void]("fetch = () => Promise.reject(new TypeError('Failed to fetch')); document.querySelector('#create button').click()"))
	b.wants("the page says so", func(s shown) bool {
		return s.Lobby && strings.Contains(s.Status, "network") && !strings.Contains(s.Status, "fetch")
	})
	b.block("*://*:*/play.wasm")
	b.do(chromedp.Reload())
	b.wants("the page says so", func(s shown) bool {
		return s.Lobby && !s.Ready && strings.Contains(s.Status, "network") && !strings.Contains(s.Status, "wasm")
	})
}

// A gamepad reaches the forms of the lobby. A seat whose token expires before the server answers is requested again.
func TestLobbyByGamepad(t *testing.T) {
	url, _, _ := lobby(t, program(t, "examples/arena"), "127.0.0.1:0")
	b := browse(t, 390, 844, 1, true)
	// expire makes the first token one that has expired: its last second is in the bytes from 29.
	const expire = `{
		const original = fetch;
		globalThis.expired = 0;
		fetch = async (...a) => {
			const r = await original(...a);
			if (!r.ok || globalThis.expired || !String(a[0]).endsWith("/create")) return r;
			const answer = await r.json(), token = Uint8Array.from(atob(answer.token), (c) => c.charCodeAt(0));
			token.copyWithin(29, 21, 29);
			globalThis.expired++;
			return Response.json({ ...answer, token: btoa(String.fromCharCode(...token)) });
		};
	}`
	for _, script := range []string{witness, expire} {
		if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
			t.Fatal(err)
		}
	}
	b.arrive(url, "Ada")
	if wide := ask[float64](b, `document.getElementById("name").clientWidth`); wide < 250 {
		t.Errorf("the field for the name is %v pixels wide", wide)
	}
	b.insist("the button that creates a room is reached", func(int) { b.tapPad(13) }, func() bool {
		return ask[bool](b, `document.activeElement.matches("#create button")`)
	})
	b.picture("lobby-gamepad")
	b.tapPad(0)
	b.wants("Ada is in her room", func(s shown) bool { return !s.Lobby && s.Crowd == "you alone" })
	if ask[int](b, "expired") != 1 {
		t.Error("no token has expired")
	}
}

// cached visits another page and returns. It waits until the browser has shown the page again from its cache, and the page has
// reloaded itself to get another token.
func (b *browser) cached(elsewhere string) {
	b.Helper()
	b.do(chromedp.Evaluate[chromedp.Void]("globalThis.old = true; addEventListener('pageshow', (e) => sessionStorage.setItem('persisted', e.persisted))"),
		chromedp.Navigate(elsewhere), chromedp.Evaluate[chromedp.Void]("setTimeout(() => history.back(), 100)"))
	until(b.T, "the page is back from the browser's cache", func() bool {
		done, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("sessionStorage.getItem('persisted') === 'true' && !globalThis.old"))
		return done && err == nil // the browser may swap the pages at this moment
	})
}

// block makes the browser fail to load addresses.
func (b *browser) block(pattern string) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{})
	if err == nil {
		_, err = chromedp.Call(b.ctx, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{{URLPattern: pattern, Block: true}}})
	}
	if err != nil {
		b.Fatal(err)
	}
}

// seats is a custom page for a client in Go, which requests a seat as soon as the client is loaded.
const seats = `<!doctype html><title>seats</title><style>html { touch-action: none; }</style><p id="status"></p><form id="join"><input name="connect" type="hidden"><input name="token" type="hidden"></form>
<script>
	(async () => {
		const player = sessionStorage.getItem("player") ?? "17", room = sessionStorage.getItem("room"), { kind, schema } = await (await fetch("/play.json")).json();
		sessionStorage.setItem("player", player);
		const answer = await fetch(room ? "/rooms/" + room + "/reconnect" : "/rooms/create",
			{ method: "POST", headers: { "Content-Type": "application/json", Player: player }, body: JSON.stringify({ ...(room ? {} : { kind }), schema }) });
		const seat = await answer.json(), join = document.getElementById("join");
		if (!answer.ok) return document.title = seat.code;
		sessionStorage.setItem("room", seat.room);
		[join.elements.connect.value, join.elements.token.value] = [seat.endpoints.ws, seat.token];
		join.requestSubmit();
	})();
</script><script src="start.js"></script>`

// A custom page requests seats in rooms for a client in Go of package browser.
func TestSeatsOfAnotherGame(t *testing.T) {
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
	site := web.New(web.Config{Package: "browsers/internal/dots/page", Page: seats, Port: on.WebSocketAddr().Port(), Progress: t.Output(),
		Lobby: &web.Lobby{Rooms: handler, Kind: "dots", Schema: rooms.SchemaOf(dots.Protocol())}})
	page := httptest.NewServer(site)
	defer page.Close()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	defer func() { stop(); <-done }()

	b := browse(t, 390, 844, 2, true)
	if err := site.Prepare(ctx); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Navigate(page.URL))
	var room *rooms.Room
	until(t, "there is a room", func() bool {
		id, err := rooms.ParseID(ask[string](b, "sessionStorage.getItem('room') ?? ''"))
		room = server.Room(id)
		return err == nil && room != nil
	})
	at := func() (x float32) {
		_ = room.Do(func(s *systems.Server) {
			for _, d := range ecs.All[struct{ At components.Position }](s.World()) {
				x = d.At.X
			}
		})
		return x
	}
	walks := func(what string) {
		t.Helper()
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
	before := room.Seats()
	b.do(chromedp.Reload())
	walks("it walks after a reload")
	b.cached(page.URL + "/nothing")
	walks("it walks when it is back from the browser's cache")
	if after := room.Seats(); len(after) != 1 || len(before) != 1 || after[0].Player != before[0].Player || after[0].Number != before[0].Number {
		t.Errorf("seats %+v, and at the end %+v", before, after)
	}
	if err := room.Kick(before[0].Player); err != nil {
		t.Fatal(err)
	}
	until(t, "the page says so", func() bool {
		return strings.Contains(ask[string](b, "document.getElementById('status').textContent"), "removed")
	})
}
