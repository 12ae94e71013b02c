package inspect

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
)

// newMetrics returns the handler of /metrics.
func (x *Inspector) newMetrics() http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(collector{x}, collectors.NewGoCollector())
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{Timeout: 2 * mostWait})
}

// collector reads the server when Prometheus scrapes it.
type collector struct{ x *Inspector }

// Describe sends nothing, because the labels are known only when metrics are collected.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect reads the server and sends all metrics.
func (c collector) Collect(out chan<- prometheus.Metric) {
	var m modelReading
	var t systems.Traffic
	var all []systems.ClientStatus
	var r reading
	entities := 0
	err := c.x.runInWakeup(context.Background(), func(s *systems.Server) {
		m = readModel(s)
		s.Traffic(&t)
		for k := range s.Clients {
			all = append(all, k)
		}
		for table := range s.World().Netcode().Tables {
			entities += len(table.Entities)
		}
		c.x.timings.read(&r)
	})
	if err != nil {
		out <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
		return
	}
	s := series(out)
	s.info(c.x.protocol.Name(), modelOf(c.x.serverConfig.Model))
	s.sendValue("clients", "Connected clients.", float64(len(all)))
	s.sendValue("entities", "Entities with a NetID.", float64(entities))
	s.sendValue("tick", "Tick that the world is at.", float64(m.tick))
	s.server(&m.stats)
	s.model(&m)
	s.traffic(&t)
	s.times(&r)
	s.links(all)
	s.count("reported_corrections_total", "Corrections that clients reported.", c.x.reported())
}

// series sends samples to Prometheus. There are no labels for single clients, because each of them would remain a
// series forever.
type series chan<- prometheus.Metric

// sample is a value of a metric with its label value.
type sample struct {
	of string
	v  float64
}

// count is a counter value with its label value.
type count struct {
	of string
	n  uint64
}

// send sends samples with one label. Names that end in _total are counters.
func (s series) send(name, help, label string, samples ...sample) {
	d := prometheus.NewDesc("tactus_"+name, help, []string{label}, nil)
	for _, x := range samples {
		s <- prometheus.MustNewConstMetric(d, kindOf(name), x.v, x.of)
	}
}

// sendValue sends a metric without labels.
func (s series) sendValue(name, help string, v float64) {
	s <- prometheus.MustNewConstMetric(prometheus.NewDesc("tactus_"+name, help, nil, nil), kindOf(name), v)
}

func (s series) counts(name, help, label string, counts ...count) {
	for _, x := range counts {
		s.send(name, help, label, sample{x.of, float64(x.n)})
	}
}

func (s series) count(name, help string, n uint64) { s.sendValue(name, help, float64(n)) }

func kindOf(name string) prometheus.ValueType {
	if strings.HasSuffix(name, "_total") {
		return prometheus.CounterValue
	}
	return prometheus.GaugeValue
}

func (s series) info(protocol, policies string) {
	d := prometheus.NewDesc("tactus_info", "1; what the server runs.", []string{"protocol", "policies"}, nil)
	s <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, 1, protocol, policies)
}

// server sends the counters that exist under every model.
func (s series) server(st *systems.ServerStats) {
	s.count("ticks_total", "Ticks completed.", st.Ticks)
	s.count("ticks_dropped_total", "Ticks due but not run: the machine was too slow.", st.TicksDropped)
	s.sendValue("load", "Share of their time that wake-ups took lately; above 1 the server is behind.", st.Overload.Load)
	s.sendValue("overload_step", "How much is given up, from 0, nothing; see systems.Overload.", float64(st.Overload.Step))
	if x := &st.TickTime; x.Longest > 0 {
		s.send("tick_time_seconds", "Time of wake-ups in the last minute, garbage collection included.", "of",
			sample{"median", x.P50.Seconds()}, sample{"p99", x.P99.Seconds()}, sample{"p999", x.P999.Seconds()}, sample{"worst", x.Longest.Seconds()})
		s.sendValue("gc_pause_seconds", "Longest pause of garbage collection in the last minute.", x.GCPause.Seconds())
	}
	s.count("newcomers_refused_total", "Clients turned away because the server was busy.", st.Overload.Refused)
	s.count("ticks_resimulated_total", "Ticks simulated again.", st.ResimulatedTicks)
	s.count("sends_total", "Sends of the world.", st.Sends)
	s.count("updates_total", "Snapshots or relayed inputs sent, over all clients.", st.Updates)
	s.count("updates_over_budget_total", "Snapshots in which entities had to wait their turn.", st.OverBudget)
	s.count("snapshot_delay_ticks_total", "Ticks by which snapshots left after their send, to keep ticks short.", st.SnapshotDelay)
	s.count("entities_oversized_total", "Times an entity fit no snapshot.", st.Oversized)
	s.counts("bytes_total", "Bytes of sessions on the wire.", "direction", count{"in", st.BytesIn}, count{"out", st.BytesOut})
	s.counts("datagrams_total", "Datagrams of sessions.", "direction", count{"in", st.DatagramsIn}, count{"out", st.DatagramsOut})
	s.counts("inputs_total", "What became of inputs.", "fate",
		count{"consumed", st.Inputs.Consumed}, count{"missing", st.Inputs.Missing}, count{"late", st.Inputs.Late}, count{"rewrote", st.Inputs.Rewrote},
		count{"rejected", st.Inputs.Rejected}, count{"capped", st.Inputs.Capped}, count{"refused", st.Inputs.Refused}, count{"fast", st.Inputs.Fast})
	s.count("messages_malformed_total", "Messages that no honest client sends.", st.MalformedMessages)
	s.count("messages_flooded_total", "Messages that were too many to be read.", st.FloodedMessages)
	s.counts("advice_total", "Results that clients reported, where corrections follow mismatches.", "verdict",
		count{"agreed", st.Reports.Agreed}, count{"differed", st.Reports.Differed})
	s.count("messages_channel_total", "Messages of channels that the game was told of.", st.ChannelMessages)
	s.count("values_clamped_total", "Values outside their declared range.", st.Clamped)
	s.count("clients_deaf_total", "Clients dropped because they acknowledged nothing.", st.Deaf)
	s.count("refusals_untold_total", "Refusals that clients were not told of, because there were too many.", st.Untold)
	s.count("clients_returned_total", "Players that came back while they were waited for.", st.Returned)
	s.count("send_errors_total", "Packets that the session refused.", st.SendErrors)
	for reason, n := range st.Drops {
		if reason > 0 {
			s.counts("packets_dropped_total", "Authentic packets thrown away.", "reason", count{netsys.DropReason(reason).String(), n})
		}
	}
	for reason, n := range st.DatagramDrops {
		if reason > 0 {
			s.counts("datagrams_dropped_total", "Datagrams thrown away before that, of strangers above all; full of used tokens: nobody can join.", "reason",
				count{netcode.DropReason(reason).String(), n})
		}
	}
}

// model sends the metrics that depend on the netcode model. Metrics that do not apply are omitted.
func (s series) model(m *modelReading) {
	if m.model.Stamped {
		s.count("rewinds_total", "Times the server went back for late inputs.", m.model.Passes)
		s.sendValue("ticks_open", "Ticks that have been simulated and may still change.", float64(m.tick-min(m.model.Horizon, m.tick)))
		s.count("ticks_waited_total", "Times a tick was due and waited for somebody's input, under lockstep.", m.model.Waits)
		s.sendValue("clients_waited_for", "Clients whose input the next tick waits for, under lockstep.", float64(len(m.model.WaitsFor)))
	}
	if !m.model.Snapshots {
		s.count("divergences_total", "Worlds of clients that left the server's, where every peer simulates everything.", m.stats.Divergences)
		s.counts("relay_sent_bytes_total", "Bytes sent where clients are told inputs in place of snapshots.", "part",
			count{"inputs", m.stats.RelayBytes}, count{"states", m.stats.StateBytes})
	}
	if l := m.lagComp; l != nil {
		s.count("lagcomp_views_total", "Looks at the world as a client saw it.", l.Views)
		s.counts("lagcomp_views_clamped_total", "Of these, those that show another moment than was claimed.", "reason",
			count{"ahead", l.Ahead}, count{"old", l.Old}, count{"backwards", l.Backwards}, count{"unclaimed", l.Unclaimed}, count{"unsent", l.Unsent})
	}
	if o := m.outcomes; o != nil {
		s.counts("outcomes_total", "What became of irreversible outcomes.", "fate",
			count{"begun", o.Begun}, count{"committed", o.Committed}, count{"cancelled", o.Cancelled}, count{"refused", o.Refused}, count{"late", o.Late})
	}
}

// traffic sends the composition of snapshot bytes.
func (s series) traffic(t *systems.Traffic) {
	world := t.Presence.Sent
	for i := range t.Components {
		x := &t.Components[i]
		s.send("component_bytes_total", "Bytes of snapshots by component, estimated.", "component", sample{x.Name, max(x.Sent, 0)})
		world += x.Sent
	}
	s.send("snapshot_bytes_total", "Bytes of snapshots by what they are.", "part",
		sample{"headers", float64(t.Headers)}, sample{"block_heads", float64(t.Heads)}, sample{"own", float64(t.Own)}, sample{"world", max(world, 0)})
}

// times sends the durations of wake-ups and systems.
func (s series) times(r *reading) {
	h := &r.wakeups
	classes := make(map[float64]uint64, len(bounds))
	sum := uint64(0)
	for i, b := range bounds {
		sum += h.counts[i]
		classes[b.Seconds()] = sum
	}
	d := prometheus.NewDesc("tactus_wakeup_seconds", "Time of a wake-up: its ticks and what is sent.", nil, nil)
	s <- prometheus.MustNewConstHistogram(d, h.count, h.sum.Seconds(), classes)
	for i := range r.systems {
		x := &r.systems[i]
		name := strings.Join(x.path, "/")
		s.send("system_seconds_total", "Time in a system, those it runs included.", "system", sample{name, x.sum.Seconds()})
		s.counts("system_runs_total", "Runs of a system.", "system", count{name, x.runs})
	}
}

// links sends the quality of the clients' links.
func (s series) links(all []systems.ClientStatus) {
	if len(all) == 0 {
		return
	}
	for _, f := range [...]struct {
		name, help string
		of         func(*netsys.Stats) float64
	}{
		{"client_rtt_seconds", "Round trips of the connected clients.", func(s *netsys.Stats) float64 { return s.RTT.Seconds() }},
		{"client_jitter_seconds", "Jitter of the connected clients.", func(s *netsys.Stats) float64 { return s.Jitter.Seconds() }},
		{"client_loss_ratio", "Loss of the connected clients, in the worse direction.", func(s *netsys.Stats) float64 { return max(s.LossIn, s.LossOut) }},
	} {
		values := make([]float64, len(all))
		for i := range all {
			values[i] = f.of(&all[i].Session)
		}
		slices.Sort(values)
		s.send(f.name, f.help, "of", sample{"median", quantile(values, 0.5)}, sample{"p95", quantile(values, 0.95)}, sample{"worst", quantile(values, 1)})
	}
}

// quantile returns the smallest sorted value that is at least as large as this share of the values.
func quantile[T cmp.Ordered](sorted []T, share float64) T {
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// reported returns the number of corrections in the latest reports of all clients.
func (x *Inspector) reported() (n uint64) {
	x.causeTables.mu.Lock()
	defer x.causeTables.mu.Unlock()
	for _, t := range x.causeTables.tables {
		n += t.Corrections
	}
	return n
}
