package main

import (
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

const (
	tickRate = 60
	tick     = time.Second / tickRate
	upSize   = 100
	downSize = 400

	// idleTicks is the number of silent ticks after which a client gets no more packets.
	idleTicks = 6
)

// server answers its clients until the process ends.
type server interface {
	LocalAddr() netip.AddrPort
	serve(c *counters)
}

// counters are the packets that a server received and sent.
type counters struct{ in, out atomic.Uint64 }

// room stores the clients by address, as every server must.
type room struct {
	seats []seat
	byAt  map[netip.AddrPort]int
}

type seat struct {
	at    netip.AddrPort
	heard int // the tick
}

// hear records a packet from a client and admits at most [maxClients].
func (r *room) hear(at netip.AddrPort, tick int) (ok bool) {
	i, ok := r.byAt[at]
	if !ok {
		if len(r.seats) >= maxClients {
			return false
		}
		if r.byAt == nil {
			r.byAt = make(map[netip.AddrPort]int)
		}
		i = len(r.seats)
		r.seats = append(r.seats, seat{at: at})
		r.byAt[at] = i
	}
	r.seats[i].heard = tick
	return true
}

// answering answers every packet immediately.
type answering struct{ conn *net.UDPConn }

func (s *answering) LocalAddr() netip.AddrPort { return s.conn.LocalAddr().(*net.UDPAddr).AddrPort() }

func (s *answering) serve(c *counters) {
	var clients room
	in, down := make([]byte, netsys.MaxDatagram), make([]byte, downSize)
	for {
		_, from, err := s.conn.ReadFromUDPAddrPort(in)
		if err != nil {
			continue // ICMP reports a client that has gone
		}
		c.in.Add(1)
		if !clients.hear(from, 0) {
			continue
		}
		if _, err := s.conn.WriteToUDPAddrPort(down, from); err == nil {
			c.out.Add(1)
		}
	}
}

// ticking reads all arrivals once per tick and sends to every client.
type ticking struct{ wire netsys.Wire }

func (s *ticking) LocalAddr() netip.AddrPort { return s.wire.LocalAddr() }

func (s *ticking) serve(c *counters) {
	var clients room
	down := make([]byte, downSize)
	n := 0
	deliver := func(d netsys.Datagram) {
		c.in.Add(1)
		clients.hear(d.From, n)
	}
	flusher, _ := s.wire.(netsys.Flusher)
	for p := startPace(); ; {
		now := p.wait()
		n++
		s.wire.Poll(now, deliver)
		for i := range clients.seats {
			if seat := &clients.seats[i]; n-seat.heard < idleTicks {
				if s.wire.Send(now, seat.at, down) == nil {
					c.out.Add(1)
				}
			}
		}
		if flusher != nil {
			flusher.Flush(now)
		}
	}
}

// pace schedules ticks.
type pace struct{ next time.Time }

func startPace() pace { return pace{time.Now()} }

// wait returns at the next tick. It does not make up for ticks missed while the process was suspended.
func (p *pace) wait() time.Time {
	p.next = p.next.Add(tick)
	time.Sleep(time.Until(p.next))
	now := time.Now()
	if now.Sub(p.next) > tick {
		p.next = now
	}
	return now
}
