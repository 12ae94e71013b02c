package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// echoServer sends every message back. It implements [netcode.ServerHandler].
type echoServer struct {
	out             io.Writer
	payloads, bytes int
	lost            int // could not be sent back
}

func (e *echoServer) Connected(_ time.Time, p *netcode.Peer) {
	_, _ = fmt.Fprintf(e.out, "connected: %v\n", p)
}

func (e *echoServer) Disconnected(_ time.Time, p *netcode.Peer, reason error) {
	_, _ = fmt.Fprintf(e.out, "disconnected: %v: %v\n", p, reason)
}

func (e *echoServer) Payload(now time.Time, p *netcode.Peer, payload []byte) {
	e.payloads++
	e.bytes += len(payload)
	if p.Send(now, payload) != nil {
		e.lost++
	}
}

// serve runs until ctx ends or enough payloads came.
func serve(ctx context.Context, o options, stdout io.Writer) error {
	conn, err := listen(o.serve)
	if err != nil {
		return fmt.Errorf("-serve: %w", err)
	}
	defer func() { _ = conn.Close() }()
	own, err := addresses(o, conn.LocalAddr().(*net.UDPAddr).AddrPort())
	if err != nil {
		return err
	}
	server, err := netcode.NewServer(netcode.ServerConfig{
		Key:        o.key,
		ProtocolID: o.protocol,
		Addresses:  own,
		MaxClients: o.slots,
	}, conn.send)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(stdout, "serving protocol %#x at %v\n", o.protocol, own)
	echo := &echoServer{out: stdout}
	report := reporter(func() string {
		return fmt.Sprintf("payloads: %d echoed, %d B; %d clients", echo.payloads-echo.lost, echo.bytes, server.Len())
	}, stdout)
	err = conn.pump(ctx, func(now time.Time) {
		server.Update(now, echo)
		report(now)
	}, func(now time.Time, from netip.AddrPort, b []byte) {
		server.Receive(now, from, b, echo)
	}, func() bool {
		return o.count > 0 && echo.payloads >= o.count
	})
	report(time.Time{})
	server.Close(time.Now())
	_, _ = fmt.Fprintln(stdout, "dropped:", server.Drops())
	return err
}

// addresses returns the addresses of this server that tokens may contain.
func addresses(o options, local netip.AddrPort) ([]netip.AddrPort, error) {
	if o.public.IsValid() {
		return []netip.AddrPort{o.public}, nil
	}
	if !o.serve.Addr().IsUnspecified() {
		return []netip.AddrPort{netip.AddrPortFrom(o.serve.Addr(), local.Port())}, nil
	}
	list, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("finding this machine's addresses: %w; say -public", err)
	}
	var own []netip.AddrPort
	for _, a := range list {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			own = append(own, netip.AddrPortFrom(prefix.Addr(), local.Port()))
		}
	}
	return own, nil
}

// reporter returns a function that prints a line once a second when it has changed, and at time zero for the last time.
func reporter(line func() string, stdout io.Writer) func(now time.Time) {
	var last string
	var next time.Time
	return func(now time.Time) {
		if !now.IsZero() && now.Before(next) {
			return
		}
		first := next.IsZero()
		next = now.Add(time.Second)
		if s := line(); s != last && !first || now.IsZero() {
			last = s
			_, _ = fmt.Fprintln(stdout, s)
		}
	}
}
