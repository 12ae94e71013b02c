//go:build !js

package webtransport

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/webtransport-go"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/internal/outqueue"
)

// peer is a client with a session.
type peer struct {
	session  *webtransport.Session
	out      *outqueue.Queue
	written  chan struct{} // closed when the writer has ended
	answered atomic.Bool
}

// serve delivers the datagrams of one session until it ends.
func (l *Listener) serve(session *webtransport.Session) {
	p := &peer{session: session, out: outqueue.New(l.config.Outbound), written: make(chan struct{})}
	at := mark.On(addrOf(session.RemoteAddr()))
	l.crowd.enter(at, p)
	go p.write()
	silent := time.AfterFunc(l.config.AnswerTimeout, func() {
		if !p.answered.Load() {
			l.crowd.count(func(s *Stats) { s.Unanswered++ })
			_ = session.CloseWithError(0, "nothing that it sent was answered")
		}
	})
	defer func() {
		silent.Stop()
		p.out.Abandon()
		_ = session.CloseWithError(0, "")
		<-p.written
		l.crowd.exit(at, p)
	}()
	rate := perSecond{most: l.config.PerSecond}
	for {
		ctx, stop := context.WithTimeout(l.life, l.config.IdleTimeout)
		b, err := session.ReceiveDatagram(ctx)
		stop()
		if err != nil {
			return
		}
		now := time.Now()
		switch {
		case len(b) > netsys.MaxDatagram:
			l.crowd.count(func(s *Stats) { s.TooLong++ })
		case !rate.take(now):
			l.crowd.count(func(s *Stats) { s.Flooded++ })
		default:
			l.crowd.count(func(*Stats) { l.inbox.Put(at, time.Now(), b) }) // under the lock, because times must not decrease
		}
	}
}

// write sends queued datagrams until the queue is closed.
func (p *peer) write() {
	defer close(p.written)
	for {
		b, err := p.out.Next()
		if err != nil {
			return
		}
		var long *quic.DatagramTooLargeError
		if err := p.session.SendDatagram(b); err != nil && !errors.As(err, &long) {
			return
		}
	}
}

// perSecond limits events per second.
type perSecond struct {
	most  int
	since time.Time
	count int
}

func (r *perSecond) take(now time.Time) bool {
	if now.Sub(r.since) >= time.Second {
		r.since, r.count = now, 0
	}
	r.count++
	return r.count <= r.most
}
