package web

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"

	"github.com/tactusgo/tactus/internal/hostname"
)

// Other is another world of the same machine, for Config.Others.
type Other struct {
	// Name is what the page calls it.
	Name string
	// GamePort is its Config.GamePort: its page is three above.
	GamePort uint16
	// Command starts it.
	Command string
}

// page is the port of its page.
func (o *Other) page() uint16 { return o.GamePort + 3 }

// shown is another world, as the page is told of it.
type shown struct {
	Name    string `json:"name"`
	Port    uint16 `json:"port"`
	Command string `json:"command"`
}

// others are the worlds that a page of this request shows. Who has opened it from another machine can neither
// start them there, nor is it for the page to find out what else that machine serves.
func (s *Site) others(r *http.Request) []shown {
	all := []shown{}
	if !hostname.Loopback(hostname.Of(r.Host)) {
		return all
	}
	for _, o := range s.config.Others {
		all = append(all, shown{o.Name, o.page(), o.Command})
	}
	return all
}

// sources are where a page of this request may look for other worlds, with a space before each.
func (s *Site) sources(r *http.Request) (all string) {
	for _, o := range s.others(r) {
		all += " http://" + net.JoinHostPort(hostname.Of(r.Host), fmt.Sprint(o.Port))
	}
	return all
}

// world says what is played here, to pages of this machine too that are of another port.
func (s *Site) world(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Origin")
	if origin := r.Header.Get("Origin"); nearby(origin) && nearbyPeer(r.RemoteAddr) {
		w.Header().Set("Access-Control-Allow-Origin", origin)
	}
	writeJSON(w, map[string]string{"title": s.front.title})
}

// nearby reports whether an origin is a page of this machine.
func nearby(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == "http" && hostname.Loopback(u.Hostname())
}

// nearbyPeer reports whether a request comes from this machine.
func nearbyPeer(remote string) bool {
	a, err := netip.ParseAddrPort(remote)
	return err == nil && a.Addr().Unmap().IsLoopback()
}
