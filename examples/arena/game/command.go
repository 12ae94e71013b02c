//go:build !js

// A client in a browser has no command line, so this file is not part of it.

package game

import (
	"flag"
	"strconv"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/policy"
)

// command is the arena with the values of its flags.
type command struct {
	combat   choice
	messages *Messages
}

// fights reports whether players have guns. Without the flag, they have none under -headless, the reference workload.
func (c *command) fights(o *runner.Options) bool { return c.combat.or(!o.Headless) }

// World returns the arena for package runner, without sockets and inspector.
func World() runner.Game {
	c := &command{messages: NewMessages()}
	return runner.Game{
		Name: "arena",
		About: "Players walk, aim and shoot among entities of the server. Play in a browser or a window, with the keys W A S D\n" +
			"and the mouse, or with two thumbs. F3 or a tap on the status shows the network, with sliders to make it worse.\n" +
			"-model chooses the netcode of people and bots. -rtt, -jitter, -loss and similar flags set the link of the bots.\n" +
			"-combat turns guns on, -combat=false turns them off. Give -serve and -connect the same value.",
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
		Rooms:  &runner.Rooms{Seats: 8, Bots: 3, Announce: c.messages.Announce},
		// Players move 10 units between two snapshots.
		Presets: []policy.Model{
			policy.LocalSync{}, policy.Buffered{Damping: policy.Damping{Rate: 15, Snap: 50}}, policy.CorrectOnMismatch{},
			policy.ServerRewind{}, policy.Rollback{}, policy.Lockstep{},
		},
		Flags: func(fs *flag.FlagSet) {
			fs.Var(&c.combat, "combat", "whether players have guns: true or false. The default is true, but false with -headless, which runs the reference\nworkload. A page needs guns, also to play a recording")
		},
	}
}

// server configures the server for combat, if players have guns.
func (c *command) server(o *runner.Options, config *systems.ServerConfig) {
	if !c.fights(o) {
		return
	}
	Arm(config)
	c.messages.Serve(config)
}

// client configures a bot's client. With guns, it also receives chat messages.
func (c *command) client(o *runner.Options, config *systems.ClientConfig) {
	if c.fights(o) {
		c.messages.Play(config, nil)
	}
}

// choice is the value of a flag that is true, false or not given.
type choice struct{ given, value bool }

// or returns the value of the flag, or otherwise if the flag was not given.
func (c *choice) or(otherwise bool) bool { return c.value || !c.given && otherwise }

// Set implements [flag.Value].
func (c *choice) Set(s string) (err error) {
	c.given = true
	c.value, err = strconv.ParseBool(s)
	return err
}

// String implements [flag.Value]. It returns "" if the flag was not given.
func (c *choice) String() string {
	if c == nil || !c.given {
		return ""
	}
	return strconv.FormatBool(c.value)
}

// IsBoolFlag makes -combat without a value mean true.
func (c *choice) IsBoolFlag() bool { return true }
