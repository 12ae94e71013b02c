package commands

import (
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/inflight"
)

// PacketKind is the first byte of a packet of commands. The packet is a list of package inflight; each entry is the
// kind of the command, u8, and its value, as many bytes as the kind has.
const PacketKind = 4

// MaxWaiting is the maximum number of commands of a client that wait: on the client for acknowledgement, and on the
// server for a tick. It is also the maximum per tick.
const MaxWaiting = inflight.Waiting

// Queue holds a client's commands that are not acknowledged.
type Queue struct {
	list   inflight.List
	packet []byte
}

// Add adds a command. It returns false if [MaxWaiting] commands wait.
func (q *Queue) Add(command string) bool {
	return q.list.Add(func(b []byte) []byte { return append(b, command...) })
}

// Send sends unacknowledged commands when they are due.
func (q *Queue) Send(now time.Time, session netsys.Session) {
	if q.list.Waiting() == 0 {
		return
	}
	if st := session.Stats(); q.list.Due(now, st.RTT+2*st.Jitter) {
		q.packet = q.list.Send(q.packet[:0], PacketKind, now, func(b []byte) (uint16, bool) {
			seq, err := session.Send(now, b)
			return seq, err == nil
		})
	}
}

// Acked records that a packet of the session arrived.
func (q *Queue) Acked(seq uint16) { q.list.Acked(seq) }
