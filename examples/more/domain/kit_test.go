package domain

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/netsys/webtransport"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// name is the host name of the tests, which no DNS of the internet has.
const name = "play.test"

// patience is the limit of everything that a test waits for.
const patience = time.Minute

// The variables of a server process.
const (
	plainVariable = "TACTUS_TEST_PLAIN" // the address to which port 80 of the name leads; set: the test is a server process
	rootsVariable = "TACTUS_TEST_ROOTS" // a file with the certificate of the authority's own server
)

func TestMain(m *testing.M) {
	if plain := os.Getenv(plainVariable); plain != "" {
		os.Exit(serve(plain, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// serve is the command of the arena with WebTransport. It trusts the authority in rootsVariable.
func serve(plain string, args []string) int {
	roots := x509.NewCertPool()
	if file := os.Getenv(rootsVariable); file != "" {
		b, err := os.ReadFile(file)
		if err != nil || !roots.AppendCertsFromPEM(b) {
			log.Print(file, " has no certificate: ", err)
			return 1
		}
	}
	world := game.World()
	web.Beside(&world, eventloop.ListenBoth, web.Config{
		Dist:   pages.Page("arena"),
		Domain: web.DomainConfig{Client: client(roots, map[string]string{name + ":80": plain})},
		WebTransport: func(addr string, secure *tls.Config, hosts []string) (netsys.Wire, error) {
			return webtransport.Listen(webtransport.Config{Addr: addr, TLS: secure, Hosts: hosts})
		},
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return runner.Main(ctx, world, args, os.Stdout, os.Stderr)
}

// client returns a client that trusts roots, and connects to other addresses than those in URLs. It does not follow redirects.
func client(roots *x509.CertPool, leads map[string]string) *http.Client {
	return &http.Client{
		Timeout: 10 * time.Second,
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true,
			DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				if to, ok := leads[addr]; ok {
					addr = to
				}
				return (&net.Dialer{}).DialContext(ctx, network, addr)
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// authority is an ACME authority in this process.
type authority struct {
	directory string
	server    string // a file with the certificate of its own server
	roots     *x509.CertPool
	orders    atomic.Int32
}

// newAuthority starts pebble, which connects to these ports of loopback.
func newAuthority(t *testing.T, plain, secure string) *authority {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "0")
	names, err := net.Listen("tcp", "127.0.0.1:0") // pebble asks by TCP
	if err != nil {
		t.Fatal(err)
	}
	resolver := &dns.Server{Listener: names, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		var answer dns.Msg
		answer.SetReply(q)
		if q.Question[0].Qtype == dns.TypeA && q.Question[0].Name == name+"." {
			answer.Answer = []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: name + ".", Rrtype: dns.TypeA, Class: dns.ClassINET}, A: net.IPv4(127, 0, 0, 1)}}
		}
		_ = w.WriteMsg(&answer)
	})}
	go func() { _ = resolver.ActivateAndServe() }()
	t.Cleanup(func() { _ = resolver.Shutdown() })

	quiet, store := log.New(io.Discard, "", 0), db.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {}})
	front := wfe.New(quiet, store, va.New(quiet, port(t, plain), port(t, secure), false, names.Addr().String(), store), issuer, []string{"pebble.test"}, false, false, 1, 1)
	a := &authority{roots: x509.NewCertPool(), server: filepath.Join(t.TempDir(), "authority.pem")}
	h := front.Handler()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "order-plz") {
			a.orders.Add(1)
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	a.directory = s.URL + wfe.DirectoryPath
	if err := os.WriteFile(a.server, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if !a.roots.AppendCertsFromPEM(issuer.GetRootCert(0).PEM()) {
		t.Fatal("the authority has no root")
	}
	return a
}

// port returns the port of an address.
func port(t *testing.T, addr string) int {
	t.Helper()
	a, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return a.Port
}

// free returns free addresses of loopback.
func free(t *testing.T, n int) (all []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all = append(all, l.Addr().String())
	}
	return all
}

// process is a server process.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	done chan error
	mu   sync.Mutex
	out  bytes.Buffer
}

// Write implements [io.Writer].
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(b)
}

// start starts a server process. roots may be "".
func start(t *testing.T, plain, roots string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(os.Args[0], args...), done: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), plainVariable+"="+plain, rootsVariable+"="+roots)
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.done <- p.cmd.Wait() }()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		if t.Failed() {
			p.mu.Lock()
			defer p.mu.Unlock()
			t.Logf("the process printed:\n%s", &p.out)
		}
	})
	return p
}

// signal sends a signal, and returns the error of the end.
func (p *process) signal(s syscall.Signal) error {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
	select {
	case err := <-p.done:
		return err
	case <-time.After(patience):
		p.t.Fatalf("the process goes on after %v", s)
		return nil
	}
}

// get returns the answer to a request when there is one, and its body.
func get(t *testing.T, c *http.Client, url string) (*http.Response, string) {
	t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		var r *http.Response
		if r, err = c.Get(url); err != nil {
			continue
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r, string(b)
	}
	t.Fatal(err)
	return nil, ""
}

// admission is what a player gets.
type admission struct {
	Token     string `json:"token"`
	Room      string `json:"room"`
	Code      string `json:"code"`
	Loaded    uint32 `json:"loaded"`
	Endpoints struct {
		UDP          string `json:"udp"`
		WS           string `json:"ws"`
		WebTransport string `json:"webtransport"`
	} `json:"endpoints"`
}

// ask asks for a seat as player 17.
func ask(t *testing.T, c *http.Client, url, body string) (a admission) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Player", "17")
	answer, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil || a.Token == "" {
		t.Fatalf("%s: %s %v\n%s", url, answer.Status, err, b)
	}
	return a
}

// play plays on a seat of a room for some seconds of the match, calls end, leaves, and returns the newest tick. The machine of the
// test may be so busy that the server refuses the player at first.
func play(t *testing.T, c *http.Client, url string, a admission, seconds uint32, end func()) uint32 {
	t.Helper()
	for late := time.Now().Add(patience); ; a = ask(t, c, url+"/"+a.Room+"/join", `{}`) {
		tick, err := playOnce(t, c, a, 60*seconds, end)
		if err == nil {
			return tick
		}
		if !errors.Is(err, netsys.ErrBusy) || time.Now().After(late) {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
	}
}

// playOnce plays with one token.
func playOnce(t *testing.T, c *http.Client, a admission, ticks uint32, end func()) (tick uint32, err error) {
	t.Helper()
	usual := http.DefaultTransport
	http.DefaultTransport = c.Transport // of websocket.Connect
	defer func() { http.DefaultTransport = usual }()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	b, err := base64.StdEncoding.DecodeString(a.Token)
	if err != nil {
		t.Fatal(err)
	}
	token, err := netcode.ParseToken(b)
	if err != nil {
		t.Fatal(err)
	}
	wire, err := websocket.Dial(ctx, a.Endpoints.WS)
	if err != nil {
		t.Fatal(err)
	}
	world, o := game.World(), &runner.Options{Clients: 8, Preset: "LocalSync", Tick: 60, ServerEvery: 1, Timing: "buffered"}
	config := world.Company(o, 0)
	config.Session.Token = token
	player, err := systems.NewClient(wire, wire.RemoteAddr(), world.Protocol(o), config)
	if err != nil {
		t.Fatal(err)
	}
	first := uint32(0)
	err = player.Run(ctx, func(c *systems.Client) {
		if tick = c.ServerTick(); first == 0 {
			first = tick
		}
		if first != 0 && tick > first+ticks && ctx.Err() == nil {
			end()
			stop()
		}
	})
	if first == 0 || tick <= first+ticks {
		return 0, fmt.Errorf("%d ticks of the match have not arrived: %w", ticks, err)
	}
	return tick, nil
}
