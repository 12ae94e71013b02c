package headless

import (
	"context"
	"flag"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
)

func arena() World {
	return World{
		Name:     "arena",
		Protocol: func(*Options) *ecs.Protocol { return game.Protocol() },
		Populate: func(w *ecs.World, o *Options) { game.Populate(w, o.Clients, o.NPCs) },
		Join:     func(w *ecs.World, _ *Options, client uint32) { game.Join(w, client) },
		Bot:      func(o *Options, n int) Bot { return game.NewBot(o.Seed, n, o.Clients) },
		Place:    game.Place,
		Push:     game.Push,
	}
}

// options are the defaults with some flags.
func options(t testing.TB, args ...string) Options {
	t.Helper()
	var o Options
	fs := flag.NewFlagSet("test", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	o.Register(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	return o
}

// A match with -inspect has a page, and what its bots were corrected for.
func TestInspectFlag(t *testing.T) {
	o := options(t, "-inspect", "127.0.0.1:0", "-clients", "2")
	m, err := NewReal(t.Context(), arena(), o, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	if m.inspector, err = o.openInspector(ctx, m.server, &out); err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`^inspector: (http://127\.0\.0\.1:\d+/)\n`).FindStringSubmatch(out.String())
	if found == nil {
		t.Fatal(out.String())
	}
	ended := make(chan error, 1)
	go func() { ended <- m.Real(ctx, nil) }()
	var text string
	for range 1200 { // of 50 ms, at least
		text = fetch(t, found[1]+"api/blame")
		if strings.Contains(text, `"client":1`) && strings.Contains(text, `"client":2`) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if !strings.Contains(text, `"client":1`) || !strings.Contains(text, `"client":2`) || strings.Contains(text, `"client":0`) {
		t.Errorf("no reports: %s", text)
	}
	if text := fetch(t, found[1]+"api/status"); !strings.Contains(text, `"clients":2`) {
		t.Errorf("status %s", text)
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

// Where others could reach it there is no page without a token.
func TestInspectFlagWantsToken(t *testing.T) {
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
		o := options(t, "-inspect", c.address, "-virtual", "-headless")
		m, err := NewVirtual(arena(), o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		x, err := o.openInspector(ctx, m.server, nil)
		if (err == nil) != c.ok || (x != nil) != c.ok {
			t.Errorf("%s with token %q: %v", c.address, c.token, err)
		}
		cancel()
	}
	o := options(t, "-inspect", "127.0.0.1:0", "-virtual", "-headless")
	if err := o.Validate(); err == nil {
		t.Error("-virtual -inspect is allowed")
	}
}
