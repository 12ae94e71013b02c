package websocket

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall/js"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// arrivals is the number of messages that may wait for the reading goroutine. A browser that delivers more at once was
// suspended; the newest messages are lost.
const arrivals = 256

// socket is a browser's WebSocket, called through syscall/js. A library would add net/http and TLS to every page, about
// four megabytes, although the browser has both.
type socket struct {
	value    js.Value
	bytes    js.Value // the class Uint8Array
	opened   chan struct{}
	messages chan []byte
	free     chan []byte
	ended    chan struct{}
	err      error // the reason, valid once ended is closed
	handlers map[string]js.Func
	once     sync.Once
}

// Connect opens a WebSocket connection. Only this call blocks, until the connection is open; everything else is safe in
// event handlers.
func Connect(ctx context.Context, url string) (conn Link, err error) {
	defer func() {
		if r := recover(); r != nil { // the browser rejects the URL
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
		return nil, &busyError{time.Second, s.err} // a browser does not say whether it was refused, nor Retry-After
	case <-ctx.Done():
		s.Abort()
		return nil, ctx.Err()
	}
}

// handle calls f for each event of the given kind.
func (s *socket) handle(kind string, f func(event js.Value)) {
	handler := js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	})
	s.handlers[kind] = handler
	s.value.Set("on"+kind, handler)
}

// arrive queues a received message. The browser delivers events one at a time.
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

// reuse returns the memory of a message.
func (s *socket) reuse(b []byte) {
	select {
	case s.free <- b[:cap(b)]:
	default:
	}
}

// end closes the connection. Only the first call sets the reason.
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

// Close does not wait: it may run in the goroutine of a browser event. The browser sends the queued messages before it
// closes the connection.
func (s *socket) Close() { s.end(netsys.ErrClosed) }

func (s *socket) Abort() { s.end(netsys.ErrClosed) }

// shut has nothing to wait for in a browser.
func (w *Wire) shut() {}
