package tokens

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	// PasswordVariable is the environment variable with the password of bots. Command lines are visible to other
	// users.
	PasswordVariable = "TACTUS_PASSWORD"
	// maxSize is the maximum size of a token's file, in bytes.
	maxSize = 64 << 10
)

// Read reads a token from a file, in a form that [Parse] accepts.
func Read(name string) (*netcode.ConnectToken, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(file, maxSize))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return Parse(b)
}

// Parse decodes a token from its bytes, their base64, or the JSON answer of a login service. Errors wrap
// [netcode.ErrToken].
func Parse(b []byte) (*netcode.ConnectToken, error) {
	if len(b) == netcode.TokenSize {
		return netcode.ParseToken(b)
	}
	b = bytes.TrimSpace(b)
	if bytes.HasPrefix(b, []byte("{")) {
		var answer struct{ Token string }
		if err := json.Unmarshal(b, &answer); err != nil {
			return nil, fmt.Errorf("%w: %w", netcode.ErrToken, err)
		}
		b = []byte(answer.Token)
	}
	raw, err := base64.StdEncoding.DecodeString(string(b))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", netcode.ErrToken, err)
	}
	return netcode.ParseToken(raw)
}

// LogIn requests a token from a service such as examples/tokens, with the password in [PasswordVariable].
func LogIn(ctx context.Context, service, name string) (*netcode.ConnectToken, error) {
	password := os.Getenv(PasswordVariable)
	if password == "" {
		return nil, fmt.Errorf("set the environment variable %s to the password", PasswordVariable)
	}
	answer, err := requestToken(ctx, service, name, password)
	if err != nil {
		return nil, err
	}
	return Parse(answer)
}

// IsService reports whether source is the URL of a login service, not a file.
func IsService(source string) bool { return strings.Contains(source, "://") }

// List splits a flag at commas.
func List(flag string) (all []string) {
	for text := range strings.SplitSeq(flag, ",") {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, text)
		}
	}
	return all
}
