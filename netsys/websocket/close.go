//go:build !js

package websocket

import (
	"time"

	"github.com/coder/websocket"
)

// shut ends the connection politely if that goes fast, else abruptly. The goroutines have ended when it returns.
func (w *Wire) shut() {
	rude := time.AfterFunc(closeTime, func() { _ = w.conn.CloseNow() })
	defer rude.Stop()
	<-w.wrote
	// CloseNow waits for a Close that runs, so the two race for who is first; what reads and writes is freed
	// by either.
	_ = w.conn.Close(websocket.StatusNormalClosure, "")
	<-w.read
}
