package main

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"mime"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/internal/allowance"
	"github.com/tactusgo/tactus/internal/hostname"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	maxBody   = 4 << 10 // bytes
	maxName   = 32      // bytes; a name must fit a token's user data
	perMinute = 30      // logins of an IPv4 address or an IPv6 network of 64 bits
	burst     = 5       // logins at once
	rounds    = 600_000 // of hashing a password, which take about a tenth of a second
	maxWait   = 2 * time.Second
)

// user is an account.
type user struct {
	id   uint64 // never changes and is never reused
	name string
	salt string
	hash string // hex of PBKDF2-HMAC-SHA256 of the password
}

// demoUsers stand for a database.
var demoUsers = []user{
	{1, "alice", "00260440d06676da", "356d93990c6628adda61cebb1721c6fee80431f2ca9aba93c4db1efb28a4282f"},
	{2, "bob", "cd0fb351194ac73a", "d804878e828586522f2f0ada2c8620a52e0de38769d526c5b9a0942b3b8c80a5"},
	{3, "carol", "7f9acadf327579ca", "e551985bed680151ef9d937e0e8f4c40b4b85448e7b65524e4bbc389a7efeb22"},
	{4, "dave", "278f96298fd5592f", "eda4db1944f623e68337ec5a271815211506d49757f5866193c27949d3f188bf"},
}

// service is the HTTP handler. It answers
//
//	POST /token {"name": …, "password": …}    200 {"token": …, "client_id": …, "expires_in": …}
//
// and every other request with {"error": …}. The token is secret: anyone who has it can play as the player.
type service struct {
	token    netcode.TokenConfig // without ClientID and UserData
	names    hostname.Guard      // the host names of the service, and trusted proxies
	log      *slog.Logger
	networks *allowance.Limiter[netip.Addr]
	hashing  chan struct{} // as long as the number of passwords that are hashed at once
}

func newService(token netcode.TokenConfig, names hostname.Guard, log *slog.Logger) *service {
	return &service{token, names, log, allowance.New[netip.Addr](perMinute, burst), make(chan struct{}, 2)}
}

// ServeHTTP implements [http.Handler]. It never logs what players type, because it may be a password in the wrong field.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	from, err := s.names.Client(r)
	direct, malformed := netip.ParseAddrPort(r.RemoteAddr)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	var login struct{ Name, Password string }
	switch {
	case err != nil || malformed != nil || !s.names.Allows(r.Host, direct.Addr()):
		refuse(w, http.StatusForbidden, "any web site could lead here under this name: use an address of this machine, or start the service with -names or -proxies")
	case r.Method != http.MethodPost || r.URL.Path != "/token":
		refuse(w, http.StatusNotFound, "only POST /token is here")
	case kind != "application/json": // a page of another site cannot send it
		refuse(w, http.StatusUnsupportedMediaType, "Content-Type must be application/json")
	case s.limited(w, from):
	case json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&login) != nil || login.Name == "" || len(login.Name) > maxName:
		refuse(w, http.StatusBadRequest, `the body must be {"name": "…", "password": "…"}`)
	default:
		s.admit(w, r, from, login.Name, login.Password)
	}
}

// limited answers an address that logs in too often.
func (s *service) limited(w http.ResponseWriter, from netip.Addr) bool {
	wait := s.networks.Take(hostname.Network(from), 1, time.Now())
	if wait > 0 {
		retryAfter(w, wait)
		refuse(w, http.StatusTooManyRequests, "too many logins from this address")
	}
	return wait > 0
}

// admit answers a login.
func (s *service) admit(w http.ResponseWriter, r *http.Request, from netip.Addr, name, password string) {
	select {
	case s.hashing <- struct{}{}:
	case <-time.After(maxWait):
		retryAfter(w, maxWait)
		refuse(w, http.StatusServiceUnavailable, "too many players log in")
		return
	case <-r.Context().Done():
		return
	}
	u, ok := find(name, password)
	<-s.hashing
	if !ok {
		s.log.Info("wrong name or password", "from", from)
		refuse(w, http.StatusUnauthorized, "wrong name or password")
		return
	}
	token := s.token
	token.ClientID, token.UserData = u.id, []byte(u.name)
	issued, err := token.Issue(time.Now())
	if err != nil {
		s.log.Error("no token", "error", err)
		refuse(w, http.StatusInternalServerError, "something is wrong with this service")
		return
	}
	s.log.Info("token", "from", from, "client_id", u.id)
	reply(w, http.StatusOK, map[string]any{
		"token":      base64.StdEncoding.EncodeToString(issued.Append(nil)),
		"client_id":  strconv.FormatUint(u.id, 10), // JavaScript's numbers have 53 bits
		"expires_in": issued.Expire - issued.Create,
	})
}

// find returns the user with a name and a password. It takes the same time for unknown names.
func find(name, password string) (user, bool) {
	u, known := user{}, 0
	for _, candidate := range demoUsers {
		if candidate.name == name {
			u, known = candidate, 1
		}
	}
	// Key fails only for a length that is too large.
	hash, _ := pbkdf2.Key(sha256.New, password, []byte(u.salt), rounds, sha256.Size)
	return u, known&subtle.ConstantTimeCompare([]byte(hex.EncodeToString(hash)), []byte(u.hash)) == 1
}

func refuse(w http.ResponseWriter, status int, reason string) {
	reply(w, status, map[string]any{"error": reason})
}

func reply(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func retryAfter(w http.ResponseWriter, d time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int((d+time.Second-1)/time.Second)))
}
