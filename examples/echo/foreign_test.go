package main

import (
	"context"
	"net/netip"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/printed"
)

// foreign prepares testdata/peer.py, another implementation of the standard; where it cannot run the test is skipped.
func foreign(t *testing.T, mode, host, port string) (*exec.Cmd, *printed.Text) {
	t.Helper()
	if exec.Command("python3", "-c", `import ctypes; ctypes.CDLL("libsodium.so.23")`).Run() != nil {
		t.Skip("needs Python 3 and libsodium.so.23")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	c, text := exec.CommandContext(ctx, "python3", "testdata/peer.py", mode, host, port, "0x11", testKey), new(printed.Text)
	c.Stdout, c.Stderr = text, text
	return c, text
}

// serveForeign runs a foreign server in the background and returns its port.
func serveForeign(t *testing.T, mode, host string) (c *exec.Cmd, text *printed.Text, port string) {
	t.Helper()
	c, text = foreign(t, mode, host, "0")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, text, text.Find(t, `port (\d+)\n`)
}

func TestForeignClient(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "::1"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			loopback := strings.TrimSuffix(netip.AddrPortFrom(netip.MustParseAddr(host), 0).String(), ":0")
			family(t, loopback)
			addr, served, stop := start(t, "-serve", loopback+":0")
			client, text := foreign(t, "client", host, addr[strings.LastIndex(addr, ":")+1:])
			if err := client.Run(); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			served.Until(t, "disconnected: client 77", 1)
			stop()
			for _, want := range []string{"connected: client 77 at " + loopback, "disconnected by the peer"} {
				if !strings.Contains(served.String(), want) {
					t.Errorf("the server does not print %q but\n%s", want, served)
				}
			}
		})
	}
}

// A client tries two servers of another implementation in turn. The first server is full, and the second one accepts the client.
func TestForeignServer(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "::1"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			loopback := strings.TrimSuffix(netip.AddrPortFrom(netip.MustParseAddr(host), 0).String(), ":0")
			family(t, loopback)
			full, denials, fullPort := serveForeign(t, "deny", host)
			server, served, port := serveForeign(t, "server", host)
			var client printed.Text
			args := []string{"-connect", loopback + ":" + fullPort + "," + loopback + ":" + port, "-protocol", "0x11", "-key", testKey,
				"-count", "60", "-rate", "200", "-payload", "1200", "-duration", "30s"}
			if code := run(t.Context(), args, &client, &client); code != 0 {
				t.Errorf("the client ends with %d", code)
			}
			for _, want := range []string{"connected: " + loopback + ":" + port + " in slot 3 of 16", " 60 of them echoes\n"} {
				if !strings.Contains(client.String(), want) {
					t.Errorf("the client does not print %q but\n%s", want, &client)
				}
			}
			if err := full.Wait(); err != nil {
				t.Errorf("the full server: %v\n%s", err, denials)
			}
			if err := server.Wait(); err != nil {
				t.Errorf("the server: %v\n%s", err, served)
			}
		})
	}
}
