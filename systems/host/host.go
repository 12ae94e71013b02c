package host

import (
	"cmp"
	"fmt"
	"net/netip"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/interpolate"
)

// Host is a client that something else than Go draws. It belongs to one goroutine; make it with [New].
type Host struct {
	config   Config
	client   *systems.Client
	clock    clock
	input    inputState
	news     chronicle
	view     view
	commands []cleaner
	single   []int // by the place of a component among the replicated ones: its NetID, 0 for no singleton
	stats    Stats
	rates    rates
	closed   bool
}

// New makes a host's client on a wire, connecting to server; the zero AddrPort means the addresses of the token. now is the
// first time, as [Host.Advance] takes it. The error wraps [ErrConfig], [ErrTime] or netcode.ErrTokenExpired, or is that of
// systems.NewClient; the wire is closed then.
func New(p *ecs.Protocol, on netsys.Wire, server netip.AddrPort, now time.Time, c Config) (h *Host, err error) {
	defer func() {
		if err != nil {
			_ = on.Close()
		}
	}()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	h = &Host{config: c, view: newView(p)}
	h.news.most, h.news.mostBytes = cmp.Or(c.News, DefaultNews), cmp.Or(c.NewsBytes, DefaultNewsBytes)
	if h.input, err = newInputState(p, c.Input); err != nil {
		return nil, err
	}
	if err := h.clock.begin(now, c.Machine, c.Client.Token); err != nil {
		return nil, err
	}
	for _, k := range p.Players().Commands {
		h.commands = append(h.commands, cleanerOf(k.Schema))
	}
	h.single = make([]int, len(p.Replicated()))
	for i, s := range ecs.Singletons(p) {
		h.single[s.Replicated()] = i + 1
	}
	client, err := clientConfig(h, p, now, &c)
	if err != nil {
		return nil, err
	}
	if h.client, err = systems.NewClient(on, server, p, client); err != nil {
		return nil, err
	}
	h.config.Client.Token, h.config.Login, h.config.Client.Login = nil, nil, nil // whoever prints a host does not print that
	return h, nil
}

// Client is the client inside, for what this package does not have.
func (h *Host) Client() *systems.Client { return h.client }

// InputSize is the length of an input in bytes; 0 where the protocol has none.
func (h *Host) InputSize() int { return h.input.size() }

// SetInput gives the input of the coming ticks, until the next one is given, as it lies in memory: [Host.InputSize] bytes,
// which are copied. A field tagged edge stays pressed until a tick has had it, and one tick has it: a host gives it in the
// frame of the press and never twice. Numbers out of their range count as the nearest in it. The error wraps [ErrValue].
func (h *Host) SetInput(b []byte) error { return h.input.give(b) }

// Advance runs the ticks that are due and returns how many that were. After the end it returns the reason, as
// systems.Client.Err has it. An error that wraps [ErrTime] is about now; nothing has happened then.
func (h *Host) Advance(now time.Time) (ticks int, err error) {
	if err := h.clock.check(now); err != nil {
		return 0, err
	}
	if h.closed {
		return 0, netsys.ErrClosed
	}
	ticks = h.client.Advance(now)
	return ticks, h.client.Err()
}

// Next is when the next tick is due: no Advance before that does anything.
func (h *Host) Next() time.Time { return h.client.Next() }

// Frame makes the view that of a moment, and everything that is read of the host. Before the client is connected there is
// nothing in it. After the end it stands as it stood. An error that wraps [ErrTime] is about now; nothing has happened then.
func (h *Host) Frame(now time.Time) error {
	if err := h.clock.check(now); err != nil {
		return err
	}
	if !h.closed && h.client.Err() == nil {
		h.client.Frame(now)
	}
	h.view.read(h.client.View(), &h.news)
	h.news.turn()
	h.stats.read(h, now)
	return nil
}

// Tables are what to draw, as of the newest frame: all rows of the view, by what components they have. The slice and what
// is in it are valid until the next call.
func (h *Host) Tables() []Table { return h.view.tables[:h.view.n] }

// Generation counts the frames in which columns had moved, rows come or gone: while it stays the same, pointers and
// lengths of [Host.Tables] do. Values change all the time.
func (h *Host) Generation() uint32 { return h.view.generation }

// Single is where a singleton lies, given by its place in ecs.Protocol.Replicated, as of the newest frame; nil where it is
// none, and before the server has told of it.
func (h *Host) Single(component int) unsafe.Pointer {
	if component < 0 || component >= len(h.single) || h.single[component] == 0 || h.view.world == nil {
		return nil
	}
	e, ok := h.view.world.ByNetID(components.NetID(h.single[component]))
	if !ok {
		return nil
	}
	return h.view.world.Netcode().Pointer(e, h.view.comps[component])
}

// Drawing is how the newest frame drew an entity, for tools that show it; false where there is no such one.
func (h *Host) Drawing(id uint32) (interpolate.Drawing, bool) {
	if h.view.world == nil {
		return interpolate.Drawing{}, false
	}
	e, ok := h.view.world.ByNetID(components.NetID(id))
	if !ok {
		return interpolate.Drawing{}, false
	}
	return h.client.Drawing(e)
}

// Stats is how the netcode does, as of the newest frame, until the next one.
func (h *Host) Stats() *Stats { return &h.stats }

// Lost is why there is no session while the client reconnects, [Going] otherwise: see systems.ClientConfig.Reconnect.
func (h *Host) Lost() Reason { return ReasonOf(h.client.Lost()) }

// Away says to the server that the player may come back, and ends the session: see systems.Client.Away. The wire stays open.
func (h *Host) Away() {
	if !h.closed {
		h.client.Away(h.clock.last)
	}
}

// Rejoin begins another session after one has ended: see systems.Client.Rejoin, whose error it returns, or one that wraps
// [ErrTime] or netsys.ErrClosed.
func (h *Host) Rejoin(now time.Time) error {
	if err := h.clock.check(now); err != nil {
		return err
	}
	if h.closed {
		return netsys.ErrClosed
	}
	return h.client.Rejoin(now)
}

// End is why the session ended, with the error's text; [Going] and "" while it goes on. [Reason.Explain] has words for players.
func (h *Host) End() (Reason, string) {
	err := h.client.Err()
	switch {
	case err != nil:
		return ReasonOf(err), err.Error()
	case h.closed:
		return Left, "closed by this end"
	}
	return Going, ""
}

// Close leaves the server and closes the wire. The newest frame can be read on. Closing twice is harmless.
func (h *Host) Close() error {
	if h.closed {
		return nil
	}
	h.closed = true
	return h.client.Close(h.clock.last)
}

// String says what it is, and no secrets.
func (h *Host) String() string {
	reason, _ := h.End()
	return fmt.Sprintf("host of client %d, ended for %d (0: it goes on)", h.client.ID(), reason)
}
