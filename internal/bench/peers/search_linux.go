package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// figures are the measurements of a server.
type figures struct {
	CPU          float64 `json:"cpu_s_per_s"`
	CPUPerUpdate float64 `json:"cpu_us_per_client_update"`
	Bytes        float64 `json:"bytes_per_update"`
	Ticks        float64 `json:"ticks_pct"`
	Updates      float64 `json:"updates_per_client_s"`
	RSS          float64 `json:"rss_mib"`
	Load         float64 `json:"load_cpu_s_per_s"`
}

// server is one of the compared servers.
type server struct {
	name, version string
	sends         string // content of an update
	encrypts      bool
	measure       func(ctx context.Context, clients, npcs, seconds int) (figures, error)
	screens       func(ctx context.Context, rtt time.Duration, seconds int) ([]delay, error)
}

// errRefused means that not all clients could join in time.
var errRefused = errors.New("clients were not let in")

// carries reports whether a server carries its clients, and the limit if it does not.
func (f figures) carries() (ok bool, limit string) {
	switch {
	case f.Ticks >= 95 && f.Updates >= 19:
		return true, ""
	case f.Load >= 0.95:
		return false, "the clients' processor"
	case f.Ticks < 95:
		return false, "ticks"
	}
	return false, "updates"
}

// most searches for the largest number of players, with an error of 5 %.
func most(ctx context.Context, s server, o options, progress io.Writer) (players int, limit string, err error) {
	few, many := 0, 0
	for n := 500; many == 0 || float64(many-few) > 0.05*float64(many); {
		f, err := s.measure(ctx, n, o.npcs, o.seconds)
		ok, why := f.carries()
		switch {
		case errors.Is(err, errRefused):
			ok, why = false, "joins"
		case err != nil:
			return 0, "", err
		}
		fmt.Fprintf(progress, "%s: %d players: %.0f %% of ticks, %.1f updates a second, %.2f processors\n", s.name, n, f.Ticks, f.Updates, f.CPU)
		if ok {
			few = n
		} else {
			many, limit = n, why
		}
		if n = (few + many) / 2; many == 0 {
			n = few * 3 / 2
		}
		if few == 0 && many < 20 {
			break
		}
	}
	return few, limit, nil
}
