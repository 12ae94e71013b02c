package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/printed"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const testKey = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

const servingAt = `serving protocol 0x11 at \[([^ ]*:\d+)\]\n`

// start runs a server in the background and returns its address, its output, and a function that stops it.
func start(t *testing.T, args ...string) (addr string, out *printed.Text, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	out = new(printed.Text)
	code := make(chan int, 1)
	go func() { code <- run(ctx, append(args, "-protocol", "0x11", "-key", testKey), out, out) }()
	stop = func() int {
		cancel()
		return <-code
	}
	return out.Find(t, servingAt), out, stop
}

// family skips a test where this machine has no such loopback address.
func family(t *testing.T, loopback string) {
	t.Helper()
	conn, err := net.ListenPacket("udp", loopback+":0")
	if err != nil {
		t.Skipf("no loopback address %s here: %v", loopback, err)
	}
	_ = conn.Close()
}

func TestEcho(t *testing.T) {
	t.Parallel()
	for name, loopback := range map[string]string{"IPv4": "127.0.0.1", "IPv6": "[::1]"} {
		t.Run(name, func(t *testing.T) {
			family(t, loopback)
			addr, server, stop := start(t, "-serve", loopback+":0")
			for _, size := range []int{1, 1200} {
				var client printed.Text
				args := []string{"-connect", addr, "-protocol", "0x11", "-key", testKey, "-count", "20",
					"-rate", "200", "-payload", fmt.Sprint(size), "-duration", "30s", "-id", fmt.Sprint(size)}
				if code := run(t.Context(), args, &client, &client); code != 0 {
					t.Errorf("the client ends with %d", code)
				}
				for _, want := range []string{"connected: " + addr + " in slot", " 20 of them echoes\n"} {
					if !strings.Contains(client.String(), want) {
						t.Errorf("the client does not print %q but\n%s", want, &client)
					}
				}
			}
			server.Until(t, "disconnected: client", 2)
			if code := stop(); code != 0 {
				t.Errorf("the server ends with %d", code)
			}
			for _, want := range []string{"connected: client 1 at ", "connected: client 1200 at ", "disconnected by the peer", "; 0 clients\n"} {
				if !strings.Contains(server.String(), want) {
					t.Errorf("the server does not print %q but\n%s", want, server)
				}
			}
		})
	}
}

func TestServerEndsAfterItsCount(t *testing.T) {
	t.Parallel()
	addr, server, stop := start(t, "-serve", "127.0.0.1:0", "-count", "5")
	var client printed.Text
	if code := run(t.Context(), []string{"-connect", addr, "-protocol", "0x11", "-key", testKey, "-duration", "30s"}, &client, &client); code != 0 {
		t.Errorf("a client whose server has ended ends with %d:\n%s", code, &client)
	}
	if code := stop(); code != 0 || !strings.Contains(server.String(), "payloads: 5 echoed") {
		t.Errorf("the server ends with %d:\n%s", code, server)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	addr := conn.LocalAddr().String()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-duration", "200ms"}, "never connected"},
		{[]string{"-timeout", "1s"}, "timed out"},
	} {
		var client printed.Text
		args := append([]string{"-connect", addr, "-protocol", "0x11", "-key", testKey}, c.args...)
		if code := run(t.Context(), args, io.Discard, &client); code != 1 || !strings.Contains(client.String(), c.want) {
			t.Errorf("%v: %d, %q", c.args, code, &client)
		}
	}
}

func TestWrongKey(t *testing.T) {
	t.Parallel()
	addr, server, stop := start(t, "-serve", "127.0.0.1:0")
	var client printed.Text
	args := []string{"-connect", addr, "-protocol", "0x11", "-key", strings.Repeat("ab", 32), "-duration", "300ms"}
	if code := run(t.Context(), args, &client, &client); code != 1 {
		t.Errorf("the client ends with %d", code)
	}
	// What comes over one socket is read in its order.
	if code := run(t.Context(), []string{"-connect", addr, "-protocol", "0x11", "-key", testKey, "-count", "1"}, &client, &client); code != 0 {
		t.Errorf("a client with the right key ends with %d:\n%s", code, &client)
	}
	stop()
	if want := netcode.DropKey.String(); !strings.Contains(server.String(), want) {
		t.Errorf("the server does not print %q but\n%s", want, server)
	}
}

func TestFlags(t *testing.T) {
	good := []string{"-serve", "127.0.0.1:0", "-protocol", "1", "-key", testKey}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "-serve and -connect"},
		{append([]string{"-connect", "127.0.0.1:1"}, good...), "-serve and -connect"},
		{good[:4], "-key"},
		{append(good[:2:2], "-protocol", "0", "-key", testKey), `-protocol "0"`},
		{append(good[:4:4], "-key", "12"), "key"},
		{append(good[:2:2], "-protocol", "x", "-key", testKey), `-protocol "x"`},
		{append(good, "-payload", "1201"), "-payload 1201"},
		{append(good, "-rate", "0"), "-rate 0"},
		{append(good, "-count", "-1"), "-count"},
		{append(good, "-public", "nowhere"), "-public"},
		{append(good, "-slots", "-3"), "MaxClients"},
		{append(good, "more"), "more"},
		{append(good, "-bogus"), "bogus"},
		{append(good[2:], "-connect", "127.0.0.1"), "-connect"},
		{append(good[2:], "-connect", "127.0.0.1:1", "-timeout", "1ms"), "whole seconds"},
	} {
		var stderr printed.Text
		if code := run(t.Context(), c.args, io.Discard, &stderr); code == 0 || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%v: %d, %q", c.args, code, &stderr)
		}
		if strings.Contains(stderr.String(), testKey) {
			t.Errorf("%v: the error shows the key", c.args)
		}
	}
	var stdout printed.Text
	if code := run(t.Context(), []string{"-h"}, &stdout, io.Discard); code != 0 || !strings.Contains(stdout.String(), "usage: echo") {
		t.Errorf("-h: %d, %q", code, &stdout)
	}
}

func TestAddresses(t *testing.T) {
	public := netip.MustParseAddrPort("192.0.2.1:40000")
	local := netip.MustParseAddrPort("[::]:40001")
	wildcard := options{serve: netip.MustParseAddrPort("[::]:0")}
	own, err := addresses(wildcard, local)
	if err != nil || len(own) == 0 || own[0].Port() != 40001 {
		t.Errorf("of all interfaces: %v, %v", own, err)
	}
	wildcard.public = public
	if own, err := addresses(wildcard, local); err != nil || len(own) != 1 || own[0] != public {
		t.Errorf("public: %v, %v", own, err)
	}
}
