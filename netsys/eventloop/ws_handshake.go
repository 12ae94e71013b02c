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

// handshakeRequest holds the headers of a handshake on which this package decides.
type handshakeRequest struct {
	host      string
	origin    string
	hasOrigin bool
	forwarded []string // values of ClientAddrHeader
}

// exchange holds a request and collects the answer, both in memory.
type exchange struct {
	*bytes.Reader
	*bytes.Buffer
}

func (e exchange) Read(b []byte) (int, error)  { return e.Reader.Read(b) }
func (e exchange) Write(b []byte) (int, error) { return e.Buffer.Write(b) }

// upgrade answers a complete request, from the request line to the blank line. remote is the TCP peer. upgrade returns the
// answer and the client's address. If it returns an error, the answer is a refusal and may be empty. upgrade may change head.
func (c *WebSocketConfig) upgrade(head []byte, remote netip.Addr) (answer []byte, client netip.Addr, err error) {
	var r handshakeRequest
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
			addr, err := c.clientAddr(&r, remote)
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

// The reasons of refusals, with advice.
const (
	adviseOrigin = "pages of this origin may not connect; add the origin to WebSocketConfig.Origins"
	adviseHost   = "any web site could use this host name for this server: open the page by an IP address of the server (on the same machine http://127.0.0.1 or http://localhost), " +
		"or add the name to WebSocketConfig.Hosts, the page to Origins, or the proxy that forwards it to TrustedProxies"
)

// allows checks the origin of the page, and the host that the browser connected to. It returns "" if the request is allowed,
// and otherwise the advice.
func (c *WebSocketConfig) allows(r *handshakeRequest, remote netip.Addr) (advice string) {
	if !r.hasOrigin {
		return ""
	}
	switch err := (hostname.Pages{Origins: c.Origins, Guard: c.guard(), Sandboxed: c.Sandboxed}).Check(r.origin, r.host, remote); {
	case errors.Is(err, hostname.ErrHost):
		return adviseHost
	case err != nil:
		return adviseOrigin
	}
	return ""
}

// clientAddr returns the client's address. It reads ClientAddrHeader from the right and stops at the first address that is not
// a trusted proxy, because the client itself can have sent everything to the left of it.
func (c *WebSocketConfig) clientAddr(r *handshakeRequest, remote netip.Addr) (netip.Addr, error) {
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
			return netip.Addr{}, fmt.Errorf("%s has no valid client address", c.ClientAddrHeader)
		}
		if !guard.Proxied(addr) {
			return addr, nil
		}
	}
	return netip.Addr{}, fmt.Errorf("%s contains trusted proxies only", c.ClientAddrHeader)
}

// parseHop parses an address with or without a port. An address with a zone is an error, because zones are local to a machine.
func parseHop(s string) (netip.Addr, error) {
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err == nil && addr.Zone() != "" {
		err = errors.New("address has a zone")
	}
	return addr.Unmap(), err
}

// parseForwarded parses one element of a Forwarded header (RFC 7239), such as for="[2001:db8::1]:4711";proto=https.
func parseForwarded(s string) (netip.Addr, error) {
	for pair := range strings.SplitSeq(s, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if strings.EqualFold(key, "for") {
			return parseHop(strings.Trim(value, `"`))
		}
	}
	return netip.Addr{}, errors.New("element without for=")
}
