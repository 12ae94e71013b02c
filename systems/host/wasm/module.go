package wasm

import (
	"errors"
	"math"
	"strings"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

// Bounds of what a page can ask for.
const (
	maxRoom  = 1 << 20
	maxHosts = 256
)

// Flags of tactus_open.
const (
	smooth = 1 << iota
	insecure
	thin
	reconnects
)

// module is what the exports work on. It knows nothing of WebAssembly: numbers are as wide as there, and memory is slices.
type module struct {
	game     Game
	protocol *ecs.Protocol
	machine  func() time.Time // the machine's clock
	memory   []byte           // the room
	newest   int              // bytes of the newest text, which is there
	failed   host.Reason      // of the newest open
	hosts    [maxHosts]*player
}

// player is a host with its ends of sockets.
type player struct {
	*host.Host
	links links
	block []uint32
	wants bool                  // a token, for the next session
	token *netcode.ConnectToken // that the page has given since
}

// renew implements systems.ClientConfig.Renew: it asks the page, and returns what that has given.
func (p *player) renew() (*netcode.ConnectToken, error) {
	token := p.token
	p.token, p.wants = nil, token == nil
	return token, nil
}

var (
	errRoom = errors.New("wasm: lengths that do not fit the room")
	errHost = errors.New("wasm: there is no such host")
)

// of is the host of a number; nil, with a text, where there is none.
func (m *module) of(n int32) *player {
	if n < 1 || n > maxHosts || m.hosts[n-1] == nil {
		m.told(errHost)
		return nil
	}
	return m.hosts[n-1]
}

// link is the link of a number; nil, with a text, where there is none.
func (m *module) link(n int32) *link {
	if n >= 1 {
		if p := m.hosts[(n-1)%maxHosts]; p != nil {
			if l := p.links.of(n); l != nil {
				return l
			}
		}
	}
	m.told(errHost)
	return nil
}

// say makes s the newest text.
func (m *module) say(s string) int32 {
	s = s[:min(len(s), maxRoom)]
	m.room(int32(len(s)))
	m.newest = copy(m.memory, s)
	return int32(m.newest)
}

// told reports that there was no error; of another one it makes the text.
func (m *module) told(err error) bool {
	if err != nil {
		m.say(err.Error())
	}
	return err == nil
}

// room is the memory through which values go, at least n bytes of it; nil where that is too many.
func (m *module) room(n int32) []byte {
	if n < 0 || n > maxRoom {
		return nil
	}
	if int(n) > len(m.memory) || m.memory == nil {
		m.memory = append(m.memory, make([]byte, max(int(n), 4096)-len(m.memory))...)
	}
	return m.memory
}

// given is what a page has put into the room, n bytes from a place on.
func (m *module) given(at, n int32) ([]byte, error) {
	if at < 0 || n < 0 || int64(at)+int64(n) > int64(len(m.memory)) {
		return nil, errRoom
	}
	return m.memory[at : at+n : at+n], nil
}

// timeOf is a time in milliseconds; what is none is the zero time, which no host takes.
func timeOf(ms float64) time.Time {
	if !(math.Abs(ms) < 1e15) {
		return time.Time{}
	}
	whole, part := math.Modf(ms)
	return time.UnixMilli(int64(whole)).Add(time.Duration(part * float64(time.Millisecond)))
}

// config is the configuration of one more host.
func (m *module) config() (c host.Config) {
	if m.game.Config != nil {
		c = m.game.Config()
	}
	return c
}

// lines are what bindings compare.
func (m *module) lines() int32 {
	return m.say(strings.Join(host.Lines(m.protocol, m.config().Book), "\n"))
}

// open makes one more host.
func (m *module) open(now float64, server, token, login int32, who float64, flags int32) int32 {
	n, err := m.add(timeOf(now), server, token, login, who, flags)
	m.failed = host.ReasonOf(err)
	m.told(err)
	return n
}

func (m *module) add(now time.Time, server, token, login int32, who float64, flags int32) (int32, error) {
	n := int32(1)
	for ; n <= maxHosts && m.hosts[n-1] != nil; n++ {
	}
	if n > maxHosts {
		return 0, errors.New("wasm: too many hosts in one module: free those that have ended, or make another module")
	}
	name, err := m.given(0, server)
	if err != nil {
		return 0, err
	}
	p, c := &player{}, m.config()
	c.Machine, c.Partial = m.machine(), flags&smooth != 0
	c.Client.InsecureAllowAnyAddress = c.Client.InsecureAllowAnyAddress || flags&insecure != 0
	if flags&thin != 0 {
		c.Client.Schedule, c.Partial = systems.Thin, false
	}
	if c.Client.Reconnect = flags&reconnects != 0; c.Client.Reconnect && token > 0 {
		c.Client.Renew = p.renew
	}
	if who >= 1 && who < 1<<53 {
		c.Client.ClientID = uint64(who)
	}
	if token > 0 {
		b, err := m.given(server, token)
		if err != nil {
			return 0, err
		}
		if c.Client.Token, err = netcode.ParseToken(b); err != nil {
			return 0, err
		}
	}
	if login >= 0 {
		b, err := m.given(server+max(token, 0), login)
		if err != nil {
			return 0, err
		}
		c.Login = append([]byte{}, b...)
	}
	p.links.follow(&c.Client)
	wire, err := p.links.add(n, host.ServerOf(string(name)))
	if err != nil {
		return 0, err
	}
	if p.Host, err = host.New(m.protocol, wire, wire.RemoteAddr(), now, c); err != nil {
		return 0, err
	}
	m.hosts[n-1] = p
	return n, nil
}

func (m *module) push(n int32, now float64, size int32) bool {
	l := m.link(n)
	if l == nil {
		return false
	}
	b, err := m.given(0, size)
	if err == nil {
		err = l.wire.Push(timeOf(now), b)
	}
	return m.told(err)
}

func (m *module) input(n, size int32) bool {
	p := m.of(n)
	if p == nil {
		return false
	}
	b, err := m.given(0, size)
	if err == nil {
		err = p.SetInput(b)
	}
	return m.told(err)
}

func (m *module) advance(n int32, now float64) int32 {
	p := m.of(n)
	if p == nil {
		return -1
	}
	ticks, err := p.Advance(timeOf(now))
	if !m.told(err) {
		return -1
	}
	return int32(ticks)
}

// frame is the block of a new frame; nil for an error.
func (m *module) frame(n int32, now float64) []uint32 {
	p := m.of(n)
	if p == nil || !m.told(p.Frame(timeOf(now))) {
		return nil
	}
	p.write(len(m.protocol.Replicated()))
	return p.block
}

func (m *module) send(n, what, which, size int32) bool {
	p := m.of(n)
	if p == nil {
		return false
	}
	b, err := m.given(0, size)
	switch {
	case err != nil:
	case what == 0:
		err = p.Send(int(which), b)
	case what == 1:
		err = p.Raise(int(which), b)
	case what == 2:
		err = p.Command(int(which), b)
	default:
		err = errors.New("wasm: tactus_send takes 0 for a message, 1 for an event, 2 for a command")
	}
	return m.told(err)
}

// out is what waits for the socket of a link; nil where the link is no more.
func (m *module) out(n int32) []byte {
	if l := m.link(n); l != nil {
		return l.out
	}
	return nil
}

func (m *module) sent(n int32) {
	if l := m.link(n); l != nil {
		l.sent()
	}
}

// ticket makes the newest ticket the text, once; 0: there is none.
func (m *module) ticket(n int32) int32 {
	p := m.of(n)
	if p == nil || p.links.ticket == "" {
		return 0
	}
	s := p.links.ticket
	p.links.ticket = ""
	return m.say(s)
}

// hash is that of the world that a host simulates; 0 where it has none.
func (m *module) hash(n int32) uint64 {
	p := m.of(n)
	if p == nil || p.Client().World() == nil {
		return 0
	}
	return p.Client().World().Hash()
}

func (m *module) end(n int32) int32 {
	p := m.of(n)
	if p == nil {
		return -1
	}
	reason, why := p.End()
	if err := p.Client().Err(); err != nil {
		why = host.Explain(err) + "\n" + why
	} else {
		why = reason.Explain() + "\n" + why
	}
	m.say(why)
	return int32(reason)
}

// explain makes what players are told of a reason the text.
func (m *module) explain(reason int32) int32 {
	if reason < 0 || reason > math.MaxUint8 {
		reason = int32(host.Other)
	}
	return m.say(host.Reason(reason).Explain())
}

func (m *module) away(n int32) {
	if p := m.of(n); p != nil {
		p.Away()
	}
}

func (m *module) rejoin(n int32, now float64) bool {
	p := m.of(n)
	return p != nil && m.told(p.Rejoin(timeOf(now)))
}

// wants reports whether a host waits for a token.
func (m *module) wants(n int32) bool {
	p := m.of(n)
	return p != nil && p.wants && p.token == nil
}

// token gives a host the token of its next session; no bytes are that there is none.
func (m *module) token(n, size int32) bool {
	p := m.of(n)
	if p == nil {
		return false
	}
	b, err := m.given(0, size)
	if err == nil {
		p.token, err = netcode.ParseToken(b)
	}
	return m.told(err)
}

func (m *module) close(n int32) {
	if p := m.of(n); p != nil {
		m.told(p.Close())
	}
}

func (m *module) free(n int32) {
	if p := m.of(n); p != nil {
		m.told(p.Close())
		m.hosts[n-1] = nil
	}
}
