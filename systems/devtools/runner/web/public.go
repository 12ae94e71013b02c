package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/internal/hostname"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/rooms"
)

// playPath is the path of the game's WebSockets under a domain.
const playPath = "/play"

// Public is a server that everybody can reach by HTTPS under a host name, according to its flags. Set its fields, call
// [Public.Flags], parse the flags, call [Public.Open], and use the other methods in any case: without -domain they change nothing.
// [Beside] does this for the rooms of a world. The package serve runs the rooms:
//
//	rooms.Config  → [Public.Rooms]  → the server of the rooms
//	rooms.Here    → [Public.Seats]  → the seats for the HTTP interface
//	[Dist]        → [Public.Dist]   → the page
//	http.Handler  → [Public.Serve]  → a function for serve.Config.Beside
type Public struct {
	// Domain completes the flags: Client and Logger, and the defaults of the other fields. Its Names are ignored.
	Domain DomainConfig
	// WebTransport opens a listener for WebTransport: it calls webtransport.Listen with the same fields. Default (nil): none.
	//
	// With -domain, it listens at the address of -https, over UDP, with the certificates of the domain; admissions name it. With
	// -proxy there is none. Without -domain, WebTransport is for this machine: if the WebSockets are on loopback, it listens at their
	// address, over UDP, with a development certificate, whose hash connect.json has.
	WebTransport func(WebTransportConfig) (WebTransportWire, error)
	// Embed lists the sites that may show the page in a frame: see Config.Embed and [EmbedFlag].
	Embed []string

	names       []string       // host names; nil: no domain
	path        string         // before the paths of the page, such as /games/arena; "": none
	https       string         // address; "": :443
	proxies     []netip.Prefix // they serve HTTPS; nil: this process does
	directory   string
	email       string
	certificate string // folder
	saves       string // folder; "": rooms are not saved

	domain *Domain      // nil behind a proxy
	secure net.Listener // nil behind a proxy

	local  string   // Dist.WebTransport for this machine
	hashes [][]byte // Dist.Hashes
}

// WebTransportConfig has the fields of webtransport.Config that depend on the flags.
type WebTransportConfig struct {
	// Addr is the UDP address.
	Addr string
	// TLS has the certificates of the domain. Without a domain it is nil, for which webtransport.Listen creates a certificate.
	TLS *tls.Config
	// Hosts are the names of the domain.
	Hosts []string
	// Sandboxed reports whether Embed contains "null".
	Sandboxed bool
}

// WebTransportWire is a transport over WebTransport: webtransport.Listener.
type WebTransportWire interface {
	netsys.Wire
	// Beside combines first and this transport.
	Beside(first netsys.Wire) netsys.Wire
	// CertificateHashes returns the hashes by which pages accept a development certificate.
	CertificateHashes() [][sha256.Size]byte
}

// Flags declares the flags -domain, -https, -proxy, -acme, -acme-email, -certificates and -saves.
func (p *Public) Flags(fs *flag.FlagSet) { p.flags(fs, "", "") }

// flags declares the flags. with says which other flag -domain and -saves need, about who plays.
func (p *Public) flags(fs *flag.FlagSet, with, about string) {
	fs.Func("domain", with+"serve the page and the matches to everybody under these host `names`, separated by commas, by HTTPS with\n"+
		"certificates of an ACME authority, whose terms of service this accepts. The names must lead to this machine, and\n"+
		"TCP ports 80 and 443 to the page, by default :80, and -https. Until then, the page comes by HTTP: others can read it"+about, func(s string) error {
		names, path, _ := strings.Cut(s, "/")
		p.names, p.path = strings.Split(names, ","), strings.TrimSuffix("/"+path, "/")
		for i, name := range p.names {
			if err := validName(name); err != nil {
				return err
			}
			p.names[i] = strings.ToLower(name)
		}
		return nil
	})
	fs.Func("https", "with -domain: serve HTTPS at this `address` (default :443)", func(s string) error {
		_, _, err := net.SplitHostPort(s)
		p.https = s
		return err
	})
	fs.Func("proxy", "with -domain: these `addresses` of proxies, such as 127.0.0.1 or 10.0.0.0/8, separated by commas, serve HTTPS. They\n"+
		"forward requests to the page with the header X-Forwarded-For, and no certificate is ordered. The domain may then have\n"+
		"a path: -domain play.example/arena", func(s string) error {
		p.proxies = nil
		for text := range strings.SplitSeq(s, ",") {
			prefix, err := netip.ParsePrefix(text)
			if err != nil {
				var a netip.Addr
				if a, err = netip.ParseAddr(text); err != nil {
					return err
				}
				prefix = netip.PrefixFrom(a, a.BitLen())
			}
			p.proxies = append(p.proxies, prefix)
		}
		return nil
	})
	fs.StringVar(&p.directory, "acme", "", "with -domain: `URL` of the directory of the ACME authority (default: Let's Encrypt)")
	fs.StringVar(&p.email, "acme-email", "", "with -domain: `address` to which the authority writes about problems")
	fs.StringVar(&p.certificate, "certificates", "", "with -domain: `folder` for certificates and their keys (default: in the user's cache). Keep it, because\n"+
		"authorities limit the number of new certificates")
	fs.StringVar(&p.saves, "saves", "", with+"save the rooms in this `folder`, with a key, every five seconds and when the program ends. SIGTERM then\n"+
		"ends it immediately. After a restart, players return to their seats in the same matches")
}

// validate returns an error for flags that do not fit together.
func (p *Public) validate() error {
	switch {
	case p.names == nil && (p.proxies != nil || p.https != "" || p.directory != "" || p.email != "" || p.certificate != ""):
		return errors.New("-https, -proxy, -acme, -acme-email and -certificates: allowed with -domain only")
	case p.path != "" && p.proxies == nil:
		return fmt.Errorf("-domain %s%s: a path is allowed with -proxy only", p.names[0], p.path)
	case p.proxies != nil && len(p.names) > 1:
		return errors.New("-proxy: allowed with one -domain only")
	}
	return nil
}

// Names returns the host names of -domain, nil without the flag.
func (p *Public) Names() []string { return slices.Clone(p.names) }

// Proxies returns the addresses of -proxy. nil: this process serves HTTPS itself, if there is a domain.
func (p *Public) Proxies() []netip.Prefix { return slices.Clone(p.proxies) }

// Saves reports whether [Public.Rooms] saves the rooms: then they continue in the next process.
func (p *Public) Saves() bool { return p.saves != "" }

// on reports whether there is a domain.
func (p *Public) on() bool { return p.names != nil }

// alone reports whether this process serves HTTPS itself.
func (p *Public) alone() bool { return p.on() && p.proxies == nil }

// URL returns the URL of the page without a slash at its end: that of -domain, or that of this machine for the address of its listener.
func (p *Public) URL(page net.Addr) string {
	if p.on() {
		return p.url("https", "")
	}
	return "http://" + localAddress(page)
}

// url returns the URL of a path of the page.
func (p *Public) url(scheme, path string) string { return scheme + "://" + p.names[0] + p.path + path }

// Open returns an error for flags that do not fit together, and listens for HTTPS. log receives what the operator has to do to get a
// certificate, unless Domain has a Logger.
func (p *Public) Open(log *slog.Logger) error {
	if err := p.validate(); err != nil || !p.alone() {
		return err
	}
	c := p.Domain
	c.Names = p.names
	for _, x := range []struct {
		to   *string
		flag string
	}{{&c.Directory, p.directory}, {&c.Email, p.email}, {&c.Folder, p.certificate}} {
		if x.flag != "" {
			*x.to = x.flag
		}
	}
	if c.Logger == nil {
		c.Logger = log
	}
	var err error
	if p.domain, err = NewDomain(c); err != nil {
		return fmt.Errorf("-domain: %w", err)
	}
	if p.secure, err = Listen(cmp.Or(p.https, ":443"), false); err != nil {
		return fmt.Errorf("-https: %w", err)
	}
	return nil
}

// Close closes the listener for HTTPS, if [Public.Open] has opened it.
func (p *Public) Close() error {
	if p.secure == nil {
		return nil
	}
	return p.secure.Close()
}

// secured reports whether pages come by HTTPS.
func (p *Public) secured() bool { return p.on() && (p.domain == nil || p.domain.Ready(p.names[0])) }

// Sandboxed reports whether Embed has the entry "null": then the game's listener accepts the origin "null", too.
func (p *Public) Sandboxed() bool { return hostname.Embed(p.Embed).Sandboxed() }

// openWebTransport opens the listener for WebTransport beside wire. It returns nil if there is none.
func (p *Public) openWebTransport(wire Wire) (WebTransportWire, error) {
	c := WebTransportConfig{Hosts: p.names, Sandboxed: p.Sandboxed()}
	at := wire.WebSocketAddr()
	switch {
	case p.WebTransport == nil || p.on() && p.domain == nil || !p.on() && !at.Addr().IsLoopback():
		return nil, nil
	case p.on():
		c.Addr, c.TLS = p.secure.Addr().String(), p.domain.TLS()
		c.TLS.NextProtos = nil
		return p.WebTransport(c)
	}
	c.Addr = at.String()
	more, err := p.WebTransport(c)
	if errors.Is(err, netsys.ErrAddrInUse) {
		c.Addr = netip.AddrPortFrom(at.Addr(), 0).String()
		more, err = p.WebTransport(c)
	}
	if err != nil {
		return nil, err
	}
	p.local = fmt.Sprintf(":%d/", more.LocalAddr().Port())
	for _, h := range more.CertificateHashes() {
		p.hashes = append(p.hashes, h[:])
	}
	return more, nil
}

// Rooms returns the server of the rooms, on wire and on WebTransport. Call it before [Public.Seats] and [Public.Dist]. It sets Store
// and Key of -saves, Endpoints of -domain, and Addresses, if they are nil and wire listens on all addresses of the machine, to those
// of its interfaces. After an error the caller closes wire.
func (p *Public) Rooms(c rooms.Config, wire Wire) (_ *rooms.Server, err error) {
	if c.Addresses == nil {
		if c.Addresses, err = tokenAddresses(wire); err != nil {
			return nil, err
		}
	}
	if p.saves != "" {
		if c.Store, c.Key, err = openSaves(p.saves); err != nil {
			return nil, err
		}
	}
	more, err := p.openWebTransport(wire)
	if err != nil {
		return nil, err
	}
	if p.on() {
		c.Endpoints = rooms.Endpoints{UDP: wire.LocalAddr().String(), WS: p.url("wss", playPath)}
		if wire.LocalAddr().Addr().IsUnspecified() {
			c.Endpoints.UDP = net.JoinHostPort(p.names[0], fmt.Sprint(wire.LocalAddr().Port()))
		}
		if more != nil {
			c.Endpoints.WebTransport = p.url("https", "/")
		}
	}
	if more == nil {
		return rooms.New(c, wire)
	}
	server, err := rooms.New(c, wire, more)
	if err != nil {
		return nil, errors.Join(err, more.Close())
	}
	return server, nil
}

// Seats returns s for the HTTP interface of the rooms. Until there is a certificate of the domain, admissions name no address for
// pages, which then connect to those in connect.json. The same holds for WebTransport without -domain, because only connect.json has
// the hash of its certificate.
func (p *Public) Seats(s rooms.Seats) rooms.Seats {
	if !p.on() && p.local == "" {
		return s
	}
	return plainSeats{s, p.secured}
}

// Dist returns a copy of d with Embed, the names of the domain, and the addresses of the game.
func (p *Public) Dist(d *Dist) *Dist {
	to := d.forSite(&Config{Port: d.Port, Hosts: append(slices.Clip(d.Hosts), p.names...), Embed: p.Embed})
	to.Insecure = d.Insecure
	switch {
	case p.local != "":
		to.WebTransport, to.Hashes = p.local, p.hashes
	case p.on() && p.domain == nil:
		to.WebSocket = p.url("wss", playPath)
	case p.on():
		to.WebSocket = playPath
	}
	return to
}

// Serve serves h on page until ctx ends, and under a domain also by HTTPS: see [Domain.Serve]. Under a domain it forwards the game's
// WebSockets at /play to game, of which To is needed, and Hosts may be set. It closes page and the listener for HTTPS in all cases. h
// sees paths without that of -domain.
func (p *Public) Serve(ctx context.Context, page net.Listener, h http.Handler, game *SocketProxy) error {
	if !p.on() {
		return Serve(ctx, page, h)
	}
	game.Hosts, game.TrustedProxies, game.Sandboxed = append(slices.Clip(game.Hosts), p.names...), p.proxies, p.Sandboxed()
	site := h
	h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == playPath {
			game.ServeHTTP(w, r)
			return
		}
		site.ServeHTTP(w, r)
	})
	if path := p.path; path != "" { // the proxy may remove it, or not
		all, under := h, http.StripPrefix(path, h)
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, path+"/") {
				under.ServeHTTP(w, r)
				return
			}
			all.ServeHTTP(w, r)
		})
	}
	if p.domain == nil {
		return Serve(ctx, page, h)
	}
	return p.domain.Serve(ctx, page, p.secure, h)
}

// plainSeats returns admissions that name an address for pages only if secured returns true.
type plainSeats struct {
	rooms.Seats
	secured func() bool
}

// change removes the endpoints for pages, unless secured.
func (s plainSeats) change(all []rooms.Admission, err error) ([]rooms.Admission, error) {
	if err != nil || s.secured() {
		return all, err
	}
	all = slices.Clone(all)
	for i := range all {
		all[i].Endpoints.WS, all[i].Endpoints.WebTransport = "", ""
	}
	return all, nil
}

// changeOne is change for one admission.
func (s plainSeats) changeOne(a rooms.Admission, err error) (rooms.Admission, error) {
	all, err := s.change([]rooms.Admission{a}, err)
	return all[0], err
}

// Join implements [rooms.Seats].
func (s plainSeats) Join(ctx context.Context, w rooms.Wish) ([]rooms.Admission, error) {
	return s.change(s.Seats.Join(ctx, w))
}

// Renew implements [rooms.Seats].
func (s plainSeats) Renew(ctx context.Context, w rooms.Wish, away bool) ([]rooms.Admission, error) {
	return s.change(s.Seats.Renew(ctx, w, away))
}

// Create implements [rooms.Seats].
func (s plainSeats) Create(ctx context.Context, kind string, c rooms.Creation, who ...rooms.Player) ([]rooms.Admission, error) {
	return s.change(s.Seats.Create(ctx, kind, c, who...))
}

// Reserve implements [rooms.Seats].
func (s plainSeats) Reserve(ctx context.Context, room rooms.ID, who ...rooms.Player) ([]rooms.Admission, error) {
	return s.change(s.Seats.Reserve(ctx, room, who...))
}

// Reconnect implements [rooms.Seats].
func (s plainSeats) Reconnect(ctx context.Context, room rooms.ID, who rooms.Player) (rooms.Admission, error) {
	return s.changeOne(s.Seats.Reconnect(ctx, room, who))
}

// Spectate implements [rooms.Seats].
func (s plainSeats) Spectate(ctx context.Context, room rooms.ID, who rooms.Player) (rooms.Admission, error) {
	return s.changeOne(s.Seats.Spectate(ctx, room, who))
}
