//go:build eventloop

package systems

import (
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
)

func init() {
	listen = func(addr string) (netsys.Wire, error) { return eventloop.Listen(addr) }
}
