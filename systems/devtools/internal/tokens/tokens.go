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
	// PasswordVariable is the environment variable with the password of bots: command lines are no secret.
	PasswordVariable = "TACTUS_PASSWORD"
	// most bounds what is read of a token's file or of a service's answer.
	most = 64 << 10
)

// Read reads a token's file: what [Parse] takes.
func Read(name string) (*netcode.ConnectToken, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(file, most))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return Parse(b)
}

// Parse takes a token's bytes, their base64, or the JSON that a login service answers. Errors wrap [netcode.ErrToken].
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

// LogIn asks a service such as examples/tokens for a token, with the password of [PasswordVariable].
func LogIn(ctx context.Context, service, name string) (*netcode.ConnectToken, error) {
	password := os.Getenv(PasswordVariable)
	if password == "" {
		return nil, fmt.Errorf("the environment variable %s must hold the password", PasswordVariable)
	}
	answer, err := ask(ctx, service, name, password)
	if err != nil {
		return nil, err
	}
	return Parse(answer)
}

// IsService reports whether a source of tokens is a login service, by its URL, and no file.
func IsService(source string) bool { return strings.Contains(source, "://") }

// List splits a flag at its commas.
func List(flag string) (all []string) {
	for text := range strings.SplitSeq(flag, ",") {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, text)
		}
	}
	return all
}
