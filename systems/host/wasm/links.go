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
	maxOut   = 64 // datagrams waiting for a socket
	maxLinks = 4  // of one host: the current one, the next one, and finished ones with unsent datagrams
)

// links are the sockets of a host, which the page owns: one, or two during a transfer to another room. The first has the
// number of the host; each later link adds maxHosts to the previous number.
type links struct {
	all    []*link
	last   int32  // number
	ticket string // text that tactus_ticket has not returned yet
}

// link is a host's end of one socket.
type link struct {
	number int32
	wire   *host.Wire
	out    []byte // datagrams to send, in the format of tactus_out
}

// get returns the link with a number. It returns nil if the link does not exist or is finished.
func (l *links) get(number int32) *link {
	for _, x := range l.all {
		if x.number == number && !x.finished() {
			return x
		}
	}
	return nil
}

// add creates a link to a server.
func (l *links) add(number int32, server netip.AddrPort) (*host.Wire, error) {
	x := &link{number: number, out: make([]byte, 8, 8+maxOut*(4+netsys.MaxDatagram))}
	var err error
	if x.wire, err = host.NewWire(host.WireConfig{Server: server, Out: x.send}); err != nil {
		return nil, err
	}
	l.all, l.last = append(l.all, x), number
	return x.wire, nil
}

// acceptTickets makes a client accept tickets to other rooms through sockets that the page opens.
func (l *links) acceptTickets(c *systems.ClientConfig) {
	if c.Session.Reach == nil {
		c.Session.Reach = func(t systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
			wire, err := l.openLink(&t)
			if err != nil {
				return nil, netip.AddrPort{}, err
			}
			return wire, wire.RemoteAddr(), nil
		}
	}
	own := c.Session.OnTravel
	c.Session.OnTravel = func(k *systems.Client, t systems.Ticket) {
		l.setTicket(0, &t)
		if own != nil {
			own(k, t)
		}
	}
}

// openLink creates the link to a ticket's room and tells the page to open its socket.
func (l *links) openLink(t *systems.Ticket) (*host.Wire, error) {
	l.all = slices.DeleteFunc(l.all, func(x *link) bool { return x.finished() })
	at := t.Host()
	switch {
	case at == "":
		return nil, errors.New("wasm: the ticket has neither a WebSocket nor a WebTransport URL: configure the public URLs of the room's process")
	case len(l.all) >= maxLinks || l.last > math.MaxInt32-maxHosts:
		return nil, errors.New("wasm: too many links wait for their sockets: call tactus_out and tactus_sent for each")
	}
	wire, err := l.add(l.last+maxHosts, host.ServerOf(at))
	if err == nil {
		l.setTicket(l.last, t)
	}
	return wire, err
}

// setTicket stores the text of a ticket for tactus_ticket. Only a ticket without a link includes the token; otherwise the client
// has it.
func (l *links) setTicket(number int32, t *systems.Ticket) {
	token := ""
	if number == 0 {
		token = base64.StdEncoding.EncodeToString(t.Token.Append(nil))
	}
	schema := t.Schema
	if n := 16 - len(schema); n > 0 && schema != "" {
		schema = strings.Repeat("0", n) + schema // the form that bindings use
	}
	lines := []string{strconv.Itoa(int(number)), t.Kind, schema, t.WS, t.WebTransport, token}
	for i, s := range lines {
		lines[i] = strings.ReplaceAll(s, "\n", " ")
	}
	l.ticket = strings.Join(lines, "\n")
}

// finished reports whether the link is closed and has sent all its datagrams.
func (l *link) finished() bool { return l.wire.Closed() && len(l.out) == 8 }

// send queues a datagram for the socket.
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

// sent empties the queue.
func (l *link) sent() {
	clear(l.out[:8])
	l.out = l.out[:8]
}
