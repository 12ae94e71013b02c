//go:build !js

package tokens

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

const (
	// loginTimeout is the timeout of a login.
	loginTimeout = 10 * time.Second
	// maxAnswer is the maximum size of a service's answer, in bytes.
	maxAnswer = 64 << 10
)

// requestToken requests a token from a service such as examples/tokens. It sends the password only to the given
// URL, and not unencrypted over a network.
func requestToken(ctx context.Context, service, name, password string) ([]byte, error) {
	u, err := url.Parse(service)
	if err != nil {
		return nil, err
	}
	if ip, err := netip.ParseAddr(u.Hostname()); u.Scheme != "https" &&
		(u.Scheme != "http" || u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback())) {
		return nil, errors.New("use https, or http to this machine")
	}
	body, err := json.Marshal(map[string]string{"name": name, "password": password})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, loginTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, service, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		var refusal struct{ Error string }
		_ = json.Unmarshal(answer, &refusal)
		return nil, fmt.Errorf("the service answers %q: %.200q", response.Status, refusal.Error)
	}
	return answer, nil
}
