package commands

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/allowance"
	"github.com/tactusgo/tactus/internal/clock"
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// MaxWaiting is the maximum number of commands of a client that wait for a tick on the server. It is also the maximum per tick.
const MaxWaiting = channel.ControlQueue

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

	Waiting []string // commands that wait for a tick
	clock   clock.Clock
	rate    allowance.Rate
	tick    uint32 // the last tick with commands of this client
	chosen  int    // number of commands in that tick
}

// Receive processes a message with a command, which may be hostile: its kind, u8, and its value, as many bytes as the kind has. A
// command in excess of the rate is dropped without decoding its value, and the client is notified.
func (d *Receiver) Receive(in *Inbox, message []byte, now time.Time) (dropped bool, err error) {
	command, rest, err := d.rules.Next(message)
	if err != nil {
		return false, err
	}
	if len(rest) > 0 {
		return false, fmt.Errorf("%w: %d bytes after a command", codec.ErrMalformed, len(rest))
	}
	if len(in.Waiting) == MaxWaiting || in.rate.Take(in.clock.At(now), time.Second/time.Duration(d.Rate), burst*time.Second) > 0 {
		in.Stats.Dropped++
		d.notifyRefused(in, command[0], "too many commands")
		return true, nil
	}
	if err := d.rules.Check(command); err != nil {
		return false, err
	}
	in.Waiting = append(in.Waiting, string(command))
	d.markWaiting(in)
	return false, nil
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
