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
	"github.com/tactusgo/tactus/systems/recording"
)

// Host is a client that a program outside this module draws. It belongs to one goroutine. Create it with [New].
type Host struct {
	config   Config
	client   *systems.Client
	replay   *Replay         // nil if the host plays with a server
	kept     *recording.Ring // nil without Config.Keep
	failure  error           // ended the replay
	clock    clock
	input    inputState
	news     newsQueue
	view     view
	commands []sanitizer
	single   []int // NetIDs by index in ecs.Protocol.Replicated; 0 for components that are no singletons
	stats    Stats
	rates    rates
	closed   bool
}

// New creates a client on a wire and connects to server; the zero AddrPort means the addresses in the token. now is the
// first time: see [Host.Advance]. The error wraps [ErrConfig], [ErrTime] or netcode.ErrTokenExpired, or comes from
// systems.NewClient. After an error the wire is closed.
func New(p *ecs.Protocol, on netsys.Wire, server netip.AddrPort, now time.Time, c Config) (_ *Host, err error) {
	defer func() {
		if err != nil {
			_ = on.Close()
		}
	}()
	h, client, err := newHost(p, now, &c)
	if err != nil {
		return nil, err
	}
	if h.client, err = systems.NewClient(on, server, p, client); err != nil {
		return nil, err
	}
	h.config.Client.Session.Token, h.config.Login, h.config.Client.Login = nil, nil, nil // printing a host must not reveal secrets
	return h, nil
}

// newHost returns a host without a client, and the configuration of its client.
func newHost(p *ecs.Protocol, now time.Time, c *Config) (h *Host, client systems.ClientConfig, err error) {
	if err := c.Validate(); err != nil {
		return nil, client, err
	}
	h = &Host{config: *c, view: newView(p)}
	h.news.most, h.news.mostBytes = cmp.Or(c.News, DefaultNews), cmp.Or(c.NewsBytes, DefaultNewsBytes)
	if h.input, err = newInputState(p, c.Input); err != nil {
		return nil, client, err
	}
	if err := h.clock.checkFirst(now, c.Machine, c.Client.Session.Token); err != nil {
		return nil, client, err
	}
	for _, k := range p.Players().Commands {
		h.commands = append(h.commands, newSanitizer(k.Schema))
	}
	h.single = make([]int, len(p.Replicated()))
	for i, s := range ecs.Singletons(p) {
		h.single[s.Replicated()] = i + 1
	}
	client, err = clientConfig(h, p, now, c)
	return h, client, err
}

// Client returns the game's client, for functions that this package does not offer.
func (h *Host) Client() *systems.Client { return h.client }

// InputSize returns the length of an input in bytes, and 0 if the protocol has no input.
func (h *Host) InputSize() int { return h.input.size() }

// SetInput sets the input of the coming ticks, as [Host.InputSize] bytes in memory layout. SetInput copies them. A field
// tagged edge stays pressed until one tick has consumed it: set it in the frame of the press only. Numbers outside their
// range become the nearest number inside. The error wraps [ErrValue].
func (h *Host) SetInput(b []byte) error { return h.input.set(b) }

// Advance runs the ticks that are due and returns their number, 0 in a replay. After the end of the session it returns the error of
// systems.Client.Err. An error that wraps [ErrTime] rejects now; the call has no effect then.
func (h *Host) Advance(now time.Time) (ticks int, err error) {
	if err := h.clock.check(now); err != nil {
		return 0, err
	}
	if h.closed {
		return 0, netsys.ErrClosed
	}
	if h.replay == nil {
		ticks = h.client.Advance(now)
	}
	return ticks, h.err()
}

// Next returns the time at which the next tick is due. An earlier Advance does nothing.
func (h *Host) Next() time.Time { return h.client.Next() }

// Frame updates the view, the news and the stats to the time now. The view is empty before the client is connected and
// frozen after the end of the session. An error that wraps [ErrTime] rejects now; the call has no effect then.
func (h *Host) Frame(now time.Time) error {
	if err := h.clock.check(now); err != nil {
		return err
	}
	switch {
	case h.closed || h.err() != nil:
	case h.replay != nil:
		_ = h.failed(h.replay.replay.Advance(now))
	default:
		h.client.Frame(now)
	}
	h.view.read(h.client.View(), &h.news)
	h.news.publish()
	h.stats.read(h, now)
	return nil
}

// Tables returns the rows of the newest frame, grouped by their components. The slice and its contents are valid until the
// next call.
func (h *Host) Tables() []Table { return h.view.tables[:h.view.n] }

// Generation counts the frames in which columns moved or rows came or went. Pointers and lengths in [Host.Tables] stay
// valid while Generation is constant. The values change in every frame.
func (h *Host) Generation() uint32 { return h.view.generation }

// Single returns a pointer to a singleton in the newest frame. component is its index in ecs.Protocol.Replicated. Single
// returns nil if the component is no singleton or has not arrived yet.
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

// Stats returns the figures of the newest frame. They are valid until the next frame.
func (h *Host) Stats() *Stats { return &h.stats }

// Lost returns the reason of the lost session while the client reconnects, and [Going] otherwise: see
// systems.ClientConfig.Session.Reconnect.
func (h *Host) Lost() Reason { return ReasonOf(h.client.Lost()) }

// Away tells the server that the player may return, and ends the session: see systems.Client.Away. The wire stays open.
func (h *Host) Away() {
	if !h.closed && h.replay == nil {
		h.client.Away(h.clock.last)
	}
}

// Rejoin starts another session after the previous one has ended. It returns the error of systems.Client.Rejoin, or one
// that wraps [ErrTime] or netsys.ErrClosed.
func (h *Host) Rejoin(now time.Time) error {
	if err := h.clock.check(now); err != nil {
		return err
	}
	if h.closed || h.replay != nil {
		return netsys.ErrClosed
	}
	return h.client.Rejoin(now)
}

// End returns the reason why the session ended, and the text of the error. It returns [Going] and "" while the session
// continues. [Reason.Explain] returns a text for players.
func (h *Host) End() (Reason, string) {
	err := h.err()
	switch {
	case err != nil:
		return ReasonOf(err), err.Error()
	case h.closed:
		return Left, "closed by this end"
	}
	return Going, ""
}

// Close leaves the server and closes the wire. The newest frame stays readable. A second Close does nothing.
func (h *Host) Close() error {
	if h.closed {
		return nil
	}
	h.closed = true
	return h.client.Close(h.clock.last)
}

// String describes the host without secrets.
func (h *Host) String() string {
	reason, _ := h.End()
	return fmt.Sprintf("host of client %d, ended for %d (0: it goes on)", h.client.ID(), reason)
}
