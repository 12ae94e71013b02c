package netsys

import "testing"

// A packet from a peer that has received nothing acknowledges nothing, whatever its other fields contain.
func TestNothingHeardAcknowledgesNothing(t *testing.T) {
	m := newMatch(t, matchConfig{}).connect()
	s := m.client.session
	m.send(s, "x")
	packet := make([]byte, headerSize)
	header{kind: kindDatagram, seq: m.atServer.last.(*session).out.next, ack: s.out.next - 1, bits: 1<<32 - 1, delay: nothingHeard}.put(packet)
	before := m.atClient.acked
	s.carrier.handler, s.carrier.datagram = &m.atClient, Datagram{At: m.now, Data: packet}
	if _, drop := s.receive(m.now, packet); drop != DropNone {
		t.Fatal(drop)
	}
	if m.atClient.acked != before {
		t.Error("a void acknowledgement counted")
	}
}
