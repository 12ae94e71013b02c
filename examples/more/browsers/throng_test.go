package browsers

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/names"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// newThrong serves an arena with other entities, up to eight of them players, that stay near the player called Ada, and a page in a
// folder. rate is the number of snapshots a second, 0 for the default. It returns the address of the page, and counts who is near.
func newThrong(t *testing.T, folder string, others, rate int) (url string, visible *atomic.Int64) {
	t.Helper()
	bots := min(others, 8)
	visible = new(atomic.Int64)
	wire, err := eventloop.ListenBoth("127.0.0.1:0", "127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	config := systems.ServerConfig{Seed: 7, Snapshots: systems.Snapshots{SendRate: rate}}
	game.Arm(&config)
	game.NewMessages().Serve(&config)
	config.Schedule = func(s *ecs.Schedule) error {
		s.Stage("After").Add(ecs.System{Name: "throng", Run: func(w *ecs.World) { visible.Store(throng(w)) }})
		return nil
	}
	server, err := systems.NewServer(wire, game.CombatProtocol(), config)
	if err != nil {
		t.Fatal(err)
	}
	game.PopulateCombat(server.World(), bots, others-bots)
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() { stop(); running.Wait() })
	running.Go(func() { _ = server.Run(ctx) })
	for n := range bots {
		c := systems.ClientConfig{Gather: game.NewGunner(1, n, bots).Gather(), Schedule: systems.Thin}
		game.NewMessages().Play(&c, nil)
		running.Go(func() {
			bot, err := systems.Dial(ctx, wire.LocalAddr().String(), game.CombatProtocol(), c)
			if err == nil {
				_ = bot.Run(ctx, nil)
			}
		})
	}
	page := httptest.NewServer(apart(&web.Dist{Folder: folder, Port: wire.WebSocketAddr().Port()}))
	t.Cleanup(page.Close)
	return page.URL, visible
}

// apart isolates a page in the browser, which then offers a clock with a resolution of 5 µs instead of 100 µs.
func apart(page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		page.ServeHTTP(w, r)
	})
}

// root returns the folder of the checkout.
func root(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tactusgo/tactus").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// throng keeps everybody around Ada, and counts them.
func throng(w *ecs.World) (n int64) {
	const wide, high = 960, 530 // of the 1013 by 570 units that a screen of 16 to 9 shows
	var x, y float32
	found := false
	for _, p := range ecs.All[struct {
		Pos components.Position
		Who names.Named
	}](w) {
		if p.Who.Name.String() == "Ada" {
			x, y, found = p.Pos.X, p.Pos.Y, true
		}
	}
	if !found {
		return 0
	}
	wrap := func(v *float32, mid, span float32) {
		low, top := max(mid-span/2, 0), min(mid+span/2, game.Size)
		for *v < low {
			*v += top - low
		}
		for *v > top {
			*v -= top - low
		}
	}
	for _, p := range ecs.Each[struct {
		Pos *components.Position
		Is  *game.Fighter
	}](w) {
		wrap(&p.Pos.X, x, wide)
		wrap(&p.Pos.Y, y, high)
		if !p.Is.Down {
			n++
		}
	}
	return n
}
