package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/tactusgo/tactus/internal/bench/apart"
)

const (
	// turn is the longest turn of a server, short in comparison with the duration of other load on a machine.
	turn = 100 * time.Millisecond
	// warmup is the unmeasured part at the start of a turn.
	warmup = 50 * time.Millisecond
	// retries is how often a turn is repeated if the machine did not let the server run.
	retries = 5
)

var errSilent = errors.New("server is silent")

// result is the medians over a server's turns.
type result struct {
	micros float64 // processor time per packet, µs
	allocs float64 // per packet
	rate   float64 // packets per second
	lost   float64 // share of packets lost, both directions

	turns []float64 // micros of each turn
}

// measure runs each kind of server for a total time and returns the results by name.
func measure(clients int, total time.Duration, progress io.Writer) (map[string]result, error) {
	type contestant struct {
		*process
		peers []peer
		turns []result
	}
	var all []*contestant
	defer func() {
		for _, c := range all {
			closeAll(c.peers)
			_ = c.Close()
		}
	}()
	where, err := apart.Split(1)
	if err != nil {
		return nil, err
	}
	for _, k := range kinds {
		p, err := start(k, where)
		if err != nil {
			return nil, err
		}
		c := &contestant{process: p}
		all = append(all, c)
		if c.peers, err = k.dial(p.addr, clients); err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		if err := p.Pause(); err != nil {
			return nil, err
		}
	}
	turns := int((total + turn - 1) / turn)
	for round := range turns {
		fmt.Fprintf(progress, "round %d of %d, µs:", round+1, turns)
		for _, c := range all {
			turn := func() (result, error) {
				return takeTurn(c.process, startLoad(c.peers, &where.Load), total/time.Duration(turns))
			}
			r, err := turn()
			for n := 0; n < retries && errors.Is(err, errSilent); n++ {
				r, err = turn()
			}
			if err != nil {
				fmt.Fprintln(progress)
				return nil, err
			}
			c.turns = append(c.turns, r)
			fmt.Fprintf(progress, " %s %.2f", c.kind.name, r.micros)
		}
		fmt.Fprintln(progress)
	}
	results := make(map[string]result)
	for _, c := range all {
		of := func(field func(result) float64) float64 { return median(c.turns, field) }
		r := result{
			micros: of(func(r result) float64 { return r.micros }),
			allocs: of(func(r result) float64 { return r.allocs }),
			rate:   of(func(r result) float64 { return r.rate }),
			lost:   of(func(r result) float64 { return r.lost }),
		}
		for _, turn := range c.turns {
			r.turns = append(r.turns, turn.micros)
		}
		results[c.kind.name] = r
	}
	return results, nil
}

// takeTurn runs one server under load for the given time.
func takeTurn(p *process, l *load, length time.Duration) (r result, err error) {
	defer l.stop()
	if err := p.Resume(); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.Pause()) }()
	time.Sleep(warmup)
	sent, received, began := l.sent.Load(), l.received.Load(), time.Now()
	before, err := p.usage()
	if err != nil {
		return result{}, err
	}
	time.Sleep(length)
	sent, received, length = l.sent.Load()-sent, l.received.Load()-received, time.Since(began)
	after, err := p.usage()
	if err != nil {
		return result{}, err
	}
	in, out := after.In-before.In, after.Out-before.Out
	if in == 0 || out == 0 {
		return result{}, fmt.Errorf("%w: %s received %d packets and sent %d", errSilent, p.kind.name, in, out)
	}
	packets := float64(in + out)
	return result{
		micros: float64(after.CPU-before.CPU) / 1000 / packets,
		allocs: float64(after.Mallocs-before.Mallocs) / packets,
		rate:   packets / length.Seconds(),
		// Packets in flight at the ends of a turn can make the count of lost packets negative.
		lost: max(0, 1-float64(in+received)/float64(sent+out)),
	}, nil
}

func median(turns []result, field func(result) float64) float64 {
	values := make([]float64, len(turns))
	for i, r := range turns {
		values[i] = field(r)
	}
	return middle(values)
}

func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// object returns the JSON object of the results.
func object(results map[string]result) map[string]any {
	o := make(map[string]any)
	allocs, rate, lost := make(map[string]float64), make(map[string]float64), make(map[string]float64)
	for name, r := range results {
		o[name] = round(r.micros)
		allocs[name], rate[name], lost[name] = round(r.allocs), math.Round(r.rate), round(r.lost)
	}
	for _, c := range comparisons {
		o[c.name()] = round(c.ratio(results))
	}
	o["allocs_per_packet"], o["packets_per_second"], o["lost"] = allocs, rate, lost
	return o
}

func round(v float64) float64 { return math.Round(v*1000) / 1000 }
