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

	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	// maxBody bounds a request's body, in bytes.
	maxBody = 4 << 10
	// maxWaiting bounds the requests that wait for a password to be hashed.
	maxWaiting = 64
	// maxHashing bounds the passwords that are hashed at once: hashing is slow on purpose.
	maxHashing = 2
)

// serviceConfig says what a service hands out to whom.
type serviceConfig struct {
	token     netcode.TokenConfig // but for ClientID and UserData
	users     []user
	perMinute int
	proxies   []netip.Prefix
	log       *slog.Logger
	now       func() time.Time // nil: time.Now
}

// service answers
//
//	POST /token {"name": …, "password": …}    200 {"token": …, "client_id": …, "expires_in": …}
//
// and all else with a status of 4xx, or 503 when it has too much to do, and {"error": …}.
type service struct {
	serviceConfig
	limits           *limiter
	waiting, hashing chan struct{}
}

// login is the body of a request.
type login struct {
	Name     string `json:"name"`
	Password string `json:"password"`
}

// admission is the body of the answer to a good one. It is a secret: whoever has the token is the player.
type admission struct {
	Token     string `json:"token"`      // base64
	ClientID  string `json:"client_id"`  // decimal: JavaScript's numbers have 53 bits
	ExpiresIn int    `json:"expires_in"` // seconds
}

// failure is an answer other than 200.
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
	s := &service{
		serviceConfig: c,
		limits:        newLimiter(c.perMinute),
		waiting:       make(chan struct{}, maxWaiting),
		hashing:       make(chan struct{}, maxHashing),
	}
	mux := http.NewServeMux()
	mux.Handle("/token", s)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, &failure{status: http.StatusNotFound, message: "only /token is here"})
	})
	return mux
}

// ServeHTTP implements [http.Handler]. What players type is in no log: it may be a password in the wrong field.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from, err := clientAddr(r, s.proxies)
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

// admit examines a request, what costs least first.
func (s *service) admit(w http.ResponseWriter, r *http.Request, from netip.Addr) (*admission, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, &failure{status: http.StatusMethodNotAllowed, message: "only POST is allowed"}
	}
	now := s.now()
	if wait := s.limits.take(from, now); wait > 0 {
		return nil, &failure{status: http.StatusTooManyRequests, message: "too many logins from this address", retry: wait}
	}
	var l login
	if err := decode(w, r, &l); err != nil {
		return nil, err
	}
	u, err := s.check(r.Context(), l)
	if err != nil {
		return nil, err
	}
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

// decode reads a body of one JSON object, and nothing that is not meant.
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

// check finds the user, in a queue that is bounded.
func (s *service) check(ctx context.Context, l login) (user, error) {
	busy := &failure{status: http.StatusServiceUnavailable, message: "too many players log in", retry: time.Second}
	select {
	case s.waiting <- struct{}{}:
		defer func() { <-s.waiting }()
	default:
		return user{}, busy
	}
	select {
	case s.hashing <- struct{}{}:
		defer func() { <-s.hashing }()
	case <-ctx.Done():
		return user{}, busy
	}
	u, ok := find(s.users, l.Name, l.Password)
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
