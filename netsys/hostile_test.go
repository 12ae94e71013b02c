package netsys

import "testing"

// A client leaves a server that sends malformed packets.
func TestMalformedAtTheClient(t *testing.T) {
	m := newMatch(t, matchConfig{}).connect()
	for range defaultMaxMalformed + 1 {
		_ = m.server.schedule.all[0].tunnel.Send(m.now, []byte{kindHello})
	}
	m.client.Poll(m.now, &m.atClient)
	if m.atClient.disconnected != 1 || m.client.Drops()[DropUnexpected] != defaultMaxMalformed+1 {
		t.Errorf("%+v, %v", m.atClient, m.client.Drops())
	}
}
