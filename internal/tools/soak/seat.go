package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
)

const (
	// maxInFlight is the largest number of a client's messages in flight, less than the limit of any queue.
	maxInFlight = 32
	// echoTimeout is how long a message may take to the server and back.
	echoTimeout = 20 * time.Second
	// pollInterval is the time between two steps of a client.
	pollInterval = 4 * time.Millisecond
)

// seat is a player, who plays with one client after the other.
type seat struct {
	soak   *soak
	host   *host
	id     uint64 // of tokens
	rng    *rand.Rand
	lives  uint32
	number uint32    // client number of the previous client if the server should reuse it; 0: none
	until  time.Time // end of the reservation of number
}

// life is one client of a seat.
type life struct {
	seat    *seat
	n       uint32
	client  *systems.Client
	wire    *roaming
	sent    uint32
	back    uint32
	waiting time.Time     // since when a message is expected back
	heard   time.Time     // when the server last received a packet of the client
	moving  time.Duration // duration of the last change of address
}

// play plays with one client after the other until ctx ends.
func (s *seat) play(ctx context.Context) {
	var l *life
	for {
		if l == nil {
			if l = s.join(ctx, nil); l == nil {
				if ctx.Err() != nil {
					return
				}
				time.Sleep(100 * time.Millisecond)
				continue
			}
		}
		for range 1 + s.rng.IntN(6) {
			l.act(ctx)
		}
		switch n := s.rng.IntN(3); {
		case n == 0 || ctx.Err() != nil && n == 1:
			l.leave()
			l = nil
		case n == 1:
			l = s.takeOver(ctx, l)
		default:
			l.die()
			l = nil
			if ctx.Err() == nil {
				time.Sleep(time.Duration(s.rng.IntN(300)) * time.Millisecond)
			}
		}
		if l == nil && ctx.Err() != nil {
			return
		}
	}
}

// join connects a client. Meanwhile old, if not nil, continues to play. join returns nil if it fails.
func (s *seat) join(ctx context.Context, old *life) *life {
	if ctx.Err() != nil {
		return nil
	}
	token, err := netcode.TokenConfig{
		Key: s.soak.key, ClientID: s.id,
		Servers: []netip.AddrPort{s.host.addr}, Lifetime: 10 * time.Second, Timeout: -time.Second,
	}.Issue(time.Now())
	if err != nil {
		s.soak.fail("%v: token: %v", s, err)
		return nil
	}
	s.lives++
	l := &life{seat: s, n: s.lives}
	if l.wire, err = s.host.roam(); err != nil {
		s.soak.fail("%v: dial: %v", s, err)
		return nil
	}
	l.client, err = systems.NewClient(l.wire, l.wire.server, game(new(atomic.Int64)), systems.ClientConfig{
		Session: systems.ClientSession{Token: token, Timeout: s.soak.timeout, ConnectTimeout: 4 * s.soak.timeout, OnMessage: l.received},
		Gather: systems.Gather(func(c *systems.Client, in *step) {
			w := c.World()
			in.DX, in.DY = int8(w.Tick()/40%3)-1, int8(w.Tick()/60%3)-1
		}),
	})
	if err != nil {
		s.soak.fail("%v: %v", s, errors.Join(err, l.wire.Close()))
		return nil
	}
	for !l.client.Connected() && l.client.Err() == nil {
		l.drive()
		if old != nil && old.client.Err() == nil {
			old.drive()
		}
		time.Sleep(pollInterval)
	}
	if err := l.client.Err(); err != nil {
		s.soak.fail("%v: not admitted: %v", s, err)
		l.die()
		s.number = 0
		return nil
	}
	s.soak.joined.Add(1)
	switch {
	case s.number == 0 || time.Now().After(s.until):
	case s.number == l.client.ID():
		s.soak.returned.Add(1)
	default:
		s.soak.fail("%v came back as client %d, and was client %d", s, l.client.ID(), s.number)
	}
	s.number = 0
	return l
}

// takeOver connects a new client while old is connected. The session of old must end.
func (s *seat) takeOver(ctx context.Context, old *life) *life {
	if err := old.client.Err(); err != nil {
		old.die()
		return nil
	}
	s.number, s.until = old.client.ID(), old.heard.Add(s.soak.timeout)
	l := s.join(ctx, old)
	if l == nil {
		old.leave()
		return nil
	}
	for end := time.Now().Add(2 * echoTimeout); old.client.Err() == nil && time.Now().Before(end); {
		old.drive()
		l.drive()
		time.Sleep(pollInterval)
	}
	switch err := old.client.Err(); {
	case errors.Is(err, netsys.ErrReplaced), errors.Is(err, netsys.ErrClosed), errors.Is(err, netsys.ErrTimeout):
		s.soak.takenOver.Add(1)
	default:
		s.soak.fail("%v: taken over, but the previous client ended with %v", s, err)
	}
	if err := old.client.Close(time.Now()); err != nil {
		s.soak.fail("%v: close: %v", s, err)
	}
	return l
}

// String names the seat.
func (s *seat) String() string { return fmt.Sprintf("%s player %d", s.host.name, s.id) }

// act changes the client's address, makes it silent, or does neither, and then plays for a while.
func (l *life) act(ctx context.Context) {
	s := l.seat
	switch s.rng.IntN(4) {
	case 0:
		start := time.Now()
		if err := l.wire.move(); err != nil {
			s.soak.fail("%v: move: %v", s, err)
		}
		l.moving = time.Since(start)
		s.soak.moved.Add(1)
	case 1:
		l.wire.quiet = true
		l.drift(ctx, time.Duration(s.rng.Int64N(int64(s.soak.timeout/3))))
		l.wire.quiet = false
		s.soak.silences.Add(1)
	}
	l.drift(ctx, 50*time.Millisecond+time.Duration(s.rng.Int64N(int64(700*time.Millisecond))))
}

// drift plays for a duration.
func (l *life) drift(ctx context.Context, d time.Duration) {
	for end := time.Now().Add(d); ctx.Err() == nil && l.client.Err() == nil && time.Now().Before(end); {
		l.drive()
		time.Sleep(pollInterval)
	}
	if err := l.client.Err(); err != nil {
		session := l.client.Stats().Session
		l.seat.soak.fail("%v: ended with %v, %v after the server last received a packet; the last change of address took %v; %+v",
			l.seat, err, time.Since(l.heard), l.moving, session)
	}
}

// drive runs the due ticks of the client and sends a message.
func (l *life) drive() {
	now := time.Now()
	if now.Before(l.client.Next()) || l.client.Advance(now) == 0 {
		return
	}
	l.client.Frame(now)
	if !l.wire.quiet {
		l.heard = now
	}
	if !l.client.Connected() {
		return
	}
	if l.sent-l.back >= maxInFlight {
		if now.Sub(l.waiting) > echoTimeout {
			l.seat.soak.fail("%v: message %d has not come back for %v", l.seat, l.back, echoTimeout)
			l.waiting = now
		}
		return
	}
	if l.sent == l.back {
		l.waiting = now
	}
	message := binary.LittleEndian.AppendUint64(nil, l.seat.id)
	message = binary.LittleEndian.AppendUint32(message, l.n)
	message = binary.LittleEndian.AppendUint32(message, l.sent)
	if err := l.client.Session().Channels().Send(0, message); err != nil {
		l.seat.soak.fail("%v: message: %v", l.seat, err)
	}
	l.sent++
}

// received checks a message that came back.
func (l *life) received(_ *systems.Client, _ int, message []byte) error {
	id, n, number := binary.LittleEndian.Uint64(message), binary.LittleEndian.Uint32(message[8:]), binary.LittleEndian.Uint32(message[12:])
	if id != l.seat.id || n != l.n || number != l.back {
		l.seat.soak.fail("%v, client %d: message %d of player %d, client %d came back; expected %d", l.seat, l.n, number, id, n, l.back)
	}
	l.back = number + 1
	l.waiting = time.Now()
	l.seat.soak.messages.Add(1)
	return nil
}

// leave closes the session.
func (l *life) leave() {
	if l.client.Err() == nil {
		l.seat.soak.left.Add(1)
	}
	if err := l.client.Close(time.Now()); err != nil {
		l.seat.soak.fail("%v: close: %v", l.seat, err)
	}
	l.seat.number = 0
}

// die closes the socket without ending the session.
func (l *life) die() {
	l.seat.soak.died.Add(1)
	l.seat.number, l.seat.until = l.client.ID(), l.heard.Add(l.seat.soak.timeout)
	if err := l.wire.Close(); err != nil {
		l.seat.soak.fail("%v: close: %v", l.seat, err)
	}
}
