package domain

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/netsys/webtransport"
)

// A process obtains a certificate with one order. A guest plays over wss on the port of the page, and over WebTransport. After the
// process was killed, the next one has the certificate and the room without another order, and the guest returns to its seat. SIGTERM
// ends it with a save.
func TestDomain(t *testing.T) {
	for _, x := range servers(t) {
		t.Run(x.name, func(t *testing.T) { testDomain(t, x) })
	}
}

func testDomain(t *testing.T, x server) {
	at := free(t, 2)
	plain, secure := at[0], at[1]
	a := newAuthority(t, plain, secure)
	command := slices.Concat(x.command, []string{plain, "-https", secure, "-acme", a.directory}, x.public(t, t.TempDir()))
	variables := a.environment(t, plain)
	c := client(a.roots, map[string]string{name + ":80": plain, name + ":443": secure})
	base := "https://" + name + "/"

	server := start(t, command, variables)
	if _, body := get(t, c, base+"connect.json"); !strings.Contains(body, `"websocket":"wss://play.test/play"`) {
		t.Errorf("connect.json: %s", body)
	}
	if r, _ := get(t, c, "http://"+name+"/?x=1"); r.Header.Get("Location") != "https://play.test/?x=1" {
		t.Errorf("http: %s %v", r.Status, r.Header)
	}
	if r, body := get(t, c, base); r.StatusCode != http.StatusOK || !strings.Contains(body, "<script") {
		t.Errorf("the page: %s %.80s", r.Status, body)
	}
	seat := ask(t, c, base+"rooms/create", fmt.Sprintf(`{"kind":%q}`, x.kind))
	if seat.Endpoints.WS != "wss://play.test/play" || seat.Endpoints.WebTransport != base || seat.Loaded != 0 {
		t.Errorf("the admission: %+v", seat.Endpoints)
	}
	rooms := base + "rooms"
	x.play(t, c, overWebSocket(c), rooms, seat, 6, func() { _ = server.signal(syscall.SIGKILL) }) // there is a save every five seconds
	if n := a.orders.Load(); n != 1 {
		t.Errorf("%d orders", n)
	}

	server = start(t, command, variables)
	_, _ = get(t, c, base+"connect.json")
	again := ask(t, c, rooms+"/"+seat.Room+"/reconnect", `{}`)
	if again.Loaded == 0 || again.Room != seat.Room || again.Code != seat.Code {
		t.Errorf("after a restart: room %s of tick %d, code %s; before: %s, %s", again.Room, again.Loaded, again.Code, seat.Room, seat.Code)
	}
	tick := x.play(t, c, overWebTransport(fmt.Sprintf("https://%s:%d/", name, port(t, secure)), sha256.Sum256(leaf(t, a, secure).Raw)), rooms, again, 1, func() {
		if taken := takenSeats(t, c, rooms); taken < 1+x.bots {
			t.Errorf("%d seats are taken: the bots have not returned to theirs", taken)
		}
		if err := server.signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	})
	if tick <= again.Loaded {
		t.Errorf("the match of tick %d continues at tick %d", again.Loaded, tick)
	}

	_ = start(t, command, variables)
	_, _ = get(t, c, base+"connect.json")
	if last := ask(t, c, rooms+"/"+seat.Room+"/reconnect", `{}`); last.Loaded+60 < tick {
		t.Errorf("the match was at tick %d before SIGTERM, and continues at %d", tick, last.Loaded)
	}
	if n := a.orders.Load(); n != 1 {
		t.Errorf("%d orders after restarts", n)
	}
}

// Without -domain, the lines in the README of the template serve WebTransport on this machine.
func TestOnThisMachine(t *testing.T) {
	x, page := servers(t)[1], free(t, 1)[0]
	start(t, slices.Concat(x.command, []string{page}), nil)
	base, c := "http://"+page+"/", http.DefaultClient
	_, body := get(t, c, base+"connect.json")
	var place struct {
		WebTransport string   `json:"webtransport"`
		Hashes       [][]byte `json:"hashes"`
	}
	if err := json.Unmarshal([]byte(body), &place); err != nil || len(place.Hashes) != 1 {
		t.Fatalf("connect.json: %s", body)
	}
	x.play(t, c, overWebTransport(place.WebTransport, [sha256.Size]byte(place.Hashes[0])), base+"rooms", ask(t, c, base+"rooms/create", fmt.Sprintf(`{"kind":%q}`, x.kind)), 1, func() {})
}

// takenSeats returns the number of taken seats of the only room.
func takenSeats(t *testing.T, c *http.Client, rooms string) int {
	t.Helper()
	var list struct {
		Rooms []struct {
			Capacity int `json:"capacity"`
			Free     int `json:"free"`
		} `json:"rooms"`
	}
	_, body := get(t, c, rooms)
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Rooms) != 1 {
		t.Fatalf("the rooms: %s, %v", body, err)
	}
	return list.Rooms[0].Capacity - list.Rooms[0].Free
}

// overWebTransport connects to a URL at which there is a certificate with a hash.
func overWebTransport(url string, hash [sha256.Size]byte) dial {
	return func(ctx context.Context, _ admission) (*websocket.Wire, error) {
		return webtransport.DialConfig{Hashes: [][sha256.Size]byte{hash}}.Dial(ctx, url)
	}
}

// leaf returns the certificate at an address of HTTPS, and checks it.
func leaf(t *testing.T, a *authority, addr string) *x509.Certificate {
	t.Helper()
	c, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: a.roots, ServerName: name})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.ConnectionState().PeerCertificates[0]
}
