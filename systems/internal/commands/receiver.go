package commands

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/allowance"
	"github.com/tactusgo/tactus/internal/clock"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Config configures a Receiver.
type Config struct {
	World    *ecs.World     // passed to Refuse
	Rate     int            // maximum commands per second of one client
	Refuse   []Refuse       // the game's checks
	TickRate int            // ticks per second
	Tick     *uint32        // the next tick
	Logger   logging.Logger // receives the first refusal of each client
}

// Receiver receives commands on a server, limits their rate, and asks the game whether to refuse them.
type Receiver struct {
	Config
	rules    *ecs.Players
	checks   [][]func(w *ecs.World, client uint32, v any) error // by kind of command
	departed Stats                                              // counters of clients that left

	// commands that wait for a tick
	waiting []*Inbox // inboxes with commands
	issued  []Entry  // commands of the server itself
	joined  uint64   // number of inboxes created so far
}

// Refuse checks commands of one type; see NewRefuse.
type Refuse struct {
	check func(w *ecs.World, client uint32, v any) error
	kind  reflect.Type
}

// NewRefuse returns a Refuse that calls f.
func NewRefuse[T any](f func(w *ecs.World, client uint32, v *T) error) Refuse {
	return Refuse{func(w *ecs.World, client uint32, v any) error { return f(w, client, v.(*T)) }, reflect.TypeFor[T]()}
}

// NewReceiver returns a receiver. It returns an error if a Refuse is for a type that is not a command.
func NewReceiver(c Config) (*Receiver, error) {
	d := &Receiver{Config: c, rules: c.World.Protocol().Players()}
	d.checks = make([][]func(w *ecs.World, client uint32, v any) error, len(d.rules.Commands))
	for _, r := range c.Refuse {
		kind := d.rules.Kind(r.kind)
		if kind < 0 {
			return nil, fmt.Errorf("RefuseCommands checks %v, which is not a command of the protocol: register it with ecs.Command", r.kind)
		}
		d.checks[kind] = append(d.checks[kind], r.check)
	}
	if kind := d.rules.Kind(reflect.TypeFor[ecs.Presence]()); kind >= 0 {
		d.checks[kind] = append(d.checks[kind], func(*ecs.World, uint32, any) error { return errPresence })
	}
	return d, nil
}

// errPresence refuses Presence commands of clients.
var errPresence = errors.New("only the server sets the presence of players")

// Stats counts the commands of clients.
type Stats struct {
	Taken   uint64 // executed, or due in the next tick
	Refused uint64 // by ServerConfig.Players.RefuseCommands
	Dropped uint64 // in excess of ServerConfig.Players.CommandRate or of the maximum that may wait
}

// Add adds the counters of o.
func (s *Stats) Add(o Stats) {
	s.Taken += o.Taken
	s.Refused += o.Refused
	s.Dropped += o.Dropped
}

// Join adds a client. notices receives the notices about refusals.
func (d *Receiver) Join(client uint32, notices *notice.Queue, logged *notice.Once) *Inbox {
	d.joined++
	return &Inbox{client: client, number: d.joined, notices: notices, logged: logged}
}

// Leave removes a client and its waiting commands.
func (d *Receiver) Leave(in *Inbox) {
	in.Waiting = nil
	d.departed.Add(in.Stats)
}

// Departed returns the counters of clients that left.
func (d *Receiver) Departed() Stats { return d.departed }

// Inbox holds the received commands of a client.
type Inbox struct {
	// Stats counts the client's commands.
	Stats Stats

	client  uint32
	number  uint64 // number of the inbox in joining order
	listed  bool   // it is in Receiver.waiting
	notices *notice.Queue
	logged  *notice.Once

	received uint32   // number of the last command
	Waiting  []string // commands that wait for a tick
	clock    clock.Clock
	rate     allowance.Rate
	tick     uint32 // the last tick with commands of this client
	chosen   int    // number of commands in that tick
}

// Receive processes a packet of commands, which may be hostile. It drops commands in excess of the rate and
// notifies the client. It returns how many commands were new, and how many of them it dropped. Values are decoded only if
// the command is new and within the rate. For an invalid packet it returns an error: it keeps nothing of one with more than
// [MaxWaiting] commands or with an incomplete one, and the commands before one with an invalid value.
func (d *Receiver) Receive(in *Inbox, packet []byte, now time.Time) (fresh, dropped int, err error) {
	var r codec.ByteReader
	r.Reset(packet)
	kind, first := r.Byte(), r.Uvarint()
	if r.Err() != nil || kind != PacketKind || first == 0 || first > math.MaxUint32-uint64(len(packet)) || r.Len() == 0 {
		return 0, 0, fmt.Errorf("%w: commands from %d on", codec.ErrMalformed, first)
	}
	rest := r.Next(r.Len())
	if err := d.checkCount(rest); err != nil {
		return 0, 0, err
	}
	if skipped := int64(first) - int64(in.received) - 1; skipped > 0 {
		in.Stats.Dropped += uint64(min(skipped, MaxWaiting)) // their packets arrived but exceeded the limit of packets
		in.received = uint32(first) - 1
	}
	defer d.markWaiting(in)
	at, each := in.clock.At(now), time.Second/time.Duration(d.Rate)
	for number := uint32(first); len(rest) > 0; number++ {
		var command []byte
		command, rest, _ = d.rules.Next(rest)
		if number <= in.received {
			continue
		}
		in.received = number
		fresh++
		if len(in.Waiting) == MaxWaiting || in.rate.Take(at, each, burst*time.Second) > 0 {
			dropped++
			in.Stats.Dropped++
			d.notifyRefused(in, command[0], "too many commands")
			continue
		}
		if err := d.rules.Check(command); err != nil {
			return fresh, dropped, err
		}
		in.Waiting = append(in.Waiting, string(command))
	}
	return fresh, dropped, nil
}

// checkCount returns an error for bytes that are not up to [MaxWaiting] complete commands.
func (d *Receiver) checkCount(b []byte) (err error) {
	for n := 0; len(b) > 0; n++ {
		if n == MaxWaiting {
			return fmt.Errorf("%w: more than %d commands", codec.ErrMalformed, MaxWaiting)
		}
		if _, b, err = d.rules.Next(b); err != nil {
			return err
		}
	}
	return nil
}

// burst is how many seconds of the rate may arrive at once.
const burst = 2

// Forward passes waiting commands of a client to the next tick, in order, up to the maximum per tick. It leaves out
// commands that the game refuses and notifies the client.
func (d *Receiver) Forward(in *Inbox, to Executor) {
	if in.tick != *d.Tick {
		in.tick, in.chosen = *d.Tick, 0
	}
	n := 0
	for ; n < len(in.Waiting) && in.chosen < MaxWaiting; n++ {
		command := in.Waiting[n]
		if err := d.check(in.client, command); err != nil {
			in.Stats.Refused++
			d.notifyRefused(in, command[0], err.Error())
			continue
		}
		in.Stats.Taken++
		in.chosen++
		to.Command(in.client, command)
	}
	in.Waiting = slices.Delete(in.Waiting, 0, n)
}

// notifyRefused notifies a client that a command of a kind is not executed, and why.
func (d *Receiver) notifyRefused(in *Inbox, kind byte, why string) {
	if in.logged.First(notice.Command) {
		d.Logger.Warn("command refused; more from this client are only counted", "client", in.client, "reason", why)
	}
	n := wire.Notice{Kind: wire.NoticeCommand, Tick: *d.Tick, Input: uint32(kind) + 1, Reason: why}
	in.notices.AddLimited(&n, d.TickRate, *d.Tick)
}

// check asks the game about a command.
func (d *Receiver) check(client uint32, command string) error {
	for _, f := range d.checks[command[0]] {
		v, err := d.rules.Commands[command[0]].Value([]byte(command[1:]))
		if err == nil {
			err = f(d.World, client, v) // each check gets its own value
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Name returns the name of a kind of command, and whether it exists.
func Name(p *ecs.Players, kind int) (name string, ok bool) {
	if kind < 0 || kind >= len(p.Commands) {
		return "", false
	}
	return p.Commands[kind].Schema.Name, true
}
