package runner

import (
	"context"
	"errors"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// logIn is for programs alone: a page logs in by itself, and does not carry net/http for it.
func logIn(context.Context, string, string, string) (*netcode.ConnectToken, error) {
	return nil, errors.New("in a browser the page logs in, and gives the token to the client")
}
