package asks

import (
	"bytes"
	"net/netip"
	"reflect"
	"strings"
	"testing"
)

// batch is one of each.
func batch() Batch {
	return Batch{Epoch: 3, Asks: []Ask{
		{Op: Join, Kind: "dots", Options: map[string]any{"map": "dust", "level": 3.0}, Schema: "abc", Players: []Player{{ID: 1 << 63, Party: 9, Data: []byte("Ada")}, {ID: 2, Party: 9}}},
		{Op: Create, Kind: "dots", Private: true, Players: []Player{{ID: 3, Carried: []byte("a sword")}}},
		{Op: Reserve, Room: 1 << 62, Claim: true, Players: []Player{{ID: 4}}},
		{Op: Reconnect, Room: 7, Players: []Player{{ID: 5}}},
	}}
}

// answers are to that.
func answers() Answers {
	return Answers{
		Addresses: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:7777")},
		Answers: []Answer{
			{Room: 9, Kind: "dots", Code: "abcdef", Seats: []Seat{{0, 1, 9}, {1, 2, 9}}, Issued: 100, Expires: 115},
			{Room: 11, Kind: "dots", Code: "abcdeg", Seats: []Seat{{0, 1, 0}}, Issued: 100, Expires: 115},
			{Refused: "full", Why: "rooms: the room is full"},
			{Refused: "no_seat"},
		},
	}
}

// What is written is read as the same.
func TestRecords(t *testing.T) {
	b := batch()
	value, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if got, asked, err := ParseBatch(value); err != nil || !asked || !reflect.DeepEqual(got, b) {
		t.Errorf("%s\n%+v, %v, %v", value, got, asked, err)
	}
	if _, answered, err := ParseAnswers(value, b.Asks); err != nil || answered {
		t.Errorf("a batch is an answer: %v, %v", answered, err)
	}
	a := answers()
	if value, err = a.Bytes(); err != nil {
		t.Fatal(err)
	}
	if got, answered, err := ParseAnswers(value, b.Asks); err != nil || !answered || !reflect.DeepEqual(got, a) {
		t.Errorf("%s\n%+v, %v, %v", value, got, answered, err)
	}
	if _, asked, err := ParseBatch(value); err != nil || asked {
		t.Errorf("answers are asked: %v, %v", asked, err)
	}
}

// An answer that does not fit what was asked is none.
func TestAnswersThatDoNotFit(t *testing.T) {
	b := batch()
	for what, change := range map[string]func(a *Answers){
		"fewer":          func(a *Answers) { a.Answers = a.Answers[:3] },
		"more":           func(a *Answers) { a.Answers = append(a.Answers, Answer{Refused: "full"}) },
		"a seat less":    func(a *Answers) { a.Answers[0].Seats = a.Answers[0].Seats[:1] },
		"no room":        func(a *Answers) { a.Answers[0].Room = 0 },
		"another room":   func(a *Answers) { a.Answers[3] = Answer{Room: 8, Seats: []Seat{{}}, Expires: 1} },
		"over at once":   func(a *Answers) { a.Answers[0].Expires = 100 },
		"for ever":       func(a *Answers) { a.Answers[0].Expires = 1 << 40 },
		"a long code":    func(a *Answers) { a.Answers[0].Code = strings.Repeat("a", 200) },
		"many addresses": func(a *Answers) { a.Addresses = make([]netip.AddrPort, 33) },
	} {
		a := answers()
		change(&a)
		value, err := a.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if _, answered, err := ParseAnswers(value, b.Asks); err == nil || !answered {
			t.Errorf("%s: %v, answered %v", what, err, answered)
		}
	}
}

// A batch takes what a record has room for, and so does the largest answer to it.
func TestBatchesFit(t *testing.T) {
	const record = 64 << 10
	for what, a := range map[string]Ask{
		"small":   {Op: Join, Kind: "dots", Players: []Player{{ID: 1}}},
		"parties": {Op: Reserve, Room: 1<<64 - 1, Players: make([]Player, 100)},
		"luggage": {Op: Join, Kind: "dots", Players: []Player{{ID: 1, Carried: bytes.Repeat([]byte{0xff}, 16<<10)}}},
	} {
		var b Batch
		for b.Add(a) {
		}
		value, err := b.Bytes()
		if err != nil || len(value) > record || len(b.Asks) == 0 {
			t.Errorf("%s: %d asks of %d bytes, %v", what, len(b.Asks), len(value), err)
		}
		if _, asked, err := ParseBatch(value); err != nil || !asked {
			t.Errorf("%s: %v, %v", what, asked, err)
		}
		got := Answers{Addresses: make([]netip.AddrPort, 32), Endpoints: bytes.Repeat([]byte("1"), 3*6*256)}
		for range b.Asks {
			x := Answer{Refused: "unavailable", Why: strings.Repeat("\x01", mostWhy+1), Room: 1<<64 - 1, Kind: strings.Repeat("k", 32), Code: "abcdef", Issued: 1 << 40, Expires: 1 << 40}
			for range a.Players {
				x.Seats = append(x.Seats, Seat{1<<16 - 1, 1<<32 - 1, 1<<64 - 1})
			}
			got.Answers = append(got.Answers, x)
		}
		for i := range got.Addresses {
			got.Addresses[i] = netip.MustParseAddrPort("[2001:db8:1111:2222:3333:4444:5555:6666]:65535")
		}
		if value, err := got.Bytes(); err != nil || len(value) > record {
			t.Errorf("%s: an answer of %d bytes, %v", what, len(value), err)
		}
	}
	var b Batch
	if b.Add(Ask{Players: make([]Player, MostPlayers+1)}) || b.Add(Ask{Players: []Player{{Carried: make([]byte, 60<<10)}}}) {
		t.Error("it takes what has no room in any")
	}
}

// FuzzBatch: whatever a record of asks is, it is refused, or read as the same again, within its bounds.
func FuzzBatch(f *testing.F) {
	b, a := batch(), answers()
	for _, x := range []interface{ Bytes() ([]byte, error) }{&b, &a} {
		value, err := x.Bytes()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(value)
	}
	for _, s := range []string{``, `{}`, `null`, `{"asks":[]}`, `{"asks":[{}],"answers":null}`, `{"asks":null,"answers":[]}`, `{"asks":[{"room":"-1"}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		got, asked, err := ParseBatch(value)
		if err != nil || !asked {
			if len(got.Asks) > 0 {
				t.Errorf("%q: %+v with %v", value, got, err)
			}
			return
		}
		players := 0
		for _, x := range got.Asks {
			players += len(x.Players)
		}
		if len(got.Asks) < 1 || len(got.Asks) > MostAsks || players > MostPlayers {
			t.Errorf("%q: %d asks of %d", value, len(got.Asks), players)
		}
		again, err := got.Bytes()
		if err != nil {
			t.Fatalf("%q: %v", value, err)
		}
		if _, asked, err := ParseBatch(again); err != nil || !asked {
			t.Errorf("%q is %q: %v, %v", value, again, asked, err)
		}
	})
}

// FuzzAnswers: whatever an answer is, it is refused, or fits what was asked.
func FuzzAnswers(f *testing.F) {
	b, a := batch(), answers()
	for _, x := range []interface{ Bytes() ([]byte, error) }{&b, &a} {
		value, err := x.Bytes()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(value)
	}
	for _, s := range []string{``, `{}`, `{"answers":[]}`, `{"answers":[{},{},{},{}]}`, `{"answers":[{"seats":[{"n":65536}]}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		got, answered, err := ParseAnswers(value, b.Asks)
		if err != nil || !answered {
			if len(got.Answers) > 0 {
				t.Errorf("%q: %+v with %v", value, got, err)
			}
			return
		}
		if len(got.Answers) != len(b.Asks) || len(got.Addresses) > mostServers {
			t.Fatalf("%q: %+v", value, got)
		}
		for i, x := range got.Answers {
			if x.Refused == "" && (len(x.Seats) != len(b.Asks[i].Players) || x.Room == 0 || x.Expires <= x.Issued) {
				t.Errorf("%q: %+v", value, x)
			}
		}
	})
}
