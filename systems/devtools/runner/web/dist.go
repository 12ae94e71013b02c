package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/internal/hostname"
)

// Dist is a page that a bundler has created, for a game with a renderer such as three.js. Dist is a handler; Config.Dist makes
// it the page of a [Site]. Set its fields before the first request. After that, any goroutine may use it.
//
// Dist serves the files of the folder, and NAME.br or NAME.gz instead of NAME to browsers that accept them. It also serves
// connect.json, with the options for connect of @tactusgo/client:
//
//	{"websocket": "ws://127.0.0.1:7778", "webtransport": "https://127.0.0.1:7779/", "hashes": ["…"], "insecure": false}
//
// The last three are omitted if they are empty or false. A hash is base64.
type Dist struct {
	// Files are the files of the page, such as an embed.FS. Dist compresses each once, and again when its size or the time of
	// its last change differs, and keeps the result in memory. Default (nil): those in Folder.
	Files fs.FS
	// Folder is an absolute path, or relative to the root of a module around the working directory, such as
	// examples/stage/dist.
	Folder string
	// Index is the file name of the page. Default (""): index.html.
	Index string
	// Command builds the folder, run in the root of the module. The page shows it while the folder does not exist. Default
	// (""): none.
	Command string
	// Port is the TCP port of the game's WebSockets on the host of the page. A [Site] sets it. A page loaded over TLS
	// connects over TLS. 0: no WebSockets.
	Port uint16
	// WebSocket is the URL of the game's WebSockets if Port is not enough, such as wss://play.example/game behind a proxy
	// with TLS, or a path on the host and port of the page, such as /game for a [SocketProxy]. Default (""): Port.
	WebSocket string
	// WebTransport is the port and path of the game's WebTransport on the host of the page, such as :7779/play. Default
	// (""): none.
	WebTransport string
	// Hashes are the SHA-256 hashes of self-signed certificates for WebTransport.
	Hashes [][]byte
	// Hosts are the allowed host names: see Config.Hosts. A [Site] sets them.
	Hosts []string
	// Embed lists the sites that may show the page in a frame: see Config.Embed. A [Site] sets it.
	Embed []string
	// Policy is the Content-Security-Policy of each file. [GameSockets] in it stands for the addresses in connect.json, and
	// [EmbeddingSites] for Embed. Change it if the page needs other servers, such as a login service in connect-src. Default
	// (""): [DefaultPolicy].
	Policy string
	// Insecure lets clients on other machines play in development mode. A [Site] sets it if its client's arguments do.
	Insecure bool

	packed packedFiles
}

// packedFiles are the files of [Dist].Files that were asked for, compressed.
type packedFiles struct {
	mu     sync.Mutex // held while a file is compressed, so that requests at the same time do not compress it twice
	byName map[string]*packedFile
}

// packedFile is a file, compressed.
type packedFile struct {
	changed time.Time
	size    int64
	tag     string // of the content, before it was compressed
	gzip    []byte
}

// file returns a file, compressed. The error is that of the file system.
func (p *packedFiles) file(files fs.FS, name string) (*packedFile, error) {
	at, err := fs.Stat(files, name)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if x := p.byName[name]; x != nil && x.size == at.Size() && x.changed.Equal(at.ModTime()) {
		return x, nil
	}
	b, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	var to bytes.Buffer
	z := gzip.NewWriter(&to)
	_, _ = z.Write(b) // a bytes.Buffer accepts everything
	_ = z.Close()
	if p.byName == nil {
		p.byName = make(map[string]*packedFile)
	}
	x := &packedFile{at.ModTime(), at.Size(), fmt.Sprintf("%x", sha256.Sum256(b))[:20], to.Bytes()}
	p.byName[name] = x
	return x, nil
}

// GameSockets is the placeholder in a policy for the WebSocket and WebTransport addresses of connect.json.
const GameSockets = "{game}"

// EmbeddingSites is the placeholder in a policy for the sites of Dist.Embed, or for 'none'.
const EmbeddingSites = "{embed}"

// DefaultPolicy is the Content-Security-Policy of a [Dist]. It allows WebAssembly, scripts, styles, fonts, images and
// sounds from its own server, images and sounds as data: and blob: URLs, and connections to its own server and the game. The
// sites of Dist.Embed may show the page in a frame.
const DefaultPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"font-src 'self' data:; media-src 'self' data: blob:; connect-src 'self' data: blob: " + GameSockets + "; base-uri 'none'; form-action 'none'; frame-ancestors " + EmbeddingSites

// hashed matches file names with a content hash from a bundler, such as assets/index-D4x_9fQa.js.
var hashed = regexp.MustCompile(`(^|/)assets/[^/]*-([A-Za-z0-9_-]{8})\.[a-z0-9.]+$`)

// immutable reports whether the content of a file never changes. Content hashes have letters of both cases or a digit among
// letters, unlike words and dates.
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

// connect is the content of connect.json.
type connect struct {
	WebSocket    string   `json:"websocket,omitempty"`
	WebTransport string   `json:"webtransport,omitempty"`
	Hashes       [][]byte `json:"hashes,omitempty"`
	Insecure     bool     `json:"insecure,omitempty"`
}

// kinds are the content types by file extension, independent of the machine's configuration.
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
	embed := hostname.Embed(d.Embed)
	if err := embed.Validate(); err != nil {
		http.Error(w, "web: Dist.Embed: "+err.Error(), http.StatusInternalServerError)
		return
	}
	to := d.connect(r)
	h := w.Header()
	embed.Share(h, r)
	h.Set("Content-Security-Policy", strings.NewReplacer(GameSockets, strings.Join(to.sources(), " "), EmbeddingSites, embed.Ancestors()).Replace(cmp.Or(d.Policy, DefaultPolicy)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	name := strings.TrimPrefix(r.URL.Path, "/")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this is a page: GET", http.StatusMethodNotAllowed)
	case name == "connect.json":
		writeJSON(w, to)
	default:
		d.serve(w, r, cmp.Or(name, d.Index, "index.html"))
	}
}

// connect returns connect.json for a request.
func (d *Dist) connect(r *http.Request) (c connect) {
	host, scheme := hostname.Of(r.Host), "ws"
	if r.TLS != nil { // browsers forbid ws: on such a page
		scheme = "wss"
	}
	switch c.WebSocket = d.WebSocket; {
	case strings.HasPrefix(d.WebSocket, "/"):
		c.WebSocket = scheme + "://" + r.Host + d.WebSocket
	case d.WebSocket == "" && d.Port != 0:
		c.WebSocket = scheme + "://" + net.JoinHostPort(host, fmt.Sprint(d.Port))
	}
	if d.WebTransport != "" {
		c.WebTransport, c.Hashes = "https://"+strings.TrimSuffix(net.JoinHostPort(host, ""), ":")+d.WebTransport, d.Hashes
	}
	c.Insecure = d.Insecure
	return c
}

// sources returns the origins that a page may connect to.
func (c *connect) sources() (all []string) {
	for _, url := range []string{c.WebSocket, c.WebTransport} {
		if scheme, rest, ok := strings.Cut(url, "://"); ok {
			host, _, _ := strings.Cut(rest, "/")
			all = append(all, scheme+"://"+host)
		}
	}
	return all
}

// serve serves a file of the folder, or an explanation how to build it.
func (d *Dist) serve(w http.ResponseWriter, r *http.Request, name string) {
	if d.Files != nil {
		d.serveFile(w, r, name)
		return
	}
	dir, err := d.find()
	if err != nil {
		w.Header().Set("Content-Type", kinds[".html"])
		w.WriteHeader(http.StatusServiceUnavailable)
		if r.Method != http.MethodHead {
			fmt.Fprintf(w, "<!doctype html><meta charset=\"utf-8\"><title>not built</title><p>%s.</p><p>Then reload this page.</p>\n", html.EscapeString(err.Error()))
		}
		return
	}
	if immutable(name) {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	serveBest(w, r, dir, name)
}

// serveBest serves a file of a folder, or its smallest copy that the browser accepts: NAME.br or NAME.gz.
func serveBest(w http.ResponseWriter, r *http.Request, dir, name string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer root.Close()
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
			h := w.Header()
			h.Set("Content-Type", cmp.Or(kinds[path.Ext(name)], "application/octet-stream"))
			h.Add("Vary", "Accept-Encoding")
			if way.encoding != "" {
				h.Set("Content-Encoding", way.encoding)
			}
			h.Set("ETag", fmt.Sprintf("\"%x-%x%s\"", at.ModTime().UnixNano(), at.Size(), way.ext))
			http.ServeContent(w, r, "", at.ModTime(), f)
			return
		}
	}
	w.Header().Del("Cache-Control")
	http.NotFound(w, r)
}

// serveFile serves one of Files, compressed if the browser accepts it.
func (d *Dist) serveFile(w http.ResponseWriter, r *http.Request, name string) {
	x, err := d.packed.file(d.Files, name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", cmp.Or(kinds[path.Ext(name)], "application/octet-stream"))
	h.Add("Vary", "Accept-Encoding")
	b, tag := x.gzip, x.tag+"-gz"
	if accepts(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
	} else if b, err = fs.ReadFile(d.Files, name); err != nil {
		h.Del("Content-Type")
		http.NotFound(w, r)
		return
	} else {
		tag = x.tag
	}
	h.Set("ETag", strconv.Quote(tag))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// accepts reports whether an Accept-Encoding header lists an encoding.
func accepts(header, encoding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), encoding) {
			return strings.Trim(weight, " q=0.") != "" || strings.TrimSpace(weight) == ""
		}
	}
	return false
}

// Ready returns an error that says how to build the page, or nil if it exists.
func (d *Dist) Ready() error {
	_, err := d.find()
	return err
}

// find returns the folder if it exists, or "" with Files.
func (d *Dist) find() (string, error) {
	if d.Files != nil {
		return "", nil
	}
	dir, root := d.Folder, ""
	if !filepath.IsAbs(dir) {
		err := eachModuleRoot(func(at string) bool {
			dir, root = filepath.Join(at, filepath.FromSlash(d.Folder)), at
			_, err := os.Stat(filepath.Dir(dir))
			return err == nil
		})
		if err != nil {
			return "", fmt.Errorf("%s is in no module around the working directory: run the command in a checkout with it", path.Dir(d.Folder))
		}
	}
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(cmp.Or(d.Index, "index.html")))); err == nil {
		return dir, nil
	}
	why := "the page is not built"
	if d.Command != "" {
		why += ": run " + d.Command
		if at, err := os.Getwd(); err == nil && root != "" && at != root {
			why += " in " + root
		}
	}
	return "", errors.New(why)
}

// eachModuleRoot calls found with the root of each module around the working directory, the innermost first, until it returns true.
func eachModuleRoot(found func(dir string) bool) error {
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

// forSite returns the Dist of a site's configuration with the fields that the site sets.
func (d *Dist) forSite(c *Config) *Dist {
	if d == nil {
		return nil
	}
	return &Dist{
		Files: d.Files, Folder: d.Folder, Index: d.Index, Command: d.Command, Port: c.Port, WebSocket: d.WebSocket, WebTransport: d.WebTransport,
		Hashes: d.Hashes, Hosts: c.Hosts, Embed: c.Embed, Policy: d.Policy, Insecure: slices.Contains(c.Args, insecure),
	}
}
