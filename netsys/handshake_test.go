package netsys

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// The Welcome function is called once, although the client repeats its hello while the answer takes long.
func TestWelcomeIsMadeOncePerSession(t *testing.T) {
	calls := 0
	m := newMatch(t, matchConfig{
		link:   Link{Latency: 700 * time.Millisecond},
		server: ServerConfig{Welcome: func(id uint64) []byte { calls++; return fmt.Append(nil, id) }},
	}).connect()
	for range 300 {
		m.step()
	}
	if calls != 1 || string(m.client.Welcome()) != "1" || m.atServer.connected != 1 {
		t.Errorf("%d calls, welcome %q, %d connected", calls, m.client.Welcome(), m.atServer.connected)
	}
}

// The packets of a handshake that arrive after they were answered do not show as dropped.
func TestRepeatsOfTheHandshakeAreNoFault(t *testing.T) {
	m := newMatch(t, matchConfig{link: Link{Latency: 300 * time.Millisecond, Jitter: 100 * time.Millisecond}}).connect()
	for range 120 {
		m.step()
	}
	server, client := m.server.DatagramDrops(), m.client.DatagramDrops()
	if server.String() != "none" || client.String() != "none" || server[netcode.DropRepeated] < 4 || client[netcode.DropRepeated] < 2 {
		t.Errorf("the server dropped %v and %d repeats, the client %v and %d repeats",
			server, server[netcode.DropRepeated], client, client[netcode.DropRepeated])
	}
}

// Server.Tag returns the tag of the client.
func TestTagArrives(t *testing.T) {
	for _, tag := range []uint64{0, 1, 1<<64 - 1} {
		m := newMatch(t, matchConfig{
			server: ServerConfig{Schema: []string{"a", "b"}},
			client: ClientConfig{Schema: []string{"a", "b"}, Tag: tag},
		}).connect()
		if got := m.server.Tag(m.atServer.last); got != tag {
			t.Errorf("tag %#x came as %#x", tag, got)
		}
	}
}

// More than half of all packets lost: the handshake still ends well, with one session.
func TestHandshakeUnderLoss(t *testing.T) {
	for seed := range uint64(20) {
		m := newMatch(t, matchConfig{
			link:   Link{Loss: 0.6},
			client: ClientConfig{ConnectTimeout: time.Minute, Timeout: time.Minute, Random: SeededRandom(seed)},
			server: ServerConfig{Timeout: time.Minute},
		}).connect()
		if m.atServer.last.ID() != m.client.Session().ID() {
			t.Errorf("ids %d and %d", m.atServer.last.ID(), m.client.Session().ID())
		}
	}
}

func TestRefusals(t *testing.T) {
	long := strings.Repeat("é", 400)
	for _, test := range []struct {
		name   string
		server ServerConfig
		client ClientConfig
		before func(m *match)
		want   error
		text   string
		drop   DropReason
	}{
		{
			name:   "one line differs",
			server: ServerConfig{Schema: []string{"a", "b", "Position{X f32}"}},
			client: ClientConfig{Schema: []string{"a", "b", "Position{X f64}"}},
			want:   ErrSchema,
			text:   `netsys: refused: schema differs at line 3: server has "Position{X f32}", client has "Position{X f64}"`,
			drop:   DropSchema,
		},
		{
			name:   "client lacks a line",
			server: ServerConfig{Schema: []string{"a", "b"}},
			client: ClientConfig{Schema: []string{"a"}},
			want:   ErrSchema,
			text:   `netsys: refused: schema differs at line 2: server has "b", client has no such line`,
			drop:   DropSchema,
		},
		{
			name:   "server lacks a line",
			server: ServerConfig{},
			client: ClientConfig{Schema: []string{"a"}},
			want:   ErrSchema,
			text:   `netsys: refused: schema differs at line 1: server has no such line, client has "a"`,
			drop:   DropSchema,
		},
		{
			name:   "other channels",
			server: ServerConfig{Schema: []string{"a"}, Channels: channel.Config{Packet: 1000}},
			client: ClientConfig{Schema: []string{"a"}},
			want:   ErrSchema,
			text:   `netsys: refused: schema differs: server has "channels packet 1000 piece 256", client has "channels packet 1150 piece 256"`,
			drop:   DropSchema,
		},
		{
			name:   "other messages",
			server: ServerConfig{Messages: []string{"message 0 say"}},
			client: ClientConfig{Messages: []string{"message 0 shout"}},
			want:   ErrSchema,
			text:   `netsys: refused: schema differs: server has "message 0 say", client has "message 0 shout"`,
			drop:   DropSchema,
		},
		{
			name:   "long line is cut",
			server: ServerConfig{Schema: []string{long}},
			client: ClientConfig{Schema: []string{"a"}},
			want:   ErrSchema,
			text:   fmt.Sprintf(`netsys: refused: schema differs at line 1: server has %q, client has "a"`, long[:maxRefusedText]),
			drop:   DropSchema,
		},
		{
			name:   "server stops accepting",
			before: func(m *match) { m.server.StopAccepting() },
			want:   ErrClosed,
			text:   "netsys: refused: closed",
			drop:   DropClosing,
		},
		{
			name: "other version",
			before: func(m *match) {
				m.client.hello = appendHello(nil, &hello{version: WireVersion + 1})
			},
			want: ErrVersion,
			text: "netsys: refused: wire version differs",
			drop: DropVersion,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMatch(t, matchConfig{server: test.server, client: test.client})
			if test.before != nil {
				test.before(m)
			}
			m.until("refused", func() bool { return m.atClient.disconnected == 1 })
			if !errors.Is(m.atClient.reason, ErrRefused) || !errors.Is(m.atClient.reason, test.want) {
				t.Errorf("reason %v", m.atClient.reason)
			}
			if m.atClient.reason.Error() != test.text {
				t.Errorf("text\n%v, want\n%v", m.atClient.reason, test.text)
			}
			if m.server.Drops()[test.drop] == 0 || m.atServer.connected+m.atClient.connected != 0 {
				t.Errorf("drops %v, connected %d and %d", m.server.Drops(), m.atServer.connected, m.atClient.connected)
			}
		})
	}
}

func TestWelcomeTooLongPanics(t *testing.T) {
	m := newMatch(t, matchConfig{server: ServerConfig{Welcome: func(uint64) []byte { return make([]byte, MaxWelcome+1) }}})
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	for range 10 {
		m.step()
	}
}

func TestGivingUpWhileConnecting(t *testing.T) {
	m := newMatch(t, matchConfig{link: Link{Loss: 1}})
	m.step()
	if _, err := m.client.Session().Send(m.now, nil); !errors.Is(err, ErrNotConnected) {
		t.Errorf("Send while connecting: %v", err)
	}
	must(t, m.client.Close(m.now))
	m.step()
	if m.atClient.disconnected != 1 || !errors.Is(m.atClient.reason, ErrClosed) || m.atClient.connected != 0 {
		t.Errorf("%+v", m.atClient)
	}
}
