package swarm

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/inputgather"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/policy"
)

// blindLog is how many inputs a blind client keeps, for sending them again and for their times: more than a packet has.
const blindLog = 64

// blind is a client with a session and inputs alone: what arrives is opened, and of a snapshot the header read.
type blind struct {
	common
	endpoint *netsys.Client
	session  netsys.Session // nil before it is connected
	polled   time.Time
	playing  play
	hearing  hearing
}

// play is what a blind client does, once it is connected.
type play struct {
	player   Player
	inputs   *inputgather.System
	sender   *inputgather.Sender
	loop     ecs.Loop
	steering clock.Steering
	began    [blindLog]int64 // when inputs were given, ns since the start of the shard
}

// hearing is what a blind client makes of snapshots.
type hearing struct {
	any     bool
	newest  uint32 // send
	control uint32 // newest send with a control part
	told    uint32 // newest input that the server has consumed
}

// newBlind makes the n-th client.
func newBlind(s *shard, n int, on netsys.Wire, session netsys.ClientConfig) (*blind, error) {
	b := &blind{common: common{shard: s, number: n}, playing: play{player: Player{Number: n}}}
	endpoint, err := netsys.NewClient(on, s.carrier.RemoteAddr(), session)
	if err != nil {
		return nil, err
	}
	b.endpoint = endpoint
	return b, nil
}

// arrived takes in what has come.
func (b *blind) arrived(now time.Time) {
	b.polled = now
	b.endpoint.Poll(now, b)
}

// pollEvery is how often at least a session is looked after where nothing comes.
const pollEvery = 50 * time.Millisecond

// advance runs the ticks that are due, and says when the next is.
func (b *blind) advance(now time.Time) time.Time {
	if now.Sub(b.polled) >= pollEvery {
		b.arrived(now)
	}
	switch {
	case b.err != nil:
		return never
	case b.state == connecting || b.shard.config.Idle:
		return now.Add(pollEvery)
	}
	if n := b.playing.loop.Advance(now); n > 0 {
		for range n {
			b.playing.inputs.Run(nil)
			b.playing.player.Tick++
			b.playing.began[b.playing.inputs.Log.Newest%blindLog] = int64(now.Sub(b.shard.start))
			b.playing.loop.SetRate(b.playing.steering.Rate())
		}
		b.playing.sender.Send(now, b.session)
		b.shard.figures.Inputs += uint64(n)
	}
	return b.playing.loop.Next()
}

// Connected implements [netsys.Handler].
func (b *blind) Connected(now time.Time, session netsys.Session) {
	m, err := wire.ReadWelcome(b.endpoint.Welcome())
	if err == nil {
		err = playable(m.Model)
	}
	if err != nil {
		session.Close(now, netsys.ReasonProtocol)
		b.fail(err)
		return
	}
	b.session, b.playing.player.TickRate = session, int(m.TickRate)
	b.hearing.newest = m.Tick / uint32(m.TickRate/m.SendRate)
	log := inputgather.NewLog(wire.InputTable(b.shard.protocol), blindLog)
	log.Jump(m.Input)
	b.hearing.told = m.Input
	var gather func(unsafe.Pointer)
	if of := b.shard.config.Input.blind; of != nil {
		think := of(b.number)
		gather = func(in unsafe.Pointer) { think(&b.playing.player, in) }
	}
	b.playing.inputs = inputgather.New(log, gather, nil)
	b.playing.sender = inputgather.NewSender(log, m.Input, inputgather.Parts{Prefix: nothing, Fill: b.fill})
	if b.shard.sender == nil {
		b.shard.sender = b.playing.sender
	}
	b.playing.sender.Share(b.shard.sender)
	b.playing.loop = *ecs.NewLoop(b.shard.phase(now, b.number, int(m.TickRate)), int(m.TickRate))
	b.connected()
}

// playable reports whether a client that simulates nothing can play by a model.
func playable(m policy.Model) error {
	if t := policy.TraitsOf(m); t.Stamped || t.Reports {
		return fmt.Errorf("swarm: blind clients do not play under %s: make all clients thin", m)
	}
	return nil
}

// nothing stands before the inputs.
func nothing(b []byte, _ uint16) []byte { return b }

// fill says how far this client's clock has come. All that it is sent counts as decoded.
func (b *blind) fill(m *wire.Input) { m.Shift = b.playing.steering.Done() }

// Acked implements [netsys.Handler].
func (b *blind) Acked(_ netsys.Session, seq uint16) { b.playing.sender.Acked(seq) }

// Message implements [netsys.Handler]. Messages are not looked at.
func (b *blind) Message(time.Time, netsys.Session, int, []byte) {}

// Disconnected implements [netsys.Handler].
func (b *blind) Disconnected(_ time.Time, _ netsys.Session, reason error) { b.fail(reason) }

// Received implements [netsys.Handler].
func (b *blind) Received(_ time.Time, _ netsys.Session, pk netsys.Packet) {
	f := &b.shard.figures
	if len(pk.Data) == 0 || pk.Data[0]&wire.KindMask != wire.KindSnapshot {
		return
	}
	b.shard.reader.Reset(pk.Data)
	h, err := wire.ReadSnapshotHeader(&b.shard.reader)
	if err != nil {
		f.Malformed++
		return
	}
	send := codec.Lift(h.Send, b.hearing.newest)
	if h.Control && send >= b.hearing.control {
		b.hearing.control = send
		b.playing.sender.Depth = int(h.Depth)
		b.playing.steering.Ask(h.Shift)
	}
	if send > b.hearing.newest || !b.hearing.any {
		b.hearing.any, b.hearing.newest = true, send
		f.Updates++
	}
	f.Snapshots++
	f.SnapshotBytes += uint64(len(pk.Data))
	b.tell(codec.Lift(h.Input, b.playing.inputs.Log.Newest), pk.At)
	if b.shard.countBlocks(send) != nil {
		f.Malformed++
		return
	}
	if hook := b.shard.config.OnUpdate; hook != nil {
		hook(b.number)
	}
}

// tell notes that the server has consumed inputs up to one.
func (b *blind) tell(input uint32, at time.Time) {
	if input > b.playing.inputs.Log.Newest {
		return // of before this client, where its player was waited for
	}
	since := at.Sub(b.shard.start)
	for seq := max(b.hearing.told+1, b.playing.inputs.Log.First); seq <= input; seq++ {
		b.shard.latency.Add(since - time.Duration(b.playing.began[seq%blindLog]))
	}
	b.hearing.told = max(b.hearing.told, input)
}

// stats are the figures of the session.
func (b *blind) stats() (netsys.Stats, bool) {
	if b.state != playing {
		return netsys.Stats{}, false
	}
	return b.session.Stats(), true
}

// close says goodbye.
func (b *blind) close(now time.Time) { _ = b.endpoint.Close(now) }
