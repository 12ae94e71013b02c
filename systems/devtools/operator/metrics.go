package operator

import (
	"maps"
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/tactusgo/tactus/systems/rooms"
)

// metrics returns the handler of /metrics.
func (p *Page) metrics() http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(collector{p}, collectors.NewGoCollector())
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{})
}

// collector reads published data of rooms on each request of Prometheus. Rooms, players and processes are not labels,
// because each would create a permanent series. Kinds are configured and therefore constant.
type collector struct{ p *Page }

// Describe sends nothing, because the labels are only known at collection.
func (collector) Describe(chan<- *prometheus.Desc) {}

// level is the current state of the rooms of a kind.
type level struct {
	states        map[rooms.State]int
	seats         map[string]int
	slow, stuck   int
	late, longest float64
	saveAge       float64
}

// states are the states that are reported even without a room.
var states = []rooms.State{rooms.Open, rooms.Running, rooms.Locked, rooms.Draining, rooms.Ended}

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	s := series(out)
	all, kinds := c.p.server.Tallies(), make(map[string]*level)
	for _, t := range all {
		kinds[t.Kind] = &level{states: make(map[rooms.State]int), seats: make(map[string]int)}
	}
	for _, r := range c.p.server.Rooms() {
		i := r.Info()
		l := kinds[i.Kind]
		l.states[i.State]++
		l.seats["free"] += i.Free()
		l.seats["taken"] += i.Taken
		l.seats["promised"] += i.Promised
		l.seats["waiting"] += i.Waiting
		if i.State != rooms.Ended {
			l.saveAge = max(l.saveAge, i.SaveAge.Seconds())
		}
		l.late, l.longest = max(l.late, i.Late.Seconds()), max(l.longest, i.TickTime.Seconds())
		switch trouble(&i) {
		case 2:
			l.stuck++
		case 1:
			l.slow++
		}
	}
	for i := range all {
		s.kind(&all[i], kinds[all[i].Kind])
	}
	m := c.p.server.Membership()
	for name, x := range map[string]struct {
		help string
		is   bool
	}{
		"transport_failed": {"1 while a transport of the process has failed: nobody reaches it.", c.p.server.Err() != nil},
		"draining":         {"1 while the process drains.", c.p.server.Draining()},
		"directory_member": {"1 while other processes find this one in the directory.", m.Member},
		"directory_fenced": {"1 while the process has lost its place in the directory.", m.Fenced},
		"directory_named":  {"1 while another process has the name of this one.", m.Named},
	} {
		v := 0.0
		if x.is {
			v = 1
		}
		s.gauge(name, x.help, v, nil)
	}
	s.gauge("directory_age_seconds", "Time since the process last heard of a change in the directory.", m.Age.Seconds(), nil)
	s.count("directory_errors_total", "Rounds of writing to the directory that failed.", m.Errors, nil)
	s.count("directory_panics_total", "Requests of other processes whose handling panicked.", m.Panics, nil)
	s.count("accept_errors_total", "Failed attempts to accept a connection, such as without a free file descriptor.", c.p.server.AcceptErrors(), nil)
	if queued := c.p.config.Queued; queued != nil {
		s.gauge("queue_players", "Players who wait in the queue at this process.", float64(queued()), nil)
	}
	s.gauge("rooms_free", "Rooms that the process can still create, of any kind.", float64(c.p.server.FreeRooms()), nil)
	s.gauge("saves_unusable", "Rooms that the process did not continue in the last ten minutes, because it cannot use their saves.", float64(c.p.server.UnusableSaves()), nil)
	s.drops(c.p.server.Drops())
	s.actions(c.p.config.Audit)
}

// series is the channel for samples.
type series chan<- prometheus.Metric

func (s series) send(name, help string, kind prometheus.ValueType, v float64, labels []string, values ...string) {
	s <- prometheus.MustNewConstMetric(prometheus.NewDesc("tactus_"+name, help, labels, nil), kind, v, values...)
}

func (s series) gauge(name, help string, v float64, labels []string, values ...string) {
	s.send(name, help, prometheus.GaugeValue, v, labels, values...)
}

func (s series) count(name, help string, n uint64, labels []string, values ...string) {
	s.send(name, help, prometheus.CounterValue, float64(n), labels, values...)
}

// kind sends the samples of a kind of room.
func (s series) kind(t *rooms.Tally, l *level) {
	of := []string{"kind"}
	for state := range l.states {
		if !slices.Contains(states, state) {
			s.gauge("rooms", "Rooms.", float64(l.states[state]), []string{"kind", "state"}, t.Kind, state.String())
		}
	}
	for _, state := range states {
		s.gauge("rooms", "Rooms.", float64(l.states[state]), []string{"kind", "state"}, t.Kind, state.String())
	}
	for _, state := range []string{"free", "promised", "taken", "waiting"} {
		s.gauge("room_seats", "Seats of rooms.", float64(l.seats[state]), []string{"kind", "state"}, t.Kind, state)
	}
	s.gauge("room_players", "Players who are connected, or about to be.", float64(l.seats["taken"]), of, t.Kind)
	s.gauge("rooms_slow", "Rooms whose ticks take longer than their budget.", float64(l.slow), of, t.Kind)
	s.gauge("rooms_stuck", "Rooms that do not come to the end of a tick.", float64(l.stuck), of, t.Kind)
	s.gauge("room_late_seconds", "By how much the latest turn of the latest room began late.", l.late, of, t.Kind)
	s.gauge("room_longest_tick_seconds", "What a tick takes, smoothed, in the room where it takes longest.", l.longest, of, t.Kind)
	s.gauge("room_save_age_seconds", "Age of the newest save of the room whose newest save is the oldest. 0 without a store.", l.saveAge, of, t.Kind)
	s.count("room_ticks_total", "Ticks completed.", t.Ticks, of, t.Kind)
	s.count("room_turns_late_total", "Turns that began when the next was due.", t.Late, of, t.Kind)
	s.count("room_panics_total", "Rooms that have ended by a panic of their game.", t.Events[string(rooms.RoomFailed)], of, t.Kind)
	for _, event := range slices.Sorted(maps.Keys(t.Events)) {
		s.count("room_events_total", "What rooms told: see rooms.Event.", t.Events[event], []string{"kind", "event"}, t.Kind, event)
	}
	s.count("joins_total", "Players who asked for a seat, by what became of it.", t.Given, []string{"kind", "outcome"}, t.Kind, "given")
	s.count("joins_total", "Players who asked for a seat, by what became of it.", t.Returned, []string{"kind", "outcome"}, t.Kind, "returned")
	for _, why := range slices.Sorted(maps.Keys(t.Refused)) {
		s.count("joins_total", "Players who asked for a seat, by what became of it.", t.Refused[why], []string{"kind", "outcome"}, t.Kind, why)
	}
	classes, sum := make(map[float64]uint64), uint64(0)
	for i, b := range rooms.TurnBounds() {
		sum += t.Turns.Counts[i]
		classes[b.Seconds()] = sum
	}
	sum += t.Turns.Counts[len(t.Turns.Counts)-1]
	d := prometheus.NewDesc("tactus_room_tick_seconds", "Time of a turn: a tick as a rule, and what is sent.", of, nil)
	s <- prometheus.MustNewConstHistogram(d, sum, t.Turns.Sum.Seconds(), classes, t.Kind)
}

// drops sends the counters of datagrams without a room.
func (s series) drops(d rooms.Drops) {
	const name, help = "room_datagrams_dropped_total", "Datagrams that no room was given."
	of := []string{"reason"}
	requests := uint64(0)
	for _, n := range d.Requests {
		requests += n
	}
	s.count(name, help, requests, of, "request")
	s.count(name, help, d.Roomless, of, "roomless")
	s.count(name, help, d.Strays, of, "stray")
	s.count(name, help, d.Full, of, "full")
	s.count(name, help, d.Unsent, of, "unsent")
}

// actions sends the counters of operators' actions.
func (s series) actions(a *Audit) {
	a.mu.Lock()
	counted := maps.Clone(a.counted)
	a.mu.Unlock()
	for of, n := range counted {
		s.count("operator_actions_total", "What operators, or others, wanted to do.", n, []string{"action", "outcome"}, of.what, of.outcome)
	}
}
