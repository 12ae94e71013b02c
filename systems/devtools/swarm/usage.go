package swarm

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// chapters groups the flags, in the order of -h.
func chapters() [][2]string {
	return [][2]string{
		{"What to load", "connect transport clients thin"},
		{"Rooms", "rooms seats http"},
		{"When", "ramp warmup duration"},
		{"Resources of this machine", "threads sockets busy"},
		{"Who may play", "key public token login insecure-anyone-can-join"},
		{"What is printed", "json"},
	}
}

// about describes a swarm for any game.
const about = `Runs thousands of players in this process. Each has a session, sends an input every tick and acknowledges snapshots like any
client. Only -thin of them decode the snapshots. Run it on another machine than the server, or on other processors. The last
lines of the output say whether this machine was the limit.`

// usage prints the description and the flags.
func (g *Game) usage(fs *flag.FlagSet, out io.Writer) {
	fmt.Fprintf(out, "usage: %s [flags]\n\n", g.Name)
	if g.About != "" {
		fmt.Fprintf(out, "%s\n\n", strings.TrimSpace(g.About))
	}
	fmt.Fprintf(out, "%s\n\n", about)
	for _, way := range [][2]string{
		{"-connect 127.0.0.1:7777 -clients 1000", "1,000 players on a server on this machine"},
		{"-connect game.example:7777 -key @FILE", "a server on another machine, with tokens issued here"},
		{"-clients 2000 -thin 16 -json", "16 players verify snapshots; print the result as JSON"},
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
			continue // flags that this game does not have
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
