package clock

import "time"

// Loss is the share of losses by which buffers are made as deep as they must be.
// An outage is no measure of that: no buffer covers it, and when it is over, the path
// is what it was.
type Loss struct {
	Share    float64
	received time.Time // when the newest packet came
	until    time.Time // for so long the session still counts an outage
}

const (
	outage     = 500 * time.Millisecond // without a packet
	lossWindow = 10 * time.Second       // of a session
)

// Packet notes that one came.
func (l *Loss) Packet(now time.Time) {
	if !l.received.IsZero() && now.Sub(l.received) >= outage {
		l.until = now.Add(lossWindow + outage)
	}
	l.received = now
}

// Measured takes in what the session measures. After an outage the share may only fall.
func (l *Loss) Measured(now time.Time, share float64) {
	if share < l.Share || !now.Before(l.until) {
		l.Share = share
	}
}
