package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// errNeverConnected is returned when the end of a run came before a connection.
var errNeverConnected = errors.New("never connected")

// echoClient counts the echoes. It implements [netcode.ClientHandler].
type echoClient struct {
	out                   io.Writer
	sent, received, equal int
	connected             bool
	ended                 error
	expected              []byte
}

func (e *echoClient) Connected(_ time.Time, c *netcode.Client) {
	e.connected = true
	slot, slots := c.Slot()
	_, _ = fmt.Fprintf(e.out, "connected: %v in slot %d of %d\n", c.Server(), slot, slots)
}

func (e *echoClient) Disconnected(_ time.Time, _ *netcode.Client, reason error) {
	e.ended = reason
	_, _ = fmt.Fprintf(e.out, "disconnected: %v\n", reason)
}

func (e *echoClient) Payload(_ time.Time, _ *netcode.Client, payload []byte) {
	e.received++
	var number [8]byte
	copy(number[:], payload)
	e.expected = pattern(e.expected[:0], binary.LittleEndian.Uint64(number[:]), len(payload))
	if bytes.Equal(payload, e.expected) {
		e.equal++
	}
}

// pattern appends a payload: the number, then bytes derived from it.
func pattern(dst []byte, number uint64, n int) []byte {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], number)
	for i := range n {
		if i < len(b) {
			dst = append(dst, b[i])
		} else {
			dst = append(dst, byte(number)+byte(i)*31)
		}
	}
	return dst
}

// connect runs until ctx ends, enough payloads came back, or the session ends, which the server may do without harm.
func connect(ctx context.Context, o options, stdout io.Writer) error {
	token, err := netcode.TokenConfig{
		Key:        o.key,
		ProtocolID: o.protocol,
		ClientID:   o.id,
		Servers:    o.connect,
		Timeout:    o.timeout,
	}.Issue(time.Now())
	if err != nil {
		return err
	}
	conn, err := listen(netip.AddrPort{})
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	client, err := netcode.NewClient(token, conn.send)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(stdout, "connecting: %v as client %d\n", o.connect, o.id)
	echo := &echoClient{out: stdout}
	report := reporter(func() string {
		return fmt.Sprintf("payloads: %d sent, %d received, %d of them echoes", echo.sent, echo.received, echo.equal)
	}, stdout)
	interval := time.Second / time.Duration(o.rate)
	var next time.Time
	var payload []byte
	err = conn.pump(ctx, func(now time.Time) {
		client.Update(now, echo)
		if client.State() == netcode.Connected && next.IsZero() {
			next = now
		}
		for ; client.State() == netcode.Connected && !now.Before(next); next = next.Add(interval) {
			payload = pattern(payload[:0], uint64(echo.sent), o.payload)
			if client.Send(now, payload) == nil {
				echo.sent++
			}
		}
		report(now)
	}, func(now time.Time, from netip.AddrPort, b []byte) {
		client.Receive(now, from, b, echo)
	}, func() bool {
		return echo.ended != nil || o.count > 0 && echo.received >= o.count
	})
	report(time.Time{})
	client.Disconnect(time.Now())
	_, _ = fmt.Fprintln(stdout, "dropped:", client.Drops())
	switch {
	case err != nil:
		return err
	case echo.ended != nil && !errors.Is(echo.ended, netcode.ErrDisconnected):
		return echo.ended
	case !echo.connected:
		return errNeverConnected
	}
	return nil
}
