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

// guard decides which requests are allowed.
type guard struct {
	token  [sha256.Size]byte // hash, so that the time of a comparison does not depend on the token
	cookie string
	open   bool // no token: only this machine is allowed
	log    *slog.Logger

	mu     sync.Mutex
	logged map[string]bool // refusals that were logged, by advice
}

// cookieName is the cookie that replaces the token in a browser.
const cookieName = "tactus-inspect"

func newGuard(c Config) *guard {
	g := &guard{open: c.Token == "", log: c.Logger, logged: map[string]bool{}}
	g.token = sha256.Sum256([]byte(c.Token))
	sum := sha256.Sum256([]byte("cookie of " + c.Token))
	g.cookie = hex.EncodeToString(sum[:])
	return g
}

// Advice in responses to refused requests.
const (
	adviseToken  = "The inspector answers other machines only with a token: give inspect.Config a Token, and show it as Authorization: Bearer TOKEN or ?token=TOKEN."
	adviseProxy  = "The inspector without a token answers no forwarded requests: give inspect.Config a Token."
	adviseName   = "The inspector without a token answers only as localhost or by a loopback address, so that no web site can pose as it: give inspect.Config a Token, or use http://127.0.0.1."
	adviseWrong  = "The inspector wants its token: Authorization: Bearer TOKEN, or ?token=TOKEN once."
	adviseOrigin = "The inspector answers no requests that pages of other sites make: open it by its address."
)

// admit reports whether a request is allowed. Otherwise it has written a response.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) bool {
	if advice := g.check(r); advice != "" {
		g.refuse(w, r, advice)
		return false
	}
	if g.open || !r.URL.Query().Has("token") {
		return true
	}
	// A redirect removes the token from the address bar and the history.
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: g.cookie, Path: "/", HttpOnly: true,
		Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode})
	q := r.URL.Query()
	q.Del("token")
	// Relative to the address in the browser, because a prefix may have been stripped.
	w.Header().Set("Location", "?"+q.Encode())
	w.WriteHeader(http.StatusSeeOther)
	return false
}

// check returns the advice for a refused request, or "".
func (g *guard) check(r *http.Request) string {
	if advice := g.checkOrigin(r); advice != "" || g.open {
		return advice
	}
	if c, err := r.Cookie(cookieName); err == nil && equalTokens(c.Value, g.cookie) {
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

// Bearer returns the token of the Authorization header.
func Bearer(r *http.Request) (token string, ok bool) {
	kind, value, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(value), ok && strings.EqualFold(kind, "Bearer")
}

// checkOrigin returns the advice for a request that is refused because of its address, host name or origin, or "".
func (g *guard) checkOrigin(r *http.Request) string {
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
	first := !g.logged[advice]
	g.logged[advice] = true
	g.mu.Unlock()
	if first {
		g.log.Warn("inspector: request refused; more for this reason are not logged", "address", r.RemoteAddr, "advice", advice)
	}
	http.Error(w, advice, http.StatusForbidden)
}

// foreign reports whether a page of another site sent the request. Links to the page are allowed.
func foreign(r *http.Request) bool {
	link := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" && r.URL.Path == "/" && r.Method != http.MethodPost
	return (!link || r.Header.Get("Origin") != "") && hostname.Guard{}.Foreign(r)
}

// equalTokens compares two tokens in constant time.
func equalTokens(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
