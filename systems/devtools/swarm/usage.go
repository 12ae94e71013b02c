package swarm

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// chapters say which flags belong together, in the order in which -h explains them.
func chapters() [][2]string {
	return [][2]string{
		{"What to load", "connect transport clients thin"},
		{"Rooms", "rooms seats http"},
		{"When", "ramp warmup duration"},
		{"What this machine gives", "threads sockets busy"},
		{"Who may play", "key public token login insecure-anyone-can-join"},
		{"What is printed", "json"},
	}
}

// about says what a swarm is, whatever the game.
const about = `Players by the thousand from this process: each has a session, gives an input in every tick and acknowledges what it gets, as
any client does. What they are told is opened and not decoded, but for -thin of them. Put it on another machine than the server,
or on other processors; the last lines say whether this machine was the limit.`

// usage prints what the command does, and its flags.
func (g *Game) usage(fs *flag.FlagSet, out io.Writer) {
	fmt.Fprintf(out, "usage: %s [flags]\n\n", g.Name)
	if g.About != "" {
		fmt.Fprintf(out, "%s\n\n", strings.TrimSpace(g.About))
	}
	fmt.Fprintf(out, "%s\n\n", about)
	for _, way := range [][2]string{
		{"-connect 127.0.0.1:7777 -clients 1000", "a thousand players on a server of this machine"},
		{"-connect game.example:7777 -key @FILE", "on another one, by tokens that are issued here"},
		{"-clients 2000 -thin 16 -json", "sixteen verify what they are told; what was measured is a JSON object"},
	} {
		fmt.Fprintf(out, "  %s %-38s  %s\n", g.Name, way[0], way[1])
	}
	all, known := chapters(), ""
	for _, c := range all {
		known += " " + c[1]
	}
	own := [2]string{"Flags of " + g.Name + " itself"}
	fs.VisitAll(func(f *flag.Flag) {
		if !slices.Contains(strings.Fields(known), f.Name) {
			own[1] += " " + f.Name
		}
	})
	if own[1] != "" {
		all = append([][2]string{own}, all...)
	}
	for _, c := range all {
		if fs.Lookup(strings.Fields(c[1])[0]) == nil {
			continue // the game has no such flags
		}
		part := flag.NewFlagSet(g.Name, flag.ContinueOnError)
		part.SetOutput(out)
		for name := range strings.FieldsSeq(c[1]) {
			f := fs.Lookup(name)
			part.Var(f.Value, name, f.Usage)
			part.Lookup(name).DefValue = f.DefValue
		}
		fmt.Fprintf(out, "\n%s:\n", c[0])
		part.PrintDefaults()
	}
}
