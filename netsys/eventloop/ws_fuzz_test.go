//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/panjf2000/gnet/v2"

	"github.com/tactusgo/tactus/netsys"
)

// FuzzHandshake feeds requests to the upgrade. Accepted requests, and only these, are answered with status 101.
func FuzzHandshake(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\n\r\n"))
	configs := []WebSocketConfig{
		{},
		{Origins: []string{"https://game.example"}},
		{Hosts: []string{"game.example"}},
		{ClientAddrHeader: "X-Forwarded-For", TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::/16")}},
		{ClientAddrHeader: "Forwarded", TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	}
	switches := []byte("HTTP/1.1 101 ")
	f.Fuzz(func(t *testing.T, head []byte) {
		if len(head) > defaultHandshake {
			return
		}
		for i := range configs {
			answer, client, err := configs[i].upgrade(bytes.Clone(head), netip.MustParseAddr("127.0.0.1"))
			if len(answer) > 1024+len(head) {
				t.Errorf("%d bytes of request answered with %d", len(head), len(answer))
			}
			if in := bytes.HasPrefix(answer, switches); in != (err == nil) {
				t.Errorf("error %v, answer %q", err, answer)
			}
			if err == nil && (!client.IsValid() || client.Zone() != "" || client.Is4In6()) {
				t.Errorf("client %v", client)
			}
		}
	})
}

// FuzzFrames feeds bytes to a connection after the handshake, in pieces whose length the low bits of the first byte determine.
// With the high bit, the connection has not received its first message yet. The result does not depend on the pieces, little
// is buffered, every datagram has a valid length, and the first one opens a session.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{3, 0x82, 0x81, 1, 2, 3, 4, 5})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 || len(data) > 1<<16 {
			return
		}
		whole, wholeAction, flooded := feed(t, data[1:], len(data), data[0]&0x80 != 0)
		pieces, piecesAction, _ := feed(t, data[1:], int(data[0]&0x7f)+1, data[0]&0x80 != 0)
		if flooded {
			return // pieces come over several polls
		}
		if wholeAction != piecesAction || len(whole) != len(pieces) {
			t.Fatalf("whole: %d datagrams, action %v; in pieces: %d, %v", len(whole), wholeAction, len(pieces), piecesAction)
		}
		if data[0]&0x80 != 0 && len(whole) > 0 && !opensSession([]byte(whole[0])) {
			t.Fatalf("begun with %q", whole[0])
		}
		for i := range whole {
			if whole[i] != pieces[i] || len(whole[i]) > netsys.MaxDatagram {
				t.Fatalf("datagram %d: %q whole, %q in pieces", i, whole[i], pieces[i])
			}
		}
	})
}

// feed lets a connection, fresh from its handshake or not, read data in pieces of the given length. It returns the datagrams,
// the action for the connection, and whether too many frames arrived at once.
func feed(t *testing.T, data []byte, piece int, fresh bool) (got []string, action gnet.Action, flooded bool) {
	inbox := netsys.NewInbox(maxFramesPerPoll)
	w := newConnections(WebSocketConfig{}, inbox, logger{})
	c := &webConn{fd: -1, client: netip.MustParseAddr("192.0.2.1"), port: 5000, opened: time.Unix(0, 0)}
	w.all[c], w.halfOpen = struct{}{}, []*webConn{c}
	var p byteStream
	at := time.Unix(1, 0)
	if !fresh {
		w.assignAddress(c, at)
		c.answered.Store(true)
	}
	for len(data) > 0 && action == gnet.None {
		n := min(piece, len(data))
		p.b = append(bytes.Clone(p.b), data[:n]...)
		data = data[n:]
		action = w.receive(&p, c, at, &w.frames)
		if action == gnet.None && len(p.b) >= maxFrame {
			t.Fatalf("%d bytes stay buffered", len(p.b))
		}
		w.polls.Add(1)
		inbox.Drain(at, func(d netsys.Datagram) {
			if d.From != c.from {
				t.Errorf("from %v", d.From)
			}
			got = append(got, string(d.Data))
		})
	}
	return got, action, w.currentStats().Flooded > 0
}
