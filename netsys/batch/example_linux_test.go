package batch_test

import (
	"fmt"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/batch"
)

// A tick receives, sends, and flushes once.
func ExampleListen() {
	wire, err := batch.Listen("127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server, err := netsys.NewServer(wire, netsys.ServerConfig{})
	if err != nil {
		panic(err)
	}
	defer server.Close(time.Now())

	tick := func(now time.Time, h netsys.Handler) {
		server.Poll(now, h)
		for s := range server.Sessions() {
			_, _ = s.Send(now, []byte("the state of the world"))
		}
		server.Flush(now)
	}
	tick(time.Now(), nil)
	fmt.Println("clients:", server.Len())
	// Output:
	// clients: 0
}
