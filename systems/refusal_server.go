package systems

import (
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

const (
	// maxNotices is how many notices may wait for their acknowledgement.
	maxNotices = 32
	// noticeRoom is how many bytes a packet of notices has at most.
	noticeRoom = 1000
	// noticeRate and noticeBurst bound what a client is told that it can bring about as
	// often as it likes, a second and at once.
	noticeRate  = 10
	noticeBurst = 16
	// noticeWait is the least time after which notices are sent again.
	noticeWait = 100 * time.Millisecond
)

// notices are what a client is to be told, in order, each until it is acknowledged.
type notices struct {
	done    uint32 // number of the last that was acknowledged
	waiting [maxNotices]waitingNotice
	head, n int // in waiting
	fresh   bool
	at      time.Time // of the last packet
	packets [maxNotices]noticePacket
	packet  int

	untold  uint64 // notices that were not sent, for want of tokens or room
	spent   int64  // tokens gone, in parts of which a token has TickRate
	refresh uint32 // tick in which spent was counted
}

type waitingNotice struct {
	wire.Notice
	bytes []byte
}

// noticePacket is a packet that went out, with notices up to a number.
type noticePacket struct {
	live bool
	seq  uint16
	last uint32
}

// tell adds a notice that the client may bring about often; beyond the rate it is only
// counted.
func (q *notices) tell(n *wire.Notice, tickRate int, tick uint32) {
	q.spent = max(0, q.spent-int64(tick-q.refresh)*noticeRate)
	q.refresh = tick
	if q.spent+int64(tickRate) > noticeBurst*int64(tickRate) || !q.add(n, nil, nil) {
		q.untold++
		return
	}
	q.spent += int64(tickRate)
}

// add adds a notice, with a value where it has one; it reports false where there is no
// room.
func (q *notices) add(n *wire.Notice, words []int32, t *schema.Table) bool {
	if q.n == maxNotices {
		return false
	}
	x := &q.waiting[(q.head+q.n)%maxNotices]
	x.Notice = *n
	x.bytes = n.Append(x.bytes[:0], words, t)
	q.n++
	q.fresh = true
	return true
}

// tellNotices sends clients what they have not heard.
func (s *Server) tellNotices() {
	for _, p := range s.sessions.peers {
		s.tellChanges(p)
		q := &p.notices
		if q.n == 0 {
			continue
		}
		if !q.fresh {
			st := p.session.Stats()
			if s.link.now.Sub(q.at) < max(st.RTT+2*st.Jitter, noticeWait) {
				continue
			}
		}
		s.notice = codec.AppendUvarint(append(s.notice[:0], wire.KindNotices), uint64(q.done)+1)
		last := q.done
		for i := range q.n {
			b := q.waiting[(q.head+i)%maxNotices].bytes
			if len(s.notice)+len(b) > noticeRoom {
				break
			}
			s.notice = append(s.notice, b...)
			last++
		}
		q.fresh, q.at = false, s.link.now
		seq, err := p.session.Send(s.link.now, s.notice)
		if err != nil {
			s.unsent(err)
			continue
		}
		p.liveness.unacked = true
		q.packets[q.packet%maxNotices] = noticePacket{true, seq, last}
		q.packet++
	}
}

// ackedNotices takes in that a packet arrived, which may have had notices.
func (p *peer) ackedNotices(seq uint16) {
	q := &p.notices
	for i := range q.packets {
		x := &q.packets[i]
		if !x.live || x.seq != seq {
			continue
		}
		x.live = false
		for q.n > 0 && q.done < x.last {
			if n := &q.waiting[q.head].Notice; n.Kind == wire.NoticeChange {
				p.changes.received(n)
			}
			q.head = (q.head + 1) % maxNotices
			q.n--
			q.done++
			q.fresh = q.fresh || q.n > 0 && q.done == x.last // those that had no room
		}
	}
}
