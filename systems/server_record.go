package systems

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/recording"
)

// Record records the match from now on, as a spectator without a connection receives it: everything if sight is 0, regardless of
// interest and budget, and otherwise what the player with this client number sees, with owner-only components if
// recording.Config.OwnerOnly is true. The world does not depend on it. The recording ends when to is closed, or by an error, which is
// logged. The error of Record wraps [ErrConfig]. Call it on the server's goroutine. See [NewReplay].
func (s *Server) Record(to *recording.Writer, sight uint32) error {
	if to.OwnerOnly() && sight == 0 {
		return fmt.Errorf("%w: Record: OwnerOnly needs the number of a client as sight", ErrConfig)
	}
	r := &recorder{s: s, to: to, sight: sight}
	r.session = recorderSession{r: r, id: s.sessions.NumberSpectator()}
	c := s.config.Session.Channels
	c.Rate, c.MaxRate, c.History = maxRecordRate, maxRecordRate, 0
	var err error
	if r.session.channels, err = channel.New(c); err == nil {
		r.in, err = channel.New(c)
	}
	if err != nil {
		return fmt.Errorf("%w: Channels: %w", ErrConfig, err)
	}
	r.deliver = r.message
	r.join()
	return nil
}

// maxRecordRate is the rate of a recorder's channels in bytes a second.
const maxRecordRate = 1 << 30

// recorder is a spectator without a connection, whose packets are recorded.
type recorder struct {
	s       *Server
	p       *peer
	to      *recording.Writer
	sight   uint32
	open    bool  // a segment has started
	epoch   uint8 // of the segment's snapshots
	relayed relayRecording
	session recorderSession
	in      *channel.Endpoint // the other end of the session's channels
	deliver func(number int, message []byte)
	packet  []byte   // scratch
	packets uint16   // packets of the channels
	acks    []uint16 // sent datagrams that are not acknowledged yet
}

// join adds the recorder to the server's clients.
func (r *recorder) join() {
	s, session := r.s, &r.session
	c := s.sessions.Record(session)
	p := &peer{Client: c, spectator: true, recorder: r, commands: s.sessions.commands.Join(c.ID, &c.Notices, &c.Logged)}
	p.inputs = s.intake.Watch(p.ID, session, &p.Notices, &p.Logged)
	r.p = p
	s.sessions.add(p)
	s.sessions.recorders = append(s.sessions.recorders, r)
	if s.config.Events != nil {
		s.config.Events.Join(p.ID, 0, session.channels)
	}
	s.model.sender.Join(p)
}

// begin starts a segment of the recording.
func (r *recorder) begin() {
	s, h := r.s, recording.Header{}
	if !r.open {
		h = recording.Header{Protocol: s.protocol.Name(), Lines: recordedLines(s.config.Session.Channels, s.config.sessions().Messages, s.protocol.Lines()), Model: s.config.Model.String(), Sight: r.sight}
	}
	m := wire.Welcome{
		Seed: s.config.Seed, TickRate: uint16(s.config.TickRate), SendRate: uint16(s.config.maxSendRate()), Tick: s.link.tick, Model: s.config.Model,
	}
	number := r.session.id
	if r.to.OwnerOnly() {
		number = uint64(r.sight)
	}
	r.to.Begin(s.link.now, h, number, m.Append(nil))
	r.open = true
}

// recordedLines returns the lines of a recording's header.
func recordedLines(channels channel.Config, messages, protocol []string) []string {
	return slices.Concat(channels.Lines(), messages, protocol)
}

// pump records the messages that wait in the channels.
func (r *recorder) pump() {
	now, e := r.s.link.now, r.session.channels
	if r.packet == nil {
		r.packet = make([]byte, 0, netsys.MaxPayload)
	}
	for {
		b := e.Fill(now, r.packets, r.packet[:0], netsys.MaxPayload)
		if len(b) == 0 {
			return
		}
		_ = r.in.Receive(now, b, r.deliver) // what the other end has written
		e.Acked(now, r.packets)
		r.packets++
	}
}

// message records a message of a channel.
func (r *recorder) message(number int, message []byte) {
	r.to.Message(r.s.link.now, number, message, false)
}

// pumpRecorders records waiting messages, and removes recorders whose recordings have ended.
func (s *Server) pumpRecorders() {
	all := &s.sessions.recorders
	for i := 0; i < len(*all); i++ {
		r := (*all)[i]
		r.pump()
		if r.to.Ended() || r.session.closed {
			(*serverHandler)(s).Disconnected(s.link.now, &r.session, netsys.ErrClosed)
			*all = slices.Delete(*all, i, i+1)
			i--
		}
	}
}

// acknowledgeRecorders acknowledges everything that was sent to recorders.
func (s *Server) acknowledgeRecorders() {
	for _, r := range s.sessions.recorders {
		for _, seq := range r.acks {
			s.sessions.receivers[0].Acked(&r.session, seq)
		}
		r.acks = r.acks[:0]
	}
}

// recorderSession is the session of a recorder.
type recorderSession struct {
	r        *recorder
	id       uint64
	seq      uint16
	channels *channel.Endpoint
	closed   bool
}

var _ netsys.Session = (*recorderSession)(nil)

func (x *recorderSession) ID() uint64                     { return x.id }
func (x *recorderSession) ClientID() uint64               { return 0 }
func (x *recorderSession) Spectator() bool                { return true }
func (x *recorderSession) UserData() []byte               { return nil }
func (x *recorderSession) RemoteAddr() netip.AddrPort     { return netip.AddrPort{} }
func (x *recorderSession) Next() uint16                   { return x.seq }
func (x *recorderSession) Channels() *channel.Endpoint    { return x.channels }
func (x *recorderSession) Stats() netsys.Stats            { return netsys.Stats{} }
func (x *recorderSession) Close(time.Time, netsys.Reason) { x.closed = true }

// Send records a datagram.
func (x *recorderSession) Send(now time.Time, payload []byte) (seq uint16, err error) {
	if x.closed {
		return 0, netsys.ErrClosed
	}
	seq = x.seq
	x.seq++
	x.r.to.Datagram(now, seq, payload, false)
	x.r.acks = append(x.r.acks, seq)
	return seq, nil
}
