package host_test

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

var errNotSoLoud = errors.New("not so loud")

// Every end has a reason and a text.
func TestEnds(t *testing.T) {
	for name, x := range map[string]struct {
		want  host.Reason
		text  string
		end   func(m *match, k *player)
		other func(p *ecs.Protocol)
	}{
		"goes on": {want: host.Going},
		"left":    {want: host.Left, text: "closed", end: func(_ *match, k *player) { _ = k.Close() }},
		"kicked": {want: host.Kicked, text: "kicked", end: func(m *match, k *player) {
			m.server.Session(uint32(k.Stats().Client)).Close(m.now, netsys.ReasonKicked)
		}},
		"the game's own": {want: host.Application + 7, text: "135", end: func(m *match, k *player) {
			m.server.Session(uint32(k.Stats().Client)).Close(m.now, netsys.ReasonApplication+7)
		}},
		"the rooms'": {want: host.Rooms + 4, text: "moved", end: func(m *match, k *player) {
			m.server.Session(uint32(k.Stats().Client)).Close(m.now, 68)
		}},
		"server closes":  {want: host.Closing, text: "closing", end: func(m *match, _ *player) { _ = m.server.Close(m.now) }},
		"socket is gone": {want: host.TimedOut, text: "timed out", end: func(_ *match, k *player) { k.lost = true }},
		"other protocol": {want: host.OtherSchema, text: "has", other: func(p *ecs.Protocol) { ecs.Replicate[bang](p, 0) }},
	} {
		t.Run(name, func(t *testing.T) {
			p := protocol()
			if x.other != nil {
				x.other(p)
			}
			m := newMatch(t, protocol(), systems.ServerConfig{})
			k := m.join(p, link, m.config())
			m.play(2*time.Second, 60, nil)
			if x.end != nil {
				x.end(m, k)
			}
			m.play(12*time.Second, 60, nil)
			reason, text := k.End()
			if reason != x.want || !strings.Contains(text, x.text) {
				t.Errorf("reason %d, %q; want %d", reason, text, x.want)
			}
			if _, err := k.Advance(m.now); (err == nil) != (x.want == host.Going) {
				t.Errorf("Advance: %v", err)
			}
			if err := k.Close(); err != nil {
				t.Error(err)
			}
			if err := k.Command(0, bytesOf(rename{})); err == nil {
				t.Error("a command after the end")
			}
			if k.Client().World() != nil && len(k.Tables()) == 0 {
				t.Error("the newest frame cannot be read any more")
			}
		})
	}
}

// Errors of a client have a reason each, and none is mistaken for another.
func TestReasonOf(t *testing.T) {
	for want, err := range map[host.Reason]error{
		host.Going: nil, host.Left: &netsys.CloseError{}, host.Closed: &netsys.CloseError{Remote: true},
		host.Replaced: &netsys.CloseError{Reason: netsys.ReasonReplaced, Remote: true}, host.Flood: &netsys.CloseError{Reason: netsys.ReasonFlood},
		host.Protocol: &netsys.CloseError{Reason: netsys.ReasonProtocol, Remote: true}, host.OtherVersion: netsys.ErrVersion,
		host.Full: fmt.Errorf("%w: %w", netsys.ErrRefused, netsys.ErrServerFull), host.Busy: netsys.ErrBusy, host.LoginRefused: netsys.ErrLogin,
		host.Expired: netcode.ErrTokenExpired, host.Elsewhere: netsys.ErrElsewhere, host.Other: errors.New("else"),
		host.Away: &netsys.CloseError{Reason: netsys.ReasonAway},
	} {
		if (host.Explain(err) == "") != (want == host.Going) || strings.Contains(host.Explain(err), "netsys") {
			t.Errorf("%v: players are told %q", err, host.Explain(err))
		}
		if got := host.ReasonOf(err); got != want {
			t.Errorf("%v: reason %d, want %d", err, got, want)
		}
	}
}

// Explain shows a refused player the server's message.
func TestExplainLogin(t *testing.T) {
	err := fmt.Errorf("%w: %w", netsys.ErrRefused, fmt.Errorf("%w: you are banned until Friday", netsys.ErrLogin))
	if text := host.Waiting(netsys.ErrTimeout); !strings.HasSuffix(text, ". Reconnecting…") || strings.Contains(text, "try") {
		t.Error(text)
	}
	if text := host.Explain(err); !strings.Contains(text, "you are banned until Friday") || strings.Contains(text, "netsys") {
		t.Error(text)
	}
}

// The package for JavaScript has the same numbers.
func TestReasonsOfJavaScript(t *testing.T) {
	text, err := os.ReadFile("js/game.mjs")
	must(t, err)
	for want, name := range []string{"Going", "Left", "Closing", "Kicked", "Replaced", "Protocol", "Flood", "TimedOut", "Elsewhere", "Expired", "OtherSchema",
		"OtherVersion", "Full", "Busy", "LoginRefused", "Closed", "Other", "Away"} {
		if !strings.Contains(string(text), fmt.Sprintf(" %s: %d,", name, want)) {
			t.Errorf("%s is not %d", name, want)
		}
	}
	if host.Away != 17 || host.Rooms != 64 || host.Application != 128 {
		t.Error("the numbers have changed: these stand in js/game.mjs, js/index.d.ts and examples/embed/c/capi/tactus.h")
	}
}

// New refuses times that are years off, times that differ from the machine's clock, and expired tokens, before it sends
// anything.
func TestTimesAreChecked(t *testing.T) {
	token, err := netcode.TokenConfig{Key: netcode.Key{1}, ClientID: 7, Servers: newMatch(t, protocol(), systems.ServerConfig{}).servers(), Lifetime: time.Minute}.Issue(start)
	must(t, err)
	for name, x := range map[string]struct {
		now     time.Time
		machine time.Time
		token   *netcode.ConnectToken
		want    error
	}{
		"today":              {now: start},
		"since the page":     {now: time.UnixMilli(5_000), want: host.ErrTime},
		"2023":               {now: start.AddDate(-3, 0, 0), want: host.ErrTime},
		"seconds for ms":     {now: time.UnixMilli(start.Unix()), want: host.ErrTime},
		"far ahead":          {now: start.AddDate(300, 0, 0), want: host.ErrTime},
		"like the machine":   {now: start, machine: start.Add(10 * time.Minute)},
		"unlike the machine": {now: start, machine: start.Add(time.Hour), want: host.ErrTime},
		"a fresh token":      {now: start.Add(59 * time.Second), token: token},
		"an expired token":   {now: start.Add(time.Minute), token: token, want: netcode.ErrTokenExpired},
	} {
		t.Run(name, func(t *testing.T) {
			sent := 0
			wire, err := host.NewWire(host.WireConfig{Out: func([]byte) error { sent++; return nil }})
			must(t, err)
			c := host.Config{Machine: x.machine, Client: systems.ClientConfig{Session: systems.ClientSession{Token: x.token, InsecureAllowAnyAddress: true}}}
			h, err := host.New(protocol(), wire, wire.RemoteAddr(), x.now, c)
			if !errors.Is(err, x.want) || (err == nil) != (x.want == nil) || sent > 0 {
				t.Fatalf("%v, %d datagrams; want %v", err, sent, x.want)
			}
			if err != nil {
				if want := (map[error]host.Reason{host.ErrTime: host.Other, netcode.ErrTokenExpired: host.Expired})[x.want]; host.ReasonOf(err) != want {
					t.Errorf("reason %d", host.ReasonOf(err))
				}
				if wire.Push(x.now, []byte{1}) == nil {
					t.Error("the wire is open")
				}
				return
			}
			_, err = h.Advance(x.now.Add(time.Second))
			must(t, err)
			if _, err := h.Advance(x.now); !errors.Is(err, host.ErrTime) {
				t.Errorf("back: %v", err)
			}
			if err := h.Frame(time.Time{}); !errors.Is(err, host.ErrTime) {
				t.Errorf("no time: %v", err)
			}
			must(t, h.Frame(x.now.Add(time.Second)))
		})
	}
}

// An invalid configuration is an error that names the field.
func TestWrongConfigs(t *testing.T) {
	m := newMatch(t, protocol(), systems.ServerConfig{})
	for name, change := range map[string]func(c *host.Config){
		"InputOf":       func(c *host.Config) { c.Input = host.InputOf[keys](nil) },
		"Client.Gather": func(c *host.Config) { c.Client.Gather = systems.Gather(func(*systems.Client, *keys) {}) },
		"Client.Start":  func(c *host.Config) { c.Client.Start = start },
		"Client.OnMessage": func(c *host.Config) {
			c.Client.Session.OnMessage = func(*systems.Client, int, []byte) error { return nil }
		},
		"Client.Events": func(c *host.Config) {
			c.Client.Session.Messages, c.Client.Events = c.Client.Events.Registry().Messages(), nil
		},
		"Client.Messages": func(c *host.Config) { c.Client.Events = nil },
		"Partial":         func(c *host.Config) { c.Input, c.Partial = host.Input{}, true },
		"NewsBytes":       func(c *host.Config) { c.NewsBytes = -1 },
		"News ":           func(c *host.Config) { c.News = 1 << 20 },
		"Gather":          func(c *host.Config) { c.Input = host.InputOf(func(*systems.Client, *bang) {}) },
	} {
		c := m.config()
		change(&c)
		if _, err := m.tryJoin(protocol(), netsys.Link{}, c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range []host.WireConfig{{}, {Out: func([]byte) error { return nil }, Waiting: -1}, {Out: func([]byte) error { return nil }, Waiting: 1<<16 + 1}} {
		if _, err := host.NewWire(c); !errors.Is(err, host.ErrConfig) {
			t.Errorf("%+v: %v", c.Waiting, err)
		}
	}
}

// Stats are numbers of eight bytes and nothing else, because bindings read them as an array.
func TestStatsAreNumbers(t *testing.T) {
	for f := range reflect.TypeFor[host.Stats]().Fields() {
		if f.Type.Kind() != reflect.Float64 {
			t.Errorf("%s is %v", f.Name, f.Type)
		}
	}
}

// The wire bounds the waiting datagrams, and refuses datagrams that are too long.
func TestWire(t *testing.T) {
	w, err := host.NewWire(host.WireConfig{Waiting: 3, Out: func([]byte) error { return netsys.ErrFull }})
	must(t, err)
	for range 5 {
		must(t, w.Push(start, []byte("x")))
	}
	n := 0
	w.Poll(start, func(d netsys.Datagram) { n += len(d.Data) })
	if n != 3 || w.Dropped() != 2 {
		t.Errorf("%d came, %d dropped", n, w.Dropped())
	}
	must(t, host.WireConfig{Waiting: 1 << 16, Out: func([]byte) error { return nil }}.Validate())
	long := make([]byte, netsys.MaxDatagram+1)
	if !errors.Is(w.Push(start, long), netsys.ErrTooLarge) || !errors.Is(w.Send(start, w.RemoteAddr(), long), netsys.ErrTooLarge) {
		t.Error("too long, and taken")
	}
	if !errors.Is(w.Send(start, w.RemoteAddr(), nil), netsys.ErrFull) {
		t.Error("errors of Out are lost")
	}
	_ = w.Close()
	if !errors.Is(w.Push(start, nil), netsys.ErrClosed) || !errors.Is(w.Send(start, w.RemoteAddr(), nil), netsys.ErrClosed) {
		t.Error("closed, and taken")
	}
}

func TestServerOf(t *testing.T) {
	for name, want := range map[string]string{
		"127.0.0.1:7778": "127.0.0.1:7778", "localhost:80": "127.0.0.1:80", "[::1]:443": "[::1]:443", "10.0.0.1": "10.0.0.1:80",
		"play.example:443": "[100::1]:1", "": "[100::1]:1", "0.0.0.0:1": "[100::1]:1", "1.2.3.4:0": "[100::1]:1", ":::": "[100::1]:1",
	} {
		if got := host.ServerOf(name).String(); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

// A socket's goroutine may push a datagram while the host closes the wire.
func TestPushWhileClosing(t *testing.T) {
	w, err := host.NewWire(host.WireConfig{Out: func([]byte) error { return nil }})
	must(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for w.Push(start, []byte{1}) == nil {
		}
	}()
	must(t, w.Close())
	<-done
}
