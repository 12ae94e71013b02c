package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"text/tabwriter"
	"time"
)

// delay is the delay between two screens on one server. screens.mjs and the match of Tactus report some of its JSON fields.
type delay struct {
	Server        string  `json:"server"`
	Version       string  `json:"version"`
	Updates       int     `json:"updates_s"` // configured, per second
	Interpolation string  `json:"interpolation"`
	RTT           int64   `json:"rtt_ms"`
	P50           float64 `json:"seen_ms_p50"`
	P99           float64 `json:"seen_ms_p99"`
	Samples       int     `json:"samples,omitempty"` // Tactus does not report it
}

// roundTrips are the round trips at which the delay is measured.
var roundTrips = []time.Duration{0, 100 * time.Millisecond}

// compareScreens measures the delay between two screens on all servers in turn.
func compareScreens(ctx context.Context, o options, stdout, stderr io.Writer) error {
	servers, err := open(ctx, stderr)
	if err != nil {
		return err
	}
	r := struct {
		Date    string  `json:"date"`
		Seconds int     `json:"seconds"`
		Rows    []delay `json:"rows"`
	}{Date: time.Now().UTC().Format(time.DateOnly), Seconds: o.seconds}
	for _, s := range servers {
		if s.screens == nil {
			continue
		}
		for _, rtt := range roundTrips {
			fmt.Fprintf(stderr, "%s with a round trip of %s\n", s.name, rtt)
			delays, err := s.screens(ctx, rtt, o.seconds)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			for _, d := range delays {
				d.Server, d.Version, d.RTT = s.name, s.version, rtt.Milliseconds()
				r.Rows = append(r.Rows, d)
			}
		}
	}
	fmt.Fprintf(stdout, "%s: the delay between two screens of two players, 60 steps and 60 frames a second\n", r.Date)
	t := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "server\tversion\tupdates/s\tinterpolation\tround trip\tp50\tp99\tsamples")
	for _, d := range r.Rows {
		samples := "every 7th input"
		if d.Samples > 0 {
			samples = fmt.Sprint(d.Samples)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%d ms\t%.0f ms\t%.0f ms\t%s\n", d.Server, d.Version, d.Updates, d.Interpolation, d.RTT, d.P50, d.P99, samples)
	}
	if err := t.Flush(); err != nil || !o.json {
		return err
	}
	return json.NewEncoder(stdout).Encode(r)
}

// screens plays a match of two bots at the default rate of updates, and another one at the rate of the other servers. The simulated
// link of the bots adds the round trip to the sockets.
func (x tactus) screens(ctx context.Context, rtt time.Duration, seconds int) (delays []delay, err error) {
	for _, send := range []int{0, updates} {
		var r struct {
			Client delay `json:"client"`
		}
		if err := x.run(ctx, &r, x.match, "-headless", "-clients", "2", "-npcs", "0", "-rtt", rtt.String(), "-jitter", "0", "-loss", "0",
			"-send", fmt.Sprint(send), "-warmup", settle.String(), "-duration", (settle + time.Duration(seconds)*time.Second).String()); err != nil {
			return nil, err
		}
		r.Client.Interpolation, r.Client.Updates = "the delay follows the link", send
		if send == 0 {
			r.Client.Updates = steps
		}
		delays = append(delays, r.Client)
	}
	return delays, nil
}

// screens measures two clients in one process of Node. A relay adds the round trip.
func (x nodeServer) screens(ctx context.Context, rtt time.Duration, seconds int) (delays []delay, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := x.serve(ctx, 2, 0)
	if err != nil {
		return nil, err
	}
	defer r.stop()
	addr := r.addr
	if rtt > 0 {
		if addr, err = relay(ctx, addr, rtt/2); err != nil {
			return nil, err
		}
	}
	c, err := x.command(ctx, "screens.mjs", 2, 0, map[string]any{
		"addr": addr, "colyseus": x.script == colyseusScript, "settle": settle.Milliseconds(), "seconds": seconds,
	})
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	c.Stdout = &out
	if err := x.start(&x.Load, c.Start); err != nil {
		return nil, err
	}
	if err := c.Wait(); err != nil {
		return nil, fmt.Errorf("screens.mjs: %w", err)
	}
	if err := json.Unmarshal([]byte(out.String()), &delays); err != nil {
		return nil, fmt.Errorf("the output of screens.mjs: %w: %s", err, out.String())
	}
	if len(delays) == 0 {
		return nil, errors.New("no client saw a turn of the other one")
	}
	for i := range delays {
		delays[i].Updates = updates
	}
	return delays, nil
}

// relay forwards connections to addr and delays the bytes of each direction. It returns the address to connect to, and accepts
// connections until ctx ends.
func relay(ctx context.Context, addr string, delay time.Duration) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", addr)
			if err != nil {
				_ = client.Close()
				continue
			}
			go forward(client, server, delay)
			go forward(server, client, delay)
		}
	}()
	return listener.Addr().String(), nil
}

// forward copies bytes after a delay until one of the connections ends, and then closes the other one.
func forward(to, from net.Conn, delay time.Duration) {
	type chunk struct {
		due   time.Time
		bytes []byte
	}
	chunks := make(chan chunk, 1024)
	go func() {
		for c := range chunks {
			time.Sleep(time.Until(c.due))
			if _, err := to.Write(c.bytes); err != nil {
				_ = from.Close()
			}
		}
		_ = to.Close()
	}()
	for {
		b := make([]byte, 4096)
		n, err := from.Read(b)
		if err != nil {
			close(chunks)
			return
		}
		chunks <- chunk{time.Now().Add(delay), b[:n]}
	}
}
