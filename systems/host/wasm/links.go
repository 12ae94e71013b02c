package wasm

import (
	"encoding/base64"
	"errors"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

const (
	maxOut   = 64 // datagrams that wait for a socket
	maxLinks = 4  // of one host: the one that it plays by, one to where it goes, and such as are over
)

// links are what a host has sockets for, which the page owns: one, and while it is on its way to another room two. The
// first has the number of the host; each one after it, that of the one before and maxHosts.
type links struct {
	all    []*link
	last   int32  // number
	ticket string // that the page has not asked for yet
}

// link is the end of a socket.
type link struct {
	number int32
	wire   *host.Wire
	out    []byte // what waits, as tactus_out describes it
}

// of is the link of a number; nil where it is over: closed, and all is sent.
func (l *links) of(number int32) *link {
	for _, x := range l.all {
		if x.number == number && !x.over() {
			return x
		}
	}
	return nil
}

// add makes a link.
func (l *links) add(number int32, server netip.AddrPort) (*host.Wire, error) {
	x := &link{number: number, out: make([]byte, 8, 8+maxOut*(4+netsys.MaxDatagram))}
	var err error
	if x.wire, err = host.NewWire(host.WireConfig{Server: server, Out: x.send}); err != nil {
		return nil, err
	}
	l.all, l.last = append(l.all, x), number
	return x.wire, nil
}

// follow makes a client go where it is sent, by sockets that the page opens.
func (l *links) follow(c *systems.ClientConfig) {
	if c.Reach == nil {
		c.Reach = func(t systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
			wire, err := l.reach(&t)
			if err != nil {
				return nil, netip.AddrPort{}, err
			}
			return wire, wire.RemoteAddr(), nil
		}
	}
	own := c.OnTravel
	c.OnTravel = func(k *systems.Client, t systems.Ticket) {
		l.tell(0, &t)
		if own != nil {
			own(k, t)
		}
	}
}

// reach makes the link to where a ticket leads, and tells the page to open its socket.
func (l *links) reach(t *systems.Ticket) (*host.Wire, error) {
	l.all = slices.DeleteFunc(l.all, func(x *link) bool { return x.over() })
	at := t.Host()
	switch {
	case at == "":
		return nil, errors.New("wasm: the ticket has neither a WebSocket nor a WebTransport URL: give the process of the room its public URLs")
	case len(l.all) >= maxLinks || l.last > math.MaxInt32-maxHosts:
		return nil, errors.New("wasm: too many links wait for their sockets: call tactus_out and tactus_sent for each")
	}
	wire, err := l.add(l.last+maxHosts, host.ServerOf(at))
	if err == nil {
		l.tell(l.last, t)
	}
	return wire, err
}

// tell makes a ticket the newest. Of one with a link the page needs no token: the client has it.
func (l *links) tell(number int32, t *systems.Ticket) {
	token := ""
	if number == 0 {
		token = base64.StdEncoding.EncodeToString(t.Token.Append(nil))
	}
	schema := t.Schema
	if n := 16 - len(schema); n > 0 && schema != "" {
		schema = strings.Repeat("0", n) + schema // as bindings say it
	}
	lines := []string{strconv.Itoa(int(number)), t.Kind, schema, t.WS, t.WebTransport, token}
	for i, s := range lines {
		lines[i] = strings.ReplaceAll(s, "\n", " ")
	}
	l.ticket = strings.Join(lines, "\n")
}

// over reports that a link is of no use any more.
func (l *link) over() bool { return l.wire.Closed() && len(l.out) == 8 }

// send makes a datagram wait for the socket.
func (l *link) send(b []byte) error {
	filled := (len(b) + 3) &^ 3
	if len(l.out)+4+filled > cap(l.out) {
		return netsys.ErrFull
	}
	head := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(l.out))), 2)
	n := len(b)
	l.out = append(append(l.out, byte(n), byte(n>>8), byte(n>>16), byte(n>>24)), b...)
	l.out = l.out[:len(l.out)+filled-n]
	head[0]++
	head[1] = uint32(len(l.out))
	return nil
}

// sent forgets what has waited.
func (l *link) sent() {
	clear(l.out[:8])
	l.out = l.out[:8]
}
