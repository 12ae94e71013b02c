package netcode

import (
	"bytes"
	"net/netip"
	"testing"
	"time"
)

// FuzzConnectToken fills short inputs up with zeros, so that the fuzzer need not work on the padding.
func FuzzConnectToken(f *testing.F) {
	f.Add(bytes.TrimRight(golden(f, "token"), "\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = ParseToken(b)
		if len(b) < TokenSize {
			b = append(bytes.Clone(b), make([]byte, TokenSize-len(b))...)
		}
		token, err := ParseToken(b)
		if err != nil {
			return
		}
		if len(token.Servers) < 1 || len(token.Servers) > MaxServers || token.Create > token.Expire {
			t.Fatalf("impossible token %+v", token)
		}
		again, err := ParseToken(token.Append(nil))
		if err != nil || !bytes.Equal(again.Append(nil), token.Append(nil)) {
			t.Errorf("%v: reads as %+v, then as %+v", err, token, again)
		}
		if c, err := NewClient(token, nil); err != nil || len(c.Server().Addr().Zone()) != 0 {
			t.Errorf("no client for %+v: %v", token, err)
		}
	})
}

func FuzzPrivateToken(f *testing.F) {
	token := privateToken{clientID: 1, timeout: -1, clientToServer: goldenClientToServer, userData: goldenUserData()}
	for _, a := range goldenServers {
		token.servers.list[token.servers.n] = a
		token.servers.n++
	}
	f.Add(token.appendPlain(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var token privateToken
		if !token.parse(b) {
			return
		}
		if n := token.servers.n; n < 1 || n > MaxServers {
			t.Fatalf("%d servers", n)
		}
		var again privateToken
		if plain := token.appendPlain(nil); len(plain) != privatePlain || !again.parse(plain) || again != token {
			t.Errorf("reads as %+v, then as %+v", token, again)
		}
	})
}

// FuzzPacket also seals its input, so that the input passes authentication.
func FuzzPacket(f *testing.F) {
	for _, name := range []string{"denied", "challenge", "response", "keepalive", "payload", "payload_short", "disconnect"} {
		f.Add(golden(f, name))
	}
	d := newDirection(&goldenClientToServer)
	f.Fuzz(func(t *testing.T, b []byte) {
		h, drop := parseHeader(b, 0xff)
		if drop != DropNone {
			return
		}
		if h.kind < kindDenied || h.kind > kindDisconnect || h.size < 2 || h.size > maxHeader || len(b) < h.size+macSize {
			t.Fatalf("impossible header %+v", h)
		}
		if body, ok := d.opened(h, b); ok && len(body) != len(b)-h.size-macSize {
			t.Fatalf("%d bytes hold a body of %d", len(b), len(body))
		}
		plain := b[h.size : len(b)-macSize]
		sealed := d.sealed(h.kind, h.sequence, plain)
		again, drop := parseHeader(sealed, 1<<h.kind)
		if drop == DropSize && len(sealed) < minPacket {
			return
		}
		body, ok := d.opened(again, sealed)
		if drop != DropNone || !ok || again.sequence != h.sequence || !bytes.Equal(body, plain) {
			t.Errorf("%+v sealed again reads as %+v, %v, %x", h, again, drop, body)
		}
	})
}

// FuzzRequest assembles a request from its parts. Flag 1: seal the private part. 2: send the request twice. 4: let 10 s pass
// first.
func FuzzRequest(f *testing.F) {
	var token privateToken
	token.servers.list[0], token.servers.n = testServer, 1
	f.Add(uint8(1), uint64(testProtocol), uint64(epoch.Unix()+60), token.appendPlain(nil))
	f.Add(uint8(3), uint64(testProtocol), uint64(epoch.Unix()+5), token.appendPlain(nil)[:400])
	f.Fuzz(func(t *testing.T, flags uint8, protocolID, expire uint64, plain []byte) {
		w := newWorld(t, ServerConfig{MaxClients: 1})
		s := w.servers[0]
		expire = max(expire, 1) // a client whose token has no lifetime ends before it asks
		c := ConnectToken{ProtocolID: protocolID, Expire: expire, Servers: []netip.AddrPort{testServer}}
		n := copy(c.Private[:], plain)
		if flags&1 != 0 {
			clear(c.Private[min(n, privatePlain):])
			newTokenCipher(testKey).Seal(c.Private[:0], c.Nonce[:], c.Private[:privatePlain], appendTokenData(nil, protocolID, expire))
		}
		b := request(&c)
		if flags&4 != 0 {
			w.now = w.now.Add(10 * time.Second)
		}
		for range 1 + flags&2 {
			drop := s.Receive(w.now, netip.MustParseAddrPort(alice), b, s)
			if now := uint64(w.now.Unix()); drop == DropNone && (flags&1 == 0 || protocolID != testProtocol || expire <= now || expire-now > 65*60) {
				t.Error("taken")
			}
		}
		if s.half.len() > 1 || s.Len() != 0 || len(w.queue) > 3 {
			t.Errorf("%d half open, %d clients, %d answers", s.half.len(), s.Len(), len(w.queue))
		}
	})
}

// FuzzEndpoints sends a sequence of datagrams to a connected server and client. The input is a list of {flags u8, length u8,
// bytes}. Flag 1: send from a stranger's address. 2: seal the bytes as the honest end would; the first two bytes are the
// packet type and the signed distance to the next sequence number. 4: send to the client. 8: let 50 ms pass. 16: extend the
// datagram to the length of a request. 32: search for the sender of a datagram from an unknown address. 64: move that client
// to the address. 128: let 200 ms pass in which nothing arrives.
func FuzzEndpoints(f *testing.F) {
	f.Add([]byte{2, 3, 5, 0, 'x', 6, 10, 4, 1, 0, 0, 0, 0, 0, 0, 0, 9, 2, 2, 6, 4})
	f.Add([]byte{16, 14, 0, 'N', 'E', 'T', 'C', 'O', 'D', 'E', ' ', '1', '.', '0', '2', 0, 0, 20, 0x85, 255, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	f.Add([]byte{2, 3, 5, 0x80, 'x', 2, 2, 6, 0xc0, 6, 3, 5, 0x80, 'x', 34, 3, 5, 0x80, 'x', 163, 2, 6, 0x81})
	f.Add([]byte{2, 30, 3, 0, 1, 1, 1, 1, 1, 1, 1, 1, 6, 30, 1, 0, 6, 30, 2, 0})
	f.Fuzz(func(t *testing.T, input []byte) {
		w, s, c := connected(t, ServerConfig{})
		p := s.last
		begin := firstSequence(c.token.Expire, epoch)
		for len(input) >= 2 {
			flags, n := input[0], min(int(input[1]), len(input)-2)
			b := bytes.Clone(input[2 : 2+n])
			input = input[2+n:]
			if flags&2 != 0 && len(b) >= 2 {
				d, next := &c.sender, c.sequence
				if flags&4 != 0 {
					d, next = &p.out, p.sequence
				}
				b = d.sealed(b[0]&15, next+uint64(int8(b[1])), b[2:])
			}
			recorded := false // of an earlier session of the same keys
			if h, drop := parseHeader(b, 0xff); drop == DropNone {
				recorded = h.sequence < begin
			}
			if flags&16 != 0 && len(b) < requestSize {
				b = append(b, make([]byte, requestSize-len(b))...)
			}
			if flags&8 != 0 {
				w.run(50 * time.Millisecond)
			}
			if flags&128 != 0 {
				w.now = w.now.Add(200 * time.Millisecond)
			}
			from := netip.MustParseAddrPort(mallory)
			if flags&4 != 0 {
				if flags&1 == 0 {
					from = testServer
				}
				if c.Receive(w.now, from, b, c) == DropNone && recorded && b[0]&15 >= kindKeepAlive {
					t.Errorf("the client took %x", b)
				}
				continue
			}
			if flags&1 == 0 {
				from = c.addr
			}
			drop := s.Receive(w.now, from, b, s)
			if drop == DropNone && recorded {
				t.Errorf("the server took %x", b)
			}
			if drop != DropUnknownSender || flags&32 == 0 {
				continue
			}
			found := s.Find(w.now, from, b, s)
			if found != nil && (found != p || flags&2 == 0 || recorded) {
				t.Errorf("%v found by what is not authentic", found)
			}
			if found != nil && flags&64 != 0 && s.Rebind(p, from) {
				c.addr = from
			}
		}
		w.run(time.Second)
		if s.connected != 1 || s.disconnected > 1 || c.disconnected > 1 || s.Len() != 1-s.disconnected || s.peers.byAddr.len() != s.Len() || len(s.peers.byID) != s.Len() {
			t.Errorf("server %+v, client %+v", s.serverLog, c.clientLog)
		}
	})
}
