package inspect

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"

	"github.com/tactusgo/tactus/internal/hostname"
)

// guard decides who may see anything.
type guard struct {
	token  [sha256.Size]byte // its hash, so that a comparison tells not even its length
	cookie string
	open   bool // no token: this machine alone
	log    *slog.Logger

	mu   sync.Mutex
	told map[string]bool // refusals that were logged, by advice
}

// cookieName is the cookie that stands for the token in a browser.
const cookieName = "tactus-inspect"

func newGuard(c Config) *guard {
	g := &guard{open: c.Token == "", log: c.Logger, told: map[string]bool{}}
	g.token = sha256.Sum256([]byte(c.Token))
	sum := sha256.Sum256([]byte("cookie of " + c.Token))
	g.cookie = hex.EncodeToString(sum[:])
	return g
}

// The advice of refusals.
const (
	adviseToken  = "The inspector answers other machines only with a token: give inspect.Config a Token, and show it as Authorization: Bearer TOKEN or ?token=TOKEN."
	adviseProxy  = "The inspector without a token answers no forwarded requests: give inspect.Config a Token."
	adviseName   = "The inspector without a token answers only as localhost or by a loopback address, so that no web site can pose as it: give inspect.Config a Token, or use http://127.0.0.1."
	adviseWrong  = "The inspector wants its token: Authorization: Bearer TOKEN, or ?token=TOKEN once."
	adviseOrigin = "The inspector answers no requests that pages of other sites make: open it by its address."
)

// admit reports whether a request may go on; else it has been answered.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) bool {
	if advice := g.judge(r); advice != "" {
		g.refuse(w, r, advice)
		return false
	}
	if g.open || !r.URL.Query().Has("token") {
		return true
	}
	// The token leaves the address bar, and with it the history.
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: g.cookie, Path: "/", HttpOnly: true,
		Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode})
	q := r.URL.Query()
	q.Del("token")
	// Relative to the address that the browser used, which a prefix may have been taken from.
	w.Header().Set("Location", "?"+q.Encode())
	w.WriteHeader(http.StatusSeeOther)
	return false
}

// judge returns why a request is refused, or nothing.
func (g *guard) judge(r *http.Request) string {
	if advice := g.place(r); advice != "" || g.open {
		return advice
	}
	if c, err := r.Cookie(cookieName); err == nil && same(c.Value, g.cookie) {
		return ""
	}
	shown := r.URL.Query().Get("token")
	if bearer, ok := Bearer(r); ok {
		shown = bearer
	}
	if sum := sha256.Sum256([]byte(shown)); subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1 {
		return ""
	}
	return adviseWrong
}

// Bearer is the token that a request shows in its header Authorization.
func Bearer(r *http.Request) (token string, ok bool) {
	kind, value, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(value), ok && strings.EqualFold(kind, "Bearer")
}

// place returns why a request is refused whatever it shows: because of where it comes from, or by which name.
func (g *guard) place(r *http.Request) string {
	if foreign(r) {
		return adviseOrigin
	}
	if g.open {
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		switch {
		case err != nil || !from.Addr().Unmap().IsLoopback():
			return adviseToken
		case hostname.Forwarded(r.Header):
			return adviseProxy
		case !hostname.Guard{}.Allows(r.Host, from.Addr()):
			return adviseName
		}
	}
	return ""
}

func (g *guard) refuse(w http.ResponseWriter, r *http.Request, advice string) {
	g.mu.Lock()
	first := !g.told[advice]
	g.told[advice] = true
	g.mu.Unlock()
	if first {
		g.log.Warn("inspector: request refused; more for this reason are not told", "address", r.RemoteAddr, "advice", advice)
	}
	http.Error(w, advice, http.StatusForbidden)
}

// foreign reports whether a page of another site makes a request. All it may do is link to the page.
func foreign(r *http.Request) bool {
	link := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" && r.URL.Path == "/" && r.Method != http.MethodPost
	return (!link || r.Header.Get("Origin") != "") && hostname.Guard{}.Foreign(r)
}

// same compares two texts in a time that does not depend on where they differ.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
