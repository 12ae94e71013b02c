package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"time"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

// start is the start of sessions: hosts require a plausible time of day.
var start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// session is a match in virtual time with a server, a recorded host, and bots.
type session struct {
	game   game
	draw   *rand.Rand
	now    time.Time
	net    *netsys.Network
	at     netip.AddrPort
	server *systems.Server
	bots   []*systems.Client
	link   *netsys.Conditioner // link of the host
	host   *player
	write  *writer
	input  []byte
	hold   int // frames until the next change of the input
}

// record plays a session of at least the given number of ticks and returns the recording.
func record(g game, seed uint64, ticks int) (*recording, error) {
	s := &session{game: g, draw: rand.New(rand.NewPCG(seed, 18)), now: start, net: netsys.NewNetwork(), at: netip.MustParseAddrPort("10.0.0.1:7777")}
	s.game.options.Seed = seed
	if err := s.start(); err != nil {
		return nil, err
	}
	r := &recording{}
	for r.ticks < ticks {
		n, err := s.frame(r)
		if err != nil {
			return nil, fmt.Errorf("after %d ticks: %w", r.ticks, err)
		}
		r.ticks += n
	}
	t := s.host.Client().Stats()
	r.corrections, r.resimulated, r.bytes = t.Corrections, t.Resimulated, s.write.end()
	return r, nil
}

// start starts the server and connects all clients.
func (s *session) start() error {
	key := netcode.GenerateKey(netsys.SeededRandom(s.draw.Uint64()))
	p := s.game.world.Protocol(&s.game.options)
	c := systems.ServerConfig{Start: start, Session: systems.ServerSession{Random: netsys.SeededRandom(s.draw.Uint64()), Key: key}}
	if s.game.world.Server != nil {
		s.game.world.Server(&s.game.options, &c)
	}
	var err error
	if s.server, err = systems.NewServer(s.net.Node(s.at), p, c); err != nil {
		return err
	}
	s.game.world.Populate(s.server.World(), &s.game.options)
	token := func(id uint64) (*netcode.ConnectToken, error) {
		return netcode.TokenConfig{Key: key, ClientID: id, Servers: []netip.AddrPort{s.at}, Random: netsys.SeededRandom(s.draw.Uint64())}.Issue(start)
	}
	for n := range s.game.options.Clients - 1 {
		t, err := token(uint64(n) + 2)
		if err != nil {
			return err
		}
		c := systems.ClientConfig{Start: start, Session: systems.ClientSession{Token: t}, Gather: s.game.world.Bot(&s.game.options, n).Gather()}
		if s.game.world.Client != nil {
			s.game.world.Client(&s.game.options, &c)
		}
		node, err := s.wire()
		if err != nil {
			return err
		}
		bot, err := systems.NewClient(node, s.at, s.game.world.Protocol(&s.game.options), c)
		if err != nil {
			return err
		}
		s.bots = append(s.bots, bot)
	}
	t, err := token(1)
	if err != nil {
		return err
	}
	if s.link, err = s.wire(); err != nil {
		return err
	}
	o := opening{now: milliseconds(start), server: s.at.String(), token: t.Append(nil)}
	s.host, err = newPlayer(s.game, o, func(b []byte) { _ = s.link.Send(s.now, s.at, b) })
	if err != nil {
		return err
	}
	s.input = make([]byte, s.host.InputSize())
	s.write = newWriter(s.game.world.Protocol(&s.game.options), o)
	return nil
}

// wire returns a transport over a terrible link.
func (s *session) wire() (*netsys.Conditioner, error) {
	return netsys.Condition(s.net.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: s.draw.Uint64(), In: terrible(s.draw), Out: terrible(s.draw)})
}

func terrible(draw *rand.Rand) netsys.Link {
	latency := time.Duration(20+draw.IntN(60)) * time.Millisecond
	k := netsys.Link{Latency: latency, Jitter: latency * time.Duration(draw.IntN(80)) / 100, Loss: 0.02 + 0.08*draw.Float64(), Duplicate: 0.05}
	if draw.IntN(2) == 0 {
		k.Burst = 60 * time.Millisecond
	}
	return k
}

// frame runs one frame of the host and everything since the previous frame. Frames take 6 to 24 ms, sometimes up to 0.5 s.
func (s *session) frame(r *recording) (ticks int, err error) {
	pause := time.Duration(96+s.draw.IntN(288)) * (time.Second / 16000) // multiples of 1/16 ms are exact in floating point
	if s.draw.IntN(400) == 0 {
		pause += time.Duration(s.draw.IntN(8000)) * (time.Second / 16000)
	}
	s.now = s.now.Add(pause)
	s.server.Advance(s.now)
	if s.draw.IntN(200) == 0 {
		s.push()
	}
	for _, bot := range s.bots {
		bot.Advance(s.now)
		bot.Frame(s.now)
	}
	s.link.Poll(s.now, func(d netsys.Datagram) {
		if _, e := s.recordCall(call{kind: pushed, now: milliseconds(s.now), bytes: d.Data}); e != nil {
			err = e
		}
	})
	if err != nil {
		return 0, err
	}
	if s.hold--; s.hold < 0 {
		s.hold = s.draw.IntN(30)
		s.think()
		if _, err := s.recordCall(call{kind: given, bytes: s.input}); err != nil {
			return 0, err
		}
	}
	if s.draw.IntN(200) == 0 {
		if err := s.sendMessage(); err != nil {
			return 0, err
		}
	}
	got, err := s.recordCall(call{kind: advanced, now: milliseconds(s.now)})
	if err != nil {
		return 0, err
	}
	if s.draw.IntN(4) > 0 {
		if _, err := s.recordCall(call{kind: drawn, now: milliseconds(s.now)}); err != nil {
			return 0, err
		}
		r.frames++
	}
	return int(got.ticks), nil
}

// push moves the host's entities on the server, if the game supports this, so that predictions fail.
func (s *session) push() {
	if s.game.world.Push == nil {
		return
	}
	w := s.server.World()
	for e, x := range ecs.EachInOrder[struct{ Owner *components.Owner }](w) {
		if x.Owner.Client == s.host.Client().ID() {
			s.game.world.Push(w, e, float32(s.draw.IntN(101)-50), float32(s.draw.IntN(101)-50))
		}
	}
}

// recordCall makes a call and records its result.
func (s *session) recordCall(c call) (result, error) {
	got, err := s.host.perform(&c)
	if err == nil {
		s.write.call(&c, &got)
	}
	return got, err
}

// think creates an input: values in their ranges, or random bits.
func (s *session) think() {
	for i := range s.input {
		if s.draw.IntN(2) == 0 {
			s.input[i] = byte(s.draw.Uint32())
		}
	}
	t := s.game.world.Protocol(&s.game.options).Input().Schema
	for i := range t.Fields {
		f := &t.Fields[i]
		low, high := f.Min, f.Max
		if !(high-low < 1e6) {
			low, high = -1000, 1000
		}
		v := low + (high-low)*s.draw.Float64()
		switch f.Kind {
		case reflect.Float32:
			binary.LittleEndian.PutUint32(s.input[f.Offset:], math.Float32bits(float32(v)))
		case reflect.Float64:
			binary.LittleEndian.PutUint64(s.input[f.Offset:], math.Float64bits(v))
		}
	}
}

// sendMessage sends a message or command with random bytes.
func (s *session) sendMessage() error {
	sizes := func(list []host.Layout) (all []*schema.Table) {
		for _, l := range list {
			if l.Sent {
				all = append(all, l.Schema)
			}
		}
		return all
	}
	kinds := [2][]*schema.Table{sizes(s.game.host().Book.Messages())}
	for _, c := range s.game.world.Protocol(&s.game.options).Players().Commands {
		kinds[1] = append(kinds[1], c.Schema)
	}
	what := s.draw.IntN(2)
	if len(kinds[what]) == 0 {
		return nil
	}
	b := make([]byte, kinds[what][0].Size)
	for i := range b {
		b[i] = byte('a' + s.draw.IntN(26))
	}
	b[0] = byte(s.draw.IntN(12)) // the length of a text
	_, err := s.recordCall(call{kind: said, what: uint8(2 * what), bytes: b})
	return err
}

// milliseconds converts a time to the milliseconds of a page, rounded to 1/16.
func milliseconds(t time.Time) float64 { return float64(t.UnixNano()/62_500) / 16 }

// timeOf is the inverse of milliseconds.
func timeOf(ms float64) time.Time { return time.Unix(0, int64(ms*16)*62_500) }
