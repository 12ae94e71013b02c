package browser

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"net/netip"
	"os"
	"syscall/js"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
)

const (
	// dialTime bounds one attempt to connect, retryTime is between two of them.
	dialTime  = 10 * time.Second
	retryTime = time.Second
	// redialTime is after how long a broken connection is opened again, beneath the session.
	redialTime = 250 * time.Millisecond
	// hiddenTime is how often a session is looked after while nothing is drawn, in a hidden tab.
	hiddenTime = 100 * time.Millisecond
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
	// Lost is called when a session has ended, for good or until it is back; may be nil.
	Lost func(err error)
}

// page is a game that runs.
type page struct {
	config  Config
	server  string
	player  uint64
	seat    seat
	client  *systems.Client
	dialing chan dialed
	retry   time.Time
	drawn   time.Time // the newest frame
}

// dialed is what came of connecting.
type dialed struct {
	wire *websocket.Wire
	err  error
}

// Run plays for ever, or with the flag -token on a seat in a room, for one session. The flag -connect, which the page gives,
// says on which server; a game that has flags of its own defines them before. It panics where something of c is missing.
func Run(c Config) {
	if c.Protocol == nil || c.Configure == nil || c.Draw == nil {
		panic("browser: Config needs Protocol, Configure and Draw")
	}
	p := &page{config: c, player: rand.Uint64() | 1}
	flag.StringVar(&p.server, "connect", "", "the server, as ws://HOST:PORT")
	flag.String("name", "", "who plays, where the page asks")
	flag.Var(&p.seat, "token", "the connect token of a seat in a room, base64")
	if err := flag.CommandLine.Parse(os.Args[1:]); err != nil || p.server == "" {
		Say("the page does not say which server to play on: -connect ws://HOST:PORT is missing")
		return
	}
	p.seat.listen()
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
	if p.client != nil && p.client.Connected() {
		p.client.Frame(now)
		p.config.Draw(p.client)
	}
}

// advance runs the ticks that are due, or takes a step towards a session.
func (p *page) advance(now time.Time) {
	if p.seat.leaves && !p.seat.over {
		p.drop(now, errLeft)
	}
	if p.seat.over {
		return
	}
	if p.client == nil {
		p.connect(now)
		return
	}
	before := p.client.Connected()
	p.client.Advance(now)
	if err := p.client.Err(); err != nil {
		p.drop(now, err)
	} else if !before && p.client.Connected() {
		Say("")
	}
}

// connect opens a socket on a goroutine of its own, as nothing may block that of an event.
func (p *page) connect(now time.Time) {
	if p.dialing == nil {
		if now.Before(p.retry) {
			return
		}
		done := make(chan dialed, 1)
		p.dialing = done
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), dialTime)
			defer cancel()
			wire, err := websocket.DialConfig{Redial: redialTime}.Dial(ctx, p.server)
			done <- dialed{wire, err}
		}()
		return
	}
	select {
	case d := <-p.dialing:
		p.dialing = nil
		if d.err == nil {
			d.err = p.begin(d.wire)
		}
		if d.err != nil {
			p.drop(now, d.err)
		}
	default:
	}
}

// begin makes a client.
func (p *page) begin(wire *websocket.Wire) error {
	config := systems.ClientConfig{ClientID: p.player, Token: p.seat.token, Reach: func(t systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
		wire, err := websocket.DialConfig{Redial: redialTime}.Begin(t.WS)
		if err != nil {
			return nil, netip.AddrPort{}, err
		}
		return wire, wire.RemoteAddr(), nil
	}}
	p.config.Configure(&config)
	client, err := systems.NewClient(wire, wire.RemoteAddr(), p.config.Protocol(), config)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	p.client = client
	return nil
}

// drop ends a session, to try again later.
func (p *page) drop(now time.Time, why error) {
	Say(why.Error())
	p.retry = now.Add(retryTime)
	if p.client != nil {
		_ = p.client.Close(now)
	}
	p.client = nil
	p.seat.end(why)
	if p.config.Lost != nil {
		p.config.Lost(why)
	}
}

// Say shows the player a line, in the page's element with the id status; an empty one takes it away.
func Say(text string) {
	if at := js.Global().Get("document").Call("getElementById", "status"); !at.IsNull() {
		at.Set("textContent", text)
	}
}
