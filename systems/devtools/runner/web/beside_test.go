package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/printed"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/rooms"
)

// plaza returns a world of pawns that walk.
func plaza() runner.Game {
	return runner.Game{
		Name: "plaza",
		Protocol: func(*runner.Options) *ecs.Protocol {
			return testgame.Plaza(func(p *ecs.Protocol) {
				ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) { testgame.SpawnPawn(w, client) })
			})
		},
		Bot: func(*runner.Options, int) runner.Bot {
			return runner.NewBot(func(_ *systems.Client, in *testgame.Push) { in.DX = 1 })
		},
		Listen: map[string]func(string) (netsys.Wire, error){"udp": runner.Wire(eventloop.Listen)},
	}
}

// start runs a world's command until the end of the test.
func start(t *testing.T, world runner.Game, args string) *printed.Text {
	t.Helper()
	out := new(printed.Text)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { runner.Main(ctx, world, strings.Fields(args), out, out) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	return out
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	if err != nil || r.Body.Close() != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", url, r.Status, err)
	}
	return string(text)
}

// join plays at a server's WebSockets until it sees two players: itself and a bot.
func join(t *testing.T, url string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	wire, err := websocket.Dial(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	c, err := systems.NewClient(wire, wire.RemoteAddr(), plaza().Protocol(nil), systems.ClientConfig{Gather: plaza().Bot(nil, 0).Gather()})
	if err != nil {
		t.Fatal(err)
	}
	met := false
	if err := c.Run(ctx, func(c *systems.Client) {
		n := 0
		for range ecs.All[struct{ Shots testgame.Shots }](c.View()) {
			n++
		}
		if n == 2 {
			met = true
			cancel()
		}
	}); !met {
		t.Errorf("nobody is met: %v", err)
	}
}

// taken takes the ports of a page and its game that begin at first; ends gives them back, and is nil where somebody has one.
func taken(first int) (ends func()) {
	var all []net.Listener
	ends = func() {
		for _, ln := range all {
			_ = ln.Close()
		}
	}
	for _, p := range []int{first + 1, first + 3} {
		ln, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", p))
		if err != nil {
			ends()
			return nil
		}
		all = append(all, ln)
	}
	return ends
}

// A world has a page at the ports that are its own, and at free ones where somebody has these.
func TestBeside(t *testing.T) {
	port := 20000 // and above: no system gives these to who asks for any port
	ends := taken(port)
	for ; ends == nil; ends = taken(port) {
		if port += 4; port > 30000 {
			t.Fatal("nobody gives back the ports from 20000 to 30000")
		}
	}
	ends()
	for _, busy := range []bool{false, true} {
		if busy {
			if ends = taken(port); ends == nil {
				t.Fatal("the world keeps its ports")
			}
			defer ends()
		}
		t.Run(fmt.Sprint("busy=", busy), func(t *testing.T) {
			world := plaza()
			Beside(&world, eventloop.ListenBoth, Config{
				Package: "client", Args: []string{"-fast"}, GamePort: uint16(port), Dir: prebuilt(t), Page: "<p>plaza</p>",
			})
			out := start(t, world, "-clients 1")
			page := out.Find(t, `browser: +http://127\.0\.0\.1:(\d+)\n`)
			var told settings
			if err := json.Unmarshal([]byte(fetch(t, "http://127.0.0.1:"+page+"/play.json")), &told); err != nil || len(told.Args) != 1 || told.Args[0] != "-fast" {
				t.Errorf("%v: %+v", err, told)
			}
			if own := page == fmt.Sprint(port+3) && int(told.Port) == port+1; own == busy {
				t.Errorf("the page is at %s, the game at %d", page, told.Port)
			}
			if text := fetch(t, "http://127.0.0.1:"+page); text != "<p>plaza</p>" {
				t.Errorf("the page is %q", text)
			}
			join(t, fmt.Sprint("ws://127.0.0.1:", told.Port))
		})
	}
}

// The flags of a page stand beside those that the world has, and -headless knows nothing of a page.
func TestBesideKeepsFlags(t *testing.T) {
	world := plaza()
	Beside(&world, eventloop.ListenBoth, Config{Package: "client"})
	r, err := runner.Headless(t.Context(), world, "-virtual", "-duration", "2s", "-http", "none", "-names", "game.example", "-web", "x")
	if err != nil || !r.Converged {
		t.Errorf("%v: %+v", err, r)
	}
	if _, err := runner.Headless(t.Context(), world, "-virtual", "-names", "game.example:80"); err == nil || !strings.Contains(err.Error(), "no host name") {
		t.Error(err)
	}
}

// transport stands for a WebTransport.
type transport struct{ *eventloop.Listener }

func (transport) Beside(first netsys.Wire) netsys.Wire         { return first }
func (transport) CertificateHashes() (all [][sha256.Size]byte) { return make([][sha256.Size]byte, 1) }

// Without a domain, WebTransport is at the address of the WebSockets, and connect.json has its hash. Admissions lead there.
func TestBesideWebTransport(t *testing.T) {
	for _, flags := range []string{"-clients 1", "-rooms", "-rooms -embed https://portal.example,null"} {
		t.Run(flags, func(t *testing.T) {
			world := plaza()
			world.Rooms = &runner.Rooms{Seats: 4}
			var asked WebTransportConfig
			var beside *eventloop.Listener
			t.Cleanup(func() { // after the server, which polls it
				if beside != nil {
					_ = beside.Close()
				}
			})
			Beside(&world, eventloop.ListenBoth, Config{
				Dist: &Dist{Files: fstest.MapFS{"index.html": {}}},
				WebTransport: func(c WebTransportConfig) (WebTransportWire, error) {
					asked = c
					var err error
					beside, err = eventloop.Listen(c.Addr)
					return transport{beside}, err
				},
			})
			page := start(t, world, "-http 127.0.0.1:0 "+flags).Find(t, `in a browser: +(http://\S+)\n`)
			if asked.TLS != nil || asked.Sandboxed != strings.Contains(flags, "null") {
				t.Errorf("%+v", asked)
			}
			want := fmt.Sprintf(`{"websocket":"ws://%[1]s","webtransport":"https://%[1]s/","hashes":[%q]}`, asked.Addr, base64.StdEncoding.EncodeToString(make([]byte, sha256.Size)))
			if got := fetch(t, page+"/connect.json"); got != want+"\n" {
				t.Errorf("connect.json: %s, want %s", got, want)
			}
			if !strings.Contains(flags, "-rooms") {
				return
			}
			r, err := http.Post(page+"/rooms/create", "application/json", strings.NewReader(`{"kind":"plaza"}`))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			var a struct {
				Endpoints rooms.Endpoints `json:"endpoints"`
			}
			if err := json.NewDecoder(r.Body).Decode(&a); err != nil || a.Endpoints.UDP == "" || a.Endpoints.WS != "" {
				t.Errorf("%v: the admission has %+v", err, a.Endpoints)
			}
		})
	}
}

// The flag -embed names the sites in the policy of the page. With null, the listener accepts sandboxed pages, too.
func TestBesideEmbeds(t *testing.T) {
	for flags, want := range map[string]struct {
		ancestors, hosts string
	}{
		"": {"'none'", "[game.example]"},
		"-embed https://portal.example,https://*.b.example": {"https://portal.example https://*.b.example", "[game.example]"},
		"-embed https://portal.example,null":                {"https://portal.example", "[game.example null]"},
	} {
		t.Run(flags, func(t *testing.T) {
			world := plaza()
			var hosts []string
			Beside(&world, func(addr, socket string, names []string) (*eventloop.Listener, error) {
				hosts = names
				return eventloop.ListenBoth(addr, socket, names)
			}, Config{Package: "client", Dir: prebuilt(t)})
			out := start(t, world, "-http 127.0.0.1:0 -clients 1 -names game.example "+flags)
			r, err := http.Get(out.Find(t, `browser: +(http://\S+)\n`))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			if policy := r.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "frame-ancestors "+want.ancestors) || fmt.Sprint(hosts) != want.hosts {
				t.Errorf("hosts %v, policy %q", hosts, policy)
			}
		})
	}
	world := plaza()
	Beside(&world, eventloop.ListenBoth, Config{Package: "client"})
	for flag, want := range map[string]string{"portal.example": "is not scheme://host", "null": "stands alone"} {
		if _, err := runner.Headless(t.Context(), world, "-virtual", "-embed", flag); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("-embed %s: %v", flag, err)
		}
	}
}

// The page of -replay plays the file, which the site serves.
func TestBesideReplays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plaza.rec")
	world := plaza()
	Beside(&world, eventloop.ListenBoth, Config{Package: "client", Dir: prebuilt(t), Dist: &Dist{Files: fstest.MapFS{"index.html": {Data: []byte("<p>plaza</p>")}}}})
	var errs bytes.Buffer
	if code := runner.Main(t.Context(), world, []string{"-headless", "-virtual", "-duration", "2s", "-record", file}, io.Discard, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	out := start(t, world, "-http 127.0.0.1:0 -replay "+file)
	page := out.Find(t, `browser: +http://(127\.0\.0\.1:\d+)/\?replay=match\.rec\n`)
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if fetch(t, "http://"+page+"/match.rec") != string(want) || fetch(t, "http://"+page+"/?replay=match.rec") != "<p>plaza</p>" {
		t.Error("the site serves something else")
	}
	world.Protocol = func(*runner.Options) *ecs.Protocol { return ecs.NewProtocol("other/1") }
	if code := runner.Main(t.Context(), world, []string{"-http", "127.0.0.1:0", "-replay", file}, io.Discard, &errs); code != 1 || !strings.Contains(errs.String(), `the page plays "other/1"`) {
		t.Errorf("exit code %d, %q", code, errs.String())
	}
}

// Beside panics without a client, and if World.Live is already set.
func TestBesideWrongly(t *testing.T) {
	world := plaza()
	testgame.MustPanic(t, "without a client", "Config.Package is empty", func() { Beside(&world, eventloop.ListenBoth, Config{}) })
	Beside(&world, eventloop.ListenBoth, Config{Package: "client"})
	testgame.MustPanic(t, "twice", "World.Live is already set", func() { Beside(&world, eventloop.ListenBoth, Config{Package: "client"}) })
}
