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
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
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

	"github.com/tactusgo/tactus/ecs"
	arena "github.com/tactusgo/tactus/examples/arena/game"
	starter "github.com/tactusgo/tactus/examples/starter/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// name is the host name of the tests, which no DNS of the internet has.
const name = "play.test"

// patience is the limit of everything that a test waits for.
const patience = time.Minute

// server is a program that serves a game under a domain.
type server struct {
	name, kind string
	// command is the program and its arguments, before the address of the page.
	command []string
	// public returns the arguments of a public server that keeps everything in a folder.
	public   func(t *testing.T, folder string) []string
	protocol func() *ecs.Protocol
	config   func() systems.ClientConfig
	bots     int // beside one player
}

// servers returns the command of a world, and the server of the template.
func servers(t *testing.T) []server {
	t.Helper()
	program, files := buildStarter(t)
	arenaProgram := filepath.Join(files, "arena")
	if out, err := exec.Command("go", "build", "-o", arenaProgram, "../webtransport").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	world, o := arena.World(), &runner.Options{Clients: 8, Preset: "LocalSync", Tick: 60, ServerEvery: 1, Timing: "buffered"}
	return []server{{
		name: "arena", kind: "arena", bots: 3,
		command: []string{arenaProgram, "-rooms", "-web", files, "-http"},
		public: func(_ *testing.T, folder string) []string {
			return []string{"-certificates", filepath.Join(folder, "certificates"), "-saves", filepath.Join(folder, "saves"), "-domain", name}
		},
		protocol: func() *ecs.Protocol { return world.Protocol(o) },
		config:   func() systems.ClientConfig { return world.Company(o, 0) },
	}, {
		name: "starter", kind: starter.Kind,
		command:  []string{program, "-guests", "-listen", "127.0.0.1:0", "-websocket", "127.0.0.1:0", "-files", files, "-page"},
		public:   unit,
		protocol: starter.Protocol,
		config: func() (c systems.ClientConfig) {
			starter.Listen(&c, func(string) {})
			return c
		},
	}}
}

// unit returns the arguments of the service of systemd that the template has.
func unit(t *testing.T, folder string) []string {
	t.Helper()
	b, err := os.ReadFile("../../starter/server/game.service")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`(?m)^ExecStart=\S+ (.*)$`).FindStringSubmatch(string(b))
	if command == nil {
		t.Fatalf("the unit has no command:\n%s", b)
	}
	return strings.Fields(strings.NewReplacer("play.example.com", name, "${STATE_DIRECTORY}", folder).Replace(command[1]))
}

// ownWebTransport is what the README of the template adds to its server, before the last line.
const ownWebTransport = `
	o.domain.WebTransport = func(c web.WebTransportConfig) (web.WebTransportWire, error) {
		return webtransport.Listen(webtransport.Config{Addr: c.Addr, TLS: c.TLS, Hosts: c.Hosts, Sandboxed: c.Sandboxed})
	}
	page, err := o.openPage()
`

// buildStarter builds the server of the template, with the lines for WebTransport that its README shows. It returns the program, and its
// folder, which has a page and an empty client.
func buildStarter(t *testing.T) (program, files string) {
	t.Helper()
	dir := t.TempDir()
	readme, err := os.ReadFile("../../starter/README.md")
	if err != nil {
		t.Fatal(err)
	}
	main, err := filepath.Abs("../../starter/server/main.go")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(main)
	if err != nil {
		t.Fatal(err)
	}
	const last = "\tpage, err := o.openPage()\n"
	added := strings.TrimSuffix(ownWebTransport, last)
	if shown := strings.ReplaceAll(strings.TrimSuffix(added, "\n"), "\n", "\n+") + "\n " + last; !strings.Contains(string(readme), shown) || bytes.Count(code, []byte(last)) != 1 {
		t.Fatalf("the README of the template does not show these lines, or its server lacks the last one:%s", shown)
	}
	code = bytes.Replace(code, []byte(last), []byte(ownWebTransport), 1)
	code = bytes.Replace(code, []byte("import (\n"), []byte("import (\n\t\"github.com/tactusgo/tactus/netsys/webtransport\"\n"), 1)
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {main: filepath.Join(dir, "main.go")}})
	if err != nil {
		t.Fatal(err)
	}
	for file, b := range map[string][]byte{"main.go": code, "overlay.json": overlay, "index.html": []byte("<script src=game.js></script>"), "play.wasm": nil, "wasm_exec.js": nil} {
		if err := os.WriteFile(filepath.Join(dir, file), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program = filepath.Join(dir, "server")
	build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "github.com/tactusgo/tactus/examples/starter/server")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program, dir
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

// environment returns the variables of a server that trusts the authority, and reaches port 80 of the name at an address.
func (a *authority) environment(t *testing.T, plain string) []string {
	t.Helper()
	proxy := httptest.NewServer(&httputil.ReverseProxy{ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: plain})
		r.Out.Host = r.In.Host
	}})
	t.Cleanup(proxy.Close)
	return []string{"SSL_CERT_FILE=" + a.server, "HTTP_PROXY=" + proxy.URL, "NO_PROXY="}
}

// newAuthority starts pebble, which connects to these ports of loopback. Until the end of the test, the name leads to loopback for
// this process, too.
func newAuthority(t *testing.T, plain, secure string) *authority {
	t.Helper()
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		t.Skip("programs do not read SSL_CERT_FILE here")
	}
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
	usual := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", names.Addr().String())
	}}
	t.Cleanup(func() { net.DefaultResolver = usual; _ = resolver.Shutdown() })

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

// start starts a server process with further variables.
func start(t *testing.T, command, variables []string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(command[0], command[1:]...), done: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), variables...)
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

// dial connects to the game.
type dial func(ctx context.Context, a admission) (*websocket.Wire, error)

// overWebSocket connects to the WebSocket of an admission, by a client for HTTP.
func overWebSocket(c *http.Client) dial {
	return func(ctx context.Context, a admission) (*websocket.Wire, error) {
		usual := http.DefaultTransport
		http.DefaultTransport = c.Transport // of websocket.Connect
		defer func() { http.DefaultTransport = usual }()
		return websocket.Dial(ctx, a.Endpoints.WS)
	}
}

// play plays on a seat of a room for some seconds of the match, calls end, leaves, and returns the newest tick. The machine of the
// test may be so busy that the server refuses the player at first.
func (x *server) play(t *testing.T, c *http.Client, to dial, url string, a admission, seconds uint32, end func()) uint32 {
	t.Helper()
	for late := time.Now().Add(patience); ; a = ask(t, c, url+"/"+a.Room+"/join", `{}`) {
		tick, err := x.playOnce(t, to, a, 60*seconds, end)
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
func (x *server) playOnce(t *testing.T, to dial, a admission, ticks uint32, end func()) (tick uint32, err error) {
	t.Helper()
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
	wire, err := to(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	config := x.config()
	config.Session.Token = token
	player, err := systems.NewClient(wire, wire.RemoteAddr(), x.protocol(), config)
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
