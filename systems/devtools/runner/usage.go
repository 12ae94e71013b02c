package runner

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// chapters say which flags belong together, in the order in which -h explains them. What stands in none is the
// world's own, and comes first.
func chapters() []chapter {
	return []chapter{
		{"How to run it", "headless virtual json duration warmup seed serve connect"},
		{"The match", "clients guests npcs preset timing tick server-every send"},
		{"The link of the bots", "rtt jitter loss burst dup bandwidth transport"},
		{"To look at, and to see what is what", "inspect push without force-rollback record trained"},
		{"Who may play", "key public token login insecure-anyone-can-join"},
	}
}

// chapter is a title over some flags.
type chapter struct{ title, flags string }

// usage prints what the command does, and its flags.
func usage(w *World, fs *flag.FlagSet, out io.Writer) {
	fmt.Fprintf(out, "usage: %s [flags]\n\n", w.Name)
	if w.About != "" {
		fmt.Fprintf(out, "%s\n\n", strings.TrimSpace(w.About))
	}
	ways := [][2]string{
		{"", "a server and bots on a bad link, with a live table; Ctrl-C ends it"},
		{"-headless", "the same for -duration, and then what happened"},
		{"-headless -virtual -json", "in virtual time, as fast as the machine allows; what happened is a JSON object"},
		{"-serve ADDRESS", "the server alone"},
		{"-connect ADDRESS", "bots alone, on a server elsewhere"},
		{"-headless -serve ADDRESS", "the server alone for -duration, and then what happened there; -connect likewise"},
	}
	if len(w.transports()) == 0 {
		ways = ways[2:3]
	}
	for _, way := range ways {
		fmt.Fprintf(out, "  %-*s  %s\n", len(w.Name)+len(ways[2%len(ways)][0])+1, strings.TrimSpace(w.Name+" "+way[0]), way[1])
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
	for _, c := range append([]chapter{{"Flags of " + w.Name + " itself", strings.Join(own, " ")}}, all...) {
		part := flag.NewFlagSet(w.Name, flag.ContinueOnError)
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
