package event_test

import (
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/event"
)

// hostile are messages that no honest peer of the kit sends, in hex. There note is type
// 0, spark 1, verdict 2, shout 3, refusals 4 and ask 5; the channels are event 0 and
// signal 2.
var hostile = []struct {
	name               string
	channel            int
	data               string
	toServer, toClient bool // an error there
}{
	{"nothing", 0, "", true, true},
	{"half a number", 0, "80", true, true},
	{"a long number", 0, "8000", true, true},
	{"a number alone", 0, "00", true, true},
	{"no words", 0, "0007", true, true},
	{"short words", 0, "0007010000", true, true},
	{"words and more", 0, "0007 0000000000 0000", true, true},
	{"another channel", 2, "0007 01000000", true, true},
	{"a tick of 33 bits", 0, "00 8080808020 00 01000000", true, true},
	{"a tick of 32 bits, and late", 0, "00 ffffffff1f 01 00 01000000", true, true},
	{"late by nothing", 0, "00 0f 00 00 01000000", true, true},
	{"a tick in too many bytes", 0, "00 8e00 00 01000000", true, true},
	{"about 33 bits", 0, "00 0e 8080808010 01000000", true, true},
	{"a client shouts", 0, "03 07 01000000", true, true},
	{"a client shouts as a server", 0, "03 0e 00 01000000", true, false},
	{"a server asks", 0, "05 07 01", false, true},
	{"100 of 0 to 99", 0, "05 07 64", true, true},
	{"bits behind the end", 0, "05 07 81", true, true},
	{"a client refuses", 0, "04 05 0000 1c00 00", true, false},
	{"a refusal of what is no event", 0, "04 06 00000000 00", true, true},
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(string(slices.DeleteFunc([]byte(s), func(c byte) bool { return c == ' ' })))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Invalid messages are errors and change nothing.
func TestHostile(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	e := s.clients[0]
	check := func(name, where string, want, took bool, err error) {
		if (err != nil) != want || !took {
			t.Errorf("%s, at the %s: %v, %v", name, where, took, err)
		}
		if err != nil && (!errors.Is(err, event.ErrEvent) || !errors.Is(err, codec.ErrMalformed) && !errors.Is(err, codec.ErrShort)) {
			t.Errorf("%s, at the %s: %v", name, where, err)
		}
	}
	for _, h := range hostile {
		b := unhex(t, h.data)
		took, err := s.server.Receive(1, h.channel, b)
		check(h.name, "server", h.toServer, took, err)
		took, err = e.client.Receive(h.channel, b)
		check(h.name, "client", h.toClient, took, err)
	}
	if took, err := s.server.Receive(1, 0, unhex(t, "06 07 01")); took || err != nil {
		t.Errorf("a message that is no event: %v, %v", took, err)
	}
	if took, err := e.client.Receive(0, unhex(t, "8008")); took || err != nil {
		t.Errorf("a message that is no event: %v, %v", took, err)
	}
	if took, err := s.server.Receive(9, 0, unhex(t, "0007 01000000")); !took || err != nil {
		t.Errorf("a client that is not there: %v, %v", took, err)
	}
	expect(t, s.said, "ask 1 of 1 at 7")
	if st := s.server.Stats(); st.Received != 1 {
		t.Errorf("%+v", st)
	}
	expect(t, e.deliver(100), "shout 1 at 7")
}

// An event with a tick that never comes holds back only later events of its channel, until too many wait.
func TestFarTick(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{Waiting: 2})
	e := s.clients[0]
	for _, m := range []string{"00 feffffff1f 00 01000000", "00 04 00 02000000"} {
		if _, err := e.client.Receive(0, unhex(t, m)); err != nil {
			t.Error(err)
		}
	}
	if _, err := e.client.Receive(2, unhex(t, "01 04 00 03000000")); err != nil {
		t.Error(err)
	}
	expect(t, e.heard, "spark 3 at 2")
	if _, err := e.client.Receive(0, unhex(t, "00 06 00 04000000")); err != nil {
		t.Error(err)
	}
	expect(t, e.heard, "spark 3 at 2", "note 1 at 4294967295")
	expect(t, e.deliver(^uint32(0)))
}

// Excess events are dropped before they are decoded.
func TestFloodIsNotRead(t *testing.T) {
	s := newStage(t, event.ServerConfig{}, event.ClientConfig{})
	for i := range 100 {
		b := unhex(t, "05 07 01")
		if i >= 3 {
			b = unhex(t, "05 07 ff")
		}
		if _, err := s.server.Receive(1, 0, b); err != nil {
			t.Fatal(err)
		}
	}
	if st := s.server.Stats(); st.Handled != 3 || st.Limited != 97 || st.Refusals != 1 {
		t.Errorf("%+v", st)
	}
}
