package runner

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A match with -inspect has a page, which shows the causes of the bots' corrections.
func TestInspectFlag(t *testing.T) {
	game := plaza()
	o := options(t, game, "-inspect", "127.0.0.1:0", "-clients", "2")
	m, err := newReal(t.Context(), game, o, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	if m.inspector, err = game.openInspector(ctx, &o, m.server, &out); err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`^inspector: (http://127\.0\.0\.1:\d+/)\n`).FindStringSubmatch(out.String())
	if found == nil {
		t.Fatal(out.String())
	}
	ended := make(chan error, 1)
	go func() { ended <- m.playReal(ctx, nil) }()
	var text, status string
	for range 1200 { // of 50 ms, at least
		text = fetch(t, found[1]+"api/blame")
		status = fetch(t, found[1]+"api/status")
		if strings.Contains(text, `"client":1`) && strings.Contains(text, `"client":2`) && strings.Contains(status, `"clients":2`) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if !strings.Contains(text, `"client":1`) || !strings.Contains(text, `"client":2`) || strings.Contains(text, `"client":0`) {
		t.Errorf("no reports: %s", text)
	}
	if !strings.Contains(status, `"clients":2`) {
		t.Errorf("status %s", status)
	}
	cancel()
	<-ended
}

func fetch(t *testing.T, address string) string {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	b, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s %v", address, answer.Status, b, err)
	}
	return string(b)
}

// If others can reach the page's address, -inspect needs a token.
func TestInspectFlagWantsToken(t *testing.T) {
	game := plaza()
	for _, c := range []struct {
		address, token string
		ok             bool
	}{
		{"127.0.0.1:0", "", true},
		{"0.0.0.0:0", "", false},
		{"127.0.0.1:0", "short", false},
		{"nowhere", "", false},
	} {
		t.Setenv(inspectVariable, c.token)
		game := plaza()
		o := options(t, game, "-inspect", c.address, "-virtual", "-headless")
		m, err := newVirtual(game, o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		x, err := game.openInspector(ctx, &o, m.server, nil)
		if (err == nil) != c.ok || (x != nil) != c.ok {
			t.Errorf("%s with token %q: %v", c.address, c.token, err)
		}
		cancel()
	}
	o := options(t, game, "-inspect", "127.0.0.1:0", "-virtual", "-headless")
	if err := o.validate(&game); err == nil {
		t.Error("-virtual -inspect is allowed")
	}
}
