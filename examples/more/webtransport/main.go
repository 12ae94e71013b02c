// Command webtransport is the command of the arena, whose page connects by WebTransport:
//
//	go -C examples/more run ./webtransport
//
// The page takes the WebSocket if WebTransport is refused or takes more than a second. With -rooms it runs many matches and a lobby,
// and with -domain it serves them to everybody:
//
//	go -C examples/more run ./webtransport -rooms -domain play.example.com -saves /var/lib/arena/saves
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/netsys/webtransport"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(runner.Main(ctx, world(pages.Page("arena")), os.Args[1:], os.Stdout, os.Stderr))
}

// world returns the arena with a page that connects by WebTransport.
func world(page *web.Dist) runner.Game {
	return pages.Beside(game.World(), func(own *web.Config) {
		own.Dist = page
		own.WebTransport = func(c web.WebTransportConfig) (web.WebTransportWire, error) {
			return webtransport.Listen(webtransport.Config{Addr: c.Addr, TLS: c.TLS, Hosts: c.Hosts, Sandboxed: c.Sandboxed})
		}
	})
}
