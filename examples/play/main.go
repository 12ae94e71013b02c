package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/examples/play/worlds/arena"
	"github.com/tactusgo/tactus/examples/play/worlds/custom"
	"github.com/tactusgo/tactus/examples/play/worlds/duel"
	"github.com/tactusgo/tactus/examples/play/worlds/physics"
	"github.com/tactusgo/tactus/examples/play/worlds/platformer"
	"github.com/tactusgo/tactus/examples/play/worlds/snake"
	"github.com/tactusgo/tactus/examples/play/worlds/snowball"
)

// worlds returns all worlds, the default first.
func worlds() []stage.World {
	return []stage.World{arena.World(), custom.World(), platformer.World(), snake.World(), snowball.World(), duel.World(), physics.World()}
}

// exitUsage is the exit code for flags that are not allowed.
const exitUsage = 2

func main() {
	code, err := play(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "play:", err)
	}
	os.Exit(code)
}

// pick finds a world by name.
func pick(name string) (stage.World, error) {
	all := worlds()
	i := slices.IndexFunc(all, func(w stage.World) bool { return w.Name == name })
	if i < 0 {
		return stage.World{}, fmt.Errorf("there is no world %q; there are: %s", name, strings.Join(names(all), ", "))
	}
	return all[i], nil
}

// names returns the names of the worlds.
func names(all []stage.World) (names []string) {
	for _, w := range all {
		names = append(names, w.Name)
	}
	return names
}

// number declares a flag for a number of entities or bots. The default is [stage.Usual].
func number(fs *flag.FlagSet, v *int, name string, most int, usage string) {
	*v = stage.Usual
	fs.Func(name, usage, func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > most {
			return fmt.Errorf("0 to %d are allowed", most)
		}
		*v = n
		return nil
	})
}

// play runs the command and returns the exit code.
func play(args []string) (int, error) {
	name := "arena"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	world, err := pick(name)
	if err != nil {
		return exitUsage, err
	}
	var o stage.Options
	fs := flag.NewFlagSet("play", flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprintf(fs.Output(), "usage: play [WORLD] [flags]\n\nWORLD is one of: %s; the flags of %s:\n\n", strings.Join(names(worlds()), ", "), name)
		fs.PrintDefaults()
		fmt.Fprintf(fs.Output(), "\n%s\n", world.Help)
	}
	fs.StringVar(&o.Connect, "connect", "", "the server's address, or ws:// and an address; without, a match with bots of its own")
	fs.StringVar(&o.Name, "name", "", "what to be called; without, the server makes up something")
	fs.StringVar(&o.Token, "token", "", "the connect `token` of a seat in a room, base64; the client ends with its session")
	fs.BoolVar(&o.Insecure, "insecure-anyone-can-join", false, "play on a server on another machine, unprotected")
	number(fs, &o.Bots, "bots", 200, "in a match of its own: `how many` bots, as many as the world usually has where nothing is said")
	number(fs, &o.NPCs, "npcs", 5000, "in a match of its own: `how many` server-controlled entities, as many as usual where nothing is said")
	fs.StringVar(&o.Preset, "preset", "", "in a match of its own: the netcode `model`, see package systems/policy (default that of the world)")
	fs.Uint64Var(&o.Seed, "seed", 1, "in a match of its own: the seed of world and bots")
	auto := fs.Bool("auto", false, "a bot plays in your place, in a window")
	fs.StringVar(&o.Picture, "picture", "", "write what is on the screen after three seconds of play to this PNG `file`, and end")
	fs.StringVar(&o.Movie, "movie", "", "write six seconds of play, with the overlay while the link gets worse, to this GIF `file`, and end")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0, nil
	case err != nil:
		return exitUsage, nil
	case fs.NArg() > 0:
		return exitUsage, fmt.Errorf("%q: only flags are allowed behind the world", fs.Arg(0))
	case o.Token != "" && o.Connect == "":
		return exitUsage, errors.New("-token: allowed with -connect only, which says where the room is")
	}
	if err := o.Check(); err != nil {
		return exitUsage, err
	}
	stop, err := start(world.Name, &o, *auto)
	if err != nil {
		return 1, err
	}
	defer stop()
	if err := stage.New(world, &o).Play(); err != nil {
		return 1, err
	}
	return 0, nil
}
