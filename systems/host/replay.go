package host

import (
	"errors"
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/recording"
)

// ErrReplay is returned by [Host.Control] on a host that plays with a server.
var ErrReplay = errors.New("host: there is no recording: create the host with NewReplay")

// Replay is the recording that a host plays: see [NewReplay].
type Replay struct {
	host     *Host
	protocol *ecs.Protocol
	replay   *systems.Replay
	from     *recording.Reader
	follow   uint32
	scanned  bool
	moments  []Moment
	checks   []recording.Record
}

// Moment is a message or an event of the [Book] in a recording.
type Moment struct {
	// At is the position at which it arrived, shortly before the frames show it.
	At time.Duration
	// Kind is [NewsMessage] or [NewsEvent], and Which the number of the type in the [Book].
	Kind  Kind
	Which uint16
	// Name is the name of the type.
	Name string
	// NetID is the entity concerned; 0: none.
	NetID uint32
}

// NewReplay creates a host that plays a recording instead of connecting to a server: see systems.NewReplay. now is the first time: see
// [Host.Advance]. Time passes in [Host.Frame]. The host needs no Input, inputs have no effect, and what it sends reaches nobody. Login,
// Partial and the session's fields of c except Channels and Messages are not used. The error wraps [ErrConfig] or [ErrTime], or comes
// from systems.NewReplay.
func NewReplay(p *ecs.Protocol, from *recording.Reader, now time.Time, c Config) (*Host, error) {
	c.Client.Session.Token, c.Client.Login, c.Login, c.Partial, c.Keep = nil, nil, nil, false, 0
	h, client, err := newHost(p, now, &c)
	if err != nil {
		return nil, err
	}
	r := &Replay{host: h, protocol: p, from: from}
	if r.replay, err = systems.NewReplay(from, p, client); err != nil {
		return nil, err
	}
	h.client, h.replay = r.replay.Client(), r
	return h, nil
}

// Last returns what the host received in the last seconds, for a [NewReplay] of a player's end. The error wraps [ErrConfig] without
// Config.Keep, or recording.ErrFormat if nothing was received yet.
func (h *Host) Last() (*recording.Reader, error) {
	if h.kept == nil {
		return nil, fmt.Errorf("%w: nothing is kept: set Config.Keep", ErrConfig)
	}
	return h.kept.Recording()
}

// Replay returns the recording that the host plays, and nil if it plays with a server.
func (h *Host) Replay() *Replay { return h.replay }

// Position returns the time since the beginning of the recording.
func (r *Replay) Position() time.Duration { return r.replay.Position() }

// Duration returns the length of the recording.
func (r *Replay) Duration() time.Duration { return r.replay.Duration() }

// Ended reports whether the end is reached, or an error has ended the replay: see [Host.End]. The newest frame stays, and a seek plays on.
func (r *Replay) Ended() bool { return r.replay.Ended() || r.host.failure != nil }

// SetRate sets how fast the recording is played: see systems.Replay.SetRate.
func (r *Replay) SetRate(rate float64) { r.replay.SetRate(rate) }

// Seek goes to a position. The next [Host.Frame] shows it. Its news have rows that came and went, and nothing that was skipped. Messages
// and events after the position come when they are due, again if the host goes back.
func (r *Replay) Seek(to time.Duration) error {
	h := r.host
	h.news.skip = true
	err := r.replay.Seek(to)
	h.news.skip = false
	return r.host.failed(err)
}

// Follow shows the view of the player with this client number: Stats.Client and Stats.Own are those of this player. 0: nobody's.
func (r *Replay) Follow(client uint32) { r.follow = client }

// own returns the first entity of the followed player.
func (r *Replay) own(w *ecs.World) (ecs.Entity, bool) {
	if w != nil && r.follow != 0 {
		for e, x := range ecs.All[struct{ Owner components.Owner }](w) {
			if x.Owner.Client == r.follow {
				return e, true
			}
		}
	}
	return ecs.Entity{}, false
}

// Moments returns the messages and events in the recording, in order. The first call reads all of it.
func (r *Replay) Moments() ([]Moment, error) {
	err := r.scan()
	return r.moments, err
}

// Check plays up to the next frame whose hash the recording has, and reports whether the view has the same hash. more is false if there
// is no such frame up to the end. All frames of a new host are equal. After a seek, interpolated entities may be drawn slightly earlier or
// later than the spectator saw them.
func (r *Replay) Check() (equal, more bool, err error) {
	if err := r.scan(); err != nil {
		return false, false, err
	}
	i := sort.Search(len(r.checks), func(i int) bool { return r.checks[i].At > r.Position() })
	if i == len(r.checks) {
		return false, false, nil
	}
	x := &r.checks[i]
	if err := r.host.failed(r.replay.Play(x.At)); err != nil {
		return false, false, err
	}
	view := r.host.client.View()
	return view != nil && view.Hash() == x.Hash, true, nil
}

// scan reads the moments and the checks of the recording, once.
func (r *Replay) scan() error {
	if r.scanned {
		return nil
	}
	r.scanned = true
	h, config := &Host{}, r.host.config
	h.news.most, h.news.mostBytes = maxNews, maxNewsBytes
	c := systems.ClientConfig{Session: systems.ClientSession{Messages: config.Client.Session.Messages}}
	if e := config.Client.Events; e != nil {
		c.Events = event.NewClient(e.Registry(), event.ClientConfig{})
		c.Events.Join(ecs.NewWorld(r.protocol, ecs.Config{Client: true}), 0, nil)
	}
	config.Book.subscribe(h, &c)
	names := [...][]Layout{NewsMessage: config.Book.Messages(), NewsEvent: config.Book.Events()}
	return r.from.All(func(x *recording.Record) bool {
		switch x.Kind {
		case recording.Check:
			r.checks = append(r.checks, *x)
		case recording.Message:
			// Messages of the netcode have types that are in no registry: they cause errors, which do not matter here.
			known := false
			if c.Events != nil {
				known, _ = c.Events.Receive(x.Channel, x.Data)
				c.Events.Deliver(math.MaxUint32, nil)
			}
			if !known && c.Session.OnMessage != nil {
				_ = c.Session.OnMessage(nil, x.Channel, x.Data)
			}
			h.news.publish()
			for _, n := range h.news.current {
				r.moments = append(r.moments, Moment{At: x.At, Kind: n.Kind, Which: n.Which, Name: names[n.Kind][n.Which].Name, NetID: n.NetID})
			}
		}
		return true
	})
}

// failed keeps the first error that ended the replay, for [Host.End].
func (h *Host) failed(err error) error {
	if h.failure == nil {
		h.failure = err
	}
	return err
}

// err returns the error that ended the session or the replay.
func (h *Host) err() error {
	if h.failure != nil {
		return h.failure
	}
	return h.client.Err()
}

// Commands of [Host.Control].
const (
	// ControlPosition returns the position in milliseconds.
	ControlPosition = iota
	// ControlDuration returns the length in milliseconds.
	ControlDuration
	// ControlSeek goes to a position in milliseconds, and returns it.
	ControlSeek
	// ControlRate sets the rate.
	ControlRate
	// ControlFollow shows the view of the player with a client number.
	ControlFollow
	// ControlMoment returns the position of a moment, by its index, in milliseconds, and -1 behind the last one. The text is "message" or
	// "event", a space, and the name of the type.
	ControlMoment
	// ControlCheck plays up to the next hash, and returns 1 if the view has it, 0 if it has not, and -1 if there is none.
	ControlCheck
)

// Control controls the replay of a host by a number, for interfaces of other languages. The other methods of [Replay] do the same. It
// returns value for a command without a result.
func (h *Host) Control(command int, value float64) (result float64, text string, err error) {
	r := h.replay
	switch {
	case r == nil:
		return 0, "", ErrReplay
	case h.closed:
		return 0, "", netsys.ErrClosed
	case !(math.Abs(value) <= 1e15):
		return 0, "", fmt.Errorf("%w: %v for command %d", ErrValue, value, command)
	}
	switch command {
	case ControlPosition:
		return milliseconds(r.Position()), "", nil
	case ControlDuration:
		return milliseconds(r.Duration()), "", nil
	case ControlSeek:
		err = r.Seek(time.Duration(math.Round(min(max(value, 0), 1e12) * float64(time.Millisecond))))
		return milliseconds(r.Position()), "", err
	case ControlRate:
		r.SetRate(value)
	case ControlFollow:
		r.Follow(uint32(min(max(value, 0), math.MaxUint32)))
	case ControlMoment:
		all, err := r.Moments()
		if err != nil || value < 0 || value >= float64(len(all)) {
			return -1, "", err
		}
		m := all[int(value)]
		return milliseconds(m.At), [...]string{NewsMessage: "message ", NewsEvent: "event "}[m.Kind] + m.Name, nil
	case ControlCheck:
		equal, more, err := r.Check()
		switch {
		case err != nil || !more:
			return -1, "", err
		case equal:
			return 1, "", nil
		}
		return 0, "", nil
	default:
		return 0, "", fmt.Errorf("%w: there is no command %d", ErrValue, command)
	}
	return value, "", nil
}
