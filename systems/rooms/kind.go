package rooms

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
)

// MaxCapacity is the largest [Kind].Capacity.
const MaxCapacity = 4096

const (
	defaultGrace  = 30 * time.Second
	defaultLinger = 30 * time.Second
)

// Kind is a kind of room: what all its rooms have in common. Name, Protocol and Capacity are needed.
type Kind struct {
	// Name is by what players ask for it: 1 to 32 of a to z, 0 to 9 and -.
	Name string
	// Protocol makes the game, anew for each room.
	Protocol func() *ecs.Protocol
	// Server configures each room. What the package itself decides must be zero: Key, ProtocolID, Addresses,
	// InsecureAllowAnyAddress, MaxClients, MaxTokenLifetime, ReconnectWindow, Start, Door. What belongs to one server
	// alone, Events, Seed, Record, is for Set.
	Server systems.ServerConfig
	// Set changes the configuration of one room. c holds Server with the room's own Seed and Logger; change single fields of
	// it. [Server.Create] returns the error of Set, and one that wraps [ErrConfig] if Set replaces the whole configuration
	// or sets a field that must be zero in Server. May be nil.
	Set func(r *Room, c *systems.ServerConfig) error
	// Capacity is how many seats a room has, 1 to [MaxCapacity].
	Capacity int
	// Grace is for how long a seat, and what its player owns in the world, waits for a player whose session has timed
	// out. 0: 30 s; negative: not at all.
	Grace time.Duration
	// Linger is how long a room stays where nobody has a seat. 0: 30 s; negative: until it is ended.
	Linger time.Duration
	// Budget is how long a tick of a room may take; a room that is over it again and again is slowed, and told of. 0: the
	// time between two ticks.
	Budget time.Duration
	// Carries are the components that a player takes along when it leaves a room of this kind by [Room.Travel], and brings to
	// one: [Carries]. Not under policies that simulate ticks again, ServerRewind, Rollback and Lockstep. May be nil.
	Carries []Carry
	// Options are what its rooms publish at first, with those of [Creation] on top.
	Options Options
	// Hooks are what the game does when rooms begin and end, and when players come and go.
	Hooks

	schema string
}

// Hooks are called on the room's goroutine, between ticks. Each may be nil.
type Hooks struct {
	// Created is called before anybody can enter, and must not call [Server.Join]; an error ends the room, and is that of [Server.Create].
	Created func(r *Room, w *ecs.World) error
	// Joined is told of a player that takes its seat for the first time, with the number of its client.
	Joined func(r *Room, s Seat, client uint32)
	// Left is told of a player who had joined and whom nobody waits for any more, or whose room has ended. The seat is
	// without Data.
	Left func(r *Room, s Seat)
	// Travelled is told what came of [Room.Travel]: nil of a player that went on elsewhere, else why it stays. The seat is
	// without Data.
	Travelled func(r *Room, s Seat, why error)
	// Draining is told once that the room drains, by [Room.Drain] or [Server.Drain]: to tell players that this is the last
	// round, to end the match where it may end, or to hand its players over to a room elsewhere. The room goes on until
	// nobody has a seat.
	Draining func(r *Room)
	// Ended is called once, last, when all have left, with why the room has ended.
	Ended func(r *Room, why error)
}

// Validate returns an error that says what is missing, or set and not the game's to set.
func (k Kind) Validate() error {
	var errs []error
	bad := func(format string, v ...any) {
		errs = append(errs, fmt.Errorf("%w: kind %.40q: "+format, append([]any{ErrConfig, k.Name}, v...)...))
	}
	if len(k.Name) < 1 || len(k.Name) > maxKey || strings.Trim(k.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		bad("a Name is 1 to %d of a to z, 0 to 9 and -", maxKey)
	}
	if k.Protocol == nil {
		bad("Protocol is missing: give a function that makes the game")
	}
	if k.Capacity < 1 || k.Capacity > MaxCapacity {
		bad("Capacity %d is not in 1..%d", k.Capacity, MaxCapacity)
	}
	if k.Budget < 0 {
		bad("Budget %v is negative", k.Budget)
	}
	for _, name := range reserved(&k.Server) {
		bad("Server.%s is set; rooms set it themselves: see rooms.Config, Kind.Capacity and Kind.Grace", name)
	}
	if k.Server.Events != nil {
		bad("Server.Events would be those of one room: make them in Kind.Set")
	}
	if err := k.Server.Validate(); err != nil {
		bad("%w", err)
	}
	if _, err := k.Options.Clean(); err != nil {
		bad("%w", err)
	}
	if err := carrySet(k.Carries).checkPolicies(k.Server.Policies); err != nil {
		bad("%w", err)
	}
	return errors.Join(errs...)
}

// reserved names the fields of a room's configuration that are set although rooms set them themselves.
func reserved(c *systems.ServerConfig) (names []string) {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"Key", c.Key != netcode.Key{}},
		{"ProtocolID", c.ProtocolID != 0},
		{"Addresses", c.Addresses != nil},
		{"InsecureAllowAnyAddress", c.InsecureAllowAnyAddress},
		{"MaxClients", c.MaxClients != 0},
		{"MaxTokenLifetime", c.MaxTokenLifetime != 0},
		{"ReconnectWindow", c.ReconnectWindow != 0},
		{"Start", !c.Start.IsZero()},
		{"Door", c.Door != nil},
	} {
		if f.set {
			names = append(names, f.name)
		}
	}
	return names
}

// configure calls Set and checks the configuration that it leaves. The seed of c is not 0.
func (k *Kind) configure(r *Room, c *systems.ServerConfig) error {
	if k.Set == nil {
		return nil
	}
	if err := k.Set(r, c); err != nil {
		return err
	}
	if names := reserved(c); len(names) > 0 {
		return fmt.Errorf("%w: Kind.Set has set %s; rooms set it themselves: see rooms.Config, Kind.Capacity and Kind.Grace", ErrConfig, strings.Join(names, ", "))
	}
	if c.Seed == 0 {
		return fmt.Errorf("%w: after Kind.Set the Seed is 0, so all rooms would draw the same random numbers: change single fields of the configuration instead of assigning a new one", ErrConfig)
	}
	return nil
}

// filled is k with defaults in place of zeros, and 0 for what is not to be at all.
func (k Kind) filled() Kind {
	k.Grace, k.Linger = max(cmp.Or(k.Grace, defaultGrace), 0), cmp.Or(k.Linger, defaultLinger)
	k.Options, _ = k.Options.Clean()
	k.schema = SchemaOf(k.Protocol())
	return k
}
