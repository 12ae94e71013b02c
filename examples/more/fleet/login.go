package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	// maxToken is the maximum size of an ID token in bytes, maxKeys that of the issuer's keys.
	maxToken, maxKeys = 4 << 10, 64 << 10
	// keysInterval is how often the issuer's keys are fetched. A login with an unknown key makes the next fetch earlier, but at
	// least keysPause after the previous one.
	keysInterval, keysPause = 10 * time.Minute, 10 * time.Second
	// clocksDiffer is the accepted difference between the clocks of issuer and process.
	clocksDiffer = 30 * time.Second
)

// algorithms are the accepted signature algorithms. None of them needs a secret that this process shares with the issuer.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA}

// Errors of refused logins. Players receive the texts.
var (
	errNoLogin  = errors.New("log in first: send the ID token as Authorization: Bearer TOKEN")
	errExpired  = errors.New("the login has expired: log in again")
	errAudience = errors.New("the login is for another game: log in to this one")
	errIssuer   = errors.New("the login is not of the issuer of this game: log in there")
	errKey      = errors.New("the login is signed with a key that the issuer does not have: log in again")
	errBad      = errors.New("the login is not valid: log in again")
)

// login authenticates players by ID tokens of an OpenID Connect issuer.
type login struct {
	issuer, audience, from string
	log                    *slog.Logger
	now                    func() time.Time
	client                 http.Client
	wanted                 chan struct{} // receives a value when a login has an unknown key

	mu   sync.Mutex
	keys *jose.JSONWebKeySet // nil: not fetched yet
}

// newLogin returns a login that accepts tokens of an issuer for an audience. Call run, which fetches the issuer's keys.
func newLogin(issuer, audience, from string, log *slog.Logger) (*login, error) {
	if issuer == "" || audience == "" {
		return nil, errors.New("-issuer or -audience is missing: nobody would know who players are")
	}
	u, err := url.Parse(from)
	if err != nil {
		return nil, fmt.Errorf("-jwks: %w", err)
	}
	at, _ := netip.ParseAddr(u.Hostname())
	if u.Scheme != "https" && !(u.Scheme == "http" && at.IsLoopback()) {
		return nil, fmt.Errorf("-jwks %q: want https://, because whoever changes the keys is any player", from)
	}
	l := &login{issuer: issuer, audience: audience, from: from, log: log, now: time.Now, wanted: make(chan struct{}, 1)}
	l.client.Timeout = 5 * time.Second
	return l, nil
}

// authenticate implements web.Config.Authenticate.
func (l *login) authenticate(r *http.Request) (rooms.Player, error) {
	kind, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(kind, "Bearer") {
		return rooms.Player{}, errNoLogin
	}
	subject, err := l.verify(strings.TrimSpace(token))
	if err != nil {
		return rooms.Player{}, err
	}
	return rooms.Player{ID: l.player(subject)}, nil
}

// player returns the player id for a subject of the issuer. It is a hash: among a billion players, the probability that two have
// the same id is 3 %.
func (l *login) player(subject string) uint64 {
	sum := sha256.Sum256([]byte(l.issuer + "\x00" + subject))
	return max(binary.LittleEndian.Uint64(sum[:]), 1)
}

// verify checks an ID token and returns its subject.
func (l *login) verify(token string) (subject string, err error) {
	if len(token) > maxToken {
		return "", errBad
	}
	t, err := jwt.ParseSigned(token, algorithms)
	if err != nil || len(t.Headers) != 1 {
		return "", errBad
	}
	key, err := l.key(t.Headers[0])
	if err != nil {
		return "", err
	}
	var c jwt.Claims
	if err := t.Claims(key, &c); err != nil {
		return "", errBad
	}
	switch err := c.ValidateWithLeeway(jwt.Expected{Issuer: l.issuer, AnyAudience: jwt.Audience{l.audience}, Time: l.now()}, clocksDiffer); {
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return "", errIssuer
	case errors.Is(err, jwt.ErrInvalidAudience):
		return "", errAudience
	case errors.Is(err, jwt.ErrExpired):
		return "", errExpired
	case err != nil || c.Expiry == nil || c.Subject == "":
		return "", errBad
	}
	return c.Subject, nil
}

// key returns the public key that the header of a token names.
func (l *login) key(h jose.Header) (any, error) {
	l.mu.Lock()
	keys := l.keys
	l.mu.Unlock()
	if keys == nil {
		return nil, &rooms.Unavailable{Again: time.Second, Err: errors.New("the keys of the issuer are not known yet")}
	}
	for _, k := range keys.Key(h.KeyID) {
		if h.KeyID != "" && k.IsPublic() && slices.Contains([]string{"", "sig"}, k.Use) && cmp.Or(k.Algorithm, h.Algorithm) == h.Algorithm {
			return k.Key, nil
		}
	}
	select {
	case l.wanted <- struct{}{}:
	default:
	}
	return nil, errKey
}

// run fetches the issuer's keys repeatedly until ctx ends. While the issuer does not answer, the last keys stay valid.
func (l *login) run(ctx context.Context) error {
	for {
		next := keysInterval
		if err := l.fetch(ctx); err != nil && ctx.Err() == nil {
			l.log.Warn("the keys of the issuer cannot be fetched; trying again", "jwks", l.from, "error", err)
			next = time.Second
		}
		pause(ctx, min(next, keysPause))
		select {
		case <-ctx.Done():
			return nil
		case <-l.wanted:
		case <-time.After(next - min(next, keysPause)):
		}
	}
}

// fetch fetches the issuer's keys.
func (l *login) fetch(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, l.from, nil)
	if err != nil {
		return err
	}
	got, err := l.client.Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	b, err := io.ReadAll(io.LimitReader(got.Body, maxKeys+1))
	if err != nil {
		return err
	}
	var keys jose.JSONWebKeySet
	switch {
	case got.StatusCode != http.StatusOK:
		return errors.New(got.Status)
	case len(b) > maxKeys:
		return fmt.Errorf("more than %d bytes", maxKeys)
	}
	if err := json.Unmarshal(b, &keys); err != nil {
		return err
	}
	if len(keys.Keys) == 0 {
		return errors.New("there are none")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys = &keys
	return nil
}
