package inspect

import (
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

// metric is a figure for Prometheus.
type metric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func counterOf(name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc("tactus_"+name, help, labels, nil), prometheus.CounterValue}
}

func gaugeOf(name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc("tactus_"+name, help, labels, nil), prometheus.GaugeValue}
}

// collector asks the server when Prometheus does. Clients have no labels of their own:
// they come and go, and each would be a series for ever.
type collector struct {
	x *Inspector

	info, clients, entities, tick                             metric
	ticks, dropped, resimulated                               metric
	sends, updates, overBudget, oversized                     metric
	bytes, datagrams, drops, datagramDrops                    metric
	inputs, malformed, flooded, reports, heard, clamped, deaf metric
	changes, untold, returned, sendErrors, divergences        metric
	passes, open, waits, waitsFor                             metric
	views, clampedViews, outcomes                             metric
	snapshot, component, relay                                metric
	systemSeconds, systemRuns                                 metric
	rtt, jitter, loss                                         metric
	corrections                                               metric
	wakeup                                                    *prometheus.Desc
}

func newCollector(x *Inspector) *collector {
	return &collector{
		x:             x,
		info:          gaugeOf("info", "1; what the server runs.", "protocol", "policies"),
		clients:       gaugeOf("clients", "Connected clients."),
		entities:      gaugeOf("entities", "Entities with a NetID."),
		tick:          gaugeOf("tick", "Tick that the world is at."),
		ticks:         counterOf("ticks_total", "Ticks completed."),
		dropped:       counterOf("ticks_dropped_total", "Ticks due but not run: the machine was too slow."),
		resimulated:   counterOf("ticks_resimulated_total", "Ticks simulated again."),
		sends:         counterOf("sends_total", "Sends of the world."),
		updates:       counterOf("updates_total", "Snapshots or relayed inputs sent, over all clients."),
		overBudget:    counterOf("updates_over_budget_total", "Snapshots in which entities had to wait their turn."),
		oversized:     counterOf("entities_oversized_total", "Times an entity fit no snapshot."),
		bytes:         counterOf("bytes_total", "Bytes of sessions on the wire.", "direction"),
		datagrams:     counterOf("datagrams_total", "Datagrams of sessions.", "direction"),
		drops:         counterOf("packets_dropped_total", "Authentic packets thrown away.", "reason"),
		datagramDrops: counterOf("datagrams_dropped_total", "Datagrams thrown away before that, of strangers above all; full of used tokens: nobody can join.", "reason"),
		inputs:        counterOf("inputs_total", "What became of inputs.", "fate"),
		malformed:     counterOf("messages_malformed_total", "Messages that no honest client sends."),
		flooded:       counterOf("messages_flooded_total", "Messages that were too many to be read."),
		reports:       counterOf("advice_total", "Results that clients reported, where corrections follow mismatches.", "verdict"),
		heard:         counterOf("messages_channel_total", "Messages of channels that the game was told of."),
		changes:       counterOf("changes_total", "What became of values of client-owned components.", "fate"),
		untold:        counterOf("refusals_untold_total", "Refusals that clients were not told of, because there were too many."),
		returned:      counterOf("clients_returned_total", "Players that came back while they were waited for."),
		sendErrors:    counterOf("send_errors_total", "Packets that the wire refused."),
		divergences:   counterOf("divergences_total", "Worlds of clients that left the server's, where every peer simulates everything."),
		passes:        counterOf("rewinds_total", "Times the server went back for late inputs."),
		open:          gaugeOf("ticks_open", "Ticks that have been simulated and may still change."),
		waits:         counterOf("ticks_waited_total", "Times a tick was due and waited for somebody's input, under lockstep."),
		waitsFor:      gaugeOf("clients_waited_for", "Clients whose input the next tick waits for, under lockstep."),
		views:         counterOf("lagcomp_views_total", "Looks at the world as a client saw it."),
		clampedViews:  counterOf("lagcomp_views_clamped_total", "Of these, those that show another moment than was claimed.", "reason"),
		outcomes:      counterOf("outcomes_total", "What became of irreversible outcomes.", "fate"),
		clamped:       counterOf("values_clamped_total", "Values outside their declared range."),
		deaf:          counterOf("clients_deaf_total", "Clients dropped because they acknowledged nothing."),
		snapshot:      counterOf("snapshot_bytes_total", "Bytes of snapshots by what they are.", "part"),
		relay:         counterOf("relay_sent_bytes_total", "Bytes sent where clients are told inputs in place of snapshots.", "part"),
		component:     counterOf("component_bytes_total", "Bytes of snapshots by component, estimated.", "component"),
		systemSeconds: counterOf("system_seconds_total", "Time in a system, those it runs included.", "system"),
		systemRuns:    counterOf("system_runs_total", "Runs of a system.", "system"),
		rtt:           gaugeOf("client_rtt_seconds", "Round trips of the connected clients.", "of"),
		jitter:        gaugeOf("client_jitter_seconds", "Jitter of the connected clients.", "of"),
		loss:          gaugeOf("client_loss_ratio", "Loss of the connected clients, in the worse direction.", "of"),
		corrections:   counterOf("reported_corrections_total", "Corrections that clients reported."),
		wakeup:        prometheus.NewDesc("tactus_wakeup_seconds", "Time of a wake-up: its ticks and what is sent.", nil, nil),
	}
}

// newMetrics is the handler of /metrics.
func (x *Inspector) newMetrics() http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(newCollector(x), collectors.NewGoCollector())
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{Timeout: 2 * mostWait})
}

// Describe sends nothing, as a collector does whose labels are known when it collects.
func (c *collector) Describe(chan<- *prometheus.Desc) {}

// Collect asks the server.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	send := func(m metric, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, v, labels...)
	}
	var m modelReading
	var t systems.Traffic
	var all []systems.ClientStatus
	var r reading
	entities := 0
	err := c.x.ask(context.Background(), func(s *systems.Server) {
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
		out <- prometheus.NewInvalidMetric(c.tick.desc, err)
		return
	}
	st := &m.stats
	send(c.info, 1, c.x.protocol.Name(), modelOf(c.x.settled.Policies))
	send(c.clients, float64(len(all)))
	send(c.entities, float64(entities))
	send(c.tick, float64(m.tick))
	for _, n := range [...]struct {
		metric
		n      uint64
		labels []string
	}{
		{c.ticks, st.Ticks, nil}, {c.dropped, st.TicksDropped, nil}, {c.resimulated, st.ResimulatedTicks, nil},
		{c.sends, st.Sends, nil}, {c.updates, st.Updates, nil}, {c.overBudget, st.OverBudget, nil}, {c.oversized, st.Oversized, nil},
		{c.bytes, st.BytesIn, []string{"in"}}, {c.bytes, st.BytesOut, []string{"out"}},
		{c.datagrams, st.DatagramsIn, []string{"in"}}, {c.datagrams, st.DatagramsOut, []string{"out"}},
		{c.inputs, st.Inputs.Consumed, []string{"consumed"}}, {c.inputs, st.Inputs.Missing, []string{"missing"}},
		{c.inputs, st.Inputs.Late, []string{"late"}}, {c.inputs, st.Inputs.Rewrote, []string{"rewrote"}},
		{c.inputs, st.Inputs.Rejected, []string{"rejected"}}, {c.inputs, st.Inputs.Capped, []string{"capped"}},
		{c.inputs, st.Inputs.Refused, []string{"refused"}}, {c.inputs, st.Inputs.Fast, []string{"fast"}},
		{c.malformed, st.MalformedMessages, nil}, {c.flooded, st.FloodedMessages, nil},
		{c.reports, st.Reports.Agreed, []string{"agreed"}}, {c.reports, st.Reports.Differed, []string{"differed"}},
		{c.heard, st.ChannelMessages, nil}, {c.clamped, st.Clamped, nil}, {c.deaf, st.Deaf, nil},
		{c.snapshot, t.Headers, []string{"headers"}}, {c.snapshot, t.Heads, []string{"block_heads"}}, {c.snapshot, t.Own, []string{"own"}},
	} {
		send(n.metric, float64(n.n), n.labels...)
	}
	c.model(send, &m)
	world := t.Presence.Sent
	for i := range t.Components {
		send(c.component, max(t.Components[i].Sent, 0), t.Components[i].Name)
		world += t.Components[i].Sent
	}
	send(c.snapshot, max(world, 0), "world")
	for reason, n := range st.Drops {
		if reason > 0 {
			send(c.drops, float64(n), netsys.DropReason(reason).String())
		}
	}
	for reason, n := range st.DatagramDrops {
		if reason > 0 {
			send(c.datagramDrops, float64(n), netcode.DropReason(reason).String())
		}
	}
	c.times(out, &r)
	c.links(send, all)
	send(c.corrections, float64(c.x.reported()))
}

// times tells what wake-ups and systems took.
func (c *collector) times(out chan<- prometheus.Metric, r *reading) {
	h := &r.wakeups
	classes := make(map[float64]uint64, len(bounds))
	sum := uint64(0)
	for i, b := range bounds {
		sum += h.counts[i]
		classes[b.Seconds()] = sum
	}
	out <- prometheus.MustNewConstHistogram(c.wakeup, h.count, h.sum.Seconds(), classes)
	for i := range r.systems {
		x := &r.systems[i]
		name := strings.Join(x.path, "/")
		out <- prometheus.MustNewConstMetric(c.systemSeconds.desc, c.systemSeconds.kind, x.sum.Seconds(), name)
		out <- prometheus.MustNewConstMetric(c.systemRuns.desc, c.systemRuns.kind, float64(x.runs), name)
	}
}

// links tells how the clients' links are.
func (c *collector) links(send func(metric, float64, ...string), all []systems.ClientStatus) {
	if len(all) == 0 {
		return
	}
	for _, f := range [...]struct {
		metric
		of func(*netsys.Stats) float64
	}{
		{c.rtt, func(s *netsys.Stats) float64 { return s.RTT.Seconds() }},
		{c.jitter, func(s *netsys.Stats) float64 { return s.Jitter.Seconds() }},
		{c.loss, func(s *netsys.Stats) float64 { return max(s.LossIn, s.LossOut) }},
	} {
		values := make([]float64, len(all))
		for i := range all {
			values[i] = f.of(&all[i].Session)
		}
		slices.Sort(values)
		for _, q := range [...]struct {
			name  string
			share float64
		}{{"median", 0.5}, {"p95", 0.95}, {"worst", 1}} {
			send(f.metric, values[min(int(q.share*float64(len(values))), len(values)-1)], q.name)
		}
	}
}

// reported is how many corrections the latest reports of all clients tell of.
func (x *Inspector) reported() (n uint64) {
	x.causeTables.mu.Lock()
	defer x.causeTables.mu.Unlock()
	for _, t := range x.causeTables.tables {
		n += t.Corrections
	}
	return n
}
