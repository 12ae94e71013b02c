//go:build !js

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/examples/starter/game"
)

// answer is the part of an answer about a seat that a client needs: web.Admission of package rooms/web, or web.Failure.
type answer struct {
	Token     []byte // base64 in JSON
	Endpoints struct{ UDP string }
	Code      string
	Message   string
}

// seat requests a seat from the page of a server, in the room whose code is the fragment of the link, or in an open one. login is the
// token of the login service, "" for none.
func seat(ctx context.Context, link, login string) (a answer, err error) {
	at, err := url.Parse(link)
	if err != nil || at.Host == "" {
		return a, fmt.Errorf("%q is no link to a game: write something like http://127.0.0.1:8080/", link)
	}
	where, body := "rooms/join", fmt.Sprintf(`{"kind":%q}`, game.Kind)
	if at.Fragment != "" {
		where, body = "rooms/"+url.PathEscape(at.Fragment)+"/join", "{}"
	}
	at.Fragment, at.RawQuery = "", ""
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(at.String(), "/")+"/"+where, strings.NewReader(body))
	if err != nil {
		return a, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Player", strconv.FormatUint(1+rand.Uint64N(1<<53-1), 10)) // of a player without login
	if login != "" {
		r.Header.Set("Authorization", "Bearer "+login)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		return a, fmt.Errorf("%s answers %s, without a seat: is it the page of the game? %w", link, response.Status, err)
	}
	if response.StatusCode != http.StatusOK {
		return a, fmt.Errorf("the server gives no seat: %s", a.Message)
	}
	return a, nil
}
