package eventloop

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/gobwas/ws"

	"github.com/tactusgo/tactus/internal/hostname"
)

// request is what a handshake asks for, as far as this package decides on it.
type request struct {
	host      string
	origin    string
	hasOrigin bool
	forwarded []string // values of the proxy header
}

// exchange is both ends of a handshake in memory.
type exchange struct {
	*bytes.Reader
	*bytes.Buffer
}

func (e exchange) Read(b []byte) (int, error)  { return e.Reader.Read(b) }
func (e exchange) Write(b []byte) (int, error) { return e.Buffer.Write(b) }

// upgrade answers a whole request, head to blank line, from a TCP address. It returns what to send, and whose
// connection it is. With an error the answer, possibly empty, is a refusal. The head may be changed.
func (c *WebSocketConfig) upgrade(head []byte, remote netip.Addr) (answer []byte, client netip.Addr, err error) {
	var r request
	client = remote
	upgrader := ws.Upgrader{
		OnHost: func(host []byte) error {
			if r.host != "" {
				return refusal(http.StatusBadRequest, "more than one host")
			}
			r.host = string(host)
			return nil
		},
		OnHeader: func(key, value []byte) error {
			switch {
			case strings.EqualFold(string(key), "Origin"):
				if r.hasOrigin {
					return refusal(http.StatusBadRequest, "more than one origin")
				}
				r.origin, r.hasOrigin = string(value), true
			case c.ClientAddrHeader != "" && strings.EqualFold(string(key), c.ClientAddrHeader):
				r.forwarded = append(r.forwarded, string(value))
			}
			return nil
		},
		OnBeforeUpgrade: func() (ws.HandshakeHeader, error) {
			if advice := c.allows(&r, remote); advice != "" {
				return nil, refusal(http.StatusForbidden, advice)
			}
			addr, err := c.clientOf(&r, remote)
			if err != nil {
				return nil, refusal(http.StatusBadRequest, err.Error())
			}
			client = addr
			return nil, nil
		},
	}
	e := exchange{bytes.NewReader(head), new(bytes.Buffer)}
	if _, err = upgrader.Upgrade(e); err != nil {
		return e.Bytes(), client, fmt.Errorf("eventloop: WebSocket handshake: %w", err)
	}
	return e.Bytes(), client, nil
}

func refusal(status int, reason string) error {
	return ws.RejectConnectionError(ws.RejectionStatus(status), ws.RejectionReason(reason))
}

// The advice of refusals.
const (
	adviseOrigin = "pages of this origin may not connect; WebSocketConfig.Origins says which may"
	adviseHost   = "any web site could lead here under this name: open the page by an address of the server (on its own machine http://127.0.0.1 or http://localhost), " +
		"or name it in WebSocketConfig.Hosts, or the pages in Origins, or the proxy that passes it on in TrustedProxies"
)

// allows decides by the origin and by the host that the browser believes to be here. It returns why a request is refused,
// or nothing.
func (c *WebSocketConfig) allows(r *request, remote netip.Addr) (advice string) {
	if !r.hasOrigin {
		return ""
	}
	switch err := (hostname.Pages{Origins: c.Origins, Guard: c.guard()}).Check(r.origin, r.host, remote); {
	case errors.Is(err, hostname.ErrHost):
		return adviseHost
	case err != nil:
		return adviseOrigin
	}
	return ""
}

// clientOf reads the proxy header, from the right: what stands left of a stranger's address is the stranger's
// own claim.
func (c *WebSocketConfig) clientOf(r *request, remote netip.Addr) (netip.Addr, error) {
	guard := c.guard()
	if !guard.Proxied(remote) {
		return remote, nil
	}
	parse := parseHop
	if strings.EqualFold(c.ClientAddrHeader, "Forwarded") {
		parse = parseForwarded
	}
	hops := strings.Split(strings.Join(r.forwarded, ","), ",")
	for _, hop := range slices.Backward(hops) {
		addr, err := parse(strings.TrimSpace(hop))
		if err != nil {
			return netip.Addr{}, fmt.Errorf("%s does not say whose connection it is", c.ClientAddrHeader)
		}
		if !guard.Proxied(addr) {
			return addr, nil
		}
	}
	return netip.Addr{}, fmt.Errorf("%s names proxies only", c.ClientAddrHeader)
}

// parseHop takes an address with or without a port. Zones mean nothing on another machine.
func parseHop(s string) (netip.Addr, error) {
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err == nil && addr.Zone() != "" {
		err = errors.New("a zone")
	}
	return addr.Unmap(), err
}

// parseForwarded takes one element of a Forwarded header (RFC 7239), such as for="[2001:db8::1]:4711";proto=https.
func parseForwarded(s string) (netip.Addr, error) {
	for pair := range strings.SplitSeq(s, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if strings.EqualFold(key, "for") {
			return parseHop(strings.Trim(value, `"`))
		}
	}
	return netip.Addr{}, errors.New("no for")
}
