package web

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/internal/hostname"
)

// Dist is a page for a game that is drawn by something else, such as three.js: the folder that a bundler has made of it. It
// is a handler for it, which a [Site] has beside its own page with Config.Dist. Set its fields before it is used; then it may be
// used from any goroutine.
//
// It serves what is in the folder, and takes NAME.br or NAME.gz beside a file where the browser does. Beside the
// page is connect.json, with what connect of @tactusgo/client needs to know of the server:
//
//	{"websocket": "ws://127.0.0.1:7778", "webtransport": "https://127.0.0.1:7779/", "hashes": ["…"], "insecure": false}
//
// The last three are there where they say something; a hash is base64.
type Dist struct {
	// Folder is where it is, from the root of a module around the working directory, such as examples/three/dist, or
	// an absolute path.
	Folder string
	// Index is the page in it. "": index.html.
	Index string
	// Path is below which path it is served, such as /three/. "": all.
	Path string
	// Name is what the page of a [Site] calls it, such as three.js. "": it names it not.
	Name string
	// Command makes the folder, run in the root of the module. Who opens the page while there is none is told it. "": nothing is told.
	Command string
	// Port is the TCP port of the game's WebSockets, on the host that the page came from; 0: there are none. A [Site] sets it. A
	// page that came by TLS connects by TLS.
	Port uint16
	// WebSocket is the URL of the game's WebSockets, where Port on the page's host is not it: such as wss://play.example/game,
	// which a proxy with TLS passes on. "": that port.
	WebSocket string
	// WebTransport is the URL of the game's WebTransport on that host: its port and path, such as :7779/play. "": there is none.
	WebTransport string
	// Hashes are the SHA-256 of WebTransport's certificates, where no authority has signed them.
	Hashes [][]byte
	// Hosts are names that the page is known by, as Config.Hosts. A [Site] sets them.
	Hosts []string
	// Policy is the Content-Security-Policy that is sent with each file; [GameSockets] in it stands for the addresses in
	// connect.json. Change it where the page needs more than its own server: a login service elsewhere in connect-src, a
	// portal that shows the game in a frame in frame-ancestors. "": [DefaultPolicy].
	Policy string
	// Insecure has clients play in development mode from other machines too. A [Site] sets it where its client's arguments say so.
	Insecure bool
}

// GameSockets stands in a policy for the WebSocket and WebTransport addresses that connect.json names.
const GameSockets = "{game}"

// DefaultPolicy is the Content-Security-Policy of a [Dist]: WebAssembly, scripts, styles, fonts, pictures and sounds of its own
// server, pictures and sounds as data: and blob: URLs, and connections to its own server and to the game.
const DefaultPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"font-src 'self' data:; media-src 'self' data: blob:; connect-src 'self' data: blob: " + GameSockets + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// hashed matches the files that bundlers name by a hash of their content, such as assets/index-D4x_9fQa.js.
var hashed = regexp.MustCompile(`(^|/)assets/[^/]*-([A-Za-z0-9_-]{8})\.[a-z0-9.]+$`)

// immutable reports whether a file never changes under its name. A hash has letters of both cases or a digit among letters,
// which words and dates have not.
func immutable(name string) bool {
	m := hashed.FindStringSubmatch(name)
	if m == nil {
		return false
	}
	lower := strings.ContainsAny(m[2], "abcdefghijklmnopqrstuvwxyz")
	upper := strings.ContainsAny(m[2], "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	digit := strings.ContainsAny(m[2], "0123456789")
	return upper && (lower || digit) || lower && digit
}

// connect is connect.json.
type connect struct {
	WebSocket    string   `json:"websocket,omitempty"`
	WebTransport string   `json:"webtransport,omitempty"`
	Hashes       [][]byte `json:"hashes,omitempty"`
	Insecure     bool     `json:"insecure,omitempty"`
}

// kinds are the types of files, whatever the machine thinks of them.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": script, ".mjs": script, ".css": "text/css; charset=utf-8", ".json": "application/json", ".map": "application/json",
	".wasm": "application/wasm", ".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp", ".ico": "image/x-icon",
	".woff2": "font/woff2", ".glb": "model/gltf-binary", ".gltf": "model/gltf+json", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".txt": "text/plain; charset=utf-8",
}

// ServeHTTP implements [http.Handler].
func (d *Dist) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !(hostname.Guard{Hosts: d.Hosts}).Allows(r.Host, from.Addr()) {
		http.Error(w, adviseName, http.StatusForbidden)
		return
	}
	to := d.connect(r)
	h := w.Header()
	h.Set("Content-Security-Policy", strings.ReplaceAll(cmp.Or(d.Policy, DefaultPolicy), GameSockets, strings.Join(to.sources(), " ")))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	name, below := strings.CutPrefix(r.URL.Path, cmp.Or(d.Path, "/"))
	switch {
	case r.URL.Path+"/" == d.Path:
		http.Redirect(w, r, d.Path, http.StatusMovedPermanently)
	case !below:
		http.NotFound(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this is a page: GET", http.StatusMethodNotAllowed)
	case name == "connect.json":
		writeJSON(w, to)
	default:
		d.serve(w, r, cmp.Or(name, d.Index, "index.html"))
	}
}

// connect is what a page of this request is told of the server.
func (d *Dist) connect(r *http.Request) (c connect) {
	host := hostname.Of(r.Host)
	c.WebSocket = d.WebSocket
	if c.WebSocket == "" && d.Port != 0 {
		scheme := "ws"
		if r.TLS != nil { // such a page may open no other
			scheme = "wss"
		}
		c.WebSocket = scheme + "://" + net.JoinHostPort(host, fmt.Sprint(d.Port))
	}
	if d.WebTransport != "" {
		c.WebTransport, c.Hashes = "https://"+strings.TrimSuffix(net.JoinHostPort(host, ""), ":")+d.WebTransport, d.Hashes
	}
	c.Insecure = d.Insecure
	return c
}

// sources are where a page may connect to.
func (c *connect) sources() (all []string) {
	for _, url := range []string{c.WebSocket, c.WebTransport} {
		if scheme, rest, ok := strings.Cut(url, "://"); ok {
			host, _, _ := strings.Cut(rest, "/")
			all = append(all, scheme+"://"+host)
		}
	}
	return all
}

// serve serves a file of the folder, or says what makes it.
func (d *Dist) serve(w http.ResponseWriter, r *http.Request, name string) {
	dir, err := d.find()
	if err != nil {
		w.Header().Set("Content-Type", kinds[".html"])
		w.WriteHeader(http.StatusServiceUnavailable)
		if r.Method != http.MethodHead {
			fmt.Fprintf(w, "<!doctype html><meta charset=\"utf-8\"><title>not built</title><p>%s.</p><p>Then reload this page.</p>\n", html.EscapeString(err.Error()))
		}
		return
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer root.Close()
	kind := kinds[path.Ext(name)]
	w.Header().Set("Content-Type", cmp.Or(kind, "application/octet-stream"))
	w.Header().Set("Vary", "Accept-Encoding")
	for _, way := range [...]struct{ ext, encoding string }{{".br", "br"}, {".gz", "gzip"}, {}} {
		if way.encoding != "" && !accepts(r.Header.Get("Accept-Encoding"), way.encoding) {
			continue
		}
		f, err := root.Open(filepath.FromSlash(name + way.ext))
		if err != nil {
			continue
		}
		defer f.Close()
		if at, err := f.Stat(); err == nil && at.Mode().IsRegular() {
			if way.encoding != "" {
				w.Header().Set("Content-Encoding", way.encoding)
			}
			if immutable(name) {
				w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			}
			w.Header().Set("ETag", fmt.Sprintf("\"%x-%x%s\"", at.ModTime().UnixNano(), at.Size(), way.ext))
			http.ServeContent(w, r, "", at.ModTime(), f)
			return
		}
	}
	w.Header().Del("Content-Type")
	http.NotFound(w, r)
}

// accepts reports whether a header Accept-Encoding has an encoding.
func accepts(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), encoding) {
			return strings.Trim(weight, " q=0.") != "" || strings.TrimSpace(weight) == ""
		}
	}
	return false
}

// Ready returns an error that says what makes the page, where it is not built.
func (d *Dist) Ready() error {
	_, err := d.find()
	return err
}

// find is the folder, once it is there.
func (d *Dist) find() (string, error) {
	dir, root := d.Folder, ""
	if !filepath.IsAbs(dir) {
		err := around(func(at string) bool {
			dir, root = filepath.Join(at, filepath.FromSlash(d.Folder)), at
			_, err := os.Stat(filepath.Dir(dir))
			return err == nil
		})
		if err != nil {
			return "", fmt.Errorf("%s is in no module around the working directory: start this in a checkout that has it", path.Dir(d.Folder))
		}
	}
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(cmp.Or(d.Index, "index.html")))); err == nil {
		return dir, nil
	}
	why := strings.TrimSuffix("the page in "+d.Name, " in ") + " is not built"
	if d.Command != "" {
		why += ": run " + d.Command
		if at, err := os.Getwd(); err == nil && root != "" && at != root {
			why += " in " + root
		}
	}
	return "", errors.New(why)
}

// around tries the root of each module around the working directory, the nearest first.
func around(found func(dir string) bool) error {
	at, err := os.Getwd()
	if err != nil {
		return err
	}
	for {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil && found(at) {
			return nil
		}
		up := filepath.Dir(at)
		if up == at {
			return os.ErrNotExist
		}
		at = up
	}
}

// print says where the page is, or what makes it.
func (d *Dist) print(out io.Writer, page fmt.Stringer) {
	if d == nil {
		return
	}
	if err := d.Ready(); err != nil {
		fmt.Fprintf(out, "  %s\n", err)
		return
	}
	if d.Path == "" {
		return // that page was named
	}
	fmt.Fprintf(out, "  %-19s http://%v%s\n", "play in "+d.Name+":", here(page), d.Path)
}

// second is a [Dist], as the page of its site is told of it.
type second struct {
	Name    string `json:"name"`
	Path    string `json:"path"`
	Missing string `json:"missing,omitempty"` // what to do, where it is not built
}

// second is what the page of a request shows of it: who has opened that from another machine cannot build it.
func (d *Dist) second(r *http.Request) *second {
	if d == nil || d.Name == "" {
		return nil
	}
	s := &second{Name: d.Name, Path: d.Path}
	if err := d.Ready(); err != nil {
		if s.Missing = err.Error(); !hostname.Loopback(hostname.Of(r.Host)) {
			return nil
		}
	}
	return s
}

// of is the page beside a site, and panics where it cannot be.
func (d *Dist) of(c *Config) *Dist {
	if d == nil {
		return nil
	}
	alone := c.alone()
	switch {
	case alone && d.Path != "":
		panic(fmt.Sprintf("web.New: Config.Dist.Path is %q, and there is no Config.Package: leave the path empty, the page is the site's own", d.Path))
	case alone:
	case len(d.Path) < 3 || d.Path[0] != '/' || d.Path[len(d.Path)-1] != '/':
		panic(fmt.Sprintf("web.New: Config.Dist.Path is %q: write a path that begins and ends with a slash, such as /three/; / alone is the site's own", d.Path))
	}
	beside := *d
	beside.Port, beside.Hosts, beside.Insecure = c.Port, c.Hosts, slices.Contains(c.Args, insecure)
	return &beside
}

// answers reports whether a request is for it.
func (d *Dist) answers(path string) bool { return d != nil && strings.HasPrefix(path+"/", d.Path) }
