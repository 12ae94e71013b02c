package inspect

// model tells what depends on the netcode model. What the model at hand does not do has no
// series.
func (c *collector) model(send func(metric, float64, ...string), m *modelReading) {
	type of struct {
		label string
		n     uint64
	}
	all := func(to metric, list ...of) {
		for _, x := range list {
			send(to, float64(x.n), x.label)
		}
	}
	st := &m.stats
	all(c.changes, of{"taken", st.Changes.Taken}, of{"refused", st.Changes.Refused}, of{"unowned", st.Changes.Unowned}, of{"flooded", st.Changes.Flooded})
	send(c.untold, float64(st.Untold))
	send(c.returned, float64(st.Returned))
	send(c.sendErrors, float64(st.SendErrors))
	if m.model.Stamped {
		send(c.passes, float64(m.model.Passes))
		send(c.open, float64(m.tick-min(m.model.Horizon, m.tick)))
		send(c.waits, float64(m.model.Waits))
		send(c.waitsFor, float64(len(m.model.WaitsFor)))
	}
	if !m.model.Snapshots {
		send(c.divergences, float64(st.Divergences))
		all(c.relay, of{"inputs", st.RelayBytes}, of{"states", st.StateBytes})
	}
	if l := m.lagComp; l != nil {
		send(c.views, float64(l.Views))
		all(c.clampedViews, of{"ahead", l.Ahead}, of{"old", l.Old}, of{"backwards", l.Backwards}, of{"unclaimed", l.Unclaimed}, of{"unsent", l.Unsent})
	}
	if o := m.outcomes; o != nil {
		all(c.outcomes, of{"begun", o.Begun}, of{"committed", o.Committed}, of{"cancelled", o.Cancelled}, of{"refused", o.Refused}, of{"late", o.Late})
	}
}
