package netcode

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// reads returns a reader with the key of a world.
func reads(t testing.TB, c ServerConfig) *Reader {
	t.Helper()
	c.Key, c.ProtocolID, c.Random = testKey, testProtocol, seeded(9)
	r, err := NewReader(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A reader returns the identity in a valid request, and the reason to drop any other datagram.
func TestReader(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	config := w.config(7)
	config.UserData = []byte("seat 3")
	token := w.issue(config)
	r, from := reads(t, ServerConfig{}), netip.MustParseAddrPort(alice)
	asked, drop := r.Read(w.now, from, request(token))
	if drop != DropNone || asked.ClientID != 7 || asked.Expire != token.Expire || len(asked.UserData) != UserDataSize || !bytes.HasPrefix(asked.UserData, []byte("seat 3\x00")) {
		t.Fatalf("dropped for %v: %+v", drop, asked)
	}
	changed := func(at int) []byte {
		b := request(token)
		b[at] ^= 1
		return b
	}
	other := config
	other.Key = Key{4}
	for name, c := range map[string]struct {
		b    []byte
		now  time.Time
		want DropReason
	}{
		"nothing":                {nil, w.now, DropType},
		"a payload":              {[]byte{kindPayload, 1, 2, 3}, w.now, DropType},
		"cut":                    {request(token)[:100], w.now, DropSize},
		"another version":        {changed(1), w.now, DropVersion},
		"another protocol":       {changed(1 + len(version)), w.now, DropProtocol},
		"expired":                {request(token), w.now.Add(time.Hour), DropExpired},
		"another key":            {request(w.issue(other)), w.now, DropKey},
		"changed on its way":     {changed(1 + publicHeader), w.now, DropKey},
		"of another expiry time": {changed(1 + len(version) + 8), w.now, DropKey},
	} {
		if asked, drop := r.Read(c.now, from, c.b); drop != c.want || asked.UserData != nil {
			t.Errorf("%s: dropped for %v, want %v: %+v", name, drop, c.want, asked)
		}
	}
	if text := fmt.Sprintf("%v %+v %#v %d", r, *r, r, r); strings.Contains(text, "aead") || strings.Contains(text, "keys") {
		t.Errorf("it prints as %s", text)
	}
	if _, err := NewReader(ServerConfig{}); err == nil {
		t.Error("a reader without a key")
	}
}

// A reader drops frequent requests of one sender, and floods of forged tokens, before decrypting them. Addresses that had a
// session have their own share.
func TestReaderIsBounded(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	token := w.issue(w.config(7))
	r, from := reads(t, ServerConfig{RequestsPerSecond: 10, TokensPerSecond: 100}), netip.MustParseAddrPort(alice)
	for range 10 {
		if _, drop := r.Read(w.now, from, request(token)); drop != DropNone {
			t.Fatal(drop)
		}
	}
	if _, drop := r.Read(w.now, from, request(token)); drop != DropRate {
		t.Errorf("the eleventh of a second: %v", drop)
	}
	friend := netip.MustParseAddrPort("198.51.100.77:1")
	r.Met(friend)
	forged := request(token)
	forged[1+publicHeader] ^= 1
	busy := 0
	for i := range 200 {
		if _, drop := r.Read(w.now, netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, 0, 113, byte(i)}), 1), forged); drop == DropBusy {
			busy++
		}
	}
	if busy < 180 {
		t.Errorf("%d of 200 forged tokens were not decrypted", busy)
	}
	if _, drop := r.Read(w.now, friend, request(token)); drop != DropNone {
		t.Errorf("who had a session is dropped for %v", drop)
	}
}

func FuzzReader(f *testing.F) {
	w := newWorld(f, ServerConfig{})
	good := request(w.issue(w.config(7)))
	f.Add(good)
	f.Add(good[:40])
	from := netip.MustParseAddrPort(alice)
	f.Fuzz(func(t *testing.T, b []byte) {
		asked, drop := reads(t, ServerConfig{}).Read(w.now, from, b)
		if (drop == DropNone) != bytes.Equal(b, good) || (drop == DropNone) != (asked.UserData != nil) {
			t.Errorf("dropped for %v: %+v", drop, asked)
		}
	})
}
