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
	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Config is what a desk needs.
type Config struct {
	World    *ecs.World     // as it stands, for Refuse
	Rate     int            // commands of one client, a second
	Refuse   []Refuse       // what the game says of them
	TickRate int            // a second
	Tick     *uint32        // the one that comes
	Logger   logging.Logger // is told once of each client
}

// Desk takes commands in for a server: it bounds them, and asks the game.
type Desk struct {
	Config
	rules *ecs.Players
	looks [][]func(w *ecs.World, client uint32, v any) error // by kind
	left  Stats                                              // of those who have left

	// commands that wait for a tick
	waiting []*Inbox // those that have some
	orders  []Entry  // of nobody's inbox
	joined  uint64   // inboxes made so far
}

// Refuse looks at commands of a type; see NewRefuse.
type Refuse struct {
	look func(w *ecs.World, client uint32, v any) error
	of   reflect.Type
}

// NewRefuse makes a Refuse of a typed function.
func NewRefuse[T any](f func(w *ecs.World, client uint32, v *T) error) Refuse {
	return Refuse{func(w *ecs.World, client uint32, v any) error { return f(w, client, v.(*T)) }, reflect.TypeFor[T]()}
}

// NewDesk makes a desk. It returns an error with advice.
func NewDesk(c Config) (*Desk, error) {
	d := &Desk{Config: c, rules: c.World.Protocol().Players()}
	d.looks = make([][]func(w *ecs.World, client uint32, v any) error, len(d.rules.Commands))
	for _, r := range c.Refuse {
		kind := d.rules.Kind(r.of)
		if kind < 0 {
			return nil, fmt.Errorf("RefuseCommands looks at %v, which is no command of the protocol: register it there with ecs.Command", r.of)
		}
		d.looks[kind] = append(d.looks[kind], r.look)
	}
	if kind := d.rules.Kind(reflect.TypeFor[ecs.Presence]()); kind >= 0 {
		d.looks[kind] = append(d.looks[kind], func(*ecs.World, uint32, any) error { return errPresence })
	}
	return d, nil
}

// errPresence refuses a client that says of itself that it is away.
var errPresence = errors.New("the server alone says who is away")

// Stats counts what became of the commands of clients.
type Stats struct {
	Taken   uint64 // ran, or will in the tick that comes
	Refused uint64 // by ServerConfig.RefuseCommands
	Dropped uint64 // too many: beyond ServerConfig.CommandRate, or more than wait
}

// Add adds what became of others.
func (s *Stats) Add(o Stats) {
	s.Taken += o.Taken
	s.Refused += o.Refused
	s.Dropped += o.Dropped
}

// Join begins with a client, which is told of what is refused by its notices.
func (d *Desk) Join(client uint32, notices *notice.Queue, logged *notice.Once) *Inbox {
	d.joined++
	return &Inbox{client: client, nth: d.joined, notices: notices, logged: logged}
}

// Leave ends with a client, and with what waits of it.
func (d *Desk) Leave(in *Inbox) {
	in.Waiting = nil
	d.left.Add(in.Stats)
}

// Left are the counts of those who have left.
func (d *Desk) Left() Stats { return d.left }

// Inbox is what came of a client.
type Inbox struct {
	// Stats counts what became of its commands.
	Stats Stats

	client  uint32
	nth     uint64 // of all that came
	waits   bool   // on the desk's list
	notices *notice.Queue
	logged  *notice.Once

	received uint32        // number of the last
	Waiting  []string      // for a tick
	spent    time.Duration // of the rate, in time until it is there again
	at       time.Time     // of spent
	tick     uint32        // the one that was chosen last
	chosen   int           // for it
}

// Take takes in a packet of commands, which anybody may have made. Those that are too many are dropped, and the client
// is told. It returns an error for what no client of the protocol sends; what stands before that in the packet is taken.
func (d *Desk) Take(in *Inbox, packet []byte, now time.Time) error {
	var r codec.ByteReader
	r.Reset(packet)
	kind, first := r.Byte(), r.Uvarint()
	if r.Err() != nil || kind != PacketKind || first == 0 || first > math.MaxUint32-uint64(len(packet)) || r.Len() == 0 {
		return fmt.Errorf("%w: commands from %d on", codec.ErrMalformed, first)
	}
	if skipped := int64(first) - int64(in.received) - 1; skipped > 0 {
		in.Stats.Dropped += uint64(min(skipped, Most)) // their packets came, and were too many to be read
		in.received = uint32(first) - 1
	}
	defer d.wait(in)
	rest := r.Next(r.Len())
	for number := uint32(first); len(rest) > 0; number++ {
		command, behind, err := d.rules.Next(rest)
		if err != nil {
			return err
		}
		rest = behind
		if number <= in.received {
			continue
		}
		in.received = number
		if len(in.Waiting) == Most || !in.pay(now, d.Rate) {
			in.Stats.Dropped++
			d.tell(in, command[0], "too many commands")
			continue
		}
		in.Waiting = append(in.Waiting, string(command))
	}
	return nil
}

// burst is how many seconds of the rate may come at once.
const burst = 2

// pay takes one off what a client may command by now; it reports false where that is nothing.
func (in *Inbox) pay(now time.Time, rate int) bool {
	in.spent = max(0, in.spent-now.Sub(in.at))
	in.at = now
	each := time.Second / time.Duration(rate)
	if in.spent+each > burst*time.Second {
		return false
	}
	in.spent += each
	return true
}

// Give gives the commands of a client that wait to the tick that comes, in their order, as many as a tick takes. Those
// that the game refuses are left out, and the client is told.
func (d *Desk) Give(in *Inbox, to Taker) {
	if in.tick != *d.Tick {
		in.tick, in.chosen = *d.Tick, 0
	}
	n := 0
	for ; n < len(in.Waiting) && in.chosen < Most; n++ {
		command := in.Waiting[n]
		if err := d.look(in.client, command); err != nil {
			in.Stats.Refused++
			d.tell(in, command[0], err.Error())
			continue
		}
		in.Stats.Taken++
		in.chosen++
		to.Command(in.client, command)
	}
	in.Waiting = slices.Delete(in.Waiting, 0, n)
}

// tell tells a client that a command of a kind does not run, and why.
func (d *Desk) tell(in *Inbox, kind byte, why string) {
	if in.logged.First(notice.Command) {
		d.Logger.Warn("command refused; more of this client are only counted", "client", in.client, "reason", why)
	}
	n := wire.Notice{Kind: wire.NoticeCommand, Tick: *d.Tick, Input: uint32(kind) + 1, Reason: why}
	in.notices.Tell(&n, d.TickRate, *d.Tick)
}

// look asks the game about a command.
func (d *Desk) look(client uint32, command string) error {
	for _, f := range d.looks[command[0]] {
		v, err := d.rules.Commands[command[0]].Value([]byte(command[1:]))
		if err == nil {
			err = f(d.World, client, v) // which gets a value of its own
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Name is the name of a kind of commands; there need not be one.
func Name(p *ecs.Players, kind int) (name string, ok bool) {
	if kind < 0 || kind >= len(p.Commands) {
		return "", false
	}
	return p.Commands[kind].Schema.Name, true
}
