package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// carrier is a server that carries so many clients, or whose load does; what it uses grows with them.
type carrier struct {
	carries, loads int
	tried          []int
}

func (c *carrier) try(o options, _ io.Writer) (*socketReport, error) {
	c.tried = append(c.tried, o.clients)
	if o.clients > 5000 {
		return nil, fmt.Errorf("%w: 1 was lost", errMissing)
	}
	r := &socketReport{Clients: o.clients, TicksPct: 100, UpdatesPerClientS: 20, DatagramsDownPerUpdate: 2, CPUPerS: 0.1 + float64(o.clients)/4000}
	if o.clients > c.carries {
		r.TicksPct = 90
	}
	r.LoadLimited = c.loads > 0 && o.clients > c.loads
	return r, nil
}

func searchOptions(t *testing.T, flags string) options {
	t.Helper()
	o, err := parse(strings.Fields("-transport udp "+flags), io.Discard)
	if err != nil {
		t.Skip(err) // where there are no such matches
	}
	return o
}

// The most clients are found to 4 % in a bounded number of matches, from wherever the search begins, and the limit is named.
func TestSearch_FindsTheMost(t *testing.T) {
	for _, c := range []struct {
		carrier
		from  int
		limit string
	}{
		{carrier{carries: 2600}, 1000, "ticks"},
		{carrier{carries: 100}, 1000, "ticks"},
		{carrier{carries: 3}, 1000, "ticks"},
		{carrier{carries: 4000, loads: 1700}, 1000, "the load"},
		{carrier{carries: 9000}, 1000, "1 was lost"},
	} {
		var out bytes.Buffer
		s, err := search(searchOptions(t, fmt.Sprint("-search -clients ", c.from)), c.try, &out)
		if err != nil {
			t.Fatal(err)
		}
		want := c.carries
		if c.loads > 0 {
			want = min(want, c.loads)
		}
		want = min(want, 5000)
		if s.LargestClients > want || float64(s.LargestClients) < 0.95*float64(want)-1 || len(s.Trials) > mostTrials || len(s.Trials) != len(c.tried) {
			t.Errorf("%+v: %d in %v", c, s.LargestClients, c.tried)
		}
		if !strings.Contains(s.Limit, c.limit) || s.LoadLimited != (c.loads > 0) || s.Report == nil || s.Report.Clients != s.LargestClients {
			t.Errorf("%+v: %q, by the load: %v, report %+v", c, s.Limit, s.LoadLimited, s.Report)
		}
		if strings.Count(out.String(), "\n") != len(s.Trials) {
			t.Errorf("progress: %s", &out)
		}
		out.Reset()
		if err := s.print(&out); err != nil || !strings.Contains(out.String(), fmt.Sprint(s.LargestClients)) {
			t.Errorf("%v: %s", err, &out)
		}
	}
}

// A match that fails otherwise ends the search.
func TestSearch_EndsWithErrors(t *testing.T) {
	failed := func(options, io.Writer) (*socketReport, error) { return nil, io.ErrUnexpectedEOF }
	if _, err := search(searchOptions(t, "-search"), failed, io.Discard); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	o := searchOptions(t, "-load-pct 70")
	if _, err := playSockets(o, failed, io.Discard); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}

// The search finds the number of clients with which the server has the requested load. Then the match has the requested
// duration.
func TestSettle_FindsTheLoad(t *testing.T) {
	for _, from := range []int{100, 1000, 4000} {
		c := carrier{carries: 9000}
		o := searchOptions(t, fmt.Sprint("-load-pct 70 -seconds 30 -clients ", from))
		var seconds int
		try := func(o options, w io.Writer) (*socketReport, error) { seconds = o.seconds; return c.try(o, w) }
		if _, err := playSockets(o, try, io.Discard); err != nil {
			t.Fatal(err)
		}
		last := c.tried[len(c.tried)-1]
		if last < 2300 || last > 2500 || len(c.tried) > calibrations+1 || seconds != 30 {
			t.Errorf("from %d: %v clients, %d s", from, c.tried, seconds)
		}
	}
}

func TestRecovered(t *testing.T) {
	for _, c := range []struct {
		steps []stepAt
		want  int
	}{
		{nil, 0},
		{[]stepAt{{Tick: 10, Step: 1}}, -1},
		{[]stepAt{{Tick: 10, Step: 1}, {Tick: 130, Step: 0}}, 30},
		{[]stepAt{{Tick: 10, Step: 1}, {Tick: 60, Step: 0}}, 0},
		{[]stepAt{{Tick: 10, Step: 1}, {Tick: 60, Step: 0}, {Tick: 120, Step: 1}}, 0},
		{[]stepAt{{Tick: 10, Step: 2}, {Tick: 120, Step: 1}, {Tick: 140, Step: 0}, {Tick: 200, Step: 1}}, 40},
	} {
		if got := recovered(c.steps, 100); got != c.want {
			t.Errorf("%v: %d, want %d", c.steps, got, c.want)
		}
	}
}
