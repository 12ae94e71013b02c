package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

var played = regexp.MustCompile(`(?m)^played as client (\d+): saw (\d+) entities, moved (\d+) units, (\d+) shots, (\d+) hits, (\d+) kills$`)

// plays runs play, and returns the numbers of its last line.
func plays(t *testing.T, folder string, args ...string) (n [6]int) {
	t.Helper()
	code, stdout, stderr := run(t, filepath.Join(folder, "play"), args...)
	m := played.FindStringSubmatch(stdout)
	if code != 0 || m == nil {
		t.Fatalf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1])
	}
	return n
}

// The program in C joins, walks, shoots and hits, and leaves.
func TestPlay(t *testing.T) {
	t.Parallel()
	folder := built(t)
	address := serve(t, netcode.Key{})
	n := plays(t, folder, "-for", "8", "-lines", "-name", "Cee", address)
	if client, saw, moved, shots, hits := n[0], n[1], n[2], n[3], n[4]; client == 0 || saw < 40 || moved < 100 || shots < 3 || hits == 0 {
		t.Errorf("client %d saw %d, moved %d, shot %d, hit %d", client, saw, moved, shots, hits)
	}
}

// A player with a token needs no address.
func TestPlayWithToken(t *testing.T) {
	t.Parallel()
	folder := built(t)
	key := netcode.GenerateKey(nil)
	address := serve(t, key)
	token, err := netcode.TokenConfig{Key: key, ClientID: 7, Servers: []netip.AddrPort{netip.MustParseAddrPort(address)}}.Issue(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, token.Append(nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := plays(t, folder, "-for", "2", "-lines", "-token", file); n[0] == 0 || n[1] < 40 {
		t.Errorf("client %d saw %d", n[0], n[1])
	}
}

// The program prints each error and exits.
func TestPlayErrors(t *testing.T) {
	t.Parallel()
	folder := built(t)
	secret := serve(t, netcode.GenerateKey(nil))
	old, err := netcode.TokenConfig{Key: netcode.GenerateKey(nil), ClientID: 7, Servers: []netip.AddrPort{netip.MustParseAddrPort(secret)}}.Issue(time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string, b []byte) string {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, x := range []struct {
		args string
		code int
		says string
	}{
		{"-h", 0, "usage: play"},
		{"-what", 2, "usage: play"},
		{"-for soon", 2, "usage: play"},
		{"-name AVeryLongNameOfAPlayer", 2, "usage: play"},
		{"a:1 b:2", 2, "usage: play"},
		{"-wait 700 127.0.0.1:9", 1, "(reason 7): netsys: timed out"},
		{"-wait 700 " + secret, 1, "(reason 7): netsys: timed out"},
		{"nowhere", 1, "missing port"},
		{"192.0.2.1:7777", 1, "development mode is for loopback addresses"},
		{"-token " + file("short", []byte("no token")), 1, "8 bytes instead of 2048 (reason 16)"},
		{"-token " + file("old", old.Append(nil)), 1, "(reason 9)"},
		{"-token /nowhere/at/all", 1, "No such file"},
	} {
		code, stdout, stderr := run(t, filepath.Join(folder, "play"), strings.Fields(x.args)...)
		if code != x.code || !strings.Contains(stdout+stderr, x.says) {
			t.Errorf("play %s: exit code %d, want %d, and %q in\n%s%s", x.args, code, x.code, x.says, stdout, stderr)
		}
	}
}
