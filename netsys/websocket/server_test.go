package websocket

import "testing"

// The address in a URL becomes the server's address, so that a wire to this machine is recognized.
func TestServerOfURL(t *testing.T) {
	for url, want := range map[string]string{
		"ws://127.0.0.1:7778":            "127.0.0.1:7778",
		"ws://localhost:7778/play":       "127.0.0.1:7778",
		"ws://LocalHost":                 "127.0.0.1:80",
		"wss://[::1]/play":               "[::1]:443",
		"WSS://192.0.2.1?x=1":            "192.0.2.1:443",
		"http://[::ffff:192.0.2.1]:8080": "192.0.2.1:8080",
		"wss://game.example:7778":        DefaultServer.String(),
		"ws://localhost.evil.example":    DefaultServer.String(),
		"ws://0.0.0.0:7778":              DefaultServer.String(),
		"ws://127.1:80":                  DefaultServer.String(),
		"":                               DefaultServer.String(),
		"::":                             DefaultServer.String(),
	} {
		if got := ServerOf(url); got.String() != want {
			t.Errorf("%q: %v, want %v", url, got, want)
		}
	}
}
