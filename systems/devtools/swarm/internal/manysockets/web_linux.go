package manysockets

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/internal/streams"
	"github.com/tactusgo/tactus/netsys"
)

// raw is a connection that the Web itself reads and writes.
type raw struct {
	fd    int    // −1: ended
	rest  []byte // start of an incomplete frame
	out   []byte // bytes that the socket had no room for
	local netip.AddrPort
}

// open reports whether the connection has not ended.
func (r *raw) open() bool { return r.fd >= 0 }

// goodbye is an empty close frame.
var goodbye = []byte{0x88, 0x80, 0, 0, 0, 0}

// close sends a close frame. It first reads all arrivals, because closing a socket with unread data discards sent data.
func (r *raw) close() {
	if r.fd < 0 {
		return
	}
	if len(r.out) == 0 {
		streams.Write(r.fd, goodbye)
	}
	var b [4096]byte
	for n := 1; n > 0; {
		n, _ = unix.Read(r.fd, b[:])
	}
	_ = unix.Close(r.fd)
	r.fd, r.rest, r.out = -1, nil, nil
}

// The frames of a server.
const (
	frameMost   = 4 + netsys.MaxDatagram // largest frame
	frameBinary = 0x82
	frameClose  = 0x88
	framePing   = 0x89
	framePong   = 0x8a
)

// fast is the set of raw connections. Poll reads them, Send writes them.
type fast struct {
	web    *Web
	set    *streams.Set
	ready  []int
	byFD   []*webWire
	room   []byte     // read buffer
	frame  []byte     // write buffer
	behind []*webWire // connections whose sockets had no room
	fresh  []*webWire // connections with data received during the handshake
	random *rand.ChaCha8
}

const (
	// readMost is the largest number of bytes read from one connection per poll.
	readMost = 64 << 10
	// outMost is the largest number of bytes waiting for one socket: less than 0.1 s of any client's traffic.
	outMost = 16 << 10
)

func (f *fast) open(w *Web) error {
	set, err := streams.New()
	if err != nil {
		return err
	}
	f.web, f.set = w, set
	f.room, f.frame = make([]byte, frameMost+readMost), make([]byte, 0, 8+netsys.MaxDatagram)
	f.random = rand.NewChaCha8([32]byte{})
	return nil
}

func (f *fast) usable() bool { return true }

// add starts reading a client's connection.
func (f *fast) add(x *webWire) error {
	fd := x.raw.fd
	for len(f.byFD) <= fd {
		f.byFD = append(f.byFD, nil)
	}
	f.byFD[fd] = x
	if len(x.raw.rest) > 0 {
		f.fresh = append(f.fresh, x)
	}
	return f.set.Add(fd)
}

// end closes a client's connection.
func (f *fast) end(x *webWire) {
	if x.raw.fd >= 0 {
		f.set.Remove(x.raw.fd)
		f.byFD[x.raw.fd] = nil
		x.raw.close()
	}
}

func (f *fast) close() { f.set.Close() }

// poll reads all arrivals.
func (f *fast) poll(now time.Time) {
	f.set.Begin(now)
	for _, x := range f.fresh {
		if n := copy(f.room, x.raw.rest); x.raw.fd >= 0 && !f.process(x, f.room[:n], now) {
			f.end(x)
		}
	}
	f.fresh = f.fresh[:0]
	for rounds := len(f.web.wires) / 1024; ; rounds-- {
		fds, more := f.set.Ready(f.ready[:0])
		f.ready = fds
		f.web.stats.Reads++
		for _, fd := range fds {
			if x := f.byFD[fd]; x != nil && !f.read(x) {
				f.end(x)
			}
		}
		if !more || rounds <= 0 {
			return
		}
	}
}

// read delivers the arrivals of a connection. It returns false if the connection has ended.
func (f *fast) read(x *webWire) bool {
	r := x.raw
	begun := copy(f.room, r.rest)
	n, at, err := f.set.Read(r.fd, f.room[begun:begun+readMost])
	f.web.stats.Reads++
	if err != nil {
		return false
	}
	return n == 0 || f.process(x, f.room[:begun+n], at)
}

// process processes received bytes. It returns false if the connection must end.
func (f *fast) process(x *webWire, b []byte, at time.Time) bool {
	r := x.raw
	for {
		kind, payload, size, ok := nextFrame(b)
		if !ok {
			return false
		}
		if size == 0 {
			break
		}
		b = b[size:]
		switch kind {
		case frameBinary:
			f.web.deliver(x, netsys.Datagram{From: f.web.server, At: at, Data: payload})
		case framePing:
			f.write(x, framePong, payload)
		case frameClose:
			return false
		}
		if r.fd < 0 {
			return true // closed by the receiver of a datagram
		}
	}
	r.rest = append(r.rest[:0], b...)
	return true
}

// nextFrame parses the first frame of b. size is 0 if the frame is incomplete. ok is false for frames that our servers
// never send: text, fragments, masked frames, and more than a datagram.
func nextFrame(b []byte) (kind byte, payload []byte, size int, ok bool) {
	if len(b) < 2 {
		return 0, nil, 0, true
	}
	kind = b[0]
	n, head := int(b[1]), 2
	switch {
	case kind != frameBinary && (kind < frameClose || kind > framePong || n > 125):
		return kind, nil, 0, false
	case n > 126:
		return kind, nil, 0, false
	case n == 126:
		if head = 4; len(b) < head {
			return kind, nil, 0, true
		}
		if n = int(binary.BigEndian.Uint16(b[2:])); n > netsys.MaxDatagram {
			return kind, nil, 0, false
		}
	}
	if len(b) < head+n {
		return kind, nil, 0, true
	}
	return kind, b[head : head+n], head + n, true
}

// appendMasked appends a frame in the form that clients send.
func appendMasked(dst []byte, kind byte, payload []byte, mask uint32) []byte {
	if n := len(payload); n < 126 {
		dst = append(dst, kind, 0x80|byte(n))
	} else {
		dst = append(dst, kind, 0x80|126, byte(n>>8), byte(n))
	}
	dst = binary.LittleEndian.AppendUint32(dst, mask)
	twice := uint64(mask)<<32 | uint64(mask)
	for ; len(payload) >= 8; payload = payload[8:] {
		dst = binary.LittleEndian.AppendUint64(dst, binary.LittleEndian.Uint64(payload)^twice)
	}
	for i, v := range payload {
		dst = append(dst, v^byte(mask>>(8*(i%4))))
	}
	return dst
}

// send sends or queues a datagram. It returns false if the queue is full.
func (f *fast) send(x *webWire, b []byte) bool { return f.write(x, frameBinary, b) }

func (f *fast) write(x *webWire, kind byte, payload []byte) bool {
	r := x.raw
	if r.fd < 0 {
		return true // lost, as datagrams may be
	}
	if len(r.out)+8+len(payload) > outMost {
		return false
	}
	f.frame = appendMasked(f.frame[:0], kind, payload, uint32(f.random.Uint64()))
	n := 0
	if len(r.out) == 0 {
		n = streams.Write(r.fd, f.frame)
		f.web.stats.Writes++
		if n < len(f.frame) {
			f.behind = append(f.behind, x)
		}
	}
	if n < len(f.frame) {
		r.out = append(r.out, f.frame[n:]...)
	}
	return true
}

// flush writes the queued bytes.
func (f *fast) flush() {
	still := f.behind[:0]
	for _, x := range f.behind {
		r := x.raw
		if r.fd < 0 {
			continue
		}
		n := streams.Write(r.fd, r.out)
		f.web.stats.Writes++
		if r.out = r.out[:copy(r.out, r.out[n:])]; len(r.out) > 0 {
			still = append(still, x)
		}
	}
	clear(f.behind[len(still):])
	f.behind = still
}
