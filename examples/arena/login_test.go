package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/keyfile"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// A server with a key runs in one process, and a player with a token in another. The server knows the player's identity, and
// refuses players without a token.
func TestPlayersNeedTokens(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	keyFile, tokenFile := filepath.Join(folder, "key"), filepath.Join(folder, "token")
	if err := keyfile.Generate(keyFile); err != nil {
		t.Fatal(err)
	}
	key, err := keyfile.Read("@" + keyFile)
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, "-npcs 3 -serve 127.0.0.1:0 -inspect 127.0.0.1:0 -key @"+keyFile)
	addr := server.Find(t, `serving on (\S+);`)
	token, err := netcode.TokenConfig{Key: key, ClientID: 7, UserData: []byte("alice"),
		Servers: []netip.AddrPort{netip.MustParseAddrPort(addr)}}.Issue(time.Now())
	if err == nil {
		err = os.WriteFile(tokenFile, token.Append(nil), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	start(t, "-connect "+addr+" -clients 1 -rtt 0s -jitter 0s -loss 0")
	start(t, "-connect "+addr+" -rtt 0s -jitter 0s -loss 0 -token "+tokenFile)
	if who := server.Find(t, `client 1 has joined: (.*)\n`); who != `player 7 "alice"` {
		t.Errorf("%s has joined", who)
	}
	// The one without a token asks, and is turned away as it will be the next time.
	counted(t, server, "tactus_datagrams_dropped_total{reason=\""+netcode.DropKey.String()+"\"}")
	server.Find(t, `"(connect token refused)" from=\S+ reason="token of another key" advice=`)
	if n := strings.Count(server.String(), "has joined"); n != 1 {
		t.Errorf("%d have joined:\n%s", n, server)
	}
}

// A server that listens on all addresses needs a flag with the address that tokens name.
func TestPublicAddressIsNeeded(t *testing.T) {
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := keyfile.Generate(keyFile); err != nil {
		t.Fatal(err)
	}
	code, _, errs := run(t, "-serve 0.0.0.0:0 -key @"+keyFile)
	if code != 1 || !strings.Contains(errs, "-public") {
		t.Errorf("exit code %d, %q", code, errs)
	}
	if code, _, errs = run(t, "-serve 0.0.0.0:0"); code != 1 || !strings.Contains(errs, "-insecure-anyone-can-join") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}
