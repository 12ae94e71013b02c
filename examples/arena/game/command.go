//go:build !js

// A client for browsers has no command line, and links none.

package game

import (
	"flag"
	"strconv"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/runner"
)

// command is the arena as it is run, with what its flags say.
type command struct {
	combat   choice
	messages *Messages
}

// fights reports whether there are guns: the reference workload has none.
func (c *command) fights(o *runner.Options) bool { return c.combat.or(!o.Headless) }

// World is the arena as the runner needs to know it, but for sockets and inspector.
func World() runner.World {
	c := &command{messages: NewMessages()}
	return runner.World{
		Name: "arena",
		About: "Players walk, aim and shoot among entities of the server. In a browser or a window: keys W A S D and the\n" +
			"mouse, or two thumbs; F3 or a tap on the status shows what the network does, with sliders to make it worse.\n" +
			"-preset chooses the netcode, for people as for bots; -rtt, -jitter, -loss and their like are the bots' link.\n" +
			"-combat and -combat=false choose whether there are guns; server and bots of -serve and -connect must agree.",
		Protocol: func(o *runner.Options) *ecs.Protocol {
			if c.fights(o) {
				return CombatProtocol()
			}
			return Protocol()
		},
		Populate: func(w *ecs.World, o *runner.Options) {
			if c.fights(o) {
				PopulateCombat(w, o.Clients, o.NPCs)
			} else {
				Populate(w, o.Clients, o.NPCs)
			}
		},
		Bot: func(o *runner.Options, n int) runner.Bot {
			if c.fights(o) {
				return NewGunner(o.Seed, n, o.Clients)
			}
			return NewBot(o.Seed, n, o.Clients)
		},
		Place:  Place,
		Push:   Push,
		Server: c.server,
		Client: c.client,
		Flags: func(fs *flag.FlagSet) {
			fs.Var(&c.combat, "combat", "whether there are guns: true or false. Without it there are, but with -headless: that is the reference workload,\nin which nobody shoots. Who plays in a browser or a window needs them")
		},
	}
}

// server adds what combat needs to the server's configuration.
func (c *command) server(o *runner.Options, config *systems.ServerConfig) {
	if !c.fights(o) {
		return
	}
	Arm(config)
	c.messages.Serve(config)
}

// client makes bots understand what players say.
func (c *command) client(o *runner.Options, config *systems.ClientConfig) {
	// Players run 10 units between two snapshots.
	config.Damping = interpolate.Damping{Rate: 15, Snap: 50}
	if c.fights(o) {
		c.messages.Play(config, nil)
	}
}

// choice is a flag that is true, false or not given.
type choice struct{ given, value bool }

// or is the choice, or something else where there was none.
func (c *choice) or(otherwise bool) bool { return c.value || !c.given && otherwise }

// Set implements [flag.Value].
func (c *choice) Set(s string) (err error) {
	c.given = true
	c.value, err = strconv.ParseBool(s)
	return err
}

// String implements [flag.Value]: nothing where there was no choice.
func (c *choice) String() string {
	if c == nil || !c.given {
		return ""
	}
	return strconv.FormatBool(c.value)
}

// IsBoolFlag says that the flag alone is true.
func (c *choice) IsBoolFlag() bool { return true }
