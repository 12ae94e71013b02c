package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	// maxBody bounds a request's body, in bytes.
	maxBody = 4 << 10
	// burst is how many logins may come at once.
	burst = 5
	// guestNetworks is the number of networks that must use up their attempts before the attempts of unknown networks under
	// one name are used up.
	guestNetworks = 10
)

// serviceConfig configures a service.
type serviceConfig struct {
	token netcode.TokenConfig // without ClientID and UserData
	users []user
	// perMinute is the number of logins per minute and network. accountPerMinute is the number per minute, name and
	// network. All unfamiliar networks together get guestNetworks times as many per name.
	perMinute, accountPerMinute int
	names                       hostname.Guard // the host names of the service, and trusted proxies
	log                         *slog.Logger
	now                         func() time.Time                                       // nil: time.Now
	find                        func(users []user, name, password string) (user, bool) // nil: find
}

// service is the HTTP handler. It answers
//
//	POST /token {"name": …, "password": …}    200 {"token": …, "client_id": …, "expires_in": …}
//
// and every other request with a status of 4xx, or 503 under overload, and {"error": …}.
//
// A login is expensive because of the hash of its password, so it has several rate limits. The first is per name and
// network: other networks cannot use it up. Familiar players, who have logged in from the network before, need only this
// one and go first. Other players also need the limit of their network for all names, and the limit of all unfamiliar
// networks for the name. An attack from many networks can use up the last one. Then a player at a new place has the same
// chance as each attacking network, and a player at home is not affected. Unknown names have the same limits.
type service struct {
	serviceConfig
	networks *allowance.Limiter[netip.Addr]
	accounts *allowance.Limiter[string]
	players  *allowance.Limiter[player]
	familiar *familiar
	queue    *queue
}

// login is the body of a request.
type login struct {
	Name     string `json:"name"`
	Password string `json:"password"`
}

// admission is the body of a successful answer. It is secret: anyone with the token can play as the player.
type admission struct {
	Token     string `json:"token"`      // base64
	ClientID  string `json:"client_id"`  // decimal: JavaScript's numbers have 53 bits
	ExpiresIn int    `json:"expires_in"` // seconds
}

// failure is the body of any other answer.
type failure struct {
	status  int
	message string
	retry   time.Duration // 0: no use
}

func (f *failure) Error() string { return f.message }

func newService(c serviceConfig) http.Handler {
	if c.now == nil {
		c.now = time.Now
	}
	if c.find == nil {
		c.find = find
	}
	s := &service{
		serviceConfig: c,
		networks:      allowance.New[netip.Addr](c.perMinute, burst),
		accounts:      allowance.New[string](guestNetworks*c.accountPerMinute, burst),
		players:       allowance.New[player](c.accountPerMinute, burst),
		familiar:      newFamiliar(),
		queue:         newQueue(),
	}
	mux := http.NewServeMux()
	mux.Handle("/token", s)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, &failure{status: http.StatusNotFound, message: "only /token is here"})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil || !s.names.Allows(r.Host, from.Addr()) {
			s.log.Info("refused", "from", from.Addr(), "status", http.StatusForbidden, "why", adviseName)
			refuse(w, &failure{status: http.StatusForbidden, message: adviseName})
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// adviseName is the answer to a request with a host name that is not allowed.
const adviseName = "any web site could lead here under this name: use an address of this machine, or start the service with the name in -names, " +
	"or with the proxy that passes it on in -proxies"

// ServeHTTP implements [http.Handler]. It never logs what players type, because it may be a password in the wrong field.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from, err := s.names.Client(r)
	var answer *admission
	if err == nil {
		answer, err = s.admit(w, r, from)
	}
	if err != nil {
		f, ok := errors.AsType[*failure](err)
		if !ok {
			f = &failure{status: http.StatusInternalServerError, message: "something is wrong with this service"}
		}
		s.log.Info("refused", "from", from, "status", f.status, "why", err)
		refuse(w, f)
		return
	}
	s.log.Info("token", "from", from, "client_id", answer.ClientID)
	reply(w, http.StatusOK, answer)
}

// admit checks a request, cheapest checks first.
func (s *service) admit(w http.ResponseWriter, r *http.Request, from netip.Addr) (*admission, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, &failure{status: http.StatusMethodNotAllowed, message: "only POST is allowed"}
	}
	now := s.now()
	var l login
	malformed := decode(w, r, &l)
	p := player{l.Name, hostname.Network(from)}
	known := malformed == nil && s.familiar.has(p)
	if err := s.limit(p, known, malformed == nil, now); err != nil {
		return nil, err
	}
	if malformed != nil {
		return nil, malformed
	}
	u, err := s.check(r.Context(), l, known)
	if err != nil {
		return nil, err
	}
	s.familiar.add(p)
	token := s.token
	token.ClientID, token.UserData = u.id, []byte(u.name)
	issued, err := token.Issue(now)
	if err != nil {
		return nil, err
	}
	return &admission{
		Token:     base64.StdEncoding.EncodeToString(issued.Append(nil)),
		ClientID:  strconv.FormatUint(u.id, 10),
		ExpiresIn: int(issued.Expire - issued.Create),
	}, nil
}

// limit counts a login against its rate limits. A guest refused because of the name's limit has still used up the network's
// limit. Otherwise the most frequent caller would get every attempt that becomes available.
func (s *service) limit(p player, known, named bool, now time.Time) error {
	var wait time.Duration
	message := "too many logins from this address"
	if !known {
		wait = s.networks.Take(p.from, 1, now)
	}
	if wait == 0 && named {
		wait = s.players.Take(p, 1, now)
	}
	if wait == 0 && named && !known {
		message = "too many logins under this name from places where it has not logged in before"
		wait = s.accounts.Take(p.name, 1, now)
	}
	if wait > 0 {
		return &failure{status: http.StatusTooManyRequests, message: message, retry: wait}
	}
	return nil
}

// decode reads a body with one JSON object and no unknown fields.
func decode(w http.ResponseWriter, r *http.Request, l *login) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return &failure{status: http.StatusUnsupportedMediaType, message: "Content-Type must be application/json"}
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(l)
	if err == nil {
		if _, err = d.Token(); err == nil {
			err = errors.New("more than one object")
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return &failure{status: http.StatusRequestEntityTooLarge, message: fmt.Sprintf("more than %d bytes", maxBody)}
	}
	if err != nil {
		return &failure{status: http.StatusBadRequest, message: `the body must be {"name": "…", "password": "…"}`}
	}
	if l.Name == "" || len(l.Name) > maxName || l.Password == "" || len(l.Password) > maxPassword {
		return &failure{status: http.StatusBadRequest,
			message: fmt.Sprintf("name must have 1 to %d bytes, password 1 to %d", maxName, maxPassword)}
	}
	return nil
}

// check finds the user once a hashing slot is free.
func (s *service) check(ctx context.Context, l login, known bool) (user, error) {
	if !s.queue.enter(ctx, known) {
		return user{}, &failure{status: http.StatusServiceUnavailable, message: "too many players log in", retry: maxWait}
	}
	defer s.queue.leave()
	u, ok := s.find(s.users, l.Name, l.Password)
	if !ok {
		return user{}, &failure{status: http.StatusUnauthorized, message: "wrong name or password"}
	}
	return u, nil
}

func refuse(w http.ResponseWriter, f *failure) {
	if f.retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((f.retry+time.Second-1)/time.Second)))
	}
	reply(w, f.status, map[string]string{"error": f.message})
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
