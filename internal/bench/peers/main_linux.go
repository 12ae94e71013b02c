package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"text/tabwriter"
	"time"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the program and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "peers:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	measure := compare
	if o.screens {
		measure = compareScreens
	}
	if err := measure(ctx, o, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "peers:", err)
		return 1
	}
	return 0
}

// report is the output of -json.
type report struct {
	Date    string `json:"date"`
	Clients int    `json:"clients"`
	NPCs    int    `json:"npcs"`
	Seconds int    `json:"seconds"`
	Rows    []row  `json:"rows"`
}

// row is the result of one server.
type row struct {
	Server   string `json:"server"`
	Version  string `json:"version"`
	Sends    string `json:"sends"`
	Encrypts bool   `json:"encrypts"`
	figures
	Most int `json:"most_players,omitempty"`
	// MostBy is the limit that ended the search: ticks, updates, or the clients' processor.
	MostBy string `json:"most_limited_by,omitempty"`
}

// compare measures all servers in turn.
func compare(ctx context.Context, o options, stdout, stderr io.Writer) error {
	servers, err := open(ctx, stderr)
	if err != nil {
		return err
	}
	r := report{Date: time.Now().UTC().Format(time.DateOnly), Clients: o.clients, NPCs: o.npcs, Seconds: o.seconds}
	for _, s := range servers {
		fmt.Fprintf(stderr, "%s with %d clients\n", s.name, o.clients)
		f, err := s.measure(ctx, o.clients, o.npcs, o.seconds)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		x := row{Server: s.name, Version: s.version, Sends: s.sends, Encrypts: s.encrypts, figures: f}
		if o.most {
			if x.Most, x.MostBy, err = most(ctx, s, o, stderr); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		r.Rows = append(r.Rows, x)
	}
	if err := r.print(stdout, o.most); err != nil || !o.json {
		return err
	}
	return json.NewEncoder(stdout).Encode(r)
}

// print writes the table.
func (r *report) print(out io.Writer, most bool) error {
	fmt.Fprintf(out, "%s: %d clients, %d entities of the server, 60 steps and 20 updates a second; every client sees everything\n", r.Date, r.Clients, r.NPCs)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "server\tversion\tsends\tencrypts\tprocessors\tµs/update\tbytes/update\tticks\tupdates/s\tMiB")
	if most {
		fmt.Fprint(t, "\tmost players")
	}
	fmt.Fprintln(t)
	for _, x := range r.Rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%t\t%.2f\t%.1f\t%.0f\t%.0f %%\t%.1f\t%.0f", x.Server, x.Version, x.Sends, x.Encrypts, x.CPU, x.CPUPerUpdate, x.Bytes, x.Ticks, x.Updates, x.RSS)
		if most {
			fmt.Fprintf(t, "\t%d (%s)", x.Most, x.MostBy)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
