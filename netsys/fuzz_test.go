package netsys

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"
	"time"
)

func FuzzHello(f *testing.F) {
	f.Add(appendHello(nil, &hello{version: WireVersion, schema: 2, lines: 3, hashes: [MaxSchemaLines]uint32{4, 5, 6}}))
	f.Add(appendHello(nil, &hello{version: WireVersion, tag: 1<<63 + 7}))
	f.Add(appendHello(nil, &hello{version: 9}))
	f.Add(appendHello(nil, &hello{version: WireVersion, lines: 1, login: []byte("Ada")}))
	f.Add(appendHello(nil, &hello{version: WireVersion, login: make([]byte, MaxLogin)}))
	f.Add(append(appendHello(nil, &hello{version: WireVersion, login: make([]byte, MaxLogin)}), 1)) // one too many
	f.Fuzz(func(t *testing.T, b []byte) {
		var h hello
		if parseHello(b, &h) == DropNone {
			if again := appendHello(nil, &h); !bytes.Equal(again, b) || len(h.login) > MaxLogin {
				t.Errorf("%x\nreads as %+v, which is\n%x", b, h, again)
			}
		}
	})
}

func FuzzWelcome(f *testing.F) {
	f.Add(appendWelcome(nil, welcome{id: 2, payload: []byte("hello")}))
	f.Add(appendWelcome(nil, welcome{id: 1}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if w, drop := parseWelcome(b); drop == DropNone {
			if again := appendWelcome(nil, w); !bytes.Equal(again, b) || len(w.payload) > MaxWelcome {
				t.Errorf("%x\nreads as %+v, which is\n%x", b, w, again)
			}
		}
	})
}

func FuzzRefused(f *testing.F) {
	f.Add(appendRefused(nil, refused{reason: refusedSchema, line: 2, text: []byte("Position{X f32}")}))
	f.Add(appendRefused(nil, refused{reason: refusedClosing}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, drop := parseRefused(b); drop == DropNone {
			if again := appendRefused(nil, r); !bytes.Equal(again, b) || len(r.text) > maxRefusedText {
				t.Errorf("%x\nreads as %+v, which is\n%x", b, r, again)
			}
		}
	})
}

// appendPacket encodes a parsed packet again.
func appendPacket(dst []byte, h header, in body) []byte {
	dst = append(dst, make([]byte, headerSize)...)
	h.put(dst[len(dst)-headerSize:])
	switch h.kind {
	case kindBoth:
		dst = binary.LittleEndian.AppendUint16(dst, uint16(len(in.payload)))
	case kindClose:
		return append(dst, byte(in.reason))
	case kindChallenge, kindAnswer:
		return binary.LittleEndian.AppendUint64(dst, in.path)
	}
	return append(append(dst, in.payload...), in.channels...)
}

func FuzzPacket(f *testing.F) {
	f.Add(appendPacket(nil, header{kind: kindDatagram, seq: 1, ack: 2, bits: 3, delay: 4}, body{payload: []byte("payload")}))
	f.Add(appendPacket(nil, header{kind: kindBoth, seq: 1, ack: 2, bits: 3, delay: 4}, body{payload: []byte("payload"), channels: []byte("more")}))
	f.Add(appendPacket(nil, header{kind: kindChannels, delay: nothingHeard}, body{}))
	f.Add(appendPacket(nil, header{kind: kindClose}, body{reason: ReasonKicked}))
	f.Add(appendPacket(nil, header{kind: kindChallenge}, body{path: 1 << 60}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if h, in, drop := parsePacket(b); drop == DropNone {
			if again := appendPacket(nil, h, in); !bytes.Equal(again, b) {
				t.Errorf("%x\nreads as %+v %+v, which is\n%x", b, h, in, again)
			}
		}
	})
}

// FuzzEndpoints runs a server and a client, and sends the fuzzer's bytes with the right keys on behalf of either. The input
// is a list of {flags u8, length u8, bytes}. Flag 1: send to the client. 2: send before the hello. 4: let 50 ms pass first. 8:
// write the next sequence number into the bytes. 16: change the client's address. 32: extend to the maximum length.
func FuzzEndpoints(f *testing.F) {
	f.Add([]byte{8, 13, kindBoth, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 1, 0, 7, 8, 9})
	f.Add([]byte{2, 3, kindHello, 2, 0, 1, 9, kindWelcome, 1, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{8 | 16, 19, kindAnswer, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{9 | 4, 12, kindClose, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 3})
	f.Fuzz(func(t *testing.T, input []byte) {
		m := newMatch(t, matchConfig{})
		if len(input) == 0 || input[0]&2 == 0 {
			m.connect()
		}
		received := func(now time.Time, _ Session, p Packet) {
			if len(p.Data) > MaxPayload || p.At.After(now) {
				t.Errorf("impossible packet %+v", p)
			}
		}
		m.atServer.onReceived, m.atClient.onReceived = received, received
		for steps := 0; len(input) >= 2 && steps < 200; steps++ {
			flags, n := input[0], min(int(input[1]), len(input)-2)
			b := bytes.Clone(input[2 : 2+n])
			input = input[2+n:]
			if flags&32 != 0 {
				b = append(b, make([]byte, 1200-len(b))...)
			}
			if flags&4 != 0 {
				m.now = m.now.Add(50 * time.Millisecond)
			}
			if flags&16 != 0 {
				m.clientNode.Rebind(netip.AddrPort{})
			}
			from := m.client.session
			if flags&1 != 0 {
				from = nil
				for _, s := range append(m.server.guests, m.server.schedule.all...) {
					from = s
				}
			}
			if from != nil && from.tunnel != nil {
				if flags&8 != 0 && len(b) >= headerSize {
					binary.LittleEndian.PutUint16(b[1:], from.out.next)
				}
				from.carrier.now = m.now
				_ = from.tunnel.Send(m.now, b)
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
