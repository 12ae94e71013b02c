package browser

import (
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
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

const (
	// redialTime is after how long a broken connection is opened again, beneath the session.
	redialTime = 250 * time.Millisecond
	// hiddenTime is how often a session is looked after while nothing is drawn, in a hidden tab.
	hiddenTime = 100 * time.Millisecond
	// silentTime is after how long without a datagram the player is told.
	silentTime = 1500 * time.Millisecond
)

// Config is a game, for [Run].
type Config struct {
	// Protocol builds the game's protocol. It must be there.
	Protocol func() *ecs.Protocol
	// Configure makes the configuration of a session's client, which starts with the page's player in ClientID.
	// It must be there.
	Configure func(c *systems.ClientConfig)
	// Draw is called for each frame of the browser while there is a session, behind systems.Client.Frame. It must be
	// there.
	Draw func(c *systems.Client)
	// Lost is called when a session has ended, for good or until the client has reconnected; may be nil.
	Lost func(err error)
}

// page is a game that runs.
type page struct {
	config Config
	server string
	seat   seat
	client *systems.Client
	lost   error // that the game was told
	away   bool
	drawn  time.Time // the newest frame
	said   string
}

// Run plays for ever, or with the flag -token on a seat in a room, for one session. The flag -connect, which the page gives,
// says on which server; a game that has flags of its own defines them before. It panics where something of c is missing.
func Run(c Config) {
	if c.Protocol == nil || c.Configure == nil || c.Draw == nil {
		panic("browser: Config needs Protocol, Configure and Draw")
	}
	p := &page{config: c}
	flag.StringVar(&p.server, "connect", "", "the server, as ws://HOST:PORT")
	flag.String("name", "", "who plays, where the page asks")
	flag.Var(&p.seat, "token", "the connect token of a seat in a room, base64")
	if err := flag.CommandLine.Parse(os.Args[1:]); err != nil || p.server == "" {
		Say("the page does not say which server to play on: -connect ws://HOST:PORT is missing")
		return
	}
	p.seat.listen()
	if err := p.begin(); err != nil {
		js.Global().Get("console").Call("error", err.Error()) // for the developer
		Say("The game cannot start. Reload the page.")
		return
	}
	OnLeave(func() { p.away = true; p.client.Away(time.Now()) }, func() { p.away = p.client.Rejoin(time.Now()) != nil })
	var frame js.Func
	frame = js.FuncOf(func(js.Value, []js.Value) any {
		p.frame()
		js.Global().Call("requestAnimationFrame", frame)
		return nil
	})
	js.Global().Call("requestAnimationFrame", frame)
	hidden := js.FuncOf(func(js.Value, []js.Value) any {
		if now := time.Now(); now.Sub(p.drawn) > 2*hiddenTime {
			p.advance(now)
		}
		return nil
	})
	js.Global().Call("setInterval", hidden, hiddenTime.Milliseconds())
	select {}
}

// frame runs what is due, and draws.
func (p *page) frame() {
	now := time.Now()
	p.drawn = now
	p.advance(now)
	if p.client.View() != nil && !p.away && p.client.Err() == nil {
		p.client.Frame(now)
		p.config.Draw(p.client)
	}
}

// advance runs the ticks that are due, and says how it goes.
func (p *page) advance(now time.Time) {
	if p.away || p.seat.over {
		return
	}
	if p.seat.leaves {
		p.end(now, errLeft)
		return
	}
	p.client.Advance(now)
	err := p.client.Err()
	if lost := p.client.Lost(); lost != p.lost {
		if p.lost = lost; lost != nil && p.config.Lost != nil {
			p.config.Lost(lost)
		}
	}
	if err != nil && p.seat.token != nil {
		p.end(now, err)
		return
	}
	if text := Status(p.client); text != p.said {
		if p.said = text; err != nil && p.config.Lost != nil {
			p.config.Lost(err)
		}
		Say(text)
	}
}

// Status says to players how a client does, in a sentence or two: that it joins, that nothing comes from the server, why it
// reconnects or has ended; "" while they play.
func Status(c *systems.Client) string {
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

// begin makes the client. Its wire opens a connection again and again.
func (p *page) begin() error {
	dial := websocket.DialConfig{Redial: redialTime}
	wire, err := dial.Begin(p.server)
	if err != nil {
		return err
	}
	config := systems.ClientConfig{ClientID: Player(), Token: p.seat.token, Reconnect: p.seat.token == nil, Reach: func(t systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
		wire, err := dial.Begin(t.WS)
		if err != nil {
			return nil, netip.AddrPort{}, err
		}
		return wire, wire.RemoteAddr(), nil
	}}
	p.config.Configure(&config)
	p.client, err = systems.NewClient(wire, wire.RemoteAddr(), p.config.Protocol(), config)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	return nil
}

// end ends the session on a seat.
func (p *page) end(now time.Time, why error) {
	Say(host.Explain(why))
	_ = p.client.Close(now)
	p.seat.end(why)
	if p.config.Lost != nil {
		p.config.Lost(why)
	}
}

// Player returns the id of the player of this tab: a page that is loaded again goes on as the same one.
func Player() (id uint64) {
	const key = "tactus-player"
	defer func() {
		if recover() != nil || id == 0 { // the browser keeps nothing
			id = rand.Uint64N(1<<53-1) + 1
		}
	}()
	kept := js.Global().Get("sessionStorage")
	if text := kept.Call("getItem", key); text.Type() == js.TypeString {
		id, _ = strconv.ParseUint(text.String(), 10, 53)
	}
	if id == 0 {
		id = rand.Uint64N(1<<53-1) + 1
		kept.Call("setItem", key, strconv.FormatUint(id, 10))
	}
	return id
}

// OnLeave calls away when the page is closed or loaded again, and back when it comes back from the browser's cache. What
// away sends leaves the page; it must not wait.
func OnLeave(away, back func()) {
	on("pagehide", func(js.Value) { away() })
	on("pageshow", func(event js.Value) {
		if event.Get("persisted").Bool() {
			back()
		}
	})
}

// Say shows the player a line, in the page's element with the id status; an empty one takes it away.
func Say(text string) {
	if at := js.Global().Get("document").Call("getElementById", "status"); !at.IsNull() {
		at.Set("textContent", text)
	}
}
