package web

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

// generous is a deadline that no machine needs.
const generous = 20 * time.Second

// site is a process with rooms and its handler, on real sockets.
type site struct {
	t      testing.TB
	server *rooms.Server
	h      *Handler
	http   *httptest.Server
	ends   rooms.Endpoints
}

func newSite(t testing.TB, c Config, k rooms.Kind) *site {
	t.Helper()
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	k.Name, k.Protocol, k.Server = "field", roomstest.Field, systems.ServerConfig{TickRate: 20, Players: k.Server.Players, Overload: systems.Overload{Off: true}}
	ends := rooms.Endpoints{UDP: wire.LocalAddr().String(), WS: "wss://play.example/ws"}
	s, err := rooms.New(rooms.Config{Kinds: []rooms.Kind{k}, MaxRooms: 32, Endpoints: ends}, wire)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	x := &site{t: t, server: s, ends: ends}
	if x.h, err = New(c, rooms.Here(s)); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/rooms", x.h)
	mux.Handle("/rooms/", x.h)
	x.http = httptest.NewUnstartedServer(mux)
	x.http.Config.ReadTimeout, x.http.Config.WriteTimeout = time.Second, time.Second // shorter than waits in the queue
	x.http.Start()
	t.Cleanup(func() {
		x.http.Close()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return x
}

// many returns a configuration that lets tests ask as often as they like.
func many() Config { return Config{PerAddress: mostPerMinute, PerPlayer: mostPerMinute} }

// answer is an HTTP response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// code returns the code of a failure.
func (a answer) code() string {
	var f Failure
	_ = json.Unmarshal(a.body, &f)
	return f.Code
}

// do asks as a player, and holds the answer against the OpenAPI document.
func (x *site) do(ctx context.Context, player uint64, method, path, body string, change ...func(r *http.Request)) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, x.http.URL+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if player != 0 {
		r.Header.Set(playerHeader, fmt.Sprint(player))
	}
	for _, f := range change {
		f(r)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	if err != nil {
		return answer{}, err
	}
	described(x.t, method, r.URL.Path, got.StatusCode, b)
	return answer{got.StatusCode, got.Header, b}, nil
}

// ask calls do, and ends the test if there is no answer.
func (x *site) ask(player uint64, method, path, body string, change ...func(r *http.Request)) answer {
	x.t.Helper()
	a, err := x.do(x.t.Context(), player, method, path, body, change...)
	if err != nil {
		x.t.Fatal(err)
	}
	return a
}

// refused asks, and expects a failure.
func (x *site) refused(player uint64, path, body, code string) {
	x.t.Helper()
	a := x.ask(player, http.MethodPost, path, body)
	var f Failure
	if json.Unmarshal(a.body, &f) != nil || a.status != statuses[code] || f.Code != code || f.Message == "" {
		x.t.Errorf("POST %s %s of %d: %d %s, want %s", path, body, player, a.status, a.body, code)
	}
	if (a.status == 429 || a.status == 503) != (a.header.Get("Retry-After") != "") {
		x.t.Errorf("%d with Retry-After %q", a.status, a.header.Get("Retry-After"))
	}
}

// seat asks, and expects a seat.
func (x *site) seat(player uint64, path, body string) Admission {
	x.t.Helper()
	a := x.ask(player, http.MethodPost, path, body)
	var s Admission
	if err := json.Unmarshal(a.body, &s); err != nil || a.status != 200 && a.status != 201 {
		x.t.Fatalf("POST %s %s of %d: %d %s", path, body, player, a.status, a.body)
	}
	if s.Player != fmt.Sprint(player) || s.Endpoints != x.ends || s.Token == "" || s.Room == 0 || len(s.Code) != 6 || s.Kind != "field" || s.ExpiresIn < 1 {
		x.t.Errorf("seat %+v", s)
	}
	return s
}

// play plays with the token of a seat during the test, and waits until dots entities are visible.
func (x *site) play(s Admission, dots int) (leave func()) {
	x.t.Helper()
	b, err := base64.StdEncoding.DecodeString(s.Token)
	if err != nil {
		x.t.Fatal(err)
	}
	token, err := netcode.ParseToken(b)
	if err != nil {
		x.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c, err := systems.Dial(ctx, s.Endpoints.UDP, roomstest.Field(), systems.ClientConfig{Session: systems.ClientSession{Token: token}, Spectate: s.Spectator, Gather: systems.Gather(func(*systems.Client, *roomstest.Push) {})})
	if err != nil {
		x.t.Fatal(err)
	}
	seen, over := make(chan struct{}), make(chan error, 1)
	var once sync.Once
	go func() {
		over <- c.Run(ctx, func(c *systems.Client) {
			n := 0
			for range ecs.All[struct{ At roomstest.Place }](c.View()) {
				n++
			}
			if n == dots {
				once.Do(func() { close(seen) })
			}
		})
	}()
	end := sync.OnceFunc(func() { stop(); <-over })
	x.t.Cleanup(end)
	select {
	case <-seen:
	case <-time.After(generous):
		x.t.Fatalf("player %s does not see %d", s.Player, dots)
	}
	return end
}

// schema is a part of the document.
type schema struct {
	Ref        string             `json:"$ref"`
	Type       any                `json:"type"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Enum       []string           `json:"enum"`
	Items      *schema            `json:"items"`
	More       any                `json:"additionalProperties"`
}

// content is a body in the document.
type content map[string]struct {
	Schema *schema `json:"schema"`
}

// operation is the description of a method of a path.
type operation struct {
	Parameters []struct {
		Name, In, Style string
	} `json:"parameters"`
	RequestBody *struct {
		Content content `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content content `json:"content"`
	} `json:"responses"`
}

// document is what is described.
var document = sync.OnceValue(func() (d struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]*schema `json:"schemas"`
	} `json:"components"`
}) {
	if err := json.Unmarshal(OpenAPI(), &d); err != nil {
		panic(err)
	}
	return d
})

// resolved returns a schema, or the one to which it refers.
func (s *schema) resolved() *schema {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return document().Components.Schemas[name]
	}
	return s
}

// described fails where an answer is not as the document says.
func described(t testing.TB, method, path string, status int, body []byte) {
	t.Helper()
	if parts := strings.Split(path, "/"); len(parts) == 4 {
		path = "/rooms/{id}/" + parts[3]
	}
	op, ok := document().Paths[path][strings.ToLower(method)]
	if !ok {
		if status != 404 && status != 405 && status != 403 {
			t.Errorf("%s %s is not described, and answered with %d", method, path, status)
		}
		return
	}
	r, ok := op.Responses[fmt.Sprint(status)]
	if !ok {
		t.Errorf("%s %s is answered with %d, which is not described: %s", method, path, status, body)
		return
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	if err := d.Decode(&v); err != nil {
		t.Errorf("%s %s: %d is no JSON: %v", method, path, status, err)
		return
	}
	r.Content["application/json"].Schema.match(t, fmt.Sprintf("%s %s %d", method, path, status), v)
}

// match holds a value against a schema.
func (s *schema) match(t testing.TB, where string, v any) {
	t.Helper()
	s = s.resolved()
	is := map[bool]string{true: "integer"}
	got := ""
	switch x := v.(type) {
	case map[string]any:
		got = "object"
		for key, value := range x {
			if p := s.Properties[key]; p != nil {
				p.match(t, where+" "+key, value)
			} else if s.More == false {
				t.Errorf("%s: %s is not described", where, key)
			}
		}
		for _, key := range s.Required {
			if _, ok := x[key]; !ok {
				t.Errorf("%s: %s is missing", where, key)
			}
		}
	case []any:
		got = "array"
		for _, value := range x {
			s.Items.match(t, where, value)
		}
	case string:
		got = "string"
		if s.Enum != nil && !slices.Contains(s.Enum, x) {
			t.Errorf("%s: %q is none of %v", where, x, s.Enum)
		}
	case bool:
		got = "boolean"
	case float64:
		got = is[s.Type == "integer" && x == float64(int64(x))]
	}
	if s.Type != nil && fmt.Sprint(s.Type) != got {
		t.Errorf("%s: %v is %q, described as %v", where, v, got, s.Type)
	}
}
