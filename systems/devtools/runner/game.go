package runner

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// Game describes a game to the runner. Name, Protocol and Bot are required.
type Game struct {
	// Name is the game's name in usage and errors.
	Name string
	// About is a short introduction for -h. Default (""): none.
	About string
	// Protocol builds the protocol, for the server and for each bot.
	Protocol func(o *Options) *ecs.Protocol
	// Populate spawns the initial entities. Default (nil): none.
	Populate func(w *ecs.World, o *Options)
	// Bot returns bot n, counted from 0. Bots from Options.Clients on are guests.
	Bot func(o *Options, n int) Bot
	// Place returns the position of an entity in world units. Default (nil): prediction errors are not measured.
	Place func(w *ecs.World, e ecs.Entity) (x, y float32, ok bool)
	// Push moves an entity at once, as far as the world allows. Default (nil): there is no flag -push.
	Push func(w *ecs.World, e ecs.Entity, dx, dy float32)
	// Server and Client change the configurations of the server and of each bot, after the runner has set its own fields.
	// Default (nil): no change.
	Server func(o *Options, c *systems.ServerConfig)
	Client func(o *Options, c *systems.ClientConfig)
	// Flags declares the world's own flags. Default (nil): none.
	Flags func(fs *flag.FlagSet)
	// Live plays if no flag selects a mode. Package web has one, with a page to play on. Default (nil): [Live].
	Live func(ctx context.Context, game Game, o Options, stdout, stderr io.Writer) error
	// Listen contains the transports that -transport offers, by the names udp and ws: see [Wire]. The default of
	// -transport is the first that exists, in this order. Without any, only -headless -virtual works.
	Listen map[string]func(addr string) (netsys.Wire, error)
	// Rooms describes the rooms that Live serves with the flag -rooms, as that of package web does. Default (nil), and without
	// Live: there is no such flag.
	Rooms *Rooms
	// Inspect creates the inspector of a server before it runs: see [Inspect] and package inspect. An empty token restricts
	// access to this machine. Default (nil): there is no flag -inspect.
	Inspect func(s *systems.Server, token string, log *slog.Logger) (Inspector, error)
	// Defaults holds the defaults of the flags. A zero field means the runner's default. Use -1 for fields such as NPCs or
	// Loss whose default is 0.
	Defaults Options
	// Presets are the models that -model allows, with their options, one of each name. Servers and clients get them.
	// The first is the default unless Defaults names another. Empty: all models with default options, and LocalSync as
	// the default.
	Presets []policy.Model
	// Proof summarizes a match that has ended, as a struct or map of counts. The result becomes the field "world" of the
	// report and a line of its text. Proof may read worlds and stats; sessions may already be closed. Clients that have not joined are left out. Proof and its result
	// may be nil.
	Proof func(s *systems.Server, clients []*systems.Client) any
}

// Rooms are the rooms of a game with the flag -rooms.
type Rooms struct {
	// Seats and Bots are the defaults of -seats and -bots.
	Seats, Bots int
	// Announce tells all players of a server what an operator writes on the operator page. Default (nil): the page has no such
	// field.
	Announce func(s *systems.Server, from, text string) error
}

// Inspector is the inspector of a running server: see package inspect.
type Inspector interface {
	// Allows returns an error if other machines can reach the address and there is no token.
	Allows(address net.Addr) error
	// Serve serves the inspector until ctx ends.
	Serve(ctx context.Context, l net.Listener) error
	// Report sets the causes of a client's corrections.
	Report(client uint32, causes reconcile.Causes)
}

// Wire converts a function that listens to the type of [Game.Listen]:
//
//	Listen: map[string]func(string) (netsys.Wire, error){"udp": runner.Wire(eventloop.Listen)}
func Wire[W netsys.Wire](listen func(addr string) (W, error)) func(addr string) (netsys.Wire, error) {
	return func(addr string) (netsys.Wire, error) {
		w, err := listen(addr)
		if err != nil {
			return nil, err
		}
		return w, nil
	}
}

// Inspect converts a function that opens an inspector to the type of [Game.Inspect]:
//
//	Inspect: runner.Inspect(inspect.Open)
func Inspect[I Inspector](open func(s *systems.Server, token string, log *slog.Logger) (I, error)) func(*systems.Server, string, *slog.Logger) (Inspector, error) {
	return func(s *systems.Server, token string, log *slog.Logger) (Inspector, error) {
		x, err := open(s, token, log)
		if err != nil {
			return nil, err
		}
		return x, nil
	}
}

// validate returns a one-line error if a required field is missing or invalid.
func (g *Game) validate() error {
	switch {
	case g.Protocol == nil:
		return errors.New("runner: Game.Protocol is nil: set it to a function that returns ecs.NewProtocol(...)")
	case g.Bot == nil:
		return errors.New("runner: Game.Bot is nil: set it to a function that returns a runner.NewBot")
	}
	for name, listen := range g.Listen {
		if !slices.Contains(transportNames, name) || listen == nil {
			return fmt.Errorf("runner: Game.Listen has %q: allowed are functions for %s", name, strings.Join(transportNames, ", "))
		}
	}
	if p := g.Defaults.Preset; p != "" && !slices.Contains(g.presets(), p) {
		return fmt.Errorf("runner: Game.Defaults.Preset is %s: Presets allows %s", p, strings.Join(g.presets(), ", "))
	}
	return nil
}

// presets returns the names of the allowed models.
func (g *Game) presets() (names []string) {
	all := g.Presets
	if len(all) == 0 {
		all = policy.Presets()
	}
	for _, p := range all {
		names = append(names, p.String())
	}
	return names
}

// transports returns the names of the world's transports, the default first.
func (g *Game) transports() (names []string) {
	for _, name := range transportNames {
		if g.Listen[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

// defaults returns the defaults of all flags.
func (g *Game) defaults() Options {
	d, contract := g.Defaults, flagDefaults()
	if ways := g.transports(); len(ways) > 0 {
		contract.Transport = ways[0]
	}
	if len(g.Presets) > 0 {
		contract.Preset = g.presets()[0]
	}
	d.setDefaults(&contract)
	return d
}
