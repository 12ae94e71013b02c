package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/netsys/webtransport"
	"github.com/tactusgo/tactus/systems"
)

const (
	tickRate = 60
	frame    = time.Second / 60
	patience = 15 * time.Second // until the first snapshot
)

// greeting tells a client how to reach the server.
type greeting struct {
	Transport, URL string
	Hashes         [][32]byte
	Began          time.Time // the time of tick 0
}

// session is a player's part in a match.
type session struct {
	greeting
	Long, Settle time.Duration
}

// way returns the buttons at a time since the start: the player walks in a square.
func way(since time.Duration) (buttons uint8) {
	const up, down, left, right = game.Up, game.Down, game.Left, game.Right
	return [...]uint8{right, right | up, up, up | left, left, left | down, down, down | right}[since/turn%8]
}

// turn is the time per side of the square.
const turn = 700 * time.Millisecond

// serve runs a server of the arena until wait returns.
func serve(transport string, npcs int, ready func(greeting) error, wait func()) error {
	var g greeting
	var wire netsys.Wire
	g.Transport = transport
	at, origins := net.JoinHostPort(serverIP, "0"), []string{"http://" + pageAddr}
	if transport == "websocket" {
		l, err := eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{Addr: at, Origins: origins}}.Listen(at)
		if err != nil {
			return err
		}
		wire, g.URL = l, fmt.Sprintf("ws://%v/", l.WebSocketAddr())
	} else {
		certificate, err := webtransport.DevelopmentCertificate(time.Now())
		if err != nil {
			return err
		}
		l, err := webtransport.Listen(webtransport.Config{Addr: at, Origins: origins, TLS: &tls.Config{Certificates: []tls.Certificate{certificate}}})
		if err != nil {
			return err
		}
		wire, g.URL, g.Hashes = l, fmt.Sprintf("https://%v/", l.LocalAddr()), l.CertificateHashes()
	}
	config := systems.ServerConfig{Seed: 1, TickRate: tickRate, Session: systems.ServerSession{InsecureAllowAnyAddress: true}}
	game.Arm(&config)
	game.NewMessages().Serve(&config)
	s, err := systems.NewServer(wire, game.CombatProtocol(), config)
	if err != nil {
		return err
	}
	game.PopulateCombat(s.World(), 1, npcs)
	g.Began = s.Next().Add(-time.Duration(s.Tick()) * time.Second / tickRate)
	if err := ready(g); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		wait()
		stop()
	}()
	return s.Run(ctx)
}

// play plays one match.
func (x session) play() (r result, err error) {
	r.Transport = x.Transport
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	began := time.Now()
	dial := webtransport.DialConfig{Hashes: x.Hashes}.Dial
	if x.Transport == "websocket" {
		dial = websocket.Dial
	}
	wire, err := dial(ctx, x.URL)
	if err != nil {
		return r, err
	}
	config := systems.ClientConfig{
		Session: systems.ClientSession{InsecureAllowAnyAddress: true},
		Gather:  systems.Gather(func(_ *systems.Client, in *game.Action) { in.Buttons = way(time.Since(began)) }),
	}
	game.NewMessages().Play(&config, nil)
	c, err := systems.NewClient(wire, wire.RemoteAddr(), game.CombatProtocol(), config)
	if err != nil {
		return r, err
	}
	defer func() { _ = c.Close(time.Now()) }()
	var ages, gaps []float64
	var base systems.ClientStats
	last := began
	var counted uint64
	end := began.Add(patience)
	ticker := time.NewTicker(frame)
	defer ticker.Stop()
	for now := range ticker.C {
		if now.After(end) {
			break
		}
		c.Advance(now)
		c.Frame(now)
		if err := c.Err(); err != nil {
			return r, fmt.Errorf("%w (after %v; the wire: %v)", err, now.Sub(began), wire.Err())
		}
		s := c.Stats()
		if !c.Connected() || s.Snapshots == 0 {
			continue
		}
		if !r.Connected {
			r.Connected, r.ConnectMS = true, now.Sub(began).Seconds()*1e3
			end = now.Add(x.Settle + x.Long)
		}
		if end.Sub(now) > x.Long {
			base, last, counted = s, now, s.Snapshots
			continue
		}
		r.Frames++
		due := now.Sub(x.Began).Seconds() * tickRate
		ages = append(ages, (due-c.DrawnTick())/tickRate*1e3)
		if s.Snapshots != counted {
			gaps = append(gaps, now.Sub(last).Seconds()*1e3)
			last, counted = now, s.Snapshots
		}
	}
	if !r.Connected {
		return r, fmt.Errorf("no snapshot came from %s within %v", x.URL, patience)
	}
	s := c.Stats()
	r.Stalls, r.Corrections, r.Snapshots = s.Stalls-base.Stalls, s.Corrections-base.Corrections, s.Snapshots-base.Snapshots
	r.AgeP50MS, r.AgeP99MS, r.GapP99MS, r.GapMaxMS = part100(ages, 50), part100(ages, 99), part100(gaps, 99), part100(gaps, 100)
	return r, nil
}

// part100 returns percentile p.
func part100(of []float64, p int) float64 {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[min(len(of)*p/100, len(of)-1)]
}
