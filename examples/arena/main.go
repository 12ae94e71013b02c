// Command arena runs the arena: a server and eight bots over real UDP through a
// bad link, a page to play on in a browser, and a live table of what the network does.
// See -h for the flags.
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/batch"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/inspect"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/runner"
)

// arena is the world with its own flags.
type arena struct {
	combat   bool
	dir      string // of a client that was built before
	page     pageAddress
	names    hostNames
	messages *game.Messages
}

// fights reports whether there are guns: the reference workload has none.
func (a *arena) fights(o *runner.Options) bool { return a.combat || !o.Headless }

func (a *arena) flags(fs *flag.FlagSet) {
	fs.BoolVar(&a.combat, "combat", false, "with -headless: guns, as there are without; without it that is the reference workload, in which nobody shoots")
	fs.StringVar(&a.dir, "web", "", "serve the client for browsers from this `folder`, with play.wasm and wasm_exec.js; without, it is built from\nthe checkout, by the Go compiler, and kept for the next start")
	fs.Var(&a.names, "names", "the page may be opened under these host `names` too, separated by commas, beside localhost and addresses")
	a.page.text = defaultPage
	fs.Var(&a.page, "http", "serve the page to play on at this `address`; without it, where the default is taken, at a free port of\n127.0.0.1; none: no page, and bots that predict and draw, with columns for it in the table")
}

// world is the arena as the runner needs to know it.
func world() runner.World {
	a := &arena{messages: game.NewMessages()}
	return runner.World{
		Name: "arena",
		About: "Beside the match there is a page to play on, in a browser: its address is printed first. Keys W A S D\n" +
			"and the mouse, or two thumbs; F3 or a tap on the status shows what the network does, with sliders to make\n" +
			"it worse. -preset chooses the netcode, for people as for bots; -rtt, -jitter, -loss and their like are\n" +
			"the bots' link. -http, -web and -inspect say where pages are, -combat puts guns into -runner.",
		Protocol: func(o *runner.Options) *ecs.Protocol {
			if a.fights(o) {
				return game.CombatProtocol()
			}
			return game.Protocol()
		},
		Populate: func(w *ecs.World, o *runner.Options) {
			if a.fights(o) {
				game.PopulateCombat(w, o.Clients, o.NPCs)
			} else {
				game.Populate(w, o.Clients, o.NPCs)
			}
		},
		Join: func(w *ecs.World, o *runner.Options, client uint32) {
			if a.fights(o) {
				game.JoinCombat(w, client)
			} else {
				game.Join(w, client)
			}
		},
		Bot: func(o *runner.Options, n int) runner.Bot {
			if a.fights(o) {
				return game.NewGunner(o.Seed, n, o.Clients)
			}
			return game.NewBot(o.Seed, n, o.Clients)
		},
		Place:  game.Place,
		Push:   game.Push,
		Server: a.server,
		Client: a.client,
		Flags:  a.flags,
		Live:   a.live,
		Listen: map[string]func(string) (netsys.Wire, error){
			"udp": runner.Wire(eventloop.Listen), "batch": runner.Wire(batch.Listen), "ws": runner.Wire(eventloop.ListenWebSocket),
		},
		Inspect: func(s *systems.Server, token string, log *slog.Logger) (runner.Inspector, error) {
			return inspect.New(s, inspect.Config{Token: token, Logger: log})
		},
	}
}

// server adds what combat needs to the server's configuration.
func (a *arena) server(o *runner.Options, c *systems.ServerConfig) {
	if !a.fights(o) {
		return
	}
	game.Arm(c)
	a.messages.Serve(c)
}

// client makes bots understand what players say.
func (a *arena) client(o *runner.Options, c *systems.ClientConfig) {
	// Players run 10 units between two snapshots.
	c.Damping = interpolate.Damping{Rate: 15, Snap: 50}
	if a.fights(o) {
		a.messages.Play(c, nil)
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(runner.Main(ctx, world(), os.Args[1:], os.Stdout, os.Stderr))
}
