package systems

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/recording"
)

// ErrRules is wrapped by the error of a replay whose world differs from the recorded one, under Rollback and Lockstep: the game has other
// rules than the recorded match, or its rules are not deterministic. The error names the first tick and component that differ.
var ErrRules = errors.New("the game plays another match than the recorded one")

// Replay plays a recording as a client that receives what was recorded at the same times. Use it from one goroutine.
//
//	replay, err := systems.NewReplay(r, game.Protocol(), systems.ClientConfig{Events: events})
//	for each frame {
//		replay.Advance(now)
//		draw(replay.Client().View())
//	}
type Replay struct {
	client   *Client
	reader   *recording.Reader // nil: the recording is live
	endpoint *replayEndpoint
	position time.Duration
	lastTick time.Duration // after the last record
	rate     float64
	last     time.Time // of the newest Advance
}

// NewReplay returns a replay of a recording at its beginning, which plays when Advance is called. The configuration is that of a client
// of the game: its Channels, Messages and Events must be those of the server. Gather, Login and the rest of Session are not used. The
// error wraps [ErrConfig], netsys.ErrSchema with the first line that differs if the recording is of another protocol, or
// recording.ErrFormat. The game must not have changed its rules if the model is Rollback or Lockstep, which record inputs: otherwise
// Play, Advance and Seek return [ErrRules].
func NewReplay(r *recording.Reader, p *ecs.Protocol, cfg ClientConfig) (*Replay, error) {
	if err := r.Begin(0); err != nil {
		return nil, err
	}
	x, err := newReplay(r, p, cfg)
	if err == nil {
		x.reader = r
	}
	return x, err
}

// Watch returns a replay of a live recording. It shows the match to a spectator without a connection. The feed is that of the
// recording's writer and must have begun. Call Play after each step of the server. Seek returns an error.
func Watch(f *recording.Feed, p *ecs.Protocol, cfg ClientConfig) (*Replay, error) {
	if !f.Begun() {
		return nil, fmt.Errorf("%w: the recording has not begun: step the server after Record", ErrConfig)
	}
	return newReplay(f, p, cfg)
}

// recordingSource is the recording of a replay.
type recordingSource interface {
	Header() recording.Header
	Session() (number uint64, welcome []byte, start time.Duration)
	Next(x *recording.Record, until time.Duration) (ok bool, err error)
}

func newReplay(r recordingSource, p *ecs.Protocol, cfg ClientConfig) (*Replay, error) {
	cfg.Spectate, cfg.Login, cfg.Gather, cfg.Prediction.Partial = true, nil, GatherFunc{}, GatherFunc{}
	cfg.Session.Reconnect, cfg.Session.Token, cfg.Record = false, nil, nil
	cfg.Prediction.Scope = func(*ecs.World, ecs.Entity) Scope { return ScopeInterpolated } // own entities of a player, too
	session, err := cfg.SessionConfig(p)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	if err := sameLines(r.Header().Lines, recordedLines(cfg.Session.Channels, session.Messages, p.Lines())); err != nil {
		return nil, err
	}
	x := &Replay{rate: 1}
	if x.endpoint, err = newReplayEndpoint(r, cfg.Session.Channels); err != nil {
		return nil, fmt.Errorf("%w: Channels: %w", ErrConfig, err)
	}
	welcome, err := wire.ReadWelcome(x.endpoint.Welcome())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", recording.ErrFormat, err)
	}
	x.lastTick = time.Second/time.Duration(welcome.TickRate) + replayStep
	cfg.Start = x.at(x.endpoint.start())
	if x.client, err = newClient(p, cfg); err != nil {
		return nil, err
	}
	x.client.link.endpoint, x.position = x.endpoint, x.endpoint.start()
	x.client.view = ecs.NewWorld(p, ecs.Config{Client: true}) // empty, until the first step connects the client
	return x, nil
}

// sameLines returns an error that names the first line of a recording that differs from the game's.
func sameLines(recorded, game []string) error {
	for i := range max(len(recorded), len(game)) {
		line := func(l []string) string {
			if i < len(l) {
				return fmt.Sprintf("%q", l[i])
			}
			return "nothing"
		}
		if a, b := line(recorded), line(game); a != b {
			return fmt.Errorf("systems: NewReplay: %w: the recording has %s where this game has %s: play it with the version that recorded it", netsys.ErrSchema, a, b)
		}
	}
	return nil
}

// at returns the client's time at a position.
func (r *Replay) at(position time.Duration) time.Time {
	return r.endpoint.from.Header().Began.Add(position)
}

// Client returns the client. Its View is empty in the first frame. It receives nothing after the end of the recording, and is the same after a seek.
func (r *Replay) Client() *Client { return r.client }

// Duration returns the length of the recording, and of a tick after it in which the client receives the last records. It has no end
// while the recording continues.
func (r *Replay) Duration() time.Duration {
	if r.reader == nil {
		return math.MaxInt64
	}
	return r.reader.Duration() + r.lastTick
}

// Position returns the time since the beginning of the recording.
func (r *Replay) Position() time.Duration { return r.position }

// Ended reports whether the end is reached, or an error has ended the replay.
func (r *Replay) Ended() bool { return r.position >= r.Duration() || r.endpoint.err != nil }

// Rate returns how fast the recording is played.
func (r *Replay) Rate() float64 { return r.rate }

// SetRate sets how fast the recording is played, from now on: 1 is real time, 0 pauses. Negative values count as 0, and values above 64
// as 64.
func (r *Replay) SetRate(rate float64) {
	r.rate = min(max(rate, 0), 64)
	if math.IsNaN(rate) {
		r.rate = 0
	}
}

// maxReplayGap is the longest real time between two calls of Advance that counts.
const maxReplayGap = time.Second

// Advance plays until now and draws a frame: see [Client.Advance] and [Client.Frame]. The first call starts the time. It returns the
// error that damaged data caused, or that ended the client, or wraps [ErrRules]; the replay stops there.
func (r *Replay) Advance(now time.Time) error {
	passed := min(max(now.Sub(r.last), 0), maxReplayGap)
	if r.last.IsZero() {
		passed = 0
	}
	r.last = now
	return r.Play(r.position + time.Duration(float64(passed)*r.rate))
}

// Play plays up to a later position, at most the end, and draws a frame.
func (r *Replay) Play(to time.Duration) error {
	to = min(to, r.Duration())
	r.run(to)
	r.client.Frame(r.at(to))
	return r.err()
}

// replayStep is the longest time between two steps of the client, because a client that catches up drops ticks.
const replayStep = time.Second / 120

// run plays up to a position without drawing.
func (r *Replay) run(to time.Duration) {
	for r.position < to && r.endpoint.err == nil {
		r.position = min(r.position+replayStep, to)
		r.client.Advance(r.at(r.position))
		if r.reader != nil && r.reader.AnotherSession() {
			if err := r.begin(); err != nil {
				r.endpoint.err = err
			}
		}
		if diverged := r.client.model.diverged; diverged != nil {
			if tick, where, found := diverged(); found {
				r.endpoint.err = fmt.Errorf("systems: Replay: %w: tick %d: %s differs: play it with the version that recorded it, or make the rules deterministic", ErrRules, tick, where)
			}
		}
	}
}

func (r *Replay) err() error {
	if r.endpoint.err != nil {
		return r.endpoint.err
	}
	return r.client.Err()
}

// seekLead is how long before a position a new session starts at the latest, so that the view at the position is complete: views are
// behind the newest state.
const seekLead = 300 * time.Millisecond

// Seek goes to a position between the beginning and the end, and draws a frame. Going back, and more than one segment ahead, it starts
// another session: all entities leave and appear again, and Loaded is called. The position is at least one step, 8 ms, after the start of
// that session. Events and outcomes that are skipped reach no handlers; those that are due after the position reach them when they are due.
func (r *Replay) Seek(to time.Duration) error {
	if r.reader == nil {
		return fmt.Errorf("%w: Seek in a recording that goes on", ErrConfig)
	}
	to = min(max(to, 0), r.Duration())
	r.mute(true)
	defer r.mute(false)
	from := max(to-seekLead, 0)
	if start := r.reader.StartOf(from); to < r.position || start > r.position {
		if err := r.reader.Begin(from); err != nil {
			return err
		}
		r.position = start + replayStep // as in the first session
		if err := r.begin(); err != nil {
			return err
		}
		r.mute(true) // the client has another log of outcomes
	}
	return r.Play(max(to, r.position))
}

// begin starts the session of the reader's segment.
func (r *Replay) begin() error {
	r.endpoint = &replayEndpoint{from: r.reader, session: r.endpoint.session}
	r.endpoint.begin()
	if err := arrive(r.client, r.at(r.position), r.endpoint, &r.endpoint.session); err != nil {
		return err
	}
	r.client.link.before, r.endpoint.connected = ClientStats{}, true
	r.client.receive(nil)
	return nil
}

func (r *Replay) mute(on bool) {
	if e := r.client.config.Events; e != nil {
		e.Mute(on)
	}
	if o := r.client.followed.outcomes; o != nil {
		o.Mute(on)
	}
}

// replayEndpoint is the client's end of a recorded session.
type replayEndpoint struct {
	from      recordingSource
	session   replaySession
	connected bool
	closed    bool
	newest    uint16
	any       bool
	welcome   []byte
	begun     time.Duration
	err       error
}

// newReplayEndpoint returns an endpoint at the start of the reader's segment.
func newReplayEndpoint(r recordingSource, c channel.Config) (*replayEndpoint, error) {
	channels, err := channel.New(c)
	if err != nil {
		return nil, err
	}
	e := &replayEndpoint{from: r, session: replaySession{channels: channels}}
	e.begin()
	return e, nil
}

// begin notes the session of the reader's segment.
func (e *replayEndpoint) begin() {
	number, welcome, start := e.from.Session()
	e.session.id, e.welcome, e.begun = number, slices.Clone(welcome), start
}

// start returns the position of the session's start.
func (e *replayEndpoint) start() time.Duration { return e.begun }

// Poll delivers the records up to a time.
func (e *replayEndpoint) Poll(now time.Time, h netsys.Handler) {
	if e.closed || e.err != nil {
		return
	}
	if !e.connected {
		e.connected = true
		h.Connected(now, &e.session)
	}
	began := e.from.Header().Began
	var x recording.Record
	for {
		ok, err := e.from.Next(&x, now.Sub(began))
		if err != nil {
			e.err = err
		}
		if !ok || e.closed {
			return
		}
		switch x.Kind {
		case recording.Datagram:
			newest := !e.any || codec.Newer(x.Seq, e.newest)
			if e.any = true; newest {
				e.newest = x.Seq
			}
			h.Received(now, &e.session, netsys.Packet{Seq: x.Seq, At: began.Add(x.At), Newest: newest, Data: x.Data})
		case recording.Message:
			h.Message(now, &e.session, x.Channel, x.Data)
		}
	}
}

func (e *replayEndpoint) Close(time.Time) error {
	e.closed = true
	return nil
}

func (e *replayEndpoint) Away(time.Time)          { e.closed = true }
func (e *replayEndpoint) Welcome() []byte         { return e.welcome }
func (e *replayEndpoint) Session() netsys.Session { return &e.session }

// replaySession is a recorded session. It discards everything that the client sends.
type replaySession struct {
	id       uint64
	seq      uint16
	channels *channel.Endpoint
}

func (x *replaySession) ID() uint64                     { return x.id }
func (x *replaySession) ClientID() uint64               { return 0 }
func (x *replaySession) Spectator() bool                { return true }
func (x *replaySession) UserData() []byte               { return nil }
func (x *replaySession) RemoteAddr() netip.AddrPort     { return netip.AddrPort{} }
func (x *replaySession) Next() uint16                   { return x.seq }
func (x *replaySession) Channels() *channel.Endpoint    { return x.channels }
func (x *replaySession) Stats() netsys.Stats            { return netsys.Stats{} }
func (x *replaySession) Close(time.Time, netsys.Reason) {}
func (x *replaySession) Send(time.Time, []byte) (uint16, error) {
	x.seq++
	return x.seq - 1, nil
}
