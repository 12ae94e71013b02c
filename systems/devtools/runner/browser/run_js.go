package browser

import (
	"encoding/base64"
	"errors"
	"flag"
	"math/rand/v2"
	"net/netip"
	"os"
	"strconv"
	"syscall/js"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

const (
	// redialTime is the delay before a broken connection is opened again, within the same session.
	redialTime = 250 * time.Millisecond
	// updateTime is the interval of updates between frames. A slow display draws few frames, and a hidden tab none.
	updateTime = 20 * time.Millisecond
	// silentTime is the time without a datagram after which the player is informed.
	silentTime = 1500 * time.Millisecond
)

// Config configures [Run].
type Config struct {
	// Protocol builds the game's protocol. Required.
	Protocol func() *ecs.Protocol
	// Configure returns the configuration of a session's client. Keep Spectate, and its ClientID, which is the page's player. Required.
	Configure func(c *systems.ClientConfig)
	// Draw draws a frame during a session, after systems.Client.Frame. Required.
	Draw func(c *systems.Client)
	// Wire wraps the transport of each session, for example with netsys.Condition. The result belongs to the client. Default
	// (nil): the transport is not wrapped.
	Wire func(w netsys.Wire) (netsys.Wire, error)
	// Lost is called when a session ends, even if the client reconnects. Default (nil): not called.
	Lost func(err error)
}

// page is a running game.
type page struct {
	config   Config
	server   string
	insecure bool                  // without a token, play on a server of another machine
	token    *netcode.ConnectToken // nil: there are no rooms
	spectate bool
	client   *systems.Client
	lost     error // passed to Config.Lost
	away     bool
	said     string
}

// Run plays on the server in the flag -connect, which the page sets, and never returns. The page sets the flag
// -insecure-anyone-can-join if the server admits clients without tokens from other machines. With the flag -token, the connect
// token of a seat in a room in base64, it plays one session: a page with a lobby requests another token for the next one. With the
// flag -spectate the client is a spectator.
// Declare flags of the game itself before the call. Run panics if a required field of c is missing.
func Run(c Config) {
	if c.Protocol == nil || c.Configure == nil || c.Draw == nil {
		panic("browser: Config needs Protocol, Configure and Draw")
	}
	p := &page{config: c}
	flag.StringVar(&p.server, "connect", "", "address of the server, as ws://HOST:PORT")
	flag.BoolVar(&p.insecure, "insecure-anyone-can-join", false, "play without a token on a server of another machine")
	flag.String("name", "", "name of the player, if the page asks for it")
	flag.BoolVar(&p.spectate, "spectate", false, "watch the game, without a player")
	flag.Func("token", "connect token of a seat in a room, in base64", p.sit)
	if err := flag.CommandLine.Parse(os.Args[1:]); err != nil || p.server == "" {
		Say("the page has not set the server: the argument -connect ws://HOST:PORT is missing")
		return
	}
	if err := p.connect(); err != nil {
		js.Global().Get("console").Call("error", err.Error()) // for the developer
		Say("The game cannot start. Reload the page.")
		return
	}
	on("pagehide", func(js.Value) { p.away = true; p.client.Away(time.Now()) }) // the browser still sends these datagrams
	on("pageshow", p.returned)
	var frame js.Func
	frame = js.FuncOf(func(js.Value, []js.Value) any {
		p.frame()
		js.Global().Call("requestAnimationFrame", frame)
		return nil
	})
	js.Global().Call("requestAnimationFrame", frame)
	update := js.FuncOf(func(js.Value, []js.Value) any {
		p.advance(time.Now())
		return nil
	})
	js.Global().Call("setInterval", update, updateTime.Milliseconds())
	select {}
}

// returned continues when the browser shows the page again from its cache. The token of a seat serves one session, so the page
// has to request another one.
func (p *page) returned(event js.Value) {
	switch {
	case !event.Get("persisted").Bool():
	case p.token != nil:
		js.Global().Get("location").Call("reload")
	default:
		p.away = p.client.Rejoin(time.Now()) != nil
	}
}

// frame runs the due ticks and draws.
func (p *page) frame() {
	now := time.Now()
	p.advance(now)
	if p.client.View() != nil && !p.away && p.client.Err() == nil {
		p.client.Frame(now)
		p.config.Draw(p.client)
	}
}

// advance runs the due ticks and updates the status.
func (p *page) advance(now time.Time) {
	if p.away {
		return
	}
	p.client.Advance(now)
	err := p.client.Err()
	if lost := p.client.Lost(); lost != p.lost {
		if p.lost = lost; lost != nil && p.config.Lost != nil {
			p.config.Lost(lost)
		}
	}
	if text := status(p.client); text != p.said {
		if p.said = text; err != nil && p.config.Lost != nil {
			p.config.Lost(err)
		}
		Say(text)
	}
}

// status describes the state of a client to players in one or two sentences: joining, no packets from the server,
// reconnecting, or ended. It returns "" while they play.
func status(c *systems.Client) string {
	_, loaded := c.Loaded()
	switch err := c.Err(); {
	case err != nil:
		return host.Explain(err) + " Reload the page to play."
	case c.Lost() != nil:
		return host.Waiting(c.Lost())
	case !loaded:
		return "Joining the game…"
	case c.Session().Stats().Silence > silentTime:
		return "The server is not responding. Waiting for it…"
	}
	return ""
}

// sit parses the token of a seat.
func (p *page) sit(text string) error {
	b, err := base64.StdEncoding.DecodeString(text)
	if err == nil {
		p.token, err = netcode.ParseToken(b)
	}
	return err
}

// connect creates the client. Its transport reconnects a broken connection.
func (p *page) connect() error {
	dial := websocket.DialConfig{Redial: redialTime}
	wire, to, err := p.open(dial, p.server)
	if err != nil {
		return err
	}
	config := systems.ClientConfig{Spectate: p.spectate, Session: systems.ClientSession{
		ClientID:  player(),
		Token:     p.token,
		Reconnect: p.token == nil,

		InsecureAllowAnyAddress: p.insecure,
		Reach: func(t systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
			return p.open(dial, t.WS)
		},
	}}
	p.config.Configure(&config)
	p.client, err = systems.NewClient(wire, to, p.config.Protocol(), config)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	return nil
}

// open opens the transport to a server.
func (p *page) open(dial websocket.DialConfig, server string) (netsys.Wire, netip.AddrPort, error) {
	socket, err := dial.Begin(server)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	if p.config.Wire == nil {
		return socket, socket.RemoteAddr(), nil
	}
	wire, err := p.config.Wire(socket)
	if err != nil {
		return nil, netip.AddrPort{}, errors.Join(err, socket.Close())
	}
	return wire, socket.RemoteAddr(), nil
}

// player returns the player id of this tab. The id survives a reload. A duplicate of the tab gets another one.
func player() (id uint64) {
	const key = "tactus-player"
	defer func() {
		if recover() != nil || id == 0 { // the browser stores nothing
			id = rand.Uint64N(1<<53-1) + 1
		}
	}()
	kept := js.Global().Get("Reflect").Call("get", js.Global(), "sessionStorage") // Get would end the program where it throws
	if text := kept.Call("getItem", key); text.Type() == js.TypeString {
		id, _ = strconv.ParseUint(text.String(), 10, 53)
	}
	if id == 0 || !hold(key+" "+strconv.FormatUint(id, 10)) {
		id = rand.Uint64N(1<<53-1) + 1
		kept.Call("setItem", key, strconv.FormatUint(id, 10))
		hold(key + " " + strconv.FormatUint(id, 10))
	}
	return id
}

// hold takes a lock until the page is hidden for good. It returns false if another tab has the lock: then the session storage is
// a copy, which a browser makes when it duplicates a tab. The page before a reload lets go at once, well within the timeout.
// Without locks, which browsers offer only to secure pages, it returns true.
func hold(name string) bool {
	locks := js.Global().Get("navigator").Get("locks")
	if locks.IsUndefined() {
		return true
	}
	got := make(chan bool, 2)
	signal := js.Global().Get("AbortSignal").Call("timeout", 1000)
	hidden := js.Global().Get("Promise").New(js.FuncOf(func(_ js.Value, args []js.Value) any {
		js.Global().Call("addEventListener", "pagehide", args[0], map[string]any{"once": true})
		return nil
	}))
	held := js.FuncOf(func(js.Value, []js.Value) any {
		got <- true
		return hidden
	})
	failed := js.FuncOf(func(js.Value, []js.Value) any {
		got <- !signal.Get("aborted").Bool()
		return nil
	})
	locks.Call("request", name, map[string]any{"signal": signal}, held).Call("catch", failed)
	return <-got
}

// Say shows a line to the player, in the page's element with the id status. An empty line removes it.
func Say(text string) {
	if at := js.Global().Get("document").Call("getElementById", "status"); !at.IsNull() {
		at.Set("textContent", text)
	}
}
