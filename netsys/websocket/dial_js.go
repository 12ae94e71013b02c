package websocket

import (
	"context"
	"syscall/js"

	"github.com/coder/websocket"
)

// dial connects. The browser knows when to give a connection up, and how much it holds of what was written; the
// library does not pass that on, so its WebSocket is caught when it is first listened to.
func dial(ctx context.Context, url string) (link, error) {
	const listen = "addEventListener" // which WebSocket inherits
	var socket js.Value
	class := js.Global().Get("WebSocket").Get("prototype")
	catch := js.FuncOf(func(this js.Value, args []js.Value) any {
		class.Delete(listen)
		socket = this
		own := make([]any, len(args))
		for i, a := range args {
			own[i] = a
		}
		return this.Call(listen, own...)
	})
	defer catch.Release()
	class.Set(listen, catch)
	conn, _, err := websocket.Dial(ctx, url, nil)
	class.Delete(listen) // when nobody listened
	l := link{Conn: conn}
	if socket.Type() == js.TypeObject {
		l.buffered = func() int { return socket.Get("bufferedAmount").Int() }
	}
	return l, err
}

// shut leaves the end to the browser: what is queued is written first, and nobody may wait for that here, on
// what may be the goroutine of an event.
func (w *Wire) shut() {}
