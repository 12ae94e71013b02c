package fleet

import (
	"encoding/json"
	"errors"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/rooms"
)

// seatMessages returns a request and a reply to it.
func seatMessages() (seatRequest, seatReply) {
	q := seatRequest{
		Epoch: 3, Op: opJoin, Kind: "dots", Options: rooms.Options{"map": "dust", "level": 3.0}, Schema: "abc",
		Players: []requestingPlayer{{ID: 1 << 63, Party: 9, Data: []byte("Ada")}, {ID: 2, Party: 9, Carried: []byte("a sword")}},
	}
	a := seatReply{
		Room: 9, Kind: "dots", Code: "abcdef", Seats: []grantedSeat{{0, 1, 9}, {1, 2, 9}}, Issued: 100, Expires: 115,
		Addresses: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:7777")}, Endpoints: rooms.Endpoints{UDP: "127.0.0.1:7777"},
	}
	return q, a
}

func encoded(t testing.TB, x any) []byte {
	t.Helper()
	b, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Requests and replies are read as they were written.
func TestSeatMessages(t *testing.T) {
	q, a := seatMessages()
	if got, err := parseRequest(encoded(t, q)); err != nil || !reflect.DeepEqual(got, q) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := parseReply(encoded(t, a), &q); err != nil || !reflect.DeepEqual(got, a) {
		t.Errorf("%+v, %v", got, err)
	}
	for name, want := range refusedErrors {
		if err := (&seatReply{Refused: name}).err(); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
		if name != refusedEpoch && refusalName(want) != name {
			t.Errorf("%v has the name %s, want %s", want, refusalName(want), name)
		}
	}
	if err := (&seatReply{Refused: "dance"}).err(); !errors.Is(err, rooms.ErrUnavailable) {
		t.Errorf("an unknown refusal: %v", err)
	}
}

// A reply that does not fit the request is refused.
func TestRepliesThatDoNotFit(t *testing.T) {
	q, _ := seatMessages()
	named := q
	named.Room = 7
	for what, change := range map[string]func(a *seatReply){
		"a seat less":    func(a *seatReply) { a.Seats = a.Seats[:1] },
		"no room":        func(a *seatReply) { a.Room = 0 },
		"over at once":   func(a *seatReply) { a.Expires = 100 },
		"for ever":       func(a *seatReply) { a.Expires = 1 << 40 },
		"a long code":    func(a *seatReply) { a.Code = strings.Repeat("a", 200) },
		"many addresses": func(a *seatReply) { a.Addresses = make([]netip.AddrPort, 33) },
	} {
		_, a := seatMessages()
		change(&a)
		if _, err := parseReply(encoded(t, a), &q); !errors.Is(err, errMessage) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, a := seatMessages()
	if _, err := parseReply(encoded(t, a), &named); !errors.Is(err, errMessage) {
		t.Errorf("another room: %v", err)
	}
}

// FuzzRequest: any bytes are refused, or within their bounds.
func FuzzRequest(f *testing.F) {
	q, _ := seatMessages()
	for _, b := range [][]byte{encoded(f, q), {}, []byte("null"), []byte("{}"), []byte(`{"players":[{"id":"x"}]}`)} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if q, err := parseRequest(b); err != nil {
			if !errors.Is(err, errMessage) {
				t.Errorf("%q: %v", b, err)
			}
		} else if len(q.Players) > maxPlayers {
			t.Errorf("%q: %d players", b, len(q.Players))
		}
	})
}

// FuzzReply: any bytes are refused, or within their bounds and issued as tokens.
func FuzzReply(f *testing.F) {
	q, a := seatMessages()
	for _, b := range [][]byte{encoded(f, a), encoded(f, seatReply{Refused: "full", Reason: "rooms: the room is full"}), {}, []byte("null"), []byte("{}")} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := parseReply(b, &q)
		switch {
		case err != nil:
			if !errors.Is(err, errMessage) {
				t.Errorf("%q: %v", b, err)
			}
		case a.Refused != "":
			if a.err() == nil {
				t.Errorf("%q refuses nobody", b)
			}
		case len(a.Seats) != len(q.Players) || a.Room == 0 || a.Endpoints.Validate() != nil:
			t.Errorf("%q: %+v", b, a)
		}
	})
}
