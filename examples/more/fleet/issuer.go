package main

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/tactusgo/tactus/systems/rooms/web"
)

// game is the demonstration's id at its issuer.
const game = "dots"

// issuer is a fake OpenID Connect issuer for the demonstration and for tests. It serves its keys under /keys. /token returns an
// ID token for any posted name, without a password.
type issuer struct {
	url    string
	keys   jose.JSONWebKeySet
	signer jose.Signer
}

// newIssuer returns an issuer with a random key.
func newIssuer(url string) (*issuer, error) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	const id = "1"
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: private, KeyID: id}}, nil)
	if err != nil {
		return nil, err
	}
	keys := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, KeyID: id, Algorithm: string(jose.EdDSA), Use: "sig"}}}
	return &issuer{url: url, keys: keys, signer: signer}, nil
}

// token returns an ID token.
func (i *issuer) token(name, audience string, expires time.Time) (string, error) {
	return jwt.Signed(i.signer).Claims(jwt.Claims{
		Issuer: i.url, Subject: name, Audience: jwt.Audience{audience}, Expiry: jwt.NewNumericDate(expires),
	}).Serialize()
}

// ServeHTTP implements [http.Handler].
func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/keys":
		_ = json.NewEncoder(w).Encode(i.keys) // fails only if the client has gone
	case r.Method == http.MethodPost && r.URL.Path == "/token" && r.PostFormValue("name") != "":
		token, err := i.token(r.PostFormValue("name"), game, time.Now().Add(time.Hour))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = fmt.Fprint(w, token)
	default:
		http.NotFound(w, r)
	}
}

// issue serves an issuer on this machine until ctx ends.
func issue(ctx context.Context) (*issuer, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	i, err := newIssuer("http://" + l.Addr().String())
	if err != nil {
		return nil, err
	}
	go func() { _ = web.Beside(l, i)(ctx) }()
	return i, nil
}
