package commands

import (
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/inflight"
)

// PacketKind begins a packet of commands, which is a list of package inflight: each entry is the kind of the command, u8, and
// its value, as many bytes as a value of that kind has.
const PacketKind = 4

// Most is how many commands of a client wait: at the client until the server has them, and at the
// server for a tick.
const Most = inflight.Waiting

// Queue is what a client has commanded and the server is not known to have.
type Queue struct {
	list   inflight.List[struct{}]
	packet []byte
}

// Add adds a command; it reports false where [Most] wait.
func (q *Queue) Add(command string) bool {
	return q.list.Add(struct{}{}, func(b []byte) []byte { return append(b, command...) })
}

// Send sends the server what it is not known to have, when that is due.
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

// Acked takes in that a packet of the session arrived.
func (q *Queue) Acked(seq uint16) { q.list.Acked(seq, func(*struct{}) {}) }
