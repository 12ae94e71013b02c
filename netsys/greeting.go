package netsys

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// greeting is the state of a client that has a slot and is not connected yet.
type greeting struct {
	since  time.Duration // by the carrier's clock
	answer []byte        // welcome or refusal; sent again for each repeated hello
}

// packet processes one authentic packet of a session, which may not be connected yet.
func (s *Server) packet(now time.Time, from *session, b []byte) {
	drop, more := DropNone, false
	switch {
	case b[0] == kindHello:
		drop = s.greet(now, from, b)
	case b[0] < kindDatagram || from.state == connecting:
		drop = DropUnexpected
	case from.state == welcomed:
		if _, _, drop = parsePacket(b); drop == DropNone {
			s.admit(now, from)
		}
	}
	if drop == DropNone && from.state == connected && b[0] != kindHello {
		if more, drop = from.receive(now, b); more {
			drop = from.receiveRest(now, b)
		}
	}
	s.countDrop(from, drop)
}

// countDrop counts a dropped packet. It does nothing for DropNone.
func (s *Server) countDrop(from *session, drop DropReason) {
	s.drops.count(drop)
	if drop.hostile() {
		from.countMalformed(s.carrier.now)
	}
}

// admit connects a client that has answered its welcome.
func (s *Server) admit(now time.Time, guest *session) {
	i := slices.Index(s.guests, guest)
	s.guests = slices.Delete(s.guests, i, i+1)
	s.schedule.add(guest)
	guest.details.greeting.answer = nil
	guest.state = connected
	s.carrier.pollHandler.Connected(now, guest)
}

// greet answers a hello.
func (s *Server) greet(now time.Time, from *session, b []byte) DropReason {
	switch {
	case from.state == connected:
		return DropDuplicate
	case from.state > connected:
		return DropUnexpected
	case from.details.greeting.answer != nil:
		// The answer may have been lost.
		_ = from.tunnel.Send(now, from.details.greeting.answer)
		return DropDuplicate
	}
	drop, at := parseHello(b, &s.hello), 0
	if drop == DropNone {
		var differs bool
		if at, differs = s.schema.differs(&s.hello); differs {
			drop = DropSchema
		} else if s.closing {
			drop = DropClosing
		}
	}
	switch drop {
	case DropNone:
		if err := s.login(from); err != nil {
			text := strings.ToValidUTF8(err.Error(), "?")
			r := refused{reason: refusedLogin, line: unknownLine, text: []byte(text[:min(len(text), maxRefusedText)])}
			switch {
			case errors.Is(err, ErrBusy):
				r = refused{reason: refusedBusy}
			case errors.Is(err, ErrServerFull):
				r = refused{reason: refusedFull}
			}
			s.refuse(now, from, r)
			return DropLogin
		}
		s.welcome(now, from)
	case DropVersion:
		s.refuse(now, from, refused{reason: refusedVersion})
	case DropClosing:
		s.refuse(now, from, refused{reason: refusedClosing})
	case DropSchema:
		r := refused{reason: refusedSchema, line: unknownLine}
		if at >= 0 {
			line := s.schema.line(at)
			r.line, r.text = uint16(at), []byte(line[:min(len(line), maxRefusedText)])
		}
		s.refuse(now, from, r)
	}
	return drop
}

// login passes the client's login to the application.
func (s *Server) login(guest *session) (err error) {
	guest.details.spectator = s.hello.role == roleSpectator
	if guest.details.login = slices.Clone(s.hello.login); s.config.Login != nil {
		guest.details.login, err = s.config.Login(guest, guest.details.login)
	}
	return err
}

// welcome assigns the client's id and sends the welcome.
func (s *Server) welcome(now time.Time, guest *session) {
	id := uint64(0)
	if s.config.ID != nil {
		id = s.config.ID(guest)
	}
	if id == 0 {
		id = s.lastID + 1
	}
	s.lastID = max(s.lastID, id)
	w := welcome{id: id}
	if s.config.Welcome != nil {
		w.payload = s.config.Welcome(id)
	}
	if len(w.payload) > MaxWelcome {
		panic(fmt.Sprintf("netsys: ServerConfig.Welcome returned %d bytes, and at most %d are allowed: send the rest in a message after Connected", len(w.payload), MaxWelcome))
	}
	guest.channels, guest.details.tag = newChannels(s.config.Channels), s.hello.tag
	guest.channels.OnWaiting(guest.channelWaiting)
	guest.start(now, id)
	guest.state = welcomed
	guest.details.greeting.since = s.carrier.clock.At(now)
	guest.details.greeting.answer = appendWelcome(nil, w)
	_ = guest.tunnel.Send(now, guest.details.greeting.answer)
}

// refuse sends a refusal.
func (s *Server) refuse(now time.Time, guest *session, r refused) {
	guest.details.greeting.answer = appendRefused(nil, r)
	_ = guest.tunnel.Send(now, guest.details.greeting.answer)
}

// expire frees the slots of clients that were not connected in time, and removes those that gave up.
func (s *Server) expire(now time.Time) {
	for i := 0; i < len(s.guests); {
		guest := s.guests[i]
		if guest.state < ended && s.carrier.clock.At(now)-guest.details.greeting.since >= handshakeTimeout {
			guest.tunnel.Disconnect(now)
			guest.state = ended
			s.drops.count(DropHalfOpen)
		}
		if guest.state < ended {
			i++
			continue
		}
		s.guests = slices.Delete(s.guests, i, i+1)
	}
}
