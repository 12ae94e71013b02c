package netsys

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/channel"
)

// terrible is a link on which everything that can happen to a datagram does.
var terrible = Link{Latency: 80 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.2, Burst: 60 * time.Millisecond, Duplicate: 0.1}

// Messages of all channels, both ways, beside datagrams, over a terrible link: reliable ones arrive once each, ordered
// ones in order; bulk delays none of the rest.
func TestChannelsUnderTerribleLinks(t *testing.T) {
	m := newMatch(t, matchConfig{link: terrible}).connect()
	const event, message, signal, state, bulk = 0, 1, 2, 3, 4
	type side struct {
		events   uint64
		messages map[uint64]int
		signals  int
		state    uint64
		bulk     []byte
	}
	sides := []*side{{messages: map[uint64]int{}}, {messages: map[uint64]int{}}}
	hear := func(s *side) func(int, []byte) {
		return func(number int, b []byte) {
			if number == bulk {
				s.bulk = append(s.bulk, b...)
				return
			}
			n := binary.LittleEndian.Uint64(b)
			switch number {
			case event:
				if n != s.events {
					t.Fatalf("event %d, not %d", n, s.events)
				}
				s.events++
			case message:
				s.messages[n]++
			case signal:
				s.signals++
			case state:
				if n <= s.state {
					t.Fatalf("state %d after %d", n, s.state)
				}
				s.state = n
			}
		}
	}
	m.atServer.onMessage, m.atClient.onMessage = hear(sides[0]), hear(sides[1])
	transfer := make([]byte, 100_000)
	for i := range transfer {
		transfer[i] = byte(i * i >> 7)
	}
	ends := []Session{m.client.Session(), m.atServer.last}
	for _, s := range ends {
		if err := s.Channels().Send(bulk, transfer); err != nil {
			t.Fatal(err)
		}
	}
	sent := uint64(0)
	for range 60 * 60 {
		sent++
		for _, s := range ends {
			_, _ = s.Send(m.now, make([]byte, 200))
			if sent%6 == 0 {
				b := binary.LittleEndian.AppendUint64(nil, sent/6-1)
				for _, number := range []int{event, message, signal} {
					if err := s.Channels().Send(number, b); err != nil {
						t.Fatal(number, err)
					}
				}
			}
			_ = s.Channels().Send(state, binary.LittleEndian.AppendUint64(nil, sent))
		}
		m.step()
	}
	for range 10 * 60 {
		m.step()
	}
	for i, s := range sides {
		if s.events != sent/6 || len(s.messages) != int(sent/6) {
			t.Errorf("side %d: %d events and %d messages of %d", i, s.events, len(s.messages), sent/6)
		}
		for n, times := range s.messages {
			if times != 1 {
				t.Errorf("side %d: message %d came %d times", i, n, times)
			}
		}
		if s.signals < int(sent/6)/2 || s.state == 0 {
			t.Errorf("side %d: %d signals, state %d", i, s.signals, s.state)
		}
		if !bytes.Equal(s.bulk, transfer) {
			t.Errorf("side %d: %d bytes of bulk: %+v", i, len(s.bulk), ends[1-i].Channels().Stats())
		}
	}
	if d := m.server.Drops(); d[DropChannels]+d[DropMalformed] != 0 || ends[1].Stats().Malformed != 0 {
		t.Errorf("drops %v", d)
	}
}

// A client may send on channels before it is connected, and both may answer from within Message.
func TestMessagesEarlyAndFromWithin(t *testing.T) {
	m := newMatch(t, matchConfig{})
	if err := m.client.Session().Channels().Send(0, []byte("early")); err != nil {
		t.Fatal(err)
	}
	m.atServer.onMessage = func(number int, b []byte) {
		if err := m.atServer.last.Channels().Send(number, append([]byte("re: "), b...)); err != nil {
			t.Error(err)
		}
		m.send(m.atServer.last, "a datagram from within")
	}
	var answers []string
	m.atClient.onMessage = func(_ int, b []byte) { answers = append(answers, string(b)) }
	m.connect()
	for range 30 {
		m.step()
	}
	if len(answers) != 1 || answers[0] != "re: early" || m.atClient.received != 1 {
		t.Errorf("answers %q, %d datagrams", answers, m.atClient.received)
	}
}

// A long transfer to a peer that has nothing to say is acknowledged fast enough to go on, and costs the peer few
// packets.
func TestTransferToASilentPeer(t *testing.T) {
	m := newMatch(t, matchConfig{link: Link{Latency: 20 * time.Millisecond}}).connect()
	before := m.client.Session().Stats().DatagramsOut
	for i := range 4 {
		if err := m.atServer.last.Channels().Send(4, make([]byte, 512<<10)); err != nil {
			t.Fatal(i, err)
		}
	}
	start := m.now
	m.until("2 MiB arrived", func() bool { return m.atClient.messages == 4 })
	packets, acks := m.atServer.last.Stats().DatagramsOut, m.client.Session().Stats().DatagramsOut-before
	if took := m.now.Sub(start); took > 8*time.Second || acks > packets/8 {
		t.Errorf("2 MiB took %v, %d packets, %d of acknowledgements: %+v", took, packets, acks, m.atServer.last.Channels().Stats())
	}
	if s := m.atServer.last.Channels().Stats(); s.Lost > 0 {
		t.Errorf("%d lost on a link that loses nothing", s.Lost)
	}
}

// Channels with a typed message, as a game uses them.
func TestTypedMessage(t *testing.T) {
	type chat struct {
		Mood int8 `net:"-3..3"`
	}
	registry := channel.NewRegistry(channel.Config{})
	say := channel.Register[chat](registry, "event")
	m := newMatch(t, matchConfig{
		server: ServerConfig{Messages: registry.Lines()},
		client: ClientConfig{Messages: registry.Lines()},
	}).connect()
	dispatcher := channel.NewDispatcher[Session](registry)
	var got []chat
	channel.Handle(dispatcher, say, func(_ Session, c *chat) { got = append(got, *c) })
	m.atServer.onMessage = func(number int, b []byte) {
		if err := dispatcher.Deliver(m.atServer.last, number, b); err != nil {
			t.Error(err)
		}
	}
	if err := say.Send(m.client.Session().Channels(), &chat{3}); err != nil {
		t.Fatal(err)
	}
	m.until("it arrived", func() bool { return len(got) == 1 })
	if got[0].Mood != 3 {
		t.Errorf("%v", got)
	}
}
