package web

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/internal/hostname"
	"github.com/tactusgo/tactus/systems/rooms"
)

// playPath is the path of the game's WebSockets under a domain.
const playPath = "/play"

// public is the flags of rooms that everybody can play in.
type public struct {
	names       []string       // host names; nil: no domain
	path        string         // before the paths of the page, such as /games/arena; "": none
	https       string         // address; "": :443
	proxies     []netip.Prefix // they serve HTTPS; nil: this process does
	directory   string
	email       string
	certificate string // folder
	saves       string // folder; "": rooms are not saved
}

// flags declares the flags.
func (p *public) flags(fs *flag.FlagSet) {
	fs.Func("domain", "with -rooms: serve the lobby and the matches to everybody under these host `names`, separated by commas, by HTTPS with\n"+
		"certificates of an ACME authority, whose terms of service this accepts. The names must lead to this machine, and\n"+
		"TCP ports 80 and 443 to -http, by default :80, and -https. Until then, the page comes by HTTP: others can read it.\n"+
		"Players do not log in: a guest is the random number that its browser keeps", func(s string) error {
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
		"forward requests to -http with the header X-Forwarded-For, and no certificate is ordered. The domain may then have\n"+
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
	fs.StringVar(&p.saves, "saves", "", "with -rooms: save the rooms in this `folder`, with a key, every five seconds and when the program ends. SIGTERM then\n"+
		"ends it immediately. After a restart, players return to their seats in the same matches")
}

// validate returns an error for flags that do not fit together.
func (p *public) validate(inRooms bool) error {
	switch {
	case p.names != nil && !inRooms:
		return errors.New("-domain: set -rooms, too")
	case p.saves != "" && !inRooms:
		return errors.New("-saves: set -rooms, too: for one match, -save writes a file")
	case p.names == nil && (p.proxies != nil || p.https != "" || p.directory != "" || p.email != "" || p.certificate != ""):
		return errors.New("-https, -proxy, -acme, -acme-email and -certificates: allowed with -domain only")
	case p.path != "" && p.proxies == nil:
		return fmt.Errorf("-domain %s%s: a path is allowed with -proxy only", p.names[0], p.path)
	case p.proxies != nil && len(p.names) > 1:
		return errors.New("-proxy: allowed with one -domain only")
	}
	return nil
}

// on reports whether there is a domain.
func (p *public) on() bool { return p.names != nil }

// url returns the URL of a path of the page.
func (p *public) url(scheme, path string) string { return scheme + "://" + p.names[0] + p.path + path }

// service is what serves the page under a domain.
type service struct {
	public *public
	domain *Domain      // nil behind a proxy
	secure net.Listener // nil behind a proxy
}

// open returns the service, which listens for HTTPS.
func (p *public) open(c DomainConfig, log *slog.Logger) (*service, error) {
	s := &service{public: p}
	if p.proxies != nil {
		return s, nil
	}
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
	if s.domain, err = NewDomain(c); err != nil {
		return nil, fmt.Errorf("-domain: %w", err)
	}
	if s.secure, err = net.Listen("tcp", cmp.Or(p.https, ":443")); err != nil {
		return nil, fmt.Errorf("-https: %w", privileged(err))
	}
	return s, nil
}

// privileged adds what to do to the error of listening at a low port.
func privileged(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: ports below 1024 need a permission: AmbientCapabilities=CAP_NET_BIND_SERVICE in the unit of systemd, or sysctl net.ipv4.ip_unprivileged_port_start=80", err)
	}
	return err
}

// close closes the listener.
func (s *service) close() error {
	if s == nil || s.secure == nil {
		return nil
	}
	return s.secure.Close()
}

// secured reports whether pages come by HTTPS.
func (s *service) secured() bool { return s.domain == nil || s.domain.Ready(s.public.names[0]) }

// tls returns the certificates, nil behind a proxy.
func (s *service) tls() *tls.Config {
	if s.domain == nil {
		return nil
	}
	return s.domain.TLS()
}

// endpoints returns the public endpoints of a transport.
func (s *service) endpoints(wire Wire) rooms.Endpoints {
	e := rooms.Endpoints{UDP: wire.LocalAddr().String(), WS: s.public.url("wss", playPath)}
	if wire.LocalAddr().Addr().IsUnspecified() {
		e.UDP = net.JoinHostPort(s.public.names[0], fmt.Sprint(wire.LocalAddr().Port()))
	}
	return e
}

// dist returns the page with the address of the WebSockets.
func (s *service) dist(d *Dist) *Dist {
	c := d.forSite(&Config{})
	if c.WebSocket = playPath; s.domain == nil {
		c.WebSocket = s.public.url("wss", playPath)
	}
	return c
}

// serve serves the page and the WebSockets at playPath, until ctx ends.
func (s *service) serve(ctx context.Context, plain net.Listener, site http.Handler, sockets netip.AddrPort, c *Config) error {
	game := &SocketProxy{To: sockets, Hosts: c.Hosts, Sandboxed: hostname.Embed(c.Embed).Sandboxed(), TrustedProxies: s.public.proxies}
	h := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == playPath {
			game.ServeHTTP(w, r)
			return
		}
		site.ServeHTTP(w, r)
	}))
	if path := s.public.path; path != "" { // the proxy may remove it, or not
		all, under := h, http.StripPrefix(path, h)
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, path+"/") {
				under.ServeHTTP(w, r)
				return
			}
			all.ServeHTTP(w, r)
		})
	}
	if s.domain == nil {
		return Serve(ctx, plain, h)
	}
	return s.domain.Serve(ctx, plain, s.secure, h)
}

// plainSeats is the seats of a domain. Until it has a certificate, admissions do not name its WebSockets: pages then connect to the
// address in connect.json.
type plainSeats struct {
	rooms.Seats
	secured func() bool
}

// change removes the endpoints of admissions that need a certificate, if there is none.
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
