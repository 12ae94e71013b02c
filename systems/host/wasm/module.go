package wasm

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/recording"
)

// Limits for a page.
const (
	maxBuffer = 64 << 20
	maxHosts  = 256
)

// Flags of tactus_open.
const (
	smooth = 1 << iota
	insecure
	thin
	reconnects
	replays
	spectates
	replaysLast
	_
	keeps // times the seconds that the host keeps
)

// module implements the exports without WebAssembly: numbers have the same widths, and memory is a slice. Tests run it on
// any platform.
type module struct {
	game     Game
	protocol *ecs.Protocol
	machine  func() time.Time // returns the time of the machine's clock
	memory   []byte           // buffer of tactus_room
	newest   int              // length of the newest text in memory
	failed   host.Reason      // reason of the newest tactus_open
	hosts    [maxHosts]*player
}

// player is a host with its links.
type player struct {
	*host.Host
	links links
	block []uint32
	wants bool                  // waits for the token of the next session
	token *netcode.ConnectToken // token from the page for the next session
}

// renew implements systems.ClientConfig.Session.Renew. It requests a token from the page, and returns the one that the page has
// passed since.
func (p *player) renew() (*netcode.ConnectToken, error) {
	token := p.token
	p.token, p.wants = nil, token == nil
	return token, nil
}

var (
	errLength = errors.New("wasm: the lengths exceed the buffer: call tactus_room with the total length first")
	errHost   = errors.New("wasm: there is no host with this number: pass one from tactus_open that is not freed")
)

// host returns a host by number. If there is none, it returns nil and sets the text.
func (m *module) host(n int32) *player {
	if n < 1 || n > maxHosts || m.hosts[n-1] == nil {
		m.report(errHost)
		return nil
	}
	return m.hosts[n-1]
}

// link returns a link by number. If there is none, it returns nil and sets the text.
func (m *module) link(n int32) *link {
	if n >= 1 {
		if p := m.hosts[(n-1)%maxHosts]; p != nil {
			if l := p.links.get(n); l != nil {
				return l
			}
		}
	}
	m.report(errHost)
	return nil
}

// setText sets the newest text and returns its length.
func (m *module) setText(s string) int32 {
	s = s[:min(len(s), maxBuffer)]
	m.grow(int32(len(s)))
	m.newest = copy(m.memory, s)
	return int32(m.newest)
}

// report reports whether err is nil. Otherwise it sets the text.
func (m *module) report(err error) bool {
	if err != nil {
		m.setText(err.Error())
	}
	return err == nil
}

// grow returns the buffer, grown to at least n bytes. It returns nil if n exceeds maxBuffer.
func (m *module) grow(n int32) []byte {
	if n < 0 || n > maxBuffer {
		return nil
	}
	if int(n) > len(m.memory) || m.memory == nil {
		m.memory = append(m.memory, make([]byte, max(int(n), 4096)-len(m.memory))...)
	}
	return m.memory
}

// slice returns n bytes of the buffer from offset at.
func (m *module) slice(at, n int32) ([]byte, error) {
	if at < 0 || n < 0 || int64(at)+int64(n) > int64(len(m.memory)) {
		return nil, errLength
	}
	return m.memory[at : at+n : at+n], nil
}

// timeOf converts milliseconds to a time. It returns the zero time, which hosts reject, if ms is not a valid time.
func timeOf(ms float64) time.Time {
	if !(math.Abs(ms) < 1e15) {
		return time.Time{}
	}
	whole, part := math.Modf(ms)
	return time.UnixMilli(int64(whole)).Add(time.Duration(part * float64(time.Millisecond)))
}

// config returns the configuration of a new host.
func (m *module) config() (c host.Config) {
	if m.game.Config != nil {
		c = m.game.Config()
	}
	return c
}

// lines sets the text that bindings compare.
func (m *module) lines() int32 {
	return m.setText(strings.Join(host.Lines(m.protocol, m.config().Book), "\n"))
}

// open creates a host.
func (m *module) open(now float64, server, token, login int32, who float64, flags int32) int32 {
	n, err := m.add(timeOf(now), server, token, login, who, flags)
	m.failed = host.ReasonOf(err)
	m.report(err)
	return n
}

func (m *module) add(now time.Time, server, token, login int32, who float64, flags int32) (int32, error) {
	n := int32(1)
	for ; n <= maxHosts && m.hosts[n-1] != nil; n++ {
	}
	if n > maxHosts {
		return 0, errors.New("wasm: the module has the maximum of 256 hosts: free those that have ended, or create another module")
	}
	name, err := m.slice(0, server)
	if err != nil {
		return 0, err
	}
	p, c := &player{}, m.config()
	c.Machine, c.Partial = m.machine(), flags&smooth != 0
	if flags&(replays|replaysLast) != 0 {
		var r *recording.Reader
		if flags&replays != 0 {
			r, err = m.recording(name)
		} else if of := m.host(int32(who)); of == nil {
			err = errHost
		} else {
			r, err = of.Last()
		}
		if err == nil {
			p.Host, err = host.NewReplay(m.protocol, r, now, c)
		}
		if err != nil {
			return 0, err
		}
		m.hosts[n-1] = p
		return n, nil
	}
	c.Keep = time.Duration(flags/keeps) * time.Second
	c.Client.Session.InsecureAllowAnyAddress = c.Client.Session.InsecureAllowAnyAddress || flags&insecure != 0
	if flags&thin != 0 {
		c.Client.Schedule, c.Partial = systems.Thin, false
	}
	if c.Client.Session.Reconnect = flags&reconnects != 0; c.Client.Session.Reconnect && token > 0 {
		c.Client.Session.Renew = p.renew
	}
	c.Client.Spectate = c.Client.Spectate || flags&spectates != 0
	if who >= 1 && who < 1<<53 {
		c.Client.Session.ClientID = uint64(who)
	}
	if token > 0 {
		b, err := m.slice(server, token)
		if err != nil {
			return 0, err
		}
		if c.Client.Session.Token, err = netcode.ParseToken(b); err != nil {
			return 0, err
		}
	}
	if login >= 0 {
		if c.Login, err = m.slice(server+max(token, 0), login); err != nil {
			return 0, err
		}
	}
	p.links.acceptTickets(&c.Client)
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

// recording opens a recording, which is the buffer of the module.
func (m *module) recording(file []byte) (*recording.Reader, error) {
	m.memory, m.newest = nil, 0 // the reader keeps the buffer
	return recording.Open(bytes.NewReader(file), int64(len(file)))
}

// control controls the replay of a host. It returns NaN on an error.
func (m *module) control(n, command int32, value float64) float64 {
	p := m.host(n)
	if p == nil {
		return math.NaN()
	}
	result, text, err := p.Control(int(command), value)
	if !m.report(err) {
		return math.NaN()
	}
	if text != "" {
		m.setText(text)
	}
	return result
}

func (m *module) push(n int32, now float64, size int32) bool {
	l := m.link(n)
	if l == nil {
		return false
	}
	b, err := m.slice(0, size)
	if err == nil {
		err = l.wire.Push(timeOf(now), b)
	}
	return m.report(err)
}

// give calls f with a host and a value of size bytes in the buffer, and reports whether it succeeded.
func (m *module) give(n, size int32, f func(p *player, b []byte) error) bool {
	p := m.host(n)
	if p == nil {
		return false
	}
	b, err := m.slice(0, size)
	if err == nil {
		err = f(p, b)
	}
	return m.report(err)
}

func (m *module) input(n, size int32) bool {
	return m.give(n, size, func(p *player, b []byte) error { return p.SetInput(b) })
}

func (m *module) advance(n int32, now float64) int32 {
	p := m.host(n)
	if p == nil {
		return -1
	}
	ticks, err := p.Advance(timeOf(now))
	if !m.report(err) {
		return -1
	}
	return int32(ticks)
}

// frame returns the block of a new frame. It returns nil on an error.
func (m *module) frame(n int32, now float64) []uint32 {
	p := m.host(n)
	if p == nil || !m.report(p.Frame(timeOf(now))) {
		return nil
	}
	p.write(len(m.protocol.Replicated()))
	return p.block
}

func (m *module) send(n, what, which, size int32) bool {
	return m.give(n, size, func(p *player, b []byte) error {
		switch what {
		case 0:
			return p.Send(int(which), b)
		case 1:
			return p.Raise(int(which), b)
		case 2:
			return p.Command(int(which), b)
		}
		return errors.New("wasm: tactus_send takes 0 for a message, 1 for an event, 2 for a command")
	})
}

// out returns the datagrams of a link. It returns nil if the link does not exist.
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

// ticket sets the text to the newest ticket, once. It returns 0 if there is none.
func (m *module) ticket(n int32) int32 {
	p := m.host(n)
	if p == nil || p.links.ticket == "" {
		return 0
	}
	s := p.links.ticket
	p.links.ticket = ""
	return m.setText(s)
}

// hash returns the hash of the world that a host simulates, and of the view in a replay. It returns 0 if there is no world.
func (m *module) hash(n int32) uint64 {
	p := m.host(n)
	if p == nil {
		return 0
	}
	w := p.Client().World()
	if p.Replay() != nil {
		w = p.Client().View()
	}
	if w == nil {
		return 0
	}
	return w.Hash()
}

func (m *module) end(n int32) int32 {
	p := m.host(n)
	if p == nil {
		return -1
	}
	reason, why := p.End()
	if err := p.Client().Err(); err != nil {
		why = host.Explain(err) + "\n" + why
	} else {
		why = reason.Explain() + "\n" + why
	}
	m.setText(why)
	return int32(reason)
}

// explain sets the text for players about a reason.
func (m *module) explain(reason int32) int32 {
	if reason < 0 || reason > math.MaxUint8 {
		reason = int32(host.Other)
	}
	return m.setText(host.Reason(reason).Explain())
}

func (m *module) away(n int32) {
	if p := m.host(n); p != nil {
		p.Away()
	}
}

// rate limits the snapshots a second of a host: see [systems.Client.AskSendRate].
func (m *module) rate(n, most int32) {
	if p := m.host(n); p != nil {
		p.Client().AskSendRate(int(most))
	}
}

func (m *module) rejoin(n int32, now float64) bool {
	p := m.host(n)
	return p != nil && m.report(p.Rejoin(timeOf(now)))
}

// wants reports whether a host waits for a token.
func (m *module) wants(n int32) bool {
	p := m.host(n)
	return p != nil && p.wants && p.token == nil
}

// token passes a host the token of its next session. An empty token means that there is none.
func (m *module) token(n, size int32) bool {
	return m.give(n, size, func(p *player, b []byte) (err error) {
		p.token, err = netcode.ParseToken(b)
		return err
	})
}

func (m *module) close(n int32) {
	if p := m.host(n); p != nil {
		m.report(p.Close())
	}
}

func (m *module) free(n int32) {
	if p := m.host(n); p != nil {
		m.report(p.Close())
		m.hosts[n-1] = nil
	}
}
