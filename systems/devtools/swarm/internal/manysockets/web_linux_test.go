package manysockets

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
)

// frames decodes the bytes of a server up to the end of the connection.
func frames(b []byte, piece int) (all [][]byte, ended bool, left int) {
	var have []byte
	for len(b) > 0 {
		n := min(piece, len(b))
		have, b = append(have, b[:n]...), b[n:]
		for {
			kind, payload, size, ok := nextFrame(have)
			if !ok {
				return all, true, 0
			}
			if size == 0 {
				break
			}
			all = append(all, append([]byte{kind}, payload...))
			have = have[size:]
		}
	}
	return all, false, len(have)
}

// FuzzServerFrames reads any bytes from a server. The result does not depend on how they are split, no datagram is too long,
// and little is buffered.
func FuzzServerFrames(f *testing.F) {
	f.Add([]byte("\x03\x82\x01a\x82\x00\x89\x01x\x82\x7e\x00\x80"))
	f.Add([]byte("\x01\x81\x01a"))
	f.Add([]byte("\x01\x82\x7f\x00\x00\x00\x00\x00\x00\x00\x01a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 || len(data) > 1<<16 {
			return
		}
		whole, ended, left := frames(data[1:], len(data))
		pieces, early, rest := frames(data[1:], int(data[0])+1)
		if ended != early || left != rest || len(whole) != len(pieces) || left >= frameMost {
			t.Fatalf("whole: %d frames, ended %v, %d bytes wait; in pieces: %d, %v, %d", len(whole), ended, left, len(pieces), early, rest)
		}
		for i, x := range whole {
			if !bytes.Equal(x, pieces[i]) || len(x) > 1+netsys.MaxDatagram {
				t.Fatalf("frame %d: %q whole, %q in pieces", i, x, pieces[i])
			}
		}
	})
}

// answerer is the server's end of a handshake.
type answerer struct {
	net.Conn
	answer io.Reader
}

func (a answerer) Write(b []byte) (int, error) { return len(b), nil }
func (a answerer) Read(b []byte) (int, error)  { return a.answer.Read(b) }

// FuzzHandshake feeds answers to the handshake. An answer without our key is never accepted, and the length of an answer is
// bounded.
func FuzzHandshake(f *testing.F) {
	f.Add([]byte("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n\x82\x01a"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"))
	u := &url.URL{Scheme: "http", Host: "game.example"}
	f.Fuzz(func(t *testing.T, answer []byte) {
		in := bytes.NewReader(append(answer, make([]byte, 4*responseMost)...))
		if _, err := handshake(answerer{answer: in}, u); err == nil {
			t.Error("agreed")
		}
		if read := int(in.Size()) - in.Len(); read > responseMost {
			t.Errorf("%d bytes read", read)
		}
	})
}

// On a warm connection neither direction allocates.
func TestWebAllocatesNothing(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() { // it answers each frame with one of 300 bytes
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		ask, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: "+accepts(ask.Header.Get("Sec-WebSocket-Key"))+"\r\n\r\n")
		b, answer := make([]byte, 6+100), append([]byte{0x82, 126, 300 >> 8, 300 & 255}, make([]byte, 300)...)
		for {
			if _, err := io.ReadFull(in, b); err != nil {
				return
			}
			_, _ = conn.Write(answer)
		}
	}()
	f, err := Config{Clients: 1}.Web(ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	on, err := f.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, err := f.Wire(0, on)
	if err != nil {
		t.Fatal(err)
	}
	up, n := make([]byte, 100), 0
	var now time.Time
	deliver := func(d netsys.Datagram) { n += len(d.Data) / 300 }
	arrived := func(int) { w.Poll(now, deliver) }
	round := func() {
		if err := w.Send(now, f.RemoteAddr(), up); err != nil {
			t.Fatal(err)
		}
		f.Flush(now)
		for before, end := n, time.Now().Add(20*time.Second); n == before; {
			if now = time.Now(); now.After(end) {
				t.Fatal("no answer")
			}
			f.Poll(now, arrived)
			time.Sleep(10 * time.Microsecond) // the other end may need this processor
		}
	}
	for range 20 {
		round()
	}
	if allocs := testing.AllocsPerRun(200, round); allocs >= 1 && !race.Enabled {
		t.Errorf("%v allocations per datagram up and down", allocs)
	}
}

// The unwritten rest of a frame is written first. Nothing is lost or cut, however little room the socket has.
func TestWebWritesTheRestFirst(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[1])
	_ = unix.SetsockoptInt(pair[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 1)
	w, err := Config{Clients: 1}.Web("127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	x, err := w.Wire(0, &Connection{raw: &raw{fd: pair[0]}})
	if err != nil {
		t.Fatal(err)
	}
	var heard []byte
	b := make([]byte, 1500)
	sent := 0
	for step := range 300 {
		if x.Send(time.Time{}, w.RemoteAddr(), bytes.Repeat([]byte{byte(sent)}, 1000)) == nil {
			sent++
		}
		w.Flush(time.Time{})
		if step%3 == 0 {
			n, _ := unix.Read(pair[1], b)
			heard = append(heard, b[:max(n, 0)]...)
		}
	}
	for range 300 {
		n, _ := unix.Read(pair[1], b)
		heard = append(heard, b[:max(n, 0)]...)
		w.Flush(time.Time{})
	}
	const frame = 8 + 1000
	if len(heard) != sent*frame || sent == 300 || sent < 50 {
		t.Fatalf("%d bytes arrived of %d frames", len(heard), sent)
	}
	for i := range sent {
		h := heard[i*frame:]
		if h[0] != frameBinary || h[8]^h[4] != byte(i) || h[frame-1]^h[7] != byte(i) {
			t.Fatalf("frame %d is % x … % x", i, h[:10], h[frame-1])
		}
	}
}
