package rooms

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/systemstest"
)

// token is a token that a player has.
type token struct {
	seatPromise
	player  uint64
	expires time.Time
	used    bool
}

// guest is a client that a door has let in.
type guest struct {
	token  token
	client uint32
	until  time.Time // zero: connected
}

// crowd uses a book in every hostile way, and keeps its own record of who may have which seat.
type crowd struct {
	t      testing.TB
	rng    *rand.Rand
	now    time.Time
	book   *seatBook
	tokens []token
	newest map[uint16]seatPromise // by seat
	guests []guest                // in a handshake, or connected
	banned map[uint64]bool
	client uint32
	said   []string
}

func (c *crowd) say(format string, v ...any) {
	c.said = append(c.said, fmt.Sprintf("%8v ", c.now.Sub(birth))+fmt.Sprintf(format, v...))
}

// check checks the invariants.
func (c *crowd) check() {
	c.t.Helper()
	here, players := make(map[uint16]uint64), make(map[uint64]bool)
	for _, g := range c.guests {
		if !g.until.IsZero() {
			continue
		}
		if other, twice := here[g.token.number]; twice {
			c.fail("seat %d has players %d and %d", g.token.number, other, g.token.player)
		}
		here[g.token.number] = g.token.player
	}
	if len(here) > len(c.book.all()) {
		c.fail("%d players on %d seats", len(here), len(c.book.all()))
	}
	used := 0
	for n, s := range c.book.all() {
		if s.state() == seatFree {
			if _, somebody := here[uint16(n)]; somebody {
				c.fail("seat %d is free, and player %d sits there", n, here[uint16(n)])
			}
			continue
		}
		used++
		if players[s.player] {
			c.fail("player %d has two seats", s.player)
		}
		players[s.player] = true
		if s.state() == seatTaken != (here[uint16(n)] != 0) || s.state() == seatTaken && here[uint16(n)] != s.player {
			c.fail("seat %d of player %d is %v, and player %d sits there", n, s.player, s.state(), here[uint16(n)])
		}
		if c.banned[s.player] && s.state() != seatTaken {
			c.fail("player %d is banned and has seat %d, %v", s.player, n, s.state())
		}
	}
	if c.book.free() != len(c.book.all())-used {
		c.fail("%d left, %d of %d used", c.book.free(), used, len(c.book.all()))
	}
}

func (c *crowd) fail(format string, v ...any) {
	c.t.Helper()
	for _, line := range c.said[max(0, len(c.said)-20):] {
		c.t.Log(line)
	}
	c.t.Fatalf(format, v...)
}

// issued keeps a token that was given out.
func (c *crowd) issued(p seatPromise, player uint64, until time.Time) {
	if last, ok := c.newest[p.number]; ok && p.epoch <= last.epoch {
		c.fail("seat %d has epoch %d after %d", p.number, p.epoch, last.epoch)
	}
	c.newest[p.number] = p
	c.tokens = append(c.tokens, token{p, player, until, false})
}

// move does one thing.
func (c *crowd) move() {
	rng := c.rng
	player := func() uint64 { return 1 + rng.Uint64N(uint64(2*len(c.book.all())+2)) }
	until := c.now.Add(time.Duration(1+rng.IntN(10)) * time.Second)
	switch rng.IntN(12) {
	case 0, 1: // a party wants seats
		who := make([]claimant, 1+rng.IntN(3))
		for i := range who {
			who[i] = claimant{player: player(), party: rng.Uint64N(3)}
		}
		left := c.book.free()
		got, err := c.book.reserve(c.now, until, nil, who...)
		c.say("reserve %v: %v, %v", who, got, err)
		switch {
		case err == nil && len(got) != len(who) || err != nil && (len(got) != 0 || c.book.free() != left):
			c.fail("%d of %d: %v", len(got), len(who), err)
		case errors.Is(err, ErrFull) && left >= len(who):
			c.fail("full with %d free for %d", left, len(who))
		}
		for i, p := range got {
			c.issued(p, who[i].player, until)
		}
	case 2: // somebody comes back
		who := player()
		p, s, err := c.book.renew(until, who)
		c.say("renew %d: %v, %v", who, p, err)
		if err == nil {
			if s.player != who {
				c.fail("the seat of %d was renewed for %d", s.player, who)
			}
			c.issued(p, who, until)
		}
	case 3, 4, 5: // a token is shown: any, old, used, expired
		if len(c.tokens) == 0 {
			return
		}
		i := max(0, len(c.tokens)-1-rng.IntN(6))
		k := &c.tokens[i]
		good := !k.used && c.now.Before(k.expires) && c.newest[k.number] == k.seatPromise
		if good && rng.IntN(2) == 0 {
			c.book.noteRequest(k.seatPromise, k.player)
			c.say("asked %v of %d", k.seatPromise, k.player)
			return
		}
		_, seat, has := c.book.seatOf(k.player)
		err := c.book.admit(c.now, k.seatPromise, k.player)
		c.say("admit %v of %d: %v", k.seatPromise, k.player, err)
		if err == nil && (k.used || c.newest[k.number] != k.seatPromise) {
			c.fail("token %v of player %d let in: used %v, the newest is %v", k.seatPromise, k.player, k.used, c.newest[k.number])
		}
		if err != nil && good && has && seat.epoch == k.epoch && !seat.leaving {
			c.fail("token %v of player %d did not let in: %v", k.seatPromise, k.player, err)
		}
		if err != nil {
			return
		}
		k.used = true
		// The session before ends first, and its player is waited for, or not.
		waits := rng.IntN(4) > 0
		client := uint32(0)
		for j := range c.guests {
			if g := c.guests[j]; g.token.player == k.player {
				if g.until.IsZero() {
					client = g.client
					c.book.leave(g.token.player, g.client, waits)
				}
				c.guests = append(c.guests[:j], c.guests[j+1:]...)
				break
			}
		}
		if client == 0 || !waits {
			c.client++
			client = c.client
		}
		c.guests = append(c.guests, guest{*k, client, c.now.Add(5 * time.Second)})
	case 6, 7: // a handshake ends, well or not
		for j := range c.guests {
			g := &c.guests[j]
			if g.until.IsZero() {
				continue
			}
			_, _, ok := c.book.enter(g.token.seatPromise, g.token.player, g.client)
			c.say("enter %v of %d as %d: %v", g.token.seatPromise, g.token.player, g.client, ok)
			if ok {
				g.until = time.Time{}
			} else {
				c.guests = append(c.guests[:j], c.guests[j+1:]...)
			}
			return
		}
	case 8: // somebody leaves
		if len(c.guests) == 0 {
			return
		}
		j := rng.IntN(len(c.guests))
		g := c.guests[j]
		c.guests = append(c.guests[:j], c.guests[j+1:]...)
		if !g.until.IsZero() {
			return // without a word
		}
		waits := rng.IntN(2) == 0
		c.book.leave(g.token.player, g.client, waits)
		c.say("left %d as %d, waits %v", g.token.player, g.client, waits)
		if _, s, has := c.book.seatOf(g.token.player); has != waits && s.state() != seatPromised || has && waits && s.state() != seatWaiting {
			c.fail("player %d left, waits %v: it has a seat %v, %v", g.token.player, waits, has, s.state())
		}
		if waits && rng.IntN(2) == 0 {
			c.book.stopWaiting(g.token.player, g.client)
			c.say("gone %d as %d", g.token.player, g.client)
		}
	case 9: // somebody is sent away
		who := player()
		client, err := c.book.kick(who)
		c.say("kick %d: %d, %v", who, client, err)
		if client != 0 {
			for j, g := range c.guests {
				if g.token.player == who && g.until.IsZero() {
					c.guests = append(c.guests[:j], c.guests[j+1:]...)
					c.book.leave(who, g.client, rng.IntN(2) == 0)
					break
				}
			}
		}
		if _, _, still := c.book.seatOf(who); still {
			c.fail("player %d was sent away and has a seat", who)
		}
		if rng.IntN(8) == 0 {
			c.book.ban(who)
			c.banned[who] = true
		}
	default: // time passes
		c.now = c.now.Add(time.Duration(rng.IntN(4000)) * time.Millisecond)
		for j := 0; j < len(c.guests); {
			if g := c.guests[j]; !g.until.IsZero() && !c.now.Before(g.until) {
				c.guests = append(c.guests[:j], c.guests[j+1:]...) // sessions give up before the book does
				continue
			}
			j++
		}
		c.book.expire(c.now)
		c.say("expired")
	}
	c.check()
}

// Joins, parties, expiries, reconnects, kicks and bans in any order: no seat has two players, no player two seats, and no more
// seats are given than there are. Only the newest token of a seat admits its player, once, and unused seats become free again.
func TestSeats(t *testing.T) {
	systemstest.Seeds(t, 200, func(t *testing.T, seed uint64) {
		c := &crowd{
			t: t, rng: rand.New(rand.NewPCG(seed, 1)), now: birth,
			newest: make(map[uint16]seatPromise), banned: make(map[uint64]bool),
		}
		c.book = newSeatBook(1+c.rng.IntN(6), 1)
		for range 500 {
			c.move()
		}
		for _, g := range c.guests {
			if g.until.IsZero() {
				c.book.leave(g.token.player, g.client, true)
				c.book.stopWaiting(g.token.player, g.client)
			}
		}
		for _, s := range c.book.all() {
			c.book.stopWaiting(s.player, s.client)
		}
		c.guests = nil
		c.now = c.now.Add(time.Minute)
		c.book.expire(c.now)
		if c.book.free() != len(c.book.all()) {
			c.fail("%d of %d seats are free in the end: %+v", c.book.free(), len(c.book.all()), c.book.all())
		}
	})
}

// An unused promise expires and frees its seat. If a client has presented the promise, the seat is kept until its handshake
// must have ended.
func TestPromisesExpire(t *testing.T) {
	for _, asked := range []bool{false, true} {
		b := newSeatBook(1, 1)
		until := birth.Add(10 * time.Second)
		p, err := b.reserve(birth, until, nil, claimant{player: 1})
		if err != nil {
			t.Fatal(err)
		}
		if asked {
			b.noteRequest(p[0], 1)
		}
		b.expire(until.Add(-time.Millisecond))
		if _, err := b.reserve(birth, until, nil, claimant{player: 2}); !errors.Is(err, ErrFull) {
			t.Errorf("a promised seat was given away: %v", err)
		}
		b.expire(until)
		if free := b.free() == 1; free == asked {
			t.Errorf("asked %v, free %v at the end of the promise", asked, free)
		}
		if asked && b.admit(until.Add(time.Second), p[0], 1) != nil {
			t.Error("who came in time was not let in")
		}
		b.expire(until.Add(time.Minute))
		if f := b.drainFreed(); b.free() != 1 || len(f) != 1 || f[0].player != 1 {
			t.Errorf("%d free, freed %+v", b.free(), f)
		}
		if err := b.admit(until, p[0], 1); !errors.Is(err, errStale) {
			t.Errorf("an old token lets in: %v", err)
		}
	}
}

// The epochs of a room that was created again are above all epochs of the previous one. They start again in the room whose
// range would reach that of the next.
func TestEpochsOfRooms(t *testing.T) {
	until := birth.Add(time.Second)
	first, second := newSeatBook(1, 1), newSeatBook(1, 2)
	if _, err := first.reserve(birth, until, nil, claimant{player: 1}); err != nil {
		t.Fatal(err)
	}
	p, err := second.reserve(birth, until, nil, claimant{player: 1})
	if err != nil {
		t.Fatal(err)
	}
	last := uint32(0)
	for range epochsPerRoom - 2 {
		old, _, err := first.renew(until, 1)
		if err != nil || old.epoch <= last || old.epoch >= p[0].epoch {
			t.Fatalf("epoch %d after %d, %v; that of the room made anew is %d", old.epoch, last, err, p[0].epoch)
		}
		last = old.epoch
	}
	if again, _, _ := first.renew(until, 1); again.epoch >= last {
		t.Errorf("epoch %d after %d", again.epoch, last)
	}
}
