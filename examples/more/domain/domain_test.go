package domain

import (
	"crypto/tls"
	"encoding/json"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/quic-go/quic-go"
)

// A process obtains a certificate with one order. A guest plays over wss on the port of the page. After the process was killed, the
// next one has the certificate and the room without another order, and the guest returns to its seat. SIGTERM ends it with a save.
func TestDomain(t *testing.T) {
	at := free(t, 2)
	plain, secure := at[0], at[1]
	a := newAuthority(t, plain, secure)
	certificates, saves := t.TempDir(), t.TempDir()
	args := []string{"-rooms", "-domain", name, "-http", plain, "-https", secure, "-acme", a.directory, "-certificates", certificates, "-saves", saves}
	c := client(a.roots, map[string]string{name + ":80": plain, name + ":443": secure})

	base := "https://" + name + "/"

	server := start(t, plain, a.server, args...)
	if _, body := get(t, c, base+"connect.json"); !strings.Contains(body, `"websocket":"wss://play.test/play"`) {
		t.Errorf("connect.json: %s", body)
	}
	if r, _ := get(t, c, "http://"+name+"/?x=1"); r.Header.Get("Location") != "https://play.test/?x=1" {
		t.Errorf("http: %s %v", r.Status, r.Header)
	}
	if r, body := get(t, c, base); r.StatusCode != http.StatusOK || !strings.Contains(body, "<script") {
		t.Errorf("the page: %s %.80s", r.Status, body)
	}
	seat := ask(t, c, base+"rooms/create", `{"kind":"arena"}`)
	if seat.Endpoints.WS != "wss://play.test/play" || seat.Loaded != 0 {
		t.Errorf("the admission: %+v", seat.Endpoints)
	}
	webTransport(t, a, seat.Endpoints.WebTransport, secure)
	rooms := base + "rooms"
	play(t, c, rooms, seat, 6, func() { _ = server.signal(syscall.SIGKILL) }) // there is a save every five seconds
	if n := a.orders.Load(); n != 1 {
		t.Errorf("%d orders", n)
	}

	server = start(t, plain, a.server, args...)
	_, _ = get(t, c, base+"connect.json")
	again := ask(t, c, rooms+"/"+seat.Room+"/reconnect", `{}`)
	if again.Loaded == 0 || again.Room != seat.Room || again.Code != seat.Code {
		t.Errorf("after a restart: room %s of tick %d, code %s; before: %s, %s", again.Room, again.Loaded, again.Code, seat.Room, seat.Code)
	}
	tick := play(t, c, rooms, again, 1, func() {
		if got := freeSeats(t, c, rooms); got < 4 { // of 8, beside a player and three bots
			t.Errorf("%d seats are free: the bots have not returned to theirs", got)
		}
		if err := server.signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	})
	if tick <= again.Loaded {
		t.Errorf("the match of tick %d continues at tick %d", again.Loaded, tick)
	}

	_ = start(t, plain, a.server, args...)
	_, _ = get(t, c, base+"connect.json")
	if last := ask(t, c, rooms+"/"+seat.Room+"/reconnect", `{}`); last.Loaded+60 < tick {
		t.Errorf("the match was at tick %d before SIGTERM, and continues at %d", tick, last.Loaded)
	}
	if n := a.orders.Load(); n != 1 {
		t.Errorf("%d orders after restarts", n)
	}
}

// freeSeats returns the number of free seats of the only room.
func freeSeats(t *testing.T, c *http.Client, rooms string) int {
	t.Helper()
	var list struct {
		Rooms []struct {
			Free int `json:"free"`
		} `json:"rooms"`
	}
	_, body := get(t, c, rooms)
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Rooms) != 1 {
		t.Fatalf("the rooms: %s, %v", body, err)
	}
	return list.Rooms[0].Free
}

// webTransport connects by QUIC to the WebTransport of the domain, with its certificate.
func webTransport(t *testing.T, a *authority, url, addr string) {
	t.Helper()
	if want := "https://" + name + "/"; url != want {
		t.Errorf("WebTransport at %q, want %q", url, want)
	}
	c, err := quic.DialAddr(t.Context(), addr, &tls.Config{RootCAs: a.roots, ServerName: name, NextProtos: []string{"h3"}}, &quic.Config{EnableDatagrams: true})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.CloseWithError(0, "")
}
