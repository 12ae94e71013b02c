package runner

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// chapters returns the groups of flags in the order of -h. Flags in no group are the world's own and come first.
func chapters() []chapter {
	return []chapter{
		{"Mode", "headless virtual json duration warmup seed rooms serve connect"},
		{"The match", "clients guests npcs model preset timing tick server-every send save load record replay"},
		{"Rooms", "seats bots max-rooms"},
		{"The link of the bots", "rtt jitter loss burst wifi dup bandwidth transport"},
		{"Diagnosis", "inspect push without force-rollback rerun samples trained"},
		{"Who may play", "key public token login insecure-anyone-can-join"},
	}
}

// chapter is a group of flags with a title.
type chapter struct{ title, flags string }

// usage prints the modes of the command and its flags.
func usage(g *Game, fs *flag.FlagSet, out io.Writer) {
	fmt.Fprintf(out, "usage: %s [flags]\n\n", g.Name)
	if g.About != "" {
		fmt.Fprintf(out, "%s\n\n", strings.TrimSpace(g.About))
	}
	ways := [][2]string{
		{"", "a server and bots on a bad link, with a live table, until Ctrl-C"},
		{"-headless", "the same for -duration, then a report"},
		{"-headless -virtual -json", "in virtual time, as fast as the machine allows, with a report as JSON"},
		{"-rooms", "rooms with a lobby on the page, until Ctrl-C"},
		{"-rerun FILE", "the ticks of a match that -record recorded again"},
		{"-serve ADDRESS", "only the server"},
		{"-connect ADDRESS", "only bots, on a remote server"},
		{"-headless -serve ADDRESS", "only the server for -duration, then its half of the report; -connect does the same for bots"},
	}
	if len(g.transports()) == 0 {
		ways = ways[2:3]
	}
	for _, way := range ways {
		fmt.Fprintf(out, "  %-*s  %s\n", len(g.Name)+len(ways[2%len(ways)][0])+1, strings.TrimSpace(g.Name+" "+way[0]), way[1])
	}
	all := chapters()
	var known []string
	for _, c := range all {
		known = append(known, strings.Fields(c.flags)...)
	}
	var own []string
	fs.VisitAll(func(f *flag.Flag) {
		if !slices.Contains(known, f.Name) {
			own = append(own, f.Name)
		}
	})
	for _, c := range append([]chapter{{"Flags of " + g.Name + " itself", strings.Join(own, " ")}}, all...) {
		part := flag.NewFlagSet(g.Name, flag.ContinueOnError)
		part.SetOutput(out)
		any := false
		for name := range strings.FieldsSeq(c.flags) {
			if f := fs.Lookup(name); f != nil {
				part.Var(f.Value, name, f.Usage)
				part.Lookup(name).DefValue = f.DefValue
				any = true
			}
		}
		if any {
			fmt.Fprintf(out, "\n%s:\n", c.title)
			part.PrintDefaults()
		}
	}
}
