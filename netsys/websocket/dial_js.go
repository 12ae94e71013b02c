package websocket

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall/js"

	"github.com/tactusgo/tactus/netsys"
)

// arrivals is how many messages may wait for the goroutine that reads; a browser that brings more at once has
// stood still, and the newest of them are lost.
const arrivals = 256

// socket is a browser's WebSocket. It is bound directly: a library would bring net/http and TLS into every page,
// which are some four megabytes and which the browser has itself.
type socket struct {
	value    js.Value
	bytes    js.Value // the class Uint8Array
	opened   chan struct{}
	messages chan []byte
	free     chan []byte
	ended    chan struct{}
	err      error // why, once ended is closed
	handlers map[string]js.Func
	once     sync.Once
}

// Connect makes a connection by WebSocket. Nothing here blocks the goroutine of an event but the wait for the connection.
func Connect(ctx context.Context, url string) (conn Link, err error) {
	defer func() {
		if r := recover(); r != nil { // the browser refuses such a URL
			thrown, ok := r.(js.Error)
			if !ok {
				panic(r)
			}
			err = errors.New(thrown.Get("message").String())
		}
	}()
	class := js.Global().Get("WebSocket")
	if class.Type() != js.TypeFunction {
		return nil, errors.New("there is no WebSocket here: Node has one from version 22 on, and before with --experimental-websocket, or set globalThis.WebSocket")
	}
	s := &socket{
		value:    class.New(url),
		bytes:    js.Global().Get("Uint8Array"),
		opened:   make(chan struct{}),
		messages: make(chan []byte, arrivals),
		free:     make(chan []byte, arrivals),
		ended:    make(chan struct{}),
		handlers: make(map[string]js.Func),
	}
	s.value.Set("binaryType", "arraybuffer")
	s.handle("open", func(js.Value) { close(s.opened) })
	s.handle("message", s.arrive)
	s.handle("close", func(event js.Value) {
		s.end(fmt.Errorf("closed by the other end or the network, with code %d %s", event.Get("code").Int(), event.Get("reason").String()))
	})
	select {
	case <-s.opened:
		return s, nil
	case <-s.ended:
		return nil, s.err
	case <-ctx.Done():
		s.Abort()
		return nil, ctx.Err()
	}
}

// handle calls f for each event of a kind.
func (s *socket) handle(kind string, f func(event js.Value)) {
	handler := js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	})
	s.handlers[kind] = handler
	s.value.Set("on"+kind, handler)
}

// arrive takes in a message. Events come one after the other.
func (s *socket) arrive(event js.Value) {
	data := event.Get("data")
	if data.Type() != js.TypeObject {
		s.end(errText)
		return
	}
	data = s.bytes.New(data)
	n := data.Length()
	if n > netsys.MaxDatagram {
		s.end(fmt.Errorf("websocket: the server sent a message of %d bytes", n))
		return
	}
	var b []byte
	select {
	case b = <-s.free:
	default:
		b = make([]byte, netsys.MaxDatagram)
	}
	b = b[:js.CopyBytesToGo(b[:n], data)]
	select {
	case s.messages <- b:
	default:
		s.reuse(b)
	}
}

// reuse gives the memory of a message back.
func (s *socket) reuse(b []byte) {
	select {
	case s.free <- b[:cap(b)]:
	default:
	}
}

// end is the end of the connection, for the first reason there is.
func (s *socket) end(err error) {
	s.once.Do(func() {
		s.err = err
		close(s.ended)
		for kind, handler := range s.handlers {
			s.value.Set("on"+kind, js.Null())
			handler.Release()
		}
		s.value.Call("close")
	})
}

func (s *socket) Read(b []byte) (n int, err error) {
	select {
	case m := <-s.messages:
		n = copy(b, m)
		s.reuse(m)
		return n, nil
	case <-s.ended:
		return 0, s.err
	}
}

func (s *socket) Write(b []byte) error {
	select {
	case <-s.ended:
		return s.err
	default:
	}
	data := s.bytes.New(len(b))
	js.CopyBytesToJS(data, b)
	s.value.Call("send", data)
	return nil
}

func (s *socket) Buffered() int { return s.value.Get("bufferedAmount").Int() }

// close leaves the end to the browser: what is queued is written first, and nobody may wait for that here, on
// what may be the goroutine of an event.
func (s *socket) Close() { s.end(netsys.ErrClosed) }

func (s *socket) Abort() { s.end(netsys.ErrClosed) }

// shut waits for nothing.
func (w *Wire) shut() {}
