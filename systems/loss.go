package systems

import "time"

// lossMeter is the share of losses by which buffers are made as deep as they must be.
// An outage is no measure of that: no buffer covers it, and when it is over, the path
// is what it was.
type lossMeter struct {
	share    float64
	received time.Time // when the newest packet came
	until    time.Time // for so long the session still counts an outage
}

const (
	outage     = 500 * time.Millisecond // without a packet
	lossWindow = 10 * time.Second       // of a session
)

// packet notes that one came.
func (m *lossMeter) packet(now time.Time) {
	if !m.received.IsZero() && now.Sub(m.received) >= outage {
		m.until = now.Add(lossWindow + outage)
	}
	m.received = now
}

// take takes in what the session measures. After an outage it may only fall.
func (m *lossMeter) take(now time.Time, share float64) {
	if share < m.share || !now.Before(m.until) {
		m.share = share
	}
}
