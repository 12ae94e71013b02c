package netsys

import (
	"slices"
	"testing"
	"time"
)

// Within a round, Received and Message are called in the order of arrival: payloads up to the first packet with messages, then
// those messages, then later payloads.
func TestWhatCameBehindMessagesIsToldBehindThem(t *testing.T) {
	m := newMatch(t, matchConfig{}).connect()
	var told []string
	m.atServer.onReceived = func(_ time.Time, _ Session, p Packet) { told = append(told, string(p.Data)) }
	m.atServer.onMessage = func(_ int, message []byte) { told = append(told, string(message)) }
	s := m.client.Session()
	m.send(s, "first")
	must(t, s.Channels().Send(0, []byte("message")))
	m.send(s, "with it")
	m.send(s, "behind it")
	m.now = m.now.Add(second60)
	m.client.Poll(m.now, &m.atClient)
	m.server.Poll(m.now, &m.atServer)
	if want := []string{"first", "with it", "message", "behind it"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
