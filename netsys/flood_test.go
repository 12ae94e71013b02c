package netsys_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// flood is an attacker who can forge any address and sees some of the traffic.
type flood struct {
	rng     *rand.Rand
	request []byte // a good one, seen on its way
	silent  []byte // a packet of a session with little traffic, seen on its way
	busy    []byte // and of one with much
	in, out int    // bytes
	sent    int
	forged  map[netip.AddrPort]bool // addresses of the present poll
	kinds   []func(f *flood) (from netip.AddrPort, b []byte)
}

// strike puts a flood of packets a second in front of a server.
func (s *stage) strike(perSecond int, victims []*player, kinds ...func(f *flood) (netip.AddrPort, []byte)) *flood {
	f := &flood{rng: rand.New(rand.NewPCG(5, 6)), kinds: kinds, forged: make(map[netip.AddrPort]bool)}
	own := make(map[netip.AddrPort]bool)
	for _, p := range victims {
		own[p.LocalAddr()] = true
	}
	spy := func(on *player, seen *[]byte) {
		on.wire.out = func(_ netip.AddrPort, b []byte) bool {
			*seen = append((*seen)[:0], b...)
			return true
		}
	}
	spy(victims[0], &f.silent)
	spy(victims[len(victims)-1], &f.busy)
	s.until("packets are seen", func() bool { return f.silent != nil && f.busy != nil })
	send := func(n int, now time.Time, deliver func(netsys.Datagram)) {
		for range n {
			from, b := f.kinds[f.sent%len(f.kinds)](f)
			f.sent++
			f.forged[from] = !own[from]
			if !own[from] {
				f.in += len(b)
			}
			deliver(netsys.Datagram{From: from, At: now, Data: b})
		}
	}
	// The datagrams of honest clients arrive at a random place among the forged ones.
	n, before := perSecond/60, 0
	s.wire.first = func(now time.Time, deliver func(netsys.Datagram)) {
		clear(f.forged)
		before = f.rng.IntN(n)
		send(before, now, deliver)
	}
	s.wire.add = func(now time.Time, deliver func(netsys.Datagram)) { send(n-before, now, deliver) }
	s.wire.out = func(to netip.AddrPort, b []byte) bool {
		if f.forged[to] {
			f.out += len(b)
		}
		return true
	}
	return f
}

// anybody returns an address that no client has.
func (f *flood) anybody() netip.AddrPort {
	r := f.rng.Uint64()
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{byte(20 + r%100), byte(r >> 8), byte(r >> 16), byte(r >> 24)}), uint16(1024+r>>32%60000))
}

// guessed returns a request with a forged token.
func guessed(f *flood) (netip.AddrPort, []byte) {
	b := append([]byte(nil), f.request...)
	binary.LittleEndian.PutUint64(b[len(b)-8:], f.rng.Uint64())
	return f.anybody(), b
}

// repeated requests are good ones, from elsewhere.
func repeated(f *flood) (netip.AddrPort, []byte) { return f.anybody(), f.request }

// aimed packets could be those of any client that moved: they have a number that is due.
func aimed(f *flood) (netip.AddrPort, []byte) {
	return f.anybody(), f.spoil(f.silent)
}

// spoil returns a packet that is not authentic, with a number a little above that of one that was seen.
func (f *flood) spoil(seen []byte) []byte {
	b := append([]byte(nil), seen...)
	if n := int(b[0] >> 4); n > 0 && len(b) > n+1 {
		b[1] += byte(1 + f.rng.IntN(50))
	}
	binary.LittleEndian.PutUint64(b[len(b)-8:], f.rng.Uint64())
	return b
}

// TestSpoofedFlood sends 100,000 datagrams per second for two seconds: requests with guessed tokens, repeated valid requests,
// packets of sessions that aim at the search for moved clients, and packets with the source addresses of clients. 200 clients
// with 60 packets per second each way, and 20 clients that send keep-alives only, lose nothing. Two clients change their port
// or address meanwhile, and their sessions continue. The server amplifies nothing.
func TestSpoofedFlood(t *testing.T) {
	t.Parallel()
	const silent, playing, seconds, rate = 20, 200, 2, 100_000
	const clients = silent + playing
	s := newStage(t, netsys.ServerConfig{MaxClients: 256})
	for i := range clients {
		s.join(uint64(1+i), netsys.Link{})
	}
	s.until("connected", func() bool { return s.server.Len() == clients })
	honest := s.players
	victims := func(f *flood) (netip.AddrPort, []byte) {
		return honest[silent+f.rng.IntN(10)].LocalAddr(), f.spoil(f.busy) // more than a session may have
	}
	f := s.strike(rate, honest, guessed, repeated, aimed, victims)
	f.request = requestOf(t, s.issue(1000))
	moving, steps := honest[clients-2:], 0
	s.run(seconds*time.Second, func() {
		if steps++; steps == 60 {
			moving[0].node.Rebind(netip.AddrPortFrom(moving[0].LocalAddr().Addr(), 6000))
			moving[1].node.Rebind(netip.MustParseAddrPort("203.0.113.7:6000"))
		}
		for _, p := range honest[silent:] {
			p.play()
		}
	})
	s.wire.first, s.wire.add = nil, nil
	s.run(time.Second, nil)
	for _, p := range honest[:clients-len(moving)] {
		p.perfect()
	}
	for i, p := range moving {
		p.alive()
		if n := p.atServer.Stats().Moves; n != 1 || p.atServer.RemoteAddr() != p.LocalAddr() {
			t.Errorf("the client that moved is at %v, the server has it at %v after %d moves", p.LocalAddr(), p.atServer.RemoteAddr(), n)
		}
		t.Logf("moved client %d lost %d up, %d down", i, p.up.lost(), p.down.lost())
		if lost := p.up.lost(); lost > 60 {
			t.Errorf("%d datagrams of the client that moved are lost", lost)
		}
	}
	if s.server.Len() != clients || len(s.ends) != 0 || len(s.events) != clients {
		t.Errorf("%d clients, ended %v", s.server.Len(), s.ends)
	}
	if f.out > f.in {
		t.Errorf("%d bytes to forged addresses for %d from there", f.out, f.in)
	}
	if n := s.server.Drops().Total(); n != 0 {
		t.Errorf("%v reached the sessions", s.server.Drops())
	}
	drops := s.server.DatagramDrops()
	if total := drops.Total(); total < seconds*rate*99/100 {
		t.Errorf("%d of %d were counted", total, f.sent)
	}
	t.Logf("%d datagrams, %d bytes in, %d out; %v", f.sent, f.in, f.out, drops)
}

// Everything that a client sends is replayed many times, from its own address and from another one. Nothing reaches the
// session twice. When the client is gone, the replay does not delay its timeout.
func TestReplayReachesNobody(t *testing.T) {
	s := newStage(t, netsys.ServerConfig{Timeout: 2 * time.Second})
	p := s.seat(1, netsys.Link{})
	home := p.LocalAddr()
	var recorded [][]byte
	p.wire.out = func(_ netip.AddrPort, b []byte) bool {
		recorded = append(recorded, append([]byte(nil), b...))
		return true
	}
	s.wire.add = func(now time.Time, deliver func(netsys.Datagram)) {
		n := len(recorded)
		for _, b := range append(recorded[:min(10, n):min(10, n)], recorded[max(0, n-200):]...) {
			deliver(netsys.Datagram{From: home, At: now, Data: b})
			deliver(netsys.Datagram{From: netip.MustParseAddrPort("203.0.113.66:666"), At: now, Data: b})
		}
	}
	s.run(3*time.Second, p.everything)
	p.alive()
	if n := s.server.Drops().Total(); n != 0 || p.atServer.Stats().Moves != 0 {
		t.Errorf("a replay reached the session: %v, moved %d times", s.server.Drops(), p.atServer.Stats().Moves)
	}
	if drops := s.server.DatagramDrops(); drops[netcode.DropReplay] < 10_000 {
		t.Errorf("replays are not counted: %v", drops)
	}
	p.asleep = true
	s.run(1800*time.Millisecond, nil)
	if p.endAtServer != nil {
		t.Errorf("ended too early with %v", p.endAtServer)
	}
	s.run(time.Second, nil)
	if !errors.Is(p.endAtServer, netsys.ErrTimeout) {
		t.Errorf("a recording keeps the session alive: %v", p.endAtServer)
	}
}

// requestOf returns the request of a client with a token.
func requestOf(t *testing.T, token *netcode.ConnectToken) (request []byte) {
	t.Helper()
	c, err := netcode.NewClient(token, func(_ netip.AddrPort, b []byte) error {
		request = append([]byte(nil), b...)
		return nil
	})
	must(t, err)
	c.Update(opening, &raw{})
	return request
}

// A client with a token sends 20,000 packets per second. For two seconds the server accepts as many packets as a session may
// send, then it ends the session and reports the reason to the client. Other clients lose nothing.
func TestInputFlood(t *testing.T) {
	s := newStage(t, netsys.ServerConfig{})
	honest := s.seat(1, netsys.Link{})
	for i, body := range [][]byte{make([]byte, 100), nil} {
		id := uint64(66 + i)
		r := s.intrude(id)
		before, session := honest.up.lost(), s.sessionOf(id)
		s.run(5*time.Second, func() {
			honest.play()
			honest.talk(eventChannel, 20)
			for range 20_000 / 60 {
				r.send(datagramKind, body)
			}
			r.poll()
		})
		if received := int(session.Stats().DatagramsIn); received < 2900 || received > 3200 {
			t.Errorf("%d packets got through, want some 1,000 a second for two seconds, and one burst", received)
		}
		var end *netsys.CloseError
		if n := len(s.ends); n != i+1 || !errors.As(s.ends[i], &end) || *end != (netsys.CloseError{Reason: netsys.ReasonFlood}) {
			t.Errorf("sessions ended with %v", s.ends)
		}
		if r.closed != int(netsys.ReasonFlood) {
			t.Errorf("the client was told %d", r.closed)
		}
		if honest.up.lost() > before+1 { // one may be on its way
			t.Errorf("the honest client lost %d", honest.up.lost()-before)
		}
	}
	s.run(time.Second, nil)
	honest.perfect()
	if !honest.delivered() {
		t.Error("the honest client misses messages")
	}
	if packets, clients := s.server.DatagramDrops()[netcode.DropFlood], s.server.Drops()[netsys.DropFlood]; packets < 70_000 || clients != 2 {
		t.Errorf("of the flood %d packets and %d clients are counted", packets, clients)
	}
}

// sessionOf returns the session of a client id.
func (s *stage) sessionOf(id uint64) netsys.Session {
	for session := range s.server.Sessions() {
		if session.ClientID() == id {
			return session
		}
	}
	s.t.Fatalf("client %d has no session", id)
	return nil
}

// The server tolerates 64 malformed packets of a session and then ends it with the reason. Packets that the network damages do
// not count.
func TestMalformedEndsSession(t *testing.T) {
	for name, test := range map[string]struct {
		packet func(r *raw)
		want   netsys.DropReason
	}{
		"short":                         {func(r *raw) { r.say([]byte{datagramKind, 0}) }, netsys.DropTooShort},
		"unknown kind":                  {func(r *raw) { r.send(answerKind+1, nil) }, netsys.DropUnknownType},
		"kind 0":                        {func(r *raw) { r.send(0, nil) }, netsys.DropUnexpected},
		"a welcome":                     {func(r *raw) { r.send(welcomeKind, make([]byte, 20)) }, netsys.DropUnexpected},
		"a refusal":                     {func(r *raw) { r.say([]byte{refusedKind, 1, 0, 0}) }, netsys.DropUnexpected},
		"both, no length":               {func(r *raw) { r.send(bothKind, []byte{1}) }, netsys.DropMalformed},
		"both, no channels":             {func(r *raw) { r.send(bothKind, []byte{2, 0, 1, 2}) }, netsys.DropMalformed},
		"both, too long":                {func(r *raw) { r.send(bothKind, []byte{9, 0, 1, 2}) }, netsys.DropMalformed},
		"a close without a reason":      {func(r *raw) { r.send(closeKind, nil) }, netsys.DropMalformed},
		"a long close":                  {func(r *raw) { r.send(closeKind, []byte{1, 2}) }, netsys.DropMalformed},
		"a short answer":                {func(r *raw) { r.send(answerKind, make([]byte, 7)) }, netsys.DropMalformed},
		"a challenge":                   {func(r *raw) { r.send(challengeKind, make([]byte, 8)) }, netsys.DropUnexpected},
		"a short challenge":             {func(r *raw) { r.send(challengeKind, []byte{1}) }, netsys.DropMalformed},
		"unknown channel":               {func(r *raw) { r.send(channelsKind, []byte{0x80 | 30, 0, 0, 1}) }, netsys.DropChannels},
		"endless message":               {func(r *raw) { r.send(channelsKind, []byte{0, 0, 0, 255, 255, 1}) }, netsys.DropChannels},
		"beyond the queue":              {func(r *raw) { r.send(channelsKind, []byte{0x80, 0, 0x70, 1}) }, netsys.DropChannels},
		"bad channels behind a payload": {func(r *raw) { r.send(bothKind, []byte{1, 0, 7, 255, 255}) }, netsys.DropChannels},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, netsys.ServerConfig{})
			honest := s.seat(1, netsys.Link{})
			r := s.intrude(66)
			session := s.sessionOf(66)
			for range 64 {
				test.packet(r)
				s.step()
			}
			if drops := s.server.Drops(); session.Stats().Malformed != 64 || s.server.Len() != 2 || drops[test.want] != 64 || drops.Total() != 64 {
				t.Fatalf("%d count as malformed, %d clients, %v", session.Stats().Malformed, s.server.Len(), drops)
			}
			test.packet(r)
			s.step()
			s.step()
			r.poll()
			var closed *netsys.CloseError
			if len(s.ends) != 1 || !errors.As(s.ends[0], &closed) || closed.Reason != netsys.ReasonProtocol || closed.Remote {
				t.Errorf("ended with %v", s.ends)
			}
			if r.closed != int(netsys.ReasonProtocol) {
				t.Errorf("the client was told %d", r.closed)
			}
			for range 100 {
				test.packet(r)
				s.step()
			}
			if s.server.Len() != 1 || len(s.ends) != 1 {
				t.Errorf("%d clients, ends %v", s.server.Len(), s.ends)
			}
			honest.alive()
		})
	}
	t.Run("numbers again", func(t *testing.T) {
		s := newStage(t, netsys.ServerConfig{})
		r := s.intrude(66)
		for want, seq := range map[netsys.DropReason]uint16{netsys.DropDuplicate: 0, netsys.DropStale: 1<<16 - 600} {
			for range 100 {
				r.seq = seq
				r.send(channelsKind, nil)
			}
			s.step()
			if drops := s.server.Drops(); drops[want] != 100 || s.server.Len() != 1 || s.sessionOf(66).Stats().Malformed != 0 {
				t.Errorf("%v, %d clients", drops, s.server.Len())
			}
		}
	})
	t.Run("a broken wire", func(t *testing.T) {
		s := newStage(t, netsys.ServerConfig{})
		p := s.seat(1, rough)
		rng := rand.New(rand.NewPCG(1, 2))
		breaks := func(d netsys.Datagram) bool {
			if len(d.Data) > 0 && rng.IntN(3) == 0 {
				d.Data[rng.IntN(len(d.Data))] ^= 1 << rng.IntN(8)
			}
			return true
		}
		s.wire.in, p.wire.in = breaks, breaks
		s.run(20*time.Second, func() {
			p.play()
			p.talk(eventChannel, 100)
		})
		s.wire.in, p.wire.in = nil, nil
		s.until("all messages arrived", p.delivered)
		p.alive()
		for name, n := range map[string]uint64{
			"server": s.server.Drops()[netsys.DropMalformed] + p.atServer.Stats().Malformed, "client": p.Session().Stats().Malformed,
		} {
			if n != 0 {
				t.Errorf("%s: %d count as malformed", name, n)
			}
		}
		for name, drops := range map[string]netcode.Drops{"server": s.server.DatagramDrops(), "client": p.DatagramDrops()} {
			if drops[netcode.DropForged] < 300 {
				t.Errorf("%s: %v", name, drops)
			}
		}
	})
	t.Run("before the welcome", func(t *testing.T) {
		s := newStage(t, netsys.ServerConfig{MaxClients: 1})
		r := s.knock(66)
		s.until("it has a slot", func() bool {
			r.poll()
			return r.netcode.State() == netcode.Connected
		})
		for range 65 {
			r.say([]byte{helloKind})
			s.step()
		}
		if n := s.server.Drops()[netsys.DropTooShort]; n != 65 || s.server.Len() != 0 || len(s.ends) != 0 {
			t.Errorf("%v, ends %v", s.server.Drops(), s.ends)
		}
		s.seat(1, netsys.Link{}).alive() // the slot is free at once
	})
}
