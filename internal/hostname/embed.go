package hostname

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Null is the origin that browsers send for a page in a sandboxed frame.
const Null = "null"

// Embed lists the sites that may show a page in a frame, as scheme://host or scheme://host:port, such as https://portal.example
// or https://*.portal.example; "*" allows every site. The zero value allows none.
//
// The additional entry [Null] serves frames whose sandbox lacks allow-same-origin. The origin of a page in such a frame is
// "null", whichever site wrote the page, so the server can no longer distinguish its own page from others: any site can make
// its visitors' browsers read the files, request seats and open sockets. A server whose players need connect tokens gives
// nothing away by this. A server without tokens lets in every page that a browser on an admitted machine has open.
type Embed []string

// Validate returns an error for an entry that is not an origin, and for [Null] without a site.
func (e Embed) Validate() error {
	for _, site := range e {
		u, err := url.Parse(site)
		switch {
		case site == "*" || site == Null:
		case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Scheme+"://"+u.Host != site || u.Hostname() == "":
			return fmt.Errorf("%q is not scheme://host, such as https://portal.example", site)
		case strings.ContainsAny(u.Host, " ;,'\"") || strings.Contains(strings.TrimPrefix(u.Host, "*."), "*"):
			return fmt.Errorf("%q is not scheme://host: a * may only replace the first label", site)
		}
	}
	if e.Sandboxed() && len(e) == 1 {
		return errors.New(`"null" stands alone: add the sites that may show the page, such as https://portal.example,null`)
	}
	return nil
}

// Sandboxed reports whether the frames may be sandboxed.
func (e Embed) Sandboxed() bool { return slices.Contains(e, Null) }

// Ancestors returns the sources of the directive frame-ancestors in a Content-Security-Policy.
func (e Embed) Ancestors() string {
	sites := slices.DeleteFunc(slices.Clone(e), func(site string) bool { return site == Null })
	if len(sites) == 0 {
		return "'none'"
	}
	return strings.Join(sites, " ")
}

// Share reports whether a page in a sandboxed frame sent the request, and may. Then it adds the headers with which the page can
// read the answer. A request for a page itself has no origin and needs none.
func (e Embed) Share(h http.Header, r *http.Request) bool {
	if !e.Sandboxed() {
		return false
	}
	h.Add("Vary", "Origin")
	if r.Header.Get("Origin") != Null {
		return false
	}
	h.Set("Access-Control-Allow-Origin", Null)
	return true
}
