package travel

import (
	"bytes"
	"encoding/hex"
	"errors"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// token returns a token with the given number of servers.
func token(t testing.TB, servers int) *netcode.ConnectToken {
	t.Helper()
	var at []netip.AddrPort
	for i := range servers {
		at = append(at, netip.AddrPortFrom(netip.AddrFrom16([16]byte{0: 0x20, 15: byte(i + 1)}), 7777))
	}
	x, err := netcode.TokenConfig{Key: netcode.GenerateKey(netsys.SeededRandom(1)), ClientID: 7, Servers: at, Random: netsys.SeededRandom(2)}.Issue(time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Tickets of all lengths are unchanged when they are decoded. The longest has the documented size.
func TestTicketsRoundTrip(t *testing.T) {
	for _, want := range []Ticket{
		{Token: token(t, 1)},
		{Kind: "dots", Schema: "b6", WS: "ws://127.0.0.1:80/", Token: token(t, 3)},
		{
			Kind: strings.Repeat("k", maxKind), Schema: strings.Repeat("f", maxSchema), Token: token(t, netcode.MaxServers),
			WS: "wss://" + strings.Repeat("w", maxURL-6), WebTransport: "https://" + strings.Repeat("w", maxURL-8),
		},
	} {
		b := want.Append(nil)
		if len(b) > MaxTicket || want.Validate() != nil {
			t.Fatalf("%d bytes: %v", len(b), want.Validate())
		}
		got, err := ParseTicket(b)
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Fatalf("%+v, want %+v: %v", got, want, err)
		}
		for cut := range len(b) {
			if _, err := ParseTicket(b[:cut]); !errors.Is(err, ErrTicket) {
				t.Fatalf("%d of %d bytes: %v", cut, len(b), err)
			}
		}
		if _, err := ParseTicket(append(b, 1)); !errors.Is(err, ErrTicket) {
			t.Errorf("with something behind it: %v", err)
		}
	}
}

// The bytes of a ticket are those in docs/spec/wire-format.md.
func TestBytesOfTickets(t *testing.T) {
	x := Ticket{Kind: "dots", Schema: "b6", Token: token(t, 1)}
	want, _ := hex.DecodeString("010400646f7473020062360000" + "0000")
	if b := x.Append(nil); !bytes.HasPrefix(b, want) || int(b[len(want)])|int(b[len(want)+1])<<8 != len(b)-len(want)-2 {
		t.Errorf("%x", b[:20])
	}
}

// Invalid tickets are refused.
func TestTicketsThatNoServerSends(t *testing.T) {
	for name, x := range map[string]Ticket{
		"no token":           {},
		"a long kind":        {Kind: strings.Repeat("k", maxKind+1), Token: token(t, 1)},
		"a long schema":      {Schema: strings.Repeat("k", maxSchema+1), Token: token(t, 1)},
		"a long URL":         {WS: "wss://" + strings.Repeat("w", maxURL), Token: token(t, 1)},
		"a page":             {WS: "https://play.example/", Token: token(t, 1)},
		"a script":           {WS: "javascript:alert(1)", Token: token(t, 1)},
		"no host":            {WS: "ws:///path", Token: token(t, 1)},
		"a password":         {WS: "ws://a:b@play.example/", Token: token(t, 1)},
		"a fragment":         {WS: "ws://play.example/#x", Token: token(t, 1)},
		"no URL":             {WS: "ws://[::", Token: token(t, 1)},
		"a socket over http": {WebTransport: "http://play.example/", Token: token(t, 1)},
	} {
		if err := x.Validate(); !errors.Is(err, ErrTicket) {
			t.Errorf("%s: %v", name, err)
		}
		if x.Token == nil || len(x.WS) > maxURL || len(x.Kind) > maxKind || len(x.Schema) > maxSchema {
			continue
		}
		if _, err := ParseTicket(x.Append(nil)); !errors.Is(err, ErrTicket) {
			t.Errorf("%s: read as %v", name, err)
		}
	}
	good := (&Ticket{Kind: "dots", Token: token(t, 1)}).Append(nil)
	for name, b := range map[string][]byte{
		"another version": append([]byte{2}, good[1:]...),
		"too long":        make([]byte, MaxTicket+1),
		"a bad token":     append(append([]byte{}, good[:15]...), append([]byte{^good[15]}, good[16:]...)...),
		"a zero behind":   append(append([]byte{}, good...), 0),
	} {
		if _, err := ParseTicket(b); !errors.Is(err, ErrTicket) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The counters of rooms are added. All other values are those of the current room.
func TestSum(t *testing.T) {
	type counts struct {
		A, B uint64
		C    int
	}
	x := counts{1, 2, 3}
	Sum(&x, counts{10, 20, 30})
	if x != (counts{11, 22, 3}) {
		t.Errorf("%+v", x)
	}
}

// FuzzTicket checks that a decoded ticket can be encoded again with the same meaning.
func FuzzTicket(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := ParseTicket(b)
		if err != nil {
			if !errors.Is(err, ErrTicket) {
				t.Fatal(err)
			}
			return
		}
		again, err := ParseTicket(x.Append(nil))
		if err != nil || !reflect.DeepEqual(x, again) {
			t.Fatalf("%+v came back as %+v: %v", x, again, err)
		}
	})
}
