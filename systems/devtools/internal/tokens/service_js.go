package tokens

import (
	"context"
	"errors"
)

// ask is for programs alone: a page logs in by itself, and does not carry net/http for it.
func ask(context.Context, string, string, string) ([]byte, error) {
	return nil, errors.New("in a browser the page logs in, and gives the token to the client")
}
