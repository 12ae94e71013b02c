package netsys

import (
	"testing"
	"time"
)

// A client may send on channels before it is connected, and both ends may answer within Message. A datagram that is sent
// within Message does not carry data of channels.
func TestMessagesEarlyAndFromWithin(t *testing.T) {
	m := newMatch(t, matchConfig{})
	must(t, m.client.Session().Channels().Send(0, []byte("early")))
	m.atServer.onMessage = func(number int, b []byte) {
		if err := m.atServer.last.Channels().Send(number, append([]byte("re: "), b...)); err != nil {
			t.Error(err)
		}
		before := m.atServer.last.Channels().Stats().PacketsOut
		m.send(m.atServer.last, "a datagram from within")
		if now := m.atServer.last.Channels().Stats().PacketsOut; now != before {
			t.Errorf("%d packets of channels went out within the call", now-before)
		}
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
