package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/tactusgo/tactus/systems"
)

// trialFunc plays a match with the given options.
type trialFunc func(o options, progress io.Writer) (*socketReport, error)

// searched is the result of a search.
type searched struct {
	// LargestClients is the largest number of clients that the server carried, or 0 if it carried none of the tested
	// numbers.
	LargestClients int `json:"largest_clients"`
	// Limit is the reason why the smallest excessive number failed. LoadLimited is true if the load was the reason.
	Limit       string  `json:"limit"`
	LoadLimited bool    `json:"load_limited"`
	Trials      []trial `json:"trials"`
	// Report is the report for LargestClients, or nil.
	Report *socketReport `json:"report,omitempty"`
}

// trial is one match of a search.
type trial struct {
	Clients                int     `json:"clients"`
	Carried                bool    `json:"carried"`
	Limit                  string  `json:"limit,omitempty"`
	TicksPct               float64 `json:"ticks_pct"`
	UpdatesPerClientS      float64 `json:"updates_per_client_s"`
	DatagramsDownPerUpdate float64 `json:"datagrams_down_per_update"`
	CPUPerS                float64 `json:"cpu_s_per_s"`
	LoadCPUPerS            float64 `json:"load_cpu_s_per_s"`
	LoadLimited            bool    `json:"load_limited"`
}

// Criteria for a server that carries its clients:
const (
	leastTicks    = 95.0        // per cent
	leastUpdates  = 19.0 / 20.0 // share of the due updates
	mostDatagrams = 3.0         // per update
)

// Limits of a search: number of matches, and distance between the largest carried and the smallest excessive number.
const (
	mostTrials = 12
	nearEnough = 0.04
)

// judge returns "" if a server carried its clients, and otherwise the limit.
func judge(o *options, r *socketReport) (limit string) {
	switch {
	case r.Different > 0:
		return "something was not as told: " + r.Difference
	case r.TicksPct < leastTicks:
		return "ticks"
	case r.UpdatesPerClientS < leastUpdates*float64(sendRate(o.hz)):
		return "updates"
	case r.DatagramsDownPerUpdate > mostDatagrams:
		return "datagrams"
	case r.LoadLimited:
		return "the load" // the requested load was not reached
	}
	return ""
}

// search finds the largest number of clients that a server carries. It raises the number by half until it is too large,
// then bisects.
func search(o options, try trialFunc, progress io.Writer) (*searched, error) {
	s := &searched{}
	few, many := 0, o.maxClients()+1
	for n := o.clients; len(s.Trials) < mostTrials && n > few && n < many; {
		o.clients = n
		t := trial{Clients: n}
		r, err := try(o, io.Discard)
		switch {
		case errors.Is(err, errMissing):
			t.Limit = err.Error()
		case err != nil:
			return nil, err
		default:
			t.TicksPct, t.UpdatesPerClientS, t.DatagramsDownPerUpdate = r.TicksPct, r.UpdatesPerClientS, r.DatagramsDownPerUpdate
			t.CPUPerS, t.LoadCPUPerS, t.LoadLimited = r.CPUPerS, r.LoadCPUPerS, r.LoadLimited
			t.Limit = judge(&o, r)
		}
		t.Carried = t.Limit == ""
		s.Trials = append(s.Trials, t)
		fmt.Fprintf(progress, "%d clients: %.1f %% of ticks, %.1f updates a second, %.2f datagrams an update, %.2f processors, load %.2f: %s\n",
			n, t.TicksPct, t.UpdatesPerClientS, t.DatagramsDownPerUpdate, t.CPUPerS, t.LoadCPUPerS, cmp.Or(t.Limit, "carried"))
		if t.Carried {
			few, s.LargestClients, s.Report = n, n, r
		} else {
			many, s.Limit, s.LoadLimited = n, t.Limit, t.LoadLimited
		}
		switch {
		case many > o.maxClients():
			n = min(few+(few+1)/2, o.maxClients())
		case float64(many-few) <= nearEnough*float64(many):
			return s, nil
		default:
			n = (few + many) / 2
		}
	}
	return s, nil
}

// errMissing means that clients were refused or lost.
var errMissing = errors.New("clients are missing")

// calibrations is the largest number of matches for finding the number of clients that cause a load. calibrated is the
// length of each measurement in seconds.
const (
	calibrations = 4
	calibrated   = 4
)

// calibrate finds the number of clients that cause the requested load and stores it in the options. It assumes a linear
// relation through the two nearest matches.
func calibrate(o *options, try trialFunc, progress io.Writer) error {
	want := float64(o.loadPct) / 100 * float64(o.workers)
	seconds := o.seconds
	defer func() { o.seconds = seconds }()
	o.seconds = min(calibrated, seconds)
	type point struct{ clients, cpu float64 }
	var last point
	for range calibrations {
		r, err := try(*o, io.Discard)
		if err != nil {
			return err
		}
		is := point{float64(o.clients), r.CPUPerS}
		fmt.Fprintf(progress, "calibration: %d clients use %.2f of %d processors\n", o.clients, is.cpu, o.workers)
		if math.Abs(is.cpu-want) <= 0.03*want {
			return nil
		}
		slope := is.cpu / is.clients
		if s := (is.cpu - last.cpu) / (is.clients - last.clients); last.clients > 0 && s > slope/4 {
			slope = s
		}
		n := is.clients + (want-is.cpu)/slope
		last = is
		o.clients = int(min(max(n, is.clients/3, 1), 3*is.clients, float64(o.maxClients())))
		if o.clients == int(is.clients) {
			return nil
		}
	}
	return nil
}

// playSockets runs the requested search or match.
func playSockets(o options, try trialFunc, progress io.Writer) (interface{ print(io.Writer) error }, error) {
	switch {
	case o.search:
		return search(o, try, progress)
	case o.loadPct > 0:
		if err := calibrate(&o, try, progress); err != nil {
			return nil, err
		}
	}
	return try(o, progress)
}

// print writes the result as text.
func (s *searched) print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "clients\tticks %\tupdates/s\tdatagrams\tprocessors\tload\t")
	for _, x := range s.Trials {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", x.Clients, number(x.TicksPct), number(x.UpdatesPerClientS), number(x.DatagramsDownPerUpdate),
			number(x.CPUPerS), number(x.LoadCPUPerS), cmp.Or(x.Limit, "carried"))
	}
	fmt.Fprintf(t, "largest_clients\t%d\t\t\t\t\t%s\n", s.LargestClients, s.Limit)
	return t.Flush()
}

// sendRate returns the default number of snapshots per second.
func sendRate(hz int) int {
	rate := min(systems.UsualSendRate, hz)
	for hz%rate != 0 {
		rate--
	}
	return rate
}
