package netcode

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"
)

const alice, mallory = "198.51.100.7:5000", "203.0.113.66:666"

// expect gives a request to the first server and wants it dropped for a reason, without an answer unless denied.
func (w *world) expect(from string, b []byte, want DropReason) {
	w.t.Helper()
	s := w.servers[0]
	before, queued := s.Drops(), len(w.queue)
	if drop := s.Receive(w.now, netip.MustParseAddrPort(from), b, s); drop != want {
		w.t.Errorf("%v, want %v", drop, want)
	}
	if want != DropNone && s.Drops()[want] != before[want]+1 {
		w.t.Errorf("%v was not counted", want)
	}
	answers := 0
	if want == DropNone || want == DropFull {
		answers = 1
	}
	if len(w.queue)-queued != answers {
		w.t.Errorf("%v: %d answers, want %d", want, len(w.queue)-queued, answers)
	}
	for _, d := range w.queue[queued:] {
		if len(d.data) >= len(b) {
			w.t.Errorf("%d bytes answer %d", len(d.data), len(b))
		}
	}
}

func TestRequestIsChallenged(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	b := request(w.issue(w.config(1)))
	if len(b) != 1078 {
		t.Errorf("a request has %d bytes", len(b))
	}
	w.expect(alice, b, DropNone)
	if n := len(w.queue[0].data); n != 333 {
		t.Errorf("a challenge has %d bytes", n)
	}
	w.expect(alice, b, DropNone) // the challenge may have been lost
	if w.servers[0].Len() != 0 || w.servers[0].connected != 0 {
		t.Error("a request alone got a slot")
	}
}

// The tests of a request, one failing after the other, in the order in which the standard makes them: each request
// fails the later tests as well.
func TestRequestOrder(t *testing.T) {
	w := newWorld(t, ServerConfig{MaxClients: 2})
	w.seat(alice, w.issue(w.config(7)))
	spent := w.issue(w.config(5))
	second := w.seat("198.51.100.8:5000", spent)
	second.Disconnect(w.now)
	w.run(time.Second)
	w.seat("198.51.100.9:5000", w.issue(w.config(8)))

	elsewhere := w.config(7)
	elsewhere.Known = []netip.AddrPort{netip.MustParseAddrPort("192.0.2.99:40000")}
	b := request(w.issue(elsewhere))
	b[requestSize-1]++ // not authentic
	binary.LittleEndian.PutUint64(b[22:], uint64(w.now.Unix()))
	b[14]++ // another protocol id
	b[12]++ // another version
	w.expect(alice, append(b, 0), DropSize)
	w.expect(alice, b, DropVersion)
	b[12]--
	w.expect(alice, b, DropProtocol)
	b[14]--
	w.expect(alice, b, DropExpired)
	b = request(w.issue(elsewhere))
	b[requestSize-1]++
	w.expect(alice, b, DropKey)
	b[requestSize-1]--
	w.expect(alice, b, DropElsewhere)
	w.expect(alice, request(w.issue(w.config(7))), DropConnected)
	w.expect(mallory, request(w.issue(w.config(7))), DropClientID)
	w.expect(mallory, request(spent), DropTokenUsed)
	w.expect(mallory, request(w.issue(w.config(9))), DropFull)
}

func TestExpiredToken(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	b := request(w.issue(w.config(1)))
	w.now = w.now.Add(44999 * time.Millisecond)
	w.expect(alice, b, DropNone)
	w.now = w.now.Add(time.Millisecond)
	w.expect(alice, b, DropExpired)
	// Nobody can give a token more time.
	binary.LittleEndian.PutUint64(b[22:], uint64(w.now.Unix()+100))
	w.expect(alice, b, DropTokenUsed)
	b = request(w.issue(w.config(2)))
	binary.LittleEndian.PutUint64(b[22:], uint64(w.now.Unix()+100))
	w.expect(alice, b, DropKey)
}

func TestWrongProtocolID(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	c := w.config(1)
	c.ProtocolID++
	b := request(w.issue(c))
	w.expect(alice, b, DropProtocol)
	binary.LittleEndian.PutUint64(b[14:], testProtocol)
	w.expect(alice, b, DropKey)
}

// A token with a valid seal and invalid contents, from a broken issuer, is dropped as malformed.
func TestMalformedPrivateToken(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	token := w.issue(w.config(1))
	data := appendTokenData(nil, testProtocol, token.Expire)
	for name, change := range map[string]func(b []byte){
		"no servers":     func(b []byte) { b[12] = 0 },
		"many servers":   func(b []byte) { b[12] = 33 },
		"huge count":     func(b []byte) { b[15] = 255 },
		"address type":   func(b []byte) { b[16] = 3 },
		"address type 0": func(b []byte) { b[16] = 0 },
		"nothing at all": func(b []byte) { clear(b) },
		"nothing but 0xff": func(b []byte) {
			for i := range b {
				b[i] = 0xff
			}
		},
	} {
		aead := newTokenCipher(testKey)
		plain, err := aead.Open(nil, token.Nonce[:], token.Private[:], data)
		must(t, err)
		change(plain)
		broken := *token
		aead.Seal(broken.Private[:0], token.Nonce[:], plain, data)
		w.expect(alice, request(&broken), DropMalformed)
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

func TestTokenReuseFromSameAddress(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	token := w.issue(w.config(7))
	c := w.seat(alice, token)
	w.expect(alice, request(token), DropRepeated)
	c.Disconnect(w.now)
	w.step()
	if w.servers[0].Len() != 0 {
		t.Fatal("the goodbye did not arrive")
	}
	w.expect(alice, request(token), DropTokenUsed)
	for w.now.Unix() < int64(token.Expire) {
		w.expect(alice, request(token), DropTokenUsed)
		w.run(time.Second)
	}
	w.expect(alice, request(token), DropExpired)
	if n := len(w.servers[0].usedTokens.queue) + len(w.servers[0].usedTokens.macs); n != 0 {
		t.Errorf("%d entries remember an expired token", n)
	}
}

func TestTokenReuseFromAnotherAddress(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	token := w.issue(w.config(7))
	b := request(token)
	w.expect(alice, b, DropNone)
	w.expect(mallory, b, DropTokenUsed) // while the first is half open
	w.expect("198.51.100.7:5001", b, DropTokenUsed)
	c := w.seat(alice, token)
	w.expect(mallory, b, DropTokenUsed)
	c.Disconnect(w.now)
	w.step()
	w.expect(mallory, b, DropTokenUsed)
}

func TestClientIDAlreadyConnected(t *testing.T) {
	w, s, _ := connected(t, ServerConfig{})
	again := w.config(7)
	again.Random = seeded(99)
	w.expect(mallory, request(w.issue(again)), DropClientID)

	// Two handshakes have the same id. The server refuses the second one that answers, because the id is in use.
	one, two := w.config(8), w.config(8)
	one.Random, two.Random = seeded(8), seeded(9)
	a, b := w.join("198.51.100.8:1", w.issue(one)), w.join("198.51.100.8:2", w.issue(two))
	w.run(time.Second)
	if s.Len() != 2 || (a.State() == Connected) == (b.State() == Connected) {
		t.Errorf("%d clients: %v, %v", s.Len(), a, b)
	}
	if s.Drops()[DropClientID] < 2 {
		t.Errorf("drops %v", s.Drops())
	}
}

func TestFullServer(t *testing.T) {
	w := newWorld(t, ServerConfig{MaxClients: 2})
	var nodes []*clientNode
	for i, addr := range []string{"198.51.100.1:1", "198.51.100.2:1", "198.51.100.3:1"} {
		nodes = append(nodes, w.join(addr, w.issue(w.config(uint64(i)))))
	}
	w.run(time.Second)
	s := w.servers[0]
	if s.Len() != 2 || nodes[2].State() != Ended || nodes[2].reason != ErrDenied || nodes[2].disconnected != 1 {
		t.Fatalf("%d clients, the third %v: %v", s.Len(), nodes[2], nodes[2].reason)
	}
	for _, c := range nodes[:2] {
		if slot, slots := c.Slot(); slot > 1 || slots != 2 {
			t.Errorf("slot %d of %d", slot, slots)
		}
	}
	// A slot that becomes free is given again, and the token that was denied is still good.
	nodes[0].Disconnect(w.now)
	w.step()
	c := w.seat("198.51.100.3:1", w.issue(w.config(3)))
	if slot, _ := c.Slot(); slot != 0 {
		t.Errorf("slot %d instead of the free one", slot)
	}
}

// Full between challenge and response.
func TestFullAtTheResponse(t *testing.T) {
	w := newWorld(t, ServerConfig{MaxClients: 1})
	a, b := w.join("198.51.100.1:1", w.issue(w.config(1))), w.join("198.51.100.2:1", w.issue(w.config(2)))
	w.until("both challenged", func() bool { return a.State() == Responding && b.State() == Responding })
	w.run(time.Second)
	if a.State() != Connected || b.reason != ErrDenied {
		t.Errorf("%v, %v: %v", a, b, b.reason)
	}
}

func TestResponsesToOtherChallenges(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	s := w.servers[0]
	from := netip.MustParseAddrPort(alice)
	token := w.issue(w.config(1))
	up := newDirection(&token.ClientToServer)
	sequence := uint64(0)
	respond := func(body []byte) []byte {
		sequence++
		return up.sealed(kindResponse, sequence, body)
	}
	var user [UserDataSize]byte
	w.expect(alice, respond(make([]byte, challengeBody)), DropUnknownSender)
	early := s.challenges.append(nil, 1, &user)
	w.expect(alice, request(token), DropNone)
	other := s.challenges.append(nil, 2, &user)
	good := s.challenges.append(nil, 1, &user)
	foreign := newChallenges(&Key{9})
	foreign.next = s.challenges.next
	w.expect(alice, respond(early), DropChallenge)
	w.expect(alice, respond(other), DropChallenge)
	w.expect(alice, respond(foreign.append(nil, 1, &user)), DropChallenge)
	w.expect(alice, respond(good[:challengeBody-1]), DropMalformed)
	w.expect(mallory, respond(good), DropUnknownSender)
	b := respond(good)
	b[len(b)-1]++
	w.expect(alice, b, DropForged)
	if s.Len() != 0 {
		t.Fatal("connected")
	}
	if drop := s.Receive(w.now, from, respond(good), s); drop != DropNone || s.Len() != 1 {
		t.Errorf("%v, %d clients", drop, s.Len())
	}
	w.expect(alice, respond(good), DropRepeated)
	b = respond(good)
	b[len(b)-1]++
	w.expect(alice, b, DropConnected)
}

// The address of a client is the same one however a dual-stack socket writes it.
func TestMappedAddresses(t *testing.T) {
	own := netip.MustParseAddrPort("[::ffff:192.0.2.1]:40000")
	w := newWorld(t, ServerConfig{Addresses: []netip.AddrPort{own}})
	w.expect(alice, request(w.issue(w.config(1))), DropNone)
	w.expect("[::ffff:198.51.100.7]:5000", request(w.issue(w.config(1))), DropNone)
	if n := w.servers[0].half.len(); n != 1 {
		t.Errorf("%d handshakes of one client", n)
	}
	c := w.config(2)
	c.Servers = []netip.AddrPort{own}
	if token := w.issue(c); token.Servers[0] != testServer {
		t.Errorf("token names %v", token.Servers[0])
	}
}

func TestIPv6(t *testing.T) {
	own := netip.MustParseAddrPort("[2001:db8::1]:40000")
	w := newWorld(t, ServerConfig{Addresses: []netip.AddrPort{own}})
	c := w.config(1)
	c.Servers = []netip.AddrPort{own}
	node := w.seat("[2001:db8::7]:5000", w.issue(c))
	w.exchange(w.servers[0], w.servers[0].last, node)
	if got := w.servers[0].last.Address().String(); got != "[2001:db8::7]:5000" {
		t.Errorf("client at %s", got)
	}
}
