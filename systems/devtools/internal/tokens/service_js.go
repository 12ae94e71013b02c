package tokens

import (
	"context"
	"errors"
)

// requestToken is not available in browsers: the page logs in, and the program does not include net/http.
func requestToken(context.Context, string, string, string) ([]byte, error) {
	return nil, errors.New("in a browser the page logs in, and gives the token to the client")
}
