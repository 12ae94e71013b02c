package eventloop_test

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
)

// A port has one listener. The server owns its wire, and closes it at the end.
func ExampleListen() {
	wire, err := eventloop.Listen("127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer wire.Close()

	_, err = eventloop.Listen(wire.LocalAddr().String())
	fmt.Println("port in use:", errors.Is(err, netsys.ErrAddrInUse))
	// Output:
	// port in use: true
}
