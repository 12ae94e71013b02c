package main

import (
	"fmt"

	"github.com/tactusgo/tactus/examples/compare/trial"
)

var (
	rollback  = series{"rollback", orange}
	localSync = series{"LocalSync", blue}
)

// plot draws results as an SVG image.
func plot(r trial.Results) []byte {
	const width, height, margin = 1280, 1160, 48
	c := newCanvas(width, height)
	c.text(margin, 44, 22, atStart, ink, "One world, the same inputs and links, six netcode models")
	c.text(margin, 66, 13, atStart, faint, fmt.Sprintf("Re-simulated ticks are runs of Simulate for ticks that a peer had "+
		"completed, counted on running worlds at 60 ticks a second. Seed %d.", r.Seed))

	// The costs of rollback and of LocalSync.
	const row1, column = 112, 400
	c.title(margin, row1, "Inputs change in every tick", "re-simulated ticks per tick, by peer (one-way latency in ticks)")
	c.legend(margin, row1+40, rollback, localSync)
	names := []string{"server"}
	for i, l := range r.Latencies {
		names = append(names, fmt.Sprintf("p%d (%d)", i+1, l))
	}
	both := []series{rollback, localSync}
	c.bars(margin+34, row1+64, 330, 210, names, both, values(r.Steady.Rollback), values(r.Steady.LocalSync))

	total := func(points []trial.Point, x func(trial.Point) int) (at []int, of [2][]float64) {
		for _, p := range points {
			at = append(at, x(p))
			of[0], of[1] = append(of[0], p.Rollback.Total), append(of[1], p.LocalSync.Total)
		}
		return at, of
	}
	at, of := total(r.SweepPlayers, func(p trial.Point) int { return p.Players })
	c.title(margin+column+24, row1, "More players",
		fmt.Sprintf("re-simulated ticks per tick of all peers, at a latency of %d ticks", first(r.SweepPlayers).Latency))
	c.legend(margin+column+24, row1+40, rollback, localSync)
	c.lines(margin+column+58, row1+64, 310, 210, "players", at, both, of[:]...)
	at, of = total(r.SweepLatency, func(p trial.Point) int { return p.Latency })
	c.title(margin+2*column+24, row1, "More latency",
		fmt.Sprintf("re-simulated ticks per tick of all peers, with %d players", first(r.SweepLatency).Players))
	c.legend(margin+2*column+24, row1+40, rollback, localSync)
	c.lines(margin+2*column+58, row1+64, 310, 210, "one-way latency in ticks", at, both, of[:]...)

	// The lag spike, and the duels.
	const row2 = 480
	calm, spiked := series{"calm", pale}, series{"during and after the spike", violet}
	for i, s := range []struct {
		name string
		of   trial.Spiked
	}{{"Rollback", r.Spike.Rollback}, {"LocalSync", r.Spike.LocalSync}} {
		x := margin + float64(i*column) + float64(24*min(i, 1))
		c.title(x, row2, s.name+": a lag spike of "+r.Spike.Player, "re-simulated ticks per tick, by peer")
		c.legend(x, row2+40, calm, spiked)
		c.bars(x+34, row2+64, 330-float64(20*i), 170, names, []series{calm, spiked}, values(s.of.Calm), values(s.of.Spiked))
	}
	c.duels(margin+2*column+24, row2, 344, r.Fairness.Duels)

	// The presets, in columns of bars.
	const row3 = 836
	c.title(margin, row3, "The presets on identical links",
		"round trips of 40 to 200 ms with jitter and bursts of loss; players bump and shoot")
	c.presets(margin, row3+52, width-2*margin, r.Presets)
	return c.end()
}

func first(points []trial.Point) (p trial.Point) {
	if len(points) > 0 {
		p = points[0]
	}
	return p
}

func values(p trial.Peers) []float64 { return append([]float64{p.Server}, p.Players...) }

// bars draws groups of vertical bars. Each group has a bar of each series.
func (c *canvas) bars(x, y, w, h float64, names []string, all []series, of ...[]float64) {
	most := 0.0
	for _, v := range of {
		for _, v := range v {
			most = max(most, v)
		}
	}
	f := c.framed(x, y, w, h, most)
	group := w / float64(len(names))
	bar := min(group*0.76/float64(len(all)), 30)
	for i, name := range names {
		middle := x + group*(float64(i)+0.5)
		left := middle - bar*float64(len(all))/2
		for k, s := range all {
			v := of[k][i]
			c.rect(left+bar*float64(k)+1, f.at(v), bar-2, y+h-f.at(v), s.fill)
			if bar >= 16 {
				c.text(left+bar*(float64(k)+0.5), f.at(v)-4, 10, atMiddle, ink, figure(v))
			}
		}
		if len(names) > 8 { // no room for latencies
			name = map[bool]string{true: "S", false: fmt.Sprint(i)}[i == 0]
		}
		c.text(middle, y+h+17, 11, atMiddle, ink, name)
	}
	c.line(x, y+h, x+w, y+h, 1, faint)
}

// lines draws a line for each series. at are the positions of the values on the horizontal axis.
func (c *canvas) lines(x, y, w, h float64, axis string, at []int, all []series, of ...[]float64) {
	most, last := 0.0, 1
	for _, v := range of {
		for _, v := range v {
			most = max(most, v)
		}
	}
	for _, n := range at {
		last = max(last, n)
	}
	f := c.framed(x, y, w, h, most)
	right := func(n int) float64 { return x + w*float64(n)/float64(last) }
	for i, n := range at {
		if i == 0 || right(n)-right(at[i-1]) > 14 {
			c.text(right(n), y+h+17, 11, atMiddle, ink, fmt.Sprint(n))
		}
	}
	c.text(x+w/2, y+h+35, 11, atMiddle, faint, axis)
	c.line(x, y+h, x+w, y+h, 1, faint)
	for k, s := range all {
		for i := range at {
			if i > 0 {
				c.line(right(at[i-1]), f.at(of[k][i-1]), right(at[i]), f.at(of[k][i]), 2, s.fill)
			}
		}
		for i := range at {
			c.dot(right(at[i]), f.at(of[k][i]), 4, s.fill)
		}
		if n := len(at) - 1; n >= 0 {
			c.text(right(at[n])-6, f.at(of[k][n])-9, 11, atEnd, ink, figure(of[k][n]))
		}
	}
}

// duels draws how many rounds each side won.
func (c *canvas) duels(x, y, w float64, duels []trial.Duel) {
	c.title(x, y, "A duel: 20 ms against 200 ms", "rounds in which both shoot at the same moment")
	ends := []series{{"20 ms wins", orange}, {"200 ms wins", violet}, {"both die", blue}, {"nobody", pale}}
	c.legend(x, y+40, ends...)
	for i, d := range duels {
		top := y + 66 + float64(i)*31
		c.text(x, top-4, 11, atStart, ink, d.Model+", "+d.Moment)
		left := x
		for k, n := range []int{d.Low, d.High, d.Both, d.None} {
			if part := w * float64(n) / float64(max(d.Rounds, 1)); n > 0 {
				c.rect(left, top, part-1, 13, ends[k].fill)
				c.text(left+part/2, top+10.5, 10, atMiddle, "#ffffff", fmt.Sprint(n))
				left += part
			}
		}
	}
}

// presets draws the figures as columns with one bar per preset.
func (c *canvas) presets(x, y, w float64, presets []trial.Preset) {
	columns := []struct {
		title, unit string
		of          func(p trial.Preset) float64
	}{
		{"own input delay", "ms", func(p trial.Preset) float64 { return p.InputDelay }},
		{"seen by others after", "ms", func(p trial.Preset) float64 { return p.SeenDelay }},
		{"p99 visual error", "units", func(p trial.Preset) float64 { return p.VisualError }},
		{"corrections", "all clients", func(p trial.Preset) float64 { return float64(p.Corrections) }},
		{"re-simulated", "ticks, all peers", func(p trial.Preset) float64 { return p.Resimulated }},
		{"bytes down + up", "per client and second", func(p trial.Preset) float64 { return p.Down + p.Up }},
	}
	const label, pitch, high = 140, 34, 18
	each := (w - label) / float64(len(columns))
	for i, p := range presets {
		c.text(x+label-14, y+40+pitch*float64(i)+13, 13, atEnd, ink, p.Preset)
	}
	for k, col := range columns {
		left, most := x+label+each*float64(k), 0.0
		for _, p := range presets {
			most = max(most, col.of(p))
		}
		c.text(left, y+8, 12, atStart, ink, col.title)
		c.text(left, y+24, 11, atStart, faint, col.unit)
		room := each - 66
		for i, p := range presets {
			top, v := y+40+pitch*float64(i), col.of(p)
			c.rect(left, top, max(room*v/max(most, 1e-9), 1), high, blue)
			c.text(left+room*v/max(most, 1e-9)+6, top+13, 11, atStart, ink, figure(v))
		}
		c.line(left, y+34, left, y+40+pitch*float64(len(presets))-8, 1, faint)
	}
}
