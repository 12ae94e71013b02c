package netcode_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"net"
	"net/netip"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

const foreignProtocol = 0x11

var foreignKey = netcode.Key{7, 7, 7}

// foreign starts testdata/peer.py, another implementation of the standard, with a mode, a host and a port. A server chooses its port,
// and foreign returns it. end waits for its end and reports what it found wrong.
func foreign(t *testing.T, mode, host string, port uint16) (chosen uint16, end func()) {
	t.Helper()
	if exec.Command("python3", "-c", `import ctypes; ctypes.CDLL("libsodium.so.23")`).Run() != nil {
		t.Skip("needs Python 3 and libsodium.so.23")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	c := exec.CommandContext(ctx, "python3", "testdata/peer.py", mode, host, strconv.Itoa(int(port)), strconv.Itoa(foreignProtocol), hex.EncodeToString(foreignKey[:]))
	var wrong bytes.Buffer
	c.Stderr = &wrong
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if mode != "client" {
		lines.Scan()
		n, err := strconv.ParseUint(strings.TrimPrefix(lines.Text(), "port "), 10, 16)
		if err != nil {
			t.Fatal(err)
		}
		chosen = uint16(n)
	}
	return chosen, func() {
		for lines.Scan() {
		}
		if err := c.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", mode, err, &wrong)
		}
	}
}

// socket is a UDP socket at a loopback address.
type socket struct{ *net.UDPConn }

// listen skips a test where the machine does not have the address.
func listen(t *testing.T, host string) socket {
	t.Helper()
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(host), 0)))
	if err != nil {
		t.Skipf("no loopback address %s: %v", host, err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return socket{conn}
}

func (s socket) send(to netip.AddrPort, b []byte) error {
	_, err := s.WriteToUDPAddrPort(b, to)
	return err
}

// pump calls update every few milliseconds, and receive for every datagram in between, until done.
func (s socket) pump(t *testing.T, update func(now time.Time), receive func(now time.Time, from netip.AddrPort, b []byte), done func() bool) {
	t.Helper()
	b, end := make([]byte, netcode.MaxDatagram), time.Now().Add(time.Minute)
	for !done() {
		now := time.Now()
		if now.After(end) {
			t.Fatal("the session never ended")
		}
		update(now)
		if err := s.SetReadDeadline(now.Add(5 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		for !done() {
			n, from, err := s.ReadFromUDPAddrPort(b)
			if err != nil {
				break // nothing has arrived, or an earlier datagram found nobody
			}
			receive(time.Now(), from, b[:n])
		}
	}
}

// echo is a server's handler that returns every payload.
type echo struct{ came, gone []error }

func (e *echo) Connected(time.Time, *netcode.Peer) { e.came = append(e.came, nil) }

func (e *echo) Disconnected(_ time.Time, _ *netcode.Peer, reason error) {
	e.gone = append(e.gone, reason)
}

func (e *echo) Payload(now time.Time, p *netcode.Peer, b []byte) { _ = p.Send(now, b) }

// A client of another implementation plays with our server, and leaves.
func TestForeignClient(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "::1"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			conn := listen(t, host)
			at := conn.LocalAddr().(*net.UDPAddr).AddrPort()
			server, err := netcode.NewServer(netcode.ServerConfig{Key: foreignKey, ProtocolID: foreignProtocol, Addresses: []netip.AddrPort{at}}, conn.send)
			if err != nil {
				t.Fatal(err)
			}
			_, end := foreign(t, "client", host, at.Port())
			var e echo
			conn.pump(t, func(now time.Time) { server.Update(now, &e) }, func(now time.Time, from netip.AddrPort, b []byte) {
				server.Receive(now, from, b, &e)
			}, func() bool { return len(e.gone) > 0 })
			if end(); len(e.came) != 1 || !errors.Is(e.gone[0], netcode.ErrDisconnected) {
				t.Errorf("%d clients came, and left: %v; dropped %v", len(e.came), e.gone, server.Drops())
			}
		})
	}
}

// pinger is a client's handler that counts the echoes of payloads.
type pinger struct {
	sent   [][]byte
	echoes int
	ended  error
}

func (p *pinger) Connected(time.Time, *netcode.Client) {}

func (p *pinger) Disconnected(_ time.Time, _ *netcode.Client, reason error) { p.ended = reason }

func (p *pinger) Payload(_ time.Time, _ *netcode.Client, b []byte) {
	if slices.ContainsFunc(p.sent, func(x []byte) bool { return bytes.Equal(x, b) }) {
		p.echoes++
	}
}

// Our client tries two servers of another implementation in turn. The first one is full. The second one accepts it.
func TestForeignServer(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "::1"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			conn := listen(t, host)
			full, denied := foreign(t, "deny", host, 0)
			port, served := foreign(t, "server", host, 0)
			servers := []netip.AddrPort{netip.AddrPortFrom(netip.MustParseAddr(host), full), netip.AddrPortFrom(netip.MustParseAddr(host), port)}
			token, err := netcode.TokenConfig{Key: foreignKey, ProtocolID: foreignProtocol, ClientID: 1, Servers: servers}.Issue(time.Now())
			if err != nil {
				t.Fatal(err)
			}
			client, err := netcode.NewClient(token, conn.send)
			if err != nil {
				t.Fatal(err)
			}
			var p pinger
			conn.pump(t, func(now time.Time) {
				if client.Update(now, &p); client.State() == netcode.Connected {
					payload := bytes.Repeat([]byte{byte(len(p.sent)), byte(len(p.sent) >> 8)}, 600)
					if client.Send(now, payload) == nil {
						p.sent = append(p.sent, payload)
					}
				}
			}, func(now time.Time, from netip.AddrPort, b []byte) {
				client.Receive(now, from, b, &p)
			}, func() bool { return p.ended != nil || p.echoes >= 60 })
			if slot, slots := client.Slot(); p.ended != nil || slot != 3 || slots != 16 || client.Server() != servers[1] {
				t.Errorf("ended %v; slot %d of %d at %v; dropped %v", p.ended, slot, slots, client.Server(), client.Drops())
			}
			client.Disconnect(time.Now())
			denied()
			served()
		})
	}
}
