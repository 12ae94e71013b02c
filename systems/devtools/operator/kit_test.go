package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	adaToken = "ada-has-a-token-of-her-own"
	bobToken = "bob-has-another-token-0123"
	eyeToken = "who-looks-shows-this-token"
)

// push is the input of the game, place what it moves.
type (
	push struct {
		X int8 `net:"-1..1"`
	}
	place struct {
		X float32 `net:"-512..512 step 0.01"`
	}
)

// field returns a game in which there is a dot for each player, with one more system of the server.
func field(system func(w *ecs.World)) func() *ecs.Protocol {
	return func() *ecs.Protocol {
		p := ecs.NewProtocol("field/1")
		ecs.Replicate[place](p, ecs.Predicted|ecs.Interpolated)
		ecs.Input[push](p)
		p.Simulate("walk", func(w *ecs.World) {
			for _, r := range ecs.Each[struct {
				At *place
				In *push
			}](w) {
				r.At.X = min(r.At.X+float32(r.In.X)/8, 500)
			}
		})
		if system != nil {
			p.Authority("trouble", system)
		}
		ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
			w.Spawn(components.Owner{Client: client}, place{}, push{})
		})
		return p
	}
}

// fields returns a kind of rooms with that game.
func fields(name string, capacity int, system func(w *ecs.World)) rooms.Kind {
	return rooms.Kind{Name: name, Protocol: field(system), Capacity: capacity, Server: systems.ServerConfig{TickRate: 20}, Linger: -1}
}

// acting returns a configuration in which Ada and Bob may do as much as they like.
func acting() Config {
	return Config{Operators: []Operator{{"ada", adaToken}, {"bob", bobToken}}, PerMinute: mostPerMinute}
}

// site is a process with rooms and its page.
type site struct {
	t      testing.TB
	server *rooms.Server
	page   *Page
	audit  *Audit
	url    string
	log    *text // of the audit log
}

// text is written by one goroutine and read by others.
type text struct {
	mu sync.Mutex
	b  strings.Builder
}

func (x *text) Write(b []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.Write(b)
}

func (x *text) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.b.String()
}

// newSite makes the page of a process, and serves it by HTTP.
func newSite(t testing.TB, c Config, rc rooms.Config, wire netsys.Wire) *site {
	t.Helper()
	x := &site{t: t, log: &text{}}
	x.audit = NewAudit(x.log)
	c.Audit, rc.Told = x.audit, x.audit.Told
	var err error
	if x.server, err = rooms.New(rc, wire); err != nil {
		t.Fatal(err)
	}
	if x.page, err = New(x.server, c); err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(x.page)
	t.Cleanup(h.Close)
	x.url = h.URL
	return x
}

// realSite runs in real time, over UDP, as long as the test.
func realSite(t testing.TB, c Config, rc rooms.Config) *site {
	t.Helper()
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	x := newSite(t, c, rc, wire)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- x.server.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil && rc.Stuck == 0 {
			t.Error(err)
		}
	})
	return x
}

// virtual is a site whose time is the test's.
type virtual struct {
	*site
	mu      sync.Mutex
	now     time.Time
	net     *netsys.Network
	players []*systems.Client
}

func virtualSite(t testing.TB, c Config, rc rooms.Config) *virtual {
	t.Helper()
	v := &virtual{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), net: netsys.NewNetwork()}
	rc.Now = func() time.Time {
		v.mu.Lock()
		defer v.mu.Unlock()
		return v.now
	}
	rc.Random = netsys.SeededRandom(1)
	v.site = newSite(t, c, rc, v.net.Node(netip.AddrPort{}))
	t.Cleanup(func() { _ = v.server.Close(v.now) })
	return v
}

// run lets time pass.
func (v *virtual) run(d time.Duration) {
	for end := v.now.Add(d); v.now.Before(end); {
		v.mu.Lock()
		v.now = v.now.Add(10 * time.Millisecond)
		v.mu.Unlock()
		v.server.Advance(v.now)
		for _, p := range v.players {
			if p.Err() == nil {
				p.Advance(v.now)
				p.Frame(v.now)
			}
		}
	}
}

// while lets time pass until f has returned, on another goroutine.
func (v *virtual) while(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	for {
		select {
		case <-done:
			return
		default:
			v.run(10 * time.Millisecond)
		}
	}
}

// enter seats a player and waits until it plays.
func (v *virtual) enter(kind string, id uint64) (rooms.Admission, *systems.Client) {
	v.t.Helper()
	all, err := v.server.Join(kind, nil, rooms.Player{ID: id})
	if err != nil {
		v.t.Fatal(err)
	}
	c, err := systems.NewClient(v.net.Node(netip.AddrPort{}), netip.AddrPort{}, field(nil)(), systems.ClientConfig{
		Session: systems.ClientSession{Token: all[0].Token}, Start: v.now, Gather: systems.Gather(func(_ *systems.Client, in *push) { in.X = 1 }),
	})
	if err != nil {
		v.t.Fatal(err)
	}
	v.players = append(v.players, c)
	for range 1000 {
		if _, ok := c.Own(c.World()); ok {
			return all[0], c
		}
		v.run(10 * time.Millisecond)
	}
	v.t.Fatalf("player %d does not get in: %v", id, c.Err())
	return rooms.Admission{}, nil
}

// answer is an HTTP response.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) failure() (f Failure) {
	_ = json.Unmarshal([]byte(a.body), &f)
	return f
}

// do sends a request as a change of it says.
func (x *site) do(method, path, body string, change ...func(r *http.Request)) answer {
	x.t.Helper()
	r, err := http.NewRequestWithContext(x.t.Context(), method, x.url+path, strings.NewReader(body))
	if err != nil {
		x.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, f := range change {
		f(r)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		x.t.Fatal(err)
	}
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	if err != nil {
		x.t.Fatal(err)
	}
	return answer{got.StatusCode, got.Header, string(b)}
}

// get asks for JSON.
func (x *site) get(path string, v any) {
	x.t.Helper()
	a := x.do(http.MethodGet, path, "")
	if a.status != http.StatusOK {
		x.t.Fatalf("%s: %d %s", path, a.status, a.body)
	}
	if err := json.Unmarshal([]byte(a.body), v); err != nil {
		x.t.Fatalf("%s: %v in %s", path, err, a.body)
	}
}

// bearer shows a token.
func bearer(token string) func(r *http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

// act performs an action as Ada, and checks that it succeeds.
func (x *site) act(path, body string) Success {
	x.t.Helper()
	a := x.do(http.MethodPost, path, body, bearer(adaToken))
	var s Success
	if err := json.Unmarshal([]byte(a.body), &s); err != nil || a.status != http.StatusOK || s.Outcome != Done || s.Operator != "ada" {
		x.t.Fatalf("POST %s %s: %d %s", path, body, a.status, a.body)
	}
	return s
}

// refused does something as Ada, and expects a refusal.
func (x *site) refused(path, body, code string) {
	x.t.Helper()
	a := x.do(http.MethodPost, path, body, bearer(adaToken))
	if f := a.failure(); a.status != statuses[code] || f.Code != code || f.Message == "" {
		x.t.Errorf("POST %s %.100s: %d %.300s, want %s", path, body, a.status, a.body, code)
	}
}

// newest returns the newest entry of the log.
func (x *site) newest() Entry {
	x.t.Helper()
	var a logAnswer
	x.get("/api/log?limit=1", &a)
	if len(a.Entries) != 1 {
		x.t.Fatal("the log is empty")
	}
	return a.Entries[0]
}

// until waits for something.
func (x *site) until(what string, f func() bool) {
	x.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if f() {
			return
		}
	}
	x.t.Fatalf("%s: not within 20 s", what)
}

func path(r *rooms.Room, rest string) string { return fmt.Sprintf("/room/%v/%s", r.ID(), rest) }
