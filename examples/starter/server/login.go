//go:build !js

package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// authenticator returns the player of a request for a seat.
type authenticator func(r *http.Request) (rooms.Player, error)

// errLogin refuses a request for a seat. Players receive the text.
var errLogin = errors.New("log in first, and request a seat again")

// authenticator returns who may play: players of the login service under -key, everybody under -guests, nil for this machine only.
func (o *options) authenticator() (authenticator, error) {
	switch {
	case o.key != "" && o.guests:
		return nil, errors.New("-guests with -key: set one of them")
	case o.key != "":
		key, err := readKey(strings.TrimPrefix(o.key, "@"))
		if err != nil {
			return nil, fmt.Errorf("-key: %w", err)
		}
		return func(r *http.Request) (rooms.Player, error) {
			return tokenPlayer(key, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), time.Now())
		}, nil
	case o.guests:
		return guest, nil
	}
	return nil, nil
}

// readKey reads a key of 32 bytes from a file of hexadecimal digits.
func readKey(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != 32 {
		return nil, fmt.Errorf("%s holds no key: write 64 hexadecimal digits into the file", name)
	}
	return key, nil
}

// tokenPlayer returns the player of a token of the login service: a JSON Web Token with the algorithm HS256, under the key that this server
// shares with the service. sub identifies the player, name is shown to others, exp is when the token expires.
func tokenPlayer(key []byte, token string, now time.Time) (rooms.Player, error) {
	dot := strings.LastIndexByte(token, '.')
	if dot < 0 {
		return rooms.Player{}, errLogin
	}
	signed := hmac.New(sha256.New, key)
	signed.Write([]byte(token[:dot]))
	if sum, err := base64.RawURLEncoding.DecodeString(token[dot+1:]); err != nil || !hmac.Equal(sum, signed.Sum(nil)) {
		return rooms.Player{}, errLogin
	}
	_, claims, _ := strings.Cut(token[:dot], ".")
	var c struct {
		Sub, Name string
		Exp       float64
	}
	b, err := base64.RawURLEncoding.DecodeString(claims)
	if err != nil || json.Unmarshal(b, &c) != nil || c.Sub == "" || float64(now.Unix()) >= c.Exp {
		return rooms.Player{}, errLogin
	}
	id := sha256.Sum256([]byte(c.Sub))
	return rooms.Player{ID: max(binary.LittleEndian.Uint64(id[:]), 1), Data: []byte(c.Name[:min(len(c.Name), rooms.MaxData)])}, nil
}

// guest returns the player that a request names. Pages draw these numbers at random and show them to nobody.
func guest(r *http.Request) (rooms.Player, error) {
	id, err := strconv.ParseUint(r.Header.Get("Player"), 10, 53)
	if err != nil || id == 0 {
		return rooms.Player{}, errors.New("the header Player must be a random number of up to 53 bits, the same for all requests of a player")
	}
	return rooms.Player{ID: id}, nil
}
