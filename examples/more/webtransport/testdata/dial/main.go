//go:build js

// Command dial is a page in Go that says hello over what passes, and shows what was answered.
package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"syscall/js"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/webtransport"
)

func main() {
	show := func(format string, v ...any) {
		js.Global().Get("document").Call("querySelector", "#status").Set("textContent", fmt.Sprintf(format, v...))
	}
	if err := talk(show); err != nil {
		show("refused: %v", err)
	}
	select {}
}

// talk connects where the page's address says.
func talk(show func(string, ...any)) error {
	where, err := url.Parse(js.Global().Get("location").Get("href").String())
	if err != nil {
		return err
	}
	c := webtransport.DialConfig{WebSocket: where.Query().Get("websocket")}
	hash, err := base64.StdEncoding.DecodeString(where.Query().Get("hash"))
	if err != nil {
		return err
	}
	c.Hashes = append(c.Hashes, [32]byte(hash))
	w, err := c.Dial(context.Background(), where.Query().Get("webtransport"))
	if err != nil {
		return err
	}
	show("connected")
	answered := ""
	for range time.Tick(20 * time.Millisecond) {
		now := time.Now()
		if err := w.Send(now, w.RemoteAddr(), []byte("hello")); err != nil {
			return err
		}
		w.Poll(now, func(d netsys.Datagram) { answered = string(d.Data) })
		if answered != "" {
			show("heard %s", answered)
			return w.Close()
		}
	}
	return nil
}
