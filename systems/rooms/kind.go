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

// Kind is the configuration that all rooms of a kind share. Name, Protocol and Capacity are required.
type Kind struct {
	// Name identifies the kind: 1 to 32 of a to z, 0 to 9 and -.
	Name string
	// Protocol returns the game. It is called for each room.
	Protocol func() *ecs.Protocol
	// Server configures each room. Fields that rooms set themselves must be zero: Key, MaxTokenLifetime, ProtocolID, Addresses
	// and InsecureAllowAnyAddress of Session; ReconnectWindow and Admission of Players; MaxClients and Start. Set Events, Seed and Snapshots.Record, which
	// belong to one room, in Set. Players.Spectators is how many spectators a room has at most, in addition to Capacity: see
	// [Room.Spectate].
	Server systems.ServerConfig
	// Set changes the configuration of one room. c holds Server with the room's own Seed and Logger; change single fields of
	// it. [Server.Create] returns the error of Set, and one that wraps [ErrConfig] if Set replaces the whole configuration
	// or sets a field that must be zero in Server. May be nil.
	Set func(r *Room, c *systems.ServerConfig) error
	// Capacity is the number of seats of a room, 1 to [MaxCapacity].
	Capacity int
	// Grace is how long a seat, with the player's entities, waits for a player whose session has timed out. 0: 30 s; negative:
	// not at all.
	Grace time.Duration
	// Linger is how long an empty room continues. 0: 30 s; negative: until it is ended.
	Linger time.Duration
	// Budget is how long a tick may take. A room that exceeds it repeatedly is slowed down and reported. 0: the time between
	// two ticks.
	Budget time.Duration
	// Options are the first options of its rooms. Those of [Creation] override them.
	Options Options
	// Hooks are called when rooms begin and end, and when players join and leave.
	Hooks

	schema string
}

// Hooks are called on the room's goroutine, between ticks. Each may be nil.
type Hooks struct {
	// Created is called before any player can enter. It must not call [Server.Join]. [Server.Create] returns its error, which
	// ends the room.
	Created func(r *Room, w *ecs.World) error
	// Joined is called when a player takes its seat for the first time, with the number of its client.
	Joined func(r *Room, s Seat, client uint32)
	// Left is called when the seat of a player who had joined is free again, or the room has ended. The seat has no Data.
	Left func(r *Room, s Seat)
	// Travelled is called with the result of [Room.Travel]: nil if the player has left, otherwise the reason why it stays. Then
	// give back what the game has taken for Destination.Carried. The seat has no Data.
	Travelled func(r *Room, s Seat, why error)
	// Draining is called once when the room drains, by [Room.Drain] or [Server.Drain]. The game can announce the last round, end
	// the match, or move its players to another room. The room continues until it is empty.
	Draining func(r *Room)
	// Ended is called once, after all other hooks, with the reason why the room has ended.
	Ended func(r *Room, why error)
}

// Validate returns an error that names the fields that are missing, out of range or reserved for rooms.
func (k Kind) Validate() error {
	var errs []error
	bad := func(format string, v ...any) {
		errs = append(errs, fmt.Errorf("%w: kind %.40q: "+format, append([]any{ErrConfig, k.Name}, v...)...))
	}
	if len(k.Name) < 1 || len(k.Name) > maxKey || strings.Trim(k.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		bad("a Name is 1 to %d of a to z, 0 to 9 and -", maxKey)
	}
	if k.Protocol == nil {
		bad("Protocol is missing: give a function that returns the game")
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
		bad("Server.Events belong to one room: set them in Kind.Set")
	}
	if err := k.Server.Validate(); err != nil {
		bad("%w", err)
	}
	if err := checkSpectators(&k.Server); err != nil {
		bad("%w", err)
	}
	if _, err := k.Options.Clean(); err != nil {
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
		{"Key", c.Session.Key != netcode.Key{}},
		{"ProtocolID", c.Session.ProtocolID != 0},
		{"Addresses", c.Session.Addresses != nil},
		{"InsecureAllowAnyAddress", c.Session.InsecureAllowAnyAddress},
		{"MaxClients", c.MaxClients != 0},
		{"MaxTokenLifetime", c.Session.MaxTokenLifetime != 0},
		{"ReconnectWindow", c.Players.ReconnectWindow != 0},
		{"Start", !c.Start.IsZero()},
		{"Admission", c.Players.Admission != nil},
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
	if err := checkSpectators(c); err != nil {
		return fmt.Errorf("%w: after Kind.Set: %w", ErrConfig, err)
	}
	if names := reserved(c); len(names) > 0 {
		return fmt.Errorf("%w: Kind.Set has set %s; rooms set it themselves: see rooms.Config, Kind.Capacity and Kind.Grace", ErrConfig, strings.Join(names, ", "))
	}
	if c.Seed == 0 {
		return fmt.Errorf("%w: after Kind.Set the Seed is 0, so all rooms would draw the same random numbers: change single fields of the configuration instead of assigning a new one", ErrConfig)
	}
	return nil
}

// filled returns k with defaults in place of zeros, and 0 for a negative Grace.
func (k Kind) filled() Kind {
	k.Grace, k.Linger = max(cmp.Or(k.Grace, defaultGrace), 0), cmp.Or(k.Linger, defaultLinger)
	k.Options, _ = k.Options.Clean()
	k.schema = SchemaOf(k.Protocol())
	return k
}
