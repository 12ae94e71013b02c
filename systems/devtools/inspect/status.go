package inspect

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"time"

	"github.com/tactusgo/tactus/systems"
)

// statusAnswer is the response of /api/status. Durations are in microseconds.
type statusAnswer struct {
	Protocol  string       `json:"protocol"`
	Policies  string       `json:"policies"`
	Model     modelAnswer  `json:"model"`
	Tick      uint32       `json:"tick"`
	TickRate  int          `json:"tickRate"`
	WakeEvery int          `json:"wakeEvery"`
	SendRate  int          `json:"sendRate"`
	Seconds   float64      `json:"seconds"` // since the inspector was attached
	Clients   int          `json:"clients"`
	Entities  int          `json:"entities"` // entities with a NetID
	BytesIn   uint64       `json:"bytesIn"`
	BytesOut  uint64       `json:"bytesOut"`
	Overload  loadAnswer   `json:"overload"`
	Go        goAnswer     `json:"go"`
	Wakeups   wakeupAnswer `json:"wakeups"`
	Systems   []systemLine `json:"systems"`
	Counters  []counter    `json:"counters"`
}

// loadAnswer describes the load of the server and the measures that it takes against it.
type loadAnswer struct {
	Load    float64 `json:"load"` // share of the available time that recent wake-ups took
	Step    int     `json:"step"`
	Gives   string  `json:"givesUp"`
	Refused uint64  `json:"newcomersRefused"`
	Dropped uint64  `json:"ticksDropped"`
}

type goAnswer struct {
	Version    string `json:"version"`
	Goroutines int    `json:"goroutines"`
	CPUs       int    `json:"cpus"`
}

// wakeupAnswer describes the durations of wake-ups. Median and P99 are those of Recent. Minute covers the last
// minute.
type wakeupAnswer struct {
	Room   float64   `json:"roomUs"` // time between wake-ups
	Count  uint64    `json:"count"`
	Mean   float64   `json:"meanUs"`
	Median float64   `json:"medianUs"`
	P99    float64   `json:"p99Us"`
	Most   float64   `json:"maxUs"`
	Bounds []float64 `json:"boundsUs"`
	Counts []uint64  `json:"counts"` // one more than bounds
	Recent []float64 `json:"recentUs"`
	Minute tickTimes `json:"lastMinute"`
}

// tickTimes holds the figures that the server itself measures, 0 if it measures none.
type tickTimes struct {
	Median  float64 `json:"medianUs"`
	P99     float64 `json:"p99Us"`
	P999    float64 `json:"p999Us"`
	Most    float64 `json:"maxUs"`
	GCPause float64 `json:"gcPauseUs"`
}

// systemLine is a system of the schedule. Its time includes nested systems.
type systemLine struct {
	Path []string `json:"path"`
	Runs uint64   `json:"runs"`
	Sum  float64  `json:"sumUs"`
	Mean float64  `json:"meanUs"`
	Most float64  `json:"maxUs"`
}

// counter is one figure of the server.
type counter struct {
	Name  string `json:"name"`
	Value uint64 `json:"value"`
	Level bool   `json:"level,omitempty"` // a gauge, for which a rate has no meaning
}

func (x *Inspector) status(ctx context.Context, _ query) (any, error) {
	var a statusAnswer
	var r reading
	var m modelReading
	var now time.Duration
	err := x.runInWakeup(ctx, func(s *systems.Server) {
		now, a.Tick = x.timings.clock(), s.Tick()
		for range s.Clients {
			a.Clients++
		}
		for t := range s.World().Netcode().Tables {
			a.Entities += len(t.Entities)
		}
		m = readModel(s)
		x.timings.read(&r)
	})
	if err != nil {
		return nil, err
	}
	c, st := &x.serverConfig, &m.stats
	a.Model = x.model(&m)
	a.Protocol, a.Policies = x.protocol.Name(), modelOf(c.Model)
	a.TickRate, a.WakeEvery, a.SendRate = c.TickRate, c.WakeEvery, int(st.Overload.SendRate)
	if !m.model.Snapshots { // inputs are relayed in each wake-up
		a.SendRate = c.TickRate / max(c.WakeEvery, 1)
	}
	a.Seconds = now.Seconds()
	a.BytesIn, a.BytesOut = st.BytesIn, st.BytesOut
	a.Overload = loadAnswer{st.Overload.Load, int(st.Overload.Step), st.Overload.Step.String(), st.Overload.Refused, st.TicksDropped}
	a.Go = goAnswer{runtime.Version(), runtime.NumGoroutine(), runtime.GOMAXPROCS(0)}
	a.Wakeups = wakeupLine(&r)
	took := &st.TickTime
	a.Wakeups.Minute = tickTimes{micros(took.P50), micros(took.P99), micros(took.P999), micros(took.Longest), micros(took.GCPause)}
	a.Wakeups.Room = 1e6 * float64(c.WakeEvery) / float64(c.TickRate)
	for i := range r.systems {
		a.Systems = append(a.Systems, lineOf(&r.systems[i]))
	}
	a.Counters = counters(nil, "", reflect.ValueOf(*st))
	return a, nil
}

func wakeupLine(r *reading) wakeupAnswer {
	h := &r.wakeups
	a := wakeupAnswer{
		Count: h.count, Mean: micros(h.sum) / float64(max(h.count, 1)), Most: micros(h.most),
		Median: micros(r.quantile(0.5)), P99: micros(r.quantile(0.99)), Counts: h.counts[:],
	}
	for _, b := range bounds {
		a.Bounds = append(a.Bounds, micros(b))
	}
	for _, d := range r.recent {
		a.Recent = append(a.Recent, micros(d))
	}
	return a
}

func lineOf(x *systemTime) systemLine {
	return systemLine{x.path, x.runs, micros(x.sum), micros(x.sum) / float64(max(x.runs, 1)), micros(x.most)}
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// counters lists the numbers in a struct of counters, with dotted names for nested structs. Arrays are indexed by
// reason; their zeros are omitted.
func counters(all []counter, name string, v reflect.Value) []counter {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i).Name
			if name != "" {
				field = name + "." + field
			}
			all = counters(all, field, v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			if n := v.Index(i).Uint(); n > 0 {
				all = append(all, counter{Name: fmt.Sprintf("%s[%s]", name, reasonOf(name, i)), Value: n})
			}
		}
	case reflect.Uint64, reflect.Uint32:
		all = append(all, counter{Name: name, Value: v.Uint()})
	case reflect.Int:
		all = append(all, counter{Name: name, Value: uint64(max(v.Int(), 0))})
	}
	return all
}
