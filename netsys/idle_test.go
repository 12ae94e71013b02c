package netsys

import (
	"bytes"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/channel"
)

// A session that has nothing to do is looked at ten times a second, however often its server is polled.
func TestIdleSessionsAreLeftAlone(t *testing.T) {
	m := newMatch(t, matchConfig{server: ServerConfig{KeepAlive: time.Second}, client: ClientConfig{KeepAlive: time.Second}}).connect()
	s := m.atServer.last.(*session)
	for range 200 {
		m.step()
	}
	looks, last := 0, time.Duration(-1)
	for range 1000 {
		m.now = m.now.Add(time.Millisecond)
		m.server.Poll(m.now, &m.atServer)
		m.server.Flush(m.now)
		if s.age != last {
			looks, last = looks+1, s.age
		}
	}
	if looks < 9 || looks > 13 {
		t.Errorf("an idle session was looked at %d times in a second", looks)
	}
}

// The next Flush sends the messages of a session that was idle, in order. Their age counts from Send, so that none is dropped
// as too old.
func TestWhatWaitsIsSentAtOnce(t *testing.T) {
	channels := channel.Config{Channels: []channel.ChannelConfig{
		{Name: "sure", Kind: channel.ReliableOrdered}, {Name: "now", Kind: channel.Unreliable, MaxAge: 30 * time.Millisecond},
	}}
	m := newMatch(t, matchConfig{server: ServerConfig{Channels: channels}, client: ClientConfig{Channels: channels}}).connect()
	s := m.atServer.last
	var got [][]byte
	m.atClient.onMessage = func(_ int, message []byte) { got = append(got, bytes.Clone(message)) }
	for round := range byte(20) {
		for range int(round) {
			m.step()
		}
		got = got[:0]
		must(t, s.Channels().Send(0, []byte{round}))
		must(t, s.Channels().Send(1, []byte{round}))
		m.server.Flush(m.now)
		m.client.Poll(m.now, &m.atClient)
		if len(got) != 2 || got[0][0] != round || got[1][0] != round {
			t.Fatalf("round %d: %v arrived", round, got)
		}
	}
	// A lost message is sent again, although nothing else wakes the session.
	m.links(Link{Loss: 1})
	must(t, s.Channels().Send(0, []byte("lost at first")))
	for range 30 {
		m.step()
	}
	m.links(Link{})
	got = got[:0]
	m.until("it arrives", func() bool { return len(got) == 1 })
}
