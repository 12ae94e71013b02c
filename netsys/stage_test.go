package netsys_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// stage is a server with a key and players with tokens on a virtual network, like a game on the internet. It steps 60 times
// per second. Players send numbered datagrams and messages.
type stage struct {
	t       testing.TB
	now     time.Time
	key     netcode.Key
	random  func([]byte)
	network *netsys.Network
	config  netsys.ServerConfig
	addr    netip.AddrPort
	wire    *tap // the server's
	server  *netsys.Server
	players []*player
	byID    map[uint64]*player // who has the session of a client id
	ends    []error            // of all sessions at the server, in order
	events  []string           // began ID, ended ID: what the server's handler was told, in order
}

const frame = time.Second / 60

var opening = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// newStage has a server with a key.
func newStage(t testing.TB, config netsys.ServerConfig) *stage {
	t.Helper()
	s := &stage{
		t: t, now: opening, config: config, network: netsys.NewNetwork(), random: netsys.SeededRandom(11),
		addr: netip.MustParseAddrPort("192.0.2.1:4000"), byID: make(map[uint64]*player),
	}
	s.random(s.key[:])
	s.serve()
	return s
}

// serve starts the server, or another one in its place.
func (s *stage) serve() {
	s.t.Helper()
	config := s.config
	config.Key, config.Random = s.key, s.random
	s.wire = &tap{Wire: s.network.Node(s.addr)}
	var err error
	if s.server, err = netsys.NewServer(s.wire, config); err != nil {
		s.t.Fatal(err)
	}
}

// issue makes a token as a login service would.
func (s *stage) issue(id uint64) *netcode.ConnectToken {
	s.t.Helper()
	token, err := netcode.TokenConfig{
		Key: s.key, ProtocolID: netsys.DefaultProtocolID, ClientID: id, Random: s.random,
		Servers: []netip.AddrPort{s.addr}, UserData: []byte{byte(id)},
	}.Issue(s.now)
	must(s.t, err)
	return token
}

// join adds a client at its own address. It connects while the stage steps.
func (s *stage) join(id uint64, link netsys.Link) *player {
	s.t.Helper()
	return s.joinWith(id, link, netsys.ClientConfig{Channels: s.config.Channels, Token: s.issue(id)})
}

func (s *stage) joinWith(id uint64, link netsys.Link, config netsys.ClientConfig) *player {
	s.t.Helper()
	n := len(s.players)
	home := netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 18, byte(n >> 8), byte(n)}), 5000)
	p := &player{stage: s, id: id, node: s.network.Node(home)}
	p.wire = &tap{Wire: p.node}
	var err error
	if p.link, err = netsys.Condition(p.wire, netsys.ConditionerConfig{Seed: uint64(n), In: link, Out: link}); err != nil {
		s.t.Fatal(err)
	}
	if p.Client, err = netsys.NewClient(p.link, netip.AddrPort{}, config); err != nil {
		s.t.Fatal(err)
	}
	s.players = append(s.players, p)
	return p
}

// seat joins and waits until both ends know.
func (s *stage) seat(id uint64, link netsys.Link) *player {
	s.t.Helper()
	p := s.join(id, link)
	s.until("connected", func() bool { return p.seated() })
	return p
}

// step lets one frame pass.
func (s *stage) step() {
	s.now = s.now.Add(frame)
	for _, p := range s.players {
		if !p.asleep {
			p.Poll(s.now, p)
		}
	}
	s.server.Poll(s.now, (*host)(s))
}

// run steps for some time; each is called before every step and may be nil.
func (s *stage) run(d time.Duration, each func()) {
	for end := s.now.Add(d); s.now.Before(end); {
		if each != nil {
			each()
		}
		s.step()
	}
}

func (s *stage) until(what string, condition func() bool) {
	s.t.Helper()
	for range 60 * 60 {
		if s.step(); condition() {
			return
		}
	}
	s.t.Fatalf("never happened: %s; the server dropped %v, netcode %v", what, s.server.Drops(), s.server.DatagramDrops())
}

// host is the stage as the server's handler.
type host stage

func (h *host) Connected(_ time.Time, session netsys.Session) {
	for _, p := range h.players {
		if p.id == session.ClientID() && p.atServer == nil && p.reason == nil {
			p.atServer = session
			h.byID[p.id] = p
			h.events = append(h.events, fmt.Sprint("began ", p.id))
			return
		}
	}
}

func (h *host) Received(now time.Time, session netsys.Session, packet netsys.Packet) {
	if p := h.byID[session.ClientID()]; p != nil {
		p.up.received(packet)
	}
}

func (h *host) Message(_ time.Time, session netsys.Session, number int, message []byte) {
	if p := h.byID[session.ClientID()]; p != nil {
		p.up.messages[number].received(message)
	}
}

func (h *host) Acked(session netsys.Session, seq uint16) {
	if p := h.byID[session.ClientID()]; p != nil {
		p.down.acknowledged(seq)
	}
}

func (h *host) Disconnected(_ time.Time, session netsys.Session, reason error) {
	h.ends = append(h.ends, reason)
	h.events = append(h.events, fmt.Sprint("ended ", session.ClientID()))
	if p := h.byID[session.ClientID()]; p != nil && p.atServer == session {
		p.endAtServer = reason
		delete(h.byID, p.id)
	}
}

// player is a client of a stage, and its own handler.
type player struct {
	*netsys.Client
	stage *stage
	id    uint64
	node  *netsys.Node
	wire  *tap // between the node and the link
	link  *netsys.Conditioner

	asleep      bool // not polled
	joined      int
	reason      error
	atServer    netsys.Session
	endAtServer error
	up, down    traffic
}

func (p *player) seated() bool { return p.Client.Connected() && p.atServer != nil }

// play sends one datagram each way.
func (p *player) play() {
	p.stage.t.Helper()
	p.up.send(p, p.Session(), nil)
	p.down.send(p, p.atServer, nil)
}

// talk sends one message each way on a channel.
func (p *player) talk(number, size int) {
	p.up.messages[number].send(p, p.Session(), number, size)
	p.down.messages[number].send(p, p.atServer, number, size)
}

// perfect fails unless all that was sent has arrived, and nothing has ended.
func (p *player) perfect() {
	p.stage.t.Helper()
	p.alive()
	for name, way := range map[string]*traffic{"up": &p.up, "down": &p.down} {
		if lost := way.lost(); lost > 0 {
			p.stage.t.Errorf("client %d: %d of %d datagrams %s lost", p.id, lost, len(way.sent), name)
		}
	}
}

// alive checks that the session continues and that all messages arrived correctly.
func (p *player) alive() {
	p.stage.t.Helper()
	if p.reason != nil || p.endAtServer != nil || !p.seated() || p.joined != 1 {
		p.stage.t.Errorf("client %d: ended with %v, at the server %v, joined %d times", p.id, p.reason, p.endAtServer, p.joined)
	}
	p.correct()
}

// correct fails when something came twice, or changed, or out of order.
func (p *player) correct() {
	p.stage.t.Helper()
	for name, way := range map[string]*traffic{"up": &p.up, "down": &p.down} {
		if len(way.wrong) > 0 {
			p.stage.t.Errorf("client %d, datagrams %s: %v", p.id, name, way.wrong)
		}
		for number := range way.messages {
			if m := &way.messages[number]; len(m.wrong) > 0 {
				p.stage.t.Errorf("client %d, channel %d %s: %v", p.id, number, name, m.wrong)
			}
		}
	}
}

// delivered reports whether all messages of reliable channels have arrived.
func (p *player) delivered() bool {
	for _, way := range []*traffic{&p.up, &p.down} {
		for _, number := range []int{eventChannel, messageChannel, bulkChannel} {
			if m := &way.messages[number]; m.came != m.sent {
				return false
			}
		}
	}
	return true
}

func (p *player) Connected(time.Time, netsys.Session) { p.joined++ }

func (p *player) Received(_ time.Time, _ netsys.Session, packet netsys.Packet) {
	p.down.received(packet)
}

func (p *player) Message(_ time.Time, _ netsys.Session, number int, message []byte) {
	p.down.messages[number].received(message)
}

func (p *player) Acked(_ netsys.Session, seq uint16) { p.up.acknowledged(seq) }

func (p *player) Disconnected(_ time.Time, _ netsys.Session, reason error) { p.reason = reason }

// The numbers of the default channels.
const (
	eventChannel = iota
	messageChannel
	signalChannel
	stateChannel
	bulkChannel
	channelCount
)

// traffic is one direction: numbered datagrams, and messages.
type traffic struct {
	sent     []time.Time // when
	came     []time.Time // when, zero until then
	acked    []bool
	numbers  []int // of the datagrams sent last, by sequence, counted from 1
	messages [channelCount]letters
	wrong    []string
	buf      [netsys.MaxPayload]byte
}

// send sends the next datagram, with some bytes behind its number.
func (w *traffic) send(p *player, session netsys.Session, rest []byte) {
	n := len(w.sent)
	binary.LittleEndian.PutUint64(w.buf[:], uint64(n))
	seq, err := session.Send(p.stage.now, w.buf[:8+copy(w.buf[8:], rest)])
	if err != nil {
		w.fault("send: " + err.Error())
	}
	if w.numbers == nil {
		w.numbers = make([]int, 1<<16)
	}
	w.numbers[seq] = n + 1
	w.sent, w.came, w.acked = append(w.sent, p.stage.now), append(w.came, time.Time{}), append(w.acked, false)
}

func (w *traffic) received(packet netsys.Packet) {
	n := int(binary.LittleEndian.Uint64(packet.Data))
	switch {
	case n >= len(w.sent):
		w.fault("received what was not sent")
	case !w.came[n].IsZero():
		w.fault("received twice")
	case w.numbers[packet.Seq] != n+1:
		w.fault("another number")
	default:
		w.came[n] = packet.At
	}
}

func (w *traffic) acknowledged(seq uint16) {
	n := w.numbers[seq] - 1
	switch {
	case n < 0 || w.came[n].IsZero():
		w.fault("acknowledged, and did not arrive")
	case w.acked[n]:
		w.fault("acknowledged twice")
	default:
		w.acked[n] = true
	}
}

func (w *traffic) fault(what string) {
	if len(w.wrong) < 5 {
		w.wrong = append(w.wrong, what)
	}
}

// lost returns how many datagrams have not arrived.
func (w *traffic) lost() (n int) {
	for _, at := range w.came {
		if at.IsZero() {
			n++
		}
	}
	return n
}

// letters are the messages of one channel in one direction. Each begins with its number; the rest is made of it.
type letters struct {
	sent, came int
	last       int // the newest that came, counted from 1
	seen       []bool
	kind       channel.Kind
	full       int // refused by a full queue
	wrong      []string
	buf        []byte
}

func (l *letters) send(p *player, session netsys.Session, number, size int) {
	l.kind = session.Channels().Config().Channels[number].Kind
	l.buf = append(l.buf[:0], make([]byte, max(size, 8))...)
	binary.LittleEndian.PutUint64(l.buf, uint64(l.sent))
	for i := range l.buf[8:] {
		l.buf[8+i] = byte(l.sent + i)
	}
	switch err := session.Channels().Send(number, l.buf); {
	case err == nil:
		l.sent++
		l.seen = append(l.seen, false)
	case errors.Is(err, channel.ErrFull):
		l.full++
	default:
		l.fault(err.Error())
	}
}

func (l *letters) received(b []byte) {
	n := int(binary.LittleEndian.Uint64(b))
	switch {
	case n >= l.sent:
		l.fault("received what was not sent")
		return
	case l.seen[n]:
		l.fault("received twice")
	case l.kind == channel.ReliableOrdered && n != l.came:
		l.fault("out of order")
	case l.kind == channel.UnreliableSequenced && n < l.last:
		l.fault("older than the one before")
	}
	for i, v := range b[8:] {
		if v != byte(n+i) {
			l.fault("changed")
			break
		}
	}
	l.seen[n] = true
	l.came++
	l.last = n + 1
}

func (l *letters) fault(what string) {
	if len(l.wrong) < 5 {
		l.wrong = append(l.wrong, what)
	}
}

// tap is a wire on which a test sees all datagrams, and may drop or add some.
type tap struct {
	netsys.Wire
	in         func(d netsys.Datagram) bool                       // false: it does not arrive
	out        func(to netip.AddrPort, b []byte) bool             // false: it is not sent
	first, add func(now time.Time, deliver func(netsys.Datagram)) // more arrivals, before and after those of a poll
}

func (w *tap) Poll(now time.Time, deliver func(netsys.Datagram)) {
	if w.first != nil {
		w.first(now, deliver)
	}
	w.Wire.Poll(now, func(d netsys.Datagram) {
		if w.in == nil || w.in(d) {
			deliver(d)
		}
	})
	if w.add != nil {
		w.add(now, deliver)
	}
}

func (w *tap) Send(now time.Time, to netip.AddrPort, b []byte) error {
	if w.out != nil && !w.out(to, b) {
		return nil
	}
	return w.Wire.Send(now, to, b)
}

// must fails the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
