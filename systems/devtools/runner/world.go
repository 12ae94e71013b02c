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

// World is a game, as the runner needs to know it. Name, Protocol and Bot must be there.
type World struct {
	// Name is what the game is called in usage and errors.
	Name string
	// About is a few lines for -h; may be empty.
	About string
	// Protocol builds the protocol, for the server and for each bot.
	Protocol func(o *Options) *ecs.Protocol
	// Populate spawns what is there before anybody joins; may be nil.
	Populate func(w *ecs.World, o *Options)
	// Bot makes the n-th bot, from 0; those from Options.Clients on are guests.
	Bot func(o *Options, n int) Bot
	// Place is where an entity stands, in world units. nil: errors of prediction are not measured.
	Place func(w *ecs.World, e ecs.Entity) (x, y float32, ok bool)
	// Push moves an entity at once, as far as it can go. nil: -push is not offered.
	Push func(w *ecs.World, e ecs.Entity, dx, dy float32)
	// Server and Client change the configurations of the server and of each bot, the
	// last thing before these are made. They may be nil.
	Server func(o *Options, c *systems.ServerConfig)
	Client func(o *Options, c *systems.ClientConfig)
	// Flags adds flags of the world's own; may be nil.
	Flags func(fs *flag.FlagSet)
	// Live plays where no flag says how, instead of [Live]; may be nil. Package web has one, with a
	// page to play on.
	Live func(ctx context.Context, world World, o Options, stdout, stderr io.Writer) error
	// Listen are the ways to listen on real sockets that -transport offers: by udp, batch and ws, see
	// [Wire]. Without udp, the default of -transport is the first of batch and ws that is there. Empty:
	// only -headless -virtual works, which needs none.
	Listen map[string]func(addr string) (netsys.Wire, error)
	// Inspect makes the inspector of a server that does not run yet; nil: -inspect is not offered.
	// The token may be empty: then only this machine may look. Package inspect has one: see [Inspect].
	Inspect func(s *systems.Server, token string, log *slog.Logger) (Inspector, error)
	// Defaults are what flags are that are not given. A field that is zero is the runner's default;
	// where none is meant, as of NPCs or Loss, it is -1.
	Defaults Options
	// Presets are the models that -preset allows, of which the first is the default unless Defaults
	// names another. Empty: all, and LocalSync.
	Presets []policy.Preset
	// Proof sums up what happened in a match that has ended: a struct or map with counts, which becomes
	// the field "world" of the report and a line of the summary. Worlds and stats can be looked at, sessions
	// may be closed. It may be nil, and so may what it returns.
	Proof func(s *systems.Server, clients []*systems.Client) any
}

// Inspector is what [World.Inspect] makes: package inspect has it.
type Inspector interface {
	// Allows returns an error where others could reach the address and there is no token.
	Allows(address net.Addr) error
	// Serve serves the inspector until ctx ends.
	Serve(ctx context.Context, l net.Listener) error
	// Report tells what a client was corrected for.
	Report(client uint32, causes reconcile.Causes)
}

// Wire makes a function that listens fit for [World.Listen]:
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

// Inspect makes a function that opens an inspector fit for [World.Inspect]:
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

// validate says in one line what a game's author has forgotten.
func (w *World) validate() error {
	switch {
	case w.Protocol == nil:
		return errors.New("runner.World.Protocol is nil: every world builds one, by ecs.NewProtocol")
	case w.Bot == nil:
		return errors.New("runner.World.Bot is nil: every world has bots, see runner.NewBot")
	}
	for name, listen := range w.Listen {
		if !slices.Contains(transportNames, name) || listen == nil {
			return fmt.Errorf("runner.World.Listen has %q: allowed are functions for %s", name, strings.Join(transportNames, ", "))
		}
	}
	if p := w.Defaults.Preset; p != "" && !slices.Contains(w.presets(), p) {
		return fmt.Errorf("runner.World.Defaults.Preset is %s: Presets allows %s", p, strings.Join(w.presets(), ", "))
	}
	return nil
}

// presets are the names of the models that the world allows.
func (w *World) presets() (names []string) {
	all := w.Presets
	if len(all) == 0 {
		all = policy.Presets()
	}
	for _, p := range all {
		names = append(names, p.String())
	}
	return names
}

// transports are those that a world has, the default first.
func (w *World) transports() (names []string) {
	for _, name := range transportNames {
		if w.Listen[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

// defaults are what flags are that are not given.
func (w *World) defaults() Options {
	d, contract := w.Defaults, contract()
	if ways := w.transports(); len(ways) > 0 {
		contract.Transport = ways[0]
	}
	if len(w.Presets) > 0 {
		contract.Preset = w.presets()[0]
	}
	d.fill(&contract)
	return d
}
