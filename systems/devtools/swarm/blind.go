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

// blindLog is the number of inputs that a blind client stores for retransmission and latency: more than one packet holds.
const blindLog = 64

// blind is a client with only a session and inputs. It decrypts datagrams but reads only the header of a snapshot.
type blind struct {
	common
	endpoint *netsys.Client
	session  netsys.Session // nil before the connection
	polled   time.Time
	playing  play
	hearing  hearing
}

// play is the state of a connected blind client.
type play struct {
	player   Player
	inputs   *inputgather.System
	sender   *inputgather.Sender
	loop     ecs.Loop
	steering clock.Steering
	began    [blindLog]int64 // creation times of inputs, ns since the start of the shard
}

// hearing is a blind client's record of snapshots.
type hearing struct {
	any     bool
	newest  uint32 // newest send tick
	control uint32 // newest send tick with a control part
	told    uint32 // newest input consumed by the server
}

// newBlind creates client n.
func newBlind(s *shard, n int, on netsys.Wire, session netsys.ClientConfig) (*blind, error) {
	b := &blind{common: common{shard: s, number: n}, playing: play{player: Player{Number: n}}}
	endpoint, err := netsys.NewClient(on, s.carrier.RemoteAddr(), session)
	if err != nil {
		return nil, err
	}
	b.endpoint = endpoint
	return b, nil
}

// arrived processes the received datagrams.
func (b *blind) arrived(now time.Time) {
	b.polled = now
	b.endpoint.Poll(now, b)
}

// pollEvery is the longest time between two polls of a session without arrivals.
const pollEvery = 50 * time.Millisecond

// advance runs the due ticks and returns when the next tick is due.
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
	b.playing.sender = inputgather.NewSender(log, m.Input, inputgather.Parts{Fill: b.setShift})
	if b.shard.sender == nil {
		b.shard.sender = b.playing.sender
	}
	b.playing.sender.Share(b.shard.sender)
	b.playing.loop = *ecs.NewLoop(b.shard.phase(now, b.number, int(m.TickRate)), int(m.TickRate))
	b.connected()
}

// playable returns an error if a client without simulation cannot play under the model.
func playable(m policy.Model) error {
	if t := policy.TraitsOf(m); t.Stamped || t.Reports {
		return fmt.Errorf("swarm: blind clients cannot play under %s: make all clients thin", m)
	}
	return nil
}

// setShift sets the shift of this client's clock. Every sent input counts as decoded.
func (b *blind) setShift(m *wire.Input) { m.Shift = b.playing.steering.Done() }

// Acked implements [netsys.Handler].
func (b *blind) Acked(_ netsys.Session, seq uint16) { b.playing.sender.Acked(seq) }

// Message implements [netsys.Handler]. It ignores messages.
func (b *blind) Message(time.Time, netsys.Session, int, []byte) {}

// Disconnected implements [netsys.Handler].
func (b *blind) Disconnected(_ time.Time, _ netsys.Session, reason error) { b.fail(reason) }

// Received implements [netsys.Handler].
func (b *blind) Received(_ time.Time, _ netsys.Session, pk netsys.Packet) {
	f := &b.shard.figures
	if !wire.IsSnapshot(pk.Data) {
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
	b.inputsConsumed(codec.Lift(h.Input, b.playing.inputs.Log.Newest), pk.At)
	if b.shard.countBlocks(send) != nil {
		f.Malformed++
		return
	}
	if hook := b.shard.config.OnUpdate; hook != nil {
		hook(b.number)
	}
}

// inputsConsumed records that the server has consumed all inputs up to input.
func (b *blind) inputsConsumed(input uint32, at time.Time) {
	if input > b.playing.inputs.Log.Newest {
		return // from before this client joined, while its player was awaited
	}
	since := at.Sub(b.shard.start)
	for seq := max(b.hearing.told+1, b.playing.inputs.Log.First); seq <= input; seq++ {
		b.shard.latency.Add(since - time.Duration(b.playing.began[seq%blindLog]))
	}
	b.hearing.told = max(b.hearing.told, input)
}

// stats returns the figures of the session.
func (b *blind) stats() (netsys.Stats, bool) {
	if b.state != playing {
		return netsys.Stats{}, false
	}
	return b.session.Stats(), true
}

// close ends the session cleanly.
func (b *blind) close(now time.Time) { _ = b.endpoint.Close(now) }
