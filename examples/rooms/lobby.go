package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
)

// answer is the part of a lobby's answer that a client needs: web.Admission, or web.Failure with its message.
type answer struct {
	Token   []byte // base64 in JSON
	Code    string
	Message string
}

// enter requests a seat from a lobby, such as http://127.0.0.1:8080, and returns the client that plays on it, and the code of
// its room.
func enter(ctx context.Context, lobby string, player uint64, config systems.ClientConfig) (*systems.Client, string, error) {
	body, err := json.Marshal(map[string]any{"kind": "dots", "schema": rooms.SchemaOf(Dots())})
	if err != nil {
		return nil, "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, lobby+"/rooms/join", bytes.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Player", strconv.FormatUint(player, 10)) // with web.Config.Authenticate: what that reads
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	var a answer
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		return nil, "", fmt.Errorf("the lobby answers %s: %w", response.Status, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("the lobby refuses a seat: %s", a.Message)
	}
	if config.Session.Token, err = netcode.ParseToken(a.Token); err != nil {
		return nil, "", err
	}
	c, err := systems.Dial(ctx, "", Dots(), config) // to an address of the token
	return c, a.Code, err
}
