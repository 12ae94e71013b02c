package websocket

import "github.com/coder/websocket"

// shut leaves the end to the browser: what is queued is written first, and nobody may wait for that here, on
// what may be the goroutine of an event.
func (w *Wire) shut() {
	go func() {
		<-w.wrote
		_ = w.conn.Close(websocket.StatusNormalClosure, "")
	}()
}
