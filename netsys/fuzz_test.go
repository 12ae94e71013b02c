package netsys

import (
	"bytes"
	"net/netip"
	"testing"
	"time"
)

// sealed returns b with a right checksum, so that a fuzzer gets past it.
func sealed(b []byte, s seal) []byte {
	b = bytes.Clone(b)
	if len(b) >= prefixSize {
		s.close(b)
	}
	return b
}

// FuzzHello fills short inputs up with zeros, so that the fuzzer need not work on the padding.
func FuzzHello(f *testing.F) {
	trim := func(b []byte) []byte { return bytes.TrimRight(b, "\x00") }
	f.Add(trim(appendHello(nil, &hello{version: wireVersion, nonce: 1, schema: 2, lines: 3, hashes: [MaxSchemaLines]uint32{4, 5, 6}})))
	f.Add(trim(appendHello(nil, &hello{version: wireVersion, nonce: 1, schema: 2, lines: 1, tag: 1<<63 + 7})))
	f.Add(trim(appendHello(nil, &hello{version: 9, nonce: 1})))
	f.Fuzz(func(t *testing.T, b []byte) {
		var h hello
		parseHello(b, &h)
		if len(b) < helloSize {
			b = append(bytes.Clone(b), make([]byte, helloSize-len(b))...)
		}
		b = sealed(b, openSeal)
		if parseHello(b, &h) == DropNone {
			if again := appendHello(nil, &h); !bytes.Equal(again, b) {
				t.Errorf("%x\nreads as %+v, which is\n%x", b, h, again)
			}
		}
	})
}

func FuzzWelcome(f *testing.F) {
	f.Add(appendWelcome(nil, welcome{nonce: 1, id: 2, token: 3, payload: []byte("hello")}))
	f.Add(appendWelcome(nil, welcome{id: 1}))
	f.Fuzz(func(t *testing.T, b []byte) {
		parseWelcome(b)
		b = sealed(b, openSeal)
		if w, drop := parseWelcome(b); drop == DropNone {
			if again := appendWelcome(nil, w); !bytes.Equal(again, b) || len(w.payload) > MaxWelcome {
				t.Errorf("%x\nreads as %+v, which is\n%x", b, w, again)
			}
		}
	})
}

func FuzzRefused(f *testing.F) {
	f.Add(appendRefused(nil, refused{nonce: 1, reason: refusedSchema, line: 2, text: []byte("Position{X f32}")}))
	f.Add(appendRefused(nil, refused{nonce: 1, reason: refusedFull}))
	f.Fuzz(func(t *testing.T, b []byte) {
		parseRefused(b)
		b = sealed(b, openSeal)
		if r, drop := parseRefused(b); drop == DropNone {
			if again := appendRefused(nil, r); !bytes.Equal(again, b) || len(r.text) > maxRefusedText {
				t.Errorf("%x\nreads as %+v, which is\n%x", b, r, again)
			}
		}
	})
}

func FuzzPacket(f *testing.F) {
	s := newSeal(7)
	f.Add(appendPacket(nil, s, header{kind: kindData, seq: 1, ack: 2, bits: 3, delay: 4}, []byte("payload")))
	f.Add(appendPacket(nil, s, header{kind: kindKeepAlive, delay: nothingHeard}, nil))
	f.Add(appendPacket(nil, s, header{kind: kindDisconnect}, []byte{1}))
	f.Fuzz(func(t *testing.T, b []byte) {
		parsePacket(b, s)
		b = sealed(b, s)
		if h, payload, drop := parsePacket(b, s); drop == DropNone {
			if again := appendPacket(nil, s, h, payload); !bytes.Equal(again, b) {
				t.Errorf("%x\nreads as %+v, which is\n%x", b, h, again)
			}
		}
	})
}

// FuzzEndpoints throws a sequence of datagrams at a server and a client in mid-game. The input is a list of
// {flags u8, length u8, bytes}: flag 1 sends from a stranger, 2 makes the checksum right for the handshake, 4
// for the session, 8 sends to the client, 16 lets 50 ms pass first, 32 stretches the datagram to a Hello.
func FuzzEndpoints(f *testing.F) {
	f.Add([]byte{0, 3, 4, 0, 0, 4, 15, 4, 0, 0, 0, 0, 9, 0, 9, 0, 255, 255, 255, 255, 0, 0})
	f.Add([]byte{2 | 32, 20, 1, 0, 0, 0, 0, 'T', 'A', 'C', 'T', 1, 0, 5, 5, 5, 5, 5, 5, 5, 5, 0})
	f.Add([]byte{4 | 8 | 16, 16, 6, 0, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0, 255, 255, 3})
	f.Fuzz(func(t *testing.T, input []byte) {
		m := newMatch(t, matchConfig{}).connect()
		m.atServer.onReceived = func(now time.Time, s Session, p Packet) {
			if len(p.Data) > MaxPayload || p.At.After(now) {
				t.Errorf("impossible packet %+v", p)
			}
		}
		stranger, serverNode := m.network.Node(netip.AddrPort{}), m.server.wire.(*Node)
		for len(input) >= 2 {
			flags, n := input[0], min(int(input[1]), len(input)-2)
			b := bytes.Clone(input[2 : 2+n])
			input = input[2+n:]
			if flags&32 != 0 {
				b = append(b, make([]byte, helloSize-len(b))...)
			}
			if flags&2 != 0 {
				b = sealed(b, openSeal)
			}
			if flags&4 != 0 {
				b = sealed(b, m.client.session.seal)
			}
			if flags&16 != 0 {
				m.now = m.now.Add(50 * time.Millisecond)
			}
			from, to := m.clientNode, serverNode
			if flags&8 != 0 {
				from, to = to, from
			}
			if flags&1 != 0 {
				from = stranger
			}
			if err := from.Send(m.now, to.LocalAddr(), b); err != nil {
				t.Fatal(err)
			}
			m.step()
		}
		for range 60 {
			m.step()
		}
		if m.atServer.connected < m.atServer.disconnected || m.atClient.connected > 1 || m.atClient.disconnected > 1 {
			t.Errorf("server %+v, client %+v", m.atServer, m.atClient)
		}
	})
}
