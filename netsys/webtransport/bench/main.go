// Command bench plays the arena over WebTransport and over WebSocket, through a link that delays and drops IP packets, and
// compares the results on the player's screen: go -C netsys/webtransport run ./bench. See -h.
//
// Server and client run in separate network namespaces, so the kernel's TCP and QUIC meet the same losses. This needs
// Linux, and root or user namespaces. The client is a Go program or, with -clients page, the JavaScript package with the
// arena's WebAssembly module in Chromium. The latter needs Chromium and a checkout of the repository.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// options are the parsed flags.
type options struct {
	delay   time.Duration // one way
	loss    float64       // percent
	seconds int
	settle  time.Duration
	npcs    int
	seed    uint64
	files   string // folder with the files of the page
}

// The values of -transports and -clients.
var (
	transports = []string{"webtransport", "websocket"}
	players    = []string{"native", "page"}
)

// result is the result of one match.
type result struct {
	Client    string  `json:"client"`
	Transport string  `json:"transport"`
	LossPct   float64 `json:"loss_pct"`
	Connected bool    `json:"connected"`
	ConnectMS float64 `json:"connect_ms"`
	seen
	Snapshots uint64 `json:"snapshots"`
	Passed    int    `json:"packets"` // IP packets in both directions
	Lost      int    `json:"packets_lost"`
}

// seen holds the figures of the player's screen.
type seen struct {
	Frames      uint64  `json:"frames"`
	Stalls      uint64  `json:"stalls"` // frames without a newer state to interpolate toward, or slowed down
	AgeP50MS    float64 `json:"age_p50_ms"`
	AgeP99MS    float64 `json:"age_p99_ms"` // age of interpolated entities
	GapP99MS    float64 `json:"gap_p99_ms"`
	GapMaxMS    float64 `json:"gap_max_ms"`  // between two snapshots
	Corrections uint64  `json:"corrections"` // of predictions
}

func main() {
	if len(os.Args) > 1 && parts[os.Args[1]] {
		if err := part(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", os.Args[1]+":", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// parts are the subcommands as which this program starts itself.
var parts = map[string]bool{"server": true, "native": true, "page": true}

// listed parses a comma-separated list of known words.
func listed(name, text string, known []string) (all []string, err error) {
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		if !slices.Contains(known, word) {
			return nil, fmt.Errorf("-%s %q: allowed are %s, separated by commas", name, text, strings.Join(known, ", "))
		}
		all = append(all, word)
	}
	return all, nil
}

// run runs the command.
func run(args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	var o options
	fs.DurationVar(&o.delay, "delay", 50*time.Millisecond, "of the link, one way")
	losses := fs.String("loss", "0,2,5", "per cent of the IP packets that the link loses, each way: one match for each number")
	fs.IntVar(&o.seconds, "seconds", 20, "of each match")
	fs.DurationVar(&o.settle, "settle", 3*time.Second, "before that, for the match to settle")
	fs.IntVar(&o.npcs, "npcs", 40, "entities that walk about")
	fs.Uint64Var(&o.seed, "seed", 1, "of the losses")
	of := fs.String("clients", "native", "what plays: native, page, or native,page")
	by := fs.String("transports", strings.Join(transports, ","), "what it plays over")
	fs.StringVar(&o.files, "files", "", "keep what pages load in this `folder`, and take what is there already; without, it is built anew")
	asJSON := fs.Bool("json", false, "print a line of JSON for each match, in place of a table")
	fs.Usage = func() {
		fmt.Fprintln(stderr, "usage: go -C netsys/webtransport run ./bench [flags]\n\nPlays the arena over WebTransport and WebSocket through a link that delays and loses packets.")
		fs.PrintDefaults()
	}
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	var rates []float64
	for text := range strings.SplitSeq(*losses, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || x < 0 || x > 50 {
			fmt.Fprintf(stderr, "bench: -loss %q: want numbers from 0 to 50 with commas between them\n", *losses)
			return 2
		}
		rates = append(rates, x)
	}
	clients, err := listed("clients", *of, players)
	over, wrong := listed("transports", *by, transports)
	if err = errors.Join(err, wrong); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 2
	}
	if o.seconds < 1 || o.npcs < 1 || o.delay < 0 || o.settle < 0 {
		fmt.Fprintln(stderr, "bench: -seconds and -npcs are at least 1, and -delay and -settle are not negative")
		return 2
	}
	if slices.Contains(clients, "page") {
		clean, err := o.build()
		if err != nil {
			fmt.Fprintln(stderr, "bench:", err)
			return 1
		}
		defer clean()
	}
	if err := o.compare(rates, clients, over, *asJSON, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

// compare plays all matches and prints their results.
func (o options) compare(rates []float64, clients, over []string, asJSON bool, stdout, stderr io.Writer) error {
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	if !asJSON {
		defer table.Flush()
		fmt.Fprintf(table, "loss\tclient\ttransport\tconnect ms\tstalls\tof frames\tage p50 ms\tage p99 ms\tgap p99 ms\tgap max ms\tcorrections\tsnapshots\t\n")
	}
	for _, o.loss = range rates {
		for _, client := range clients {
			for _, transport := range over {
				fmt.Fprintf(stderr, "%s, %s at %v %% loss …\n", client, transport, o.loss)
				r, err := match(client, transport, o)
				if err != nil {
					return err
				}
				if asJSON {
					_ = json.NewEncoder(stdout).Encode(r)
					continue
				}
				fmt.Fprintf(table, "%v %%\t%s\t%s\t%.0f\t%d\t%d\t%.0f\t%.0f\t%.0f\t%.0f\t%d\t%d\t\n", r.LossPct, r.Client, r.Transport, r.ConnectMS,
					r.Stalls, r.Frames, r.AgeP50MS, r.AgeP99MS, r.GapP99MS, r.GapMaxMS, r.Corrections, r.Snapshots)
			}
		}
	}
	return nil
}
