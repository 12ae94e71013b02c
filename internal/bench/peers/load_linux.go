package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gobwas/ws"
)

// Constants of the arena.
const (
	steps   = 60
	updates = 20 // of the servers in Node, per second
	size    = 2000
)

// The first byte of a Colyseus message is a code with flags.
const (
	codeJoin  = 10
	codePatch = 15
	codeBytes = 17
	codeMask  = 31
)

// load is the clients of a server in Node.
type load struct {
	colyseus       bool // matchmaking, and codes before messages
	updates, bytes atomic.Uint64
	clients        []*client
	cancel         context.CancelFunc
	done           chan struct{}
}

// client is a bot. It sends its input when the input changes.
type client struct {
	conn          net.Conn
	codes         bool // as in load.colyseus
	joined        atomic.Bool
	rng           *rand.Rand
	buttons, last uint8
	aim, lastAim  uint16
	turn          int
}

// joinTime is the timeout for joining.
const joinTime = 60 * time.Second

// newLoad starts n clients, which play until close.
func newLoad(ctx context.Context, addr string, n int, colyseus bool) (*load, error) {
	ctx, cancel := context.WithCancel(ctx)
	l := &load{colyseus: colyseus, cancel: cancel, done: make(chan struct{})}
	join, end := context.WithTimeout(ctx, joinTime)
	defer end()
	for i := range n {
		c, err := dial(join, addr, l)
		if err != nil {
			cancel()
			l.hangUp()
			return nil, fmt.Errorf("%w: client %d of %d: %w", errRefused, i+1, n, err)
		}
		c.rng = rand.New(rand.NewPCG(12345, uint64(i)))
		l.clients = append(l.clients, c)
	}
	go l.play(ctx)
	return l, nil
}

func (l *load) hangUp() {
	for _, c := range l.clients {
		_ = c.conn.Close()
	}
}

func (l *load) close() {
	l.cancel()
	<-l.done
	l.hangUp()
}

// seat reserves a seat in Colyseus and returns the address to connect to.
func seat(ctx context.Context, addr string) (url string, err error) {
	ask, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/matchmake/joinOrCreate/arena", strings.NewReader("{}"))
	if err != nil {
		return "", err
	}
	ask.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		return "", err
	}
	var seat struct{ RoomID, ProcessID, SessionID string }
	err = json.NewDecoder(answer.Body).Decode(&seat)
	_ = answer.Body.Close()
	if err != nil || seat.SessionID == "" {
		return "", fmt.Errorf("no seat: %s, %w", answer.Status, err)
	}
	return fmt.Sprintf("ws://%s/%s/%s?sessionId=%s", addr, seat.ProcessID, seat.RoomID, seat.SessionID), nil
}

// dial connects a client.
func dial(ctx context.Context, addr string, l *load) (*client, error) {
	url := "ws://" + addr
	if l.colyseus {
		var err error
		if url, err = seat(ctx, addr); err != nil {
			return nil, err
		}
	}
	conn, early, _, err := ws.Dial(ctx, url)
	if err != nil {
		return nil, err
	}
	in := early
	if in == nil {
		in = bufio.NewReaderSize(conn, 4096)
	}
	c := &client{conn: conn, codes: l.colyseus}
	c.joined.Store(!l.colyseus)
	go c.read(in, l)
	return c, nil
}

// read counts messages until the connection ends.
func (c *client) read(in *bufio.Reader, l *load) {
	for {
		h, err := ws.ReadHeader(in)
		if err != nil {
			return
		}
		n := int(h.Length)
		if h.OpCode == ws.OpBinary && n > 0 {
			code := byte(codePatch)
			if c.codes {
				first, err := in.Peek(1)
				if err != nil {
					return
				}
				code = first[0] & codeMask
			}
			switch code {
			case codeJoin:
				if c.write([]byte{codeJoin}) != nil {
					return
				}
				c.joined.Store(true)
			case codePatch:
				l.updates.Add(1)
				l.bytes.Add(uint64(n))
			}
		}
		if _, err := in.Discard(n); err != nil {
			return
		}
	}
}

// write sends a message. A client must mask its frames; a mask of zeros changes nothing.
func (c *client) write(b []byte) error {
	var frame [32]byte
	frame[0], frame[1] = 0x82, 0x80|byte(len(b))
	_, err := c.conn.Write(frame[:6+copy(frame[6:], b)])
	return err
}

// play steps each client at its own time within a step.
func (l *load) play(ctx context.Context) {
	defer close(l.done)
	start, n := time.Now(), len(l.clients)
	for k := 0; ctx.Err() == nil; k++ {
		due := start.Add(time.Duration(k) * time.Second / time.Duration(steps*n))
		if wait := time.Until(due); wait > time.Millisecond {
			time.Sleep(wait)
		}
		l.clients[k%n].step(k / n)
	}
}

// step runs one step of a bot.
func (c *client) step(tick int) {
	if !c.joined.Load() {
		return
	}
	if tick%(steps/2) == 0 {
		c.buttons, c.turn = 0, 0
		if c.rng.Float64() < 0.75 {
			c.buttons = [8]uint8{1, 2, 4, 8, 5, 6, 9, 10}[c.rng.IntN(8)]
		}
		if c.rng.Float64() < 0.5 {
			c.turn = (2*c.rng.IntN(2) - 1) * (1 << 16) / 4 / steps
		}
	}
	if c.aim += uint16(c.turn); c.buttons == c.last && c.aim == c.lastAim {
		return
	}
	c.last, c.lastAim = c.buttons, c.aim
	message := [7]byte{codeBytes, 0}
	binary.LittleEndian.PutUint16(message[2:], uint16(tick))
	message[4] = c.buttons
	binary.LittleEndian.PutUint16(message[5:], c.aim)
	if c.codes {
		_ = c.write(message[:])
	} else {
		_ = c.write(message[2:])
	}
}
