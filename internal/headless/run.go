package headless

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Run plays a match as the options say and prints its report to out: one JSON
// object as the last line with -json, a few lines to read without. Progress
// goes to progress.
func Run(ctx context.Context, world World, o Options, out, progress io.Writer) error {
	var m *Match
	var err error
	if o.Virtual {
		if m, err = NewVirtual(world, o); err == nil {
			err = m.Virtual(ctx, progress)
		}
	} else {
		if m, err = NewReal(ctx, world, o, "127.0.0.1:0"); err == nil {
			if m.inspector, err = o.openInspector(ctx, m.server, progress); err != nil {
				return errors.Join(err, m.close())
			}
			err = m.Real(ctx, progress)
		}
	}
	if err != nil {
		return err
	}
	r := m.Report()
	if progress != nil {
		if _, err := io.WriteString(progress, r.blame.String()); err != nil {
			return err
		}
	}
	if o.JSON {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s\n", line)
		return err
	}
	return r.print(out)
}

// print writes a report to read.
func (r *Report) print(out io.Writer) error {
	_, err := fmt.Fprintf(out, `%d clients, %d NPCs, %d ticks (%d overruns), tick %.0f µs median, %.0f µs p99
converged %v %s
server  inputs consumed %d, missing %d, late %d; re-simulated ticks %d
        %.0f B/s down and %.0f B/s up per client, %.0f B per update, %.2f updates per client-second
`,
		r.Clients, r.NPCs, r.Ticks, r.TickOverruns, r.TickP50us, r.TickP99us,
		r.Converged, r.Difference,
		r.Server.InputsConsumed, r.Server.InputsMissing, r.Server.InputsLate, r.Server.ResimulatedTicks,
		r.Server.BytesDownPerClientS, r.Server.BytesUpPerClientS, r.Server.BytesPerUpdate, r.Server.UpdatesPerClientS)
	if r.thin || err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, `client  corrections %d, re-simulated ticks %d, pushes %d, own response %d ticks
        error p99 %.3f, max %.3f units; stalls %d; interpolation delay %.0f ms; input buffer %.1f ticks
`,
		r.Client.Corrections, r.Client.ResimulatedTicks, r.Client.Pushes, r.Client.OwnResponseTicks,
		r.Client.P99Error, r.Client.MaxError, r.Client.InterpolationStalls, r.Client.InterpolationDelayMS, r.Client.InputBufferTicks)
	return err
}

// Virtual plays the match in virtual time, as fast as the machine allows.
func (m *Match) Virtual(ctx context.Context, progress io.Writer) error {
	end := m.start.Add(m.o.Duration)
	if err := m.play(ctx, end, progress); err != nil {
		return err
	}
	m.finish()
	m.clean()
	for _, p := range m.players {
		p.end()
		p.release()
	}
	return m.play(ctx, end.Add(m.o.closing()), nil)
}

// play advances whoever is due next until end.
func (m *Match) play(ctx context.Context, end time.Time, progress io.Writer) error {
	report := progressEvery(progress, m.start, end)
	for {
		next, who := m.server.Next(), -1
		for i, p := range m.players {
			if p.client.Err() != nil {
				return fmt.Errorf("bot %d: %w", p.n, p.client.Err())
			}
			if t := p.client.Next(); t.Before(next) {
				next, who = t, i
			}
		}
		if !next.Before(end.Add(-m.o.tickLength() / 2)) {
			return nil
		}
		if who < 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			report(next)
			m.serve(next)
		} else {
			m.players[who].advance(m, next)
		}
	}
}

// progressEvery returns a function that prints a line every two seconds of wall
// time.
func progressEvery(out io.Writer, start, end time.Time) func(now time.Time) {
	const every = 2 * time.Second
	last := time.Now()
	return func(now time.Time) {
		if out == nil || time.Since(last) < every {
			return
		}
		last = time.Now()
		fmt.Fprintf(out, "%v of %v\n", now.Sub(start).Round(time.Second), end.Sub(start).Round(time.Second))
	}
}

// Real plays the match on the wall clock, server and every client in a
// goroutine of its own, until it is over or ctx ends.
func (m *Match) Real(ctx context.Context, progress io.Writer) error {
	end := m.start.Add(m.o.Duration)
	last := end.Add(m.o.closing())
	report := progressEvery(progress, m.start, end)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	wg.Go(func() {
		pace(ctx, m.server.Next, last, func(now time.Time) error {
			if !m.watch.done && !now.Before(end) {
				m.finish()
				m.clean()
			}
			m.serve(now)
			report(now)
			m.publish(now)
			return nil
		}, cancel)
	})
	for _, p := range m.players {
		wg.Go(func() {
			pace(ctx, p.client.Next, last, func(now time.Time) error {
				if !p.watch.done && !now.Before(end) {
					p.end()
					p.release()
				}
				if m.open {
					p.link.Flush(now)
				}
				p.advance(m, now)
				if p.publish(now) {
					m.report(p)
				}
				if err := p.client.Err(); err != nil {
					return fmt.Errorf("bot %d: %w", p.n, err)
				}
				return nil
			}, cancel)
		})
	}
	wg.Wait()
	err := context.Cause(ctx)
	if !m.watch.done {
		m.finish()
		for _, p := range m.players {
			p.end()
		}
	}
	_ = m.close()
	return err
}

// playRemote plays the bots of a match whose server is elsewhere, showing a
// table until ctx ends or every bot has lost its session.
func (m *Match) playRemote(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, p := range m.players {
		wg.Go(func() {
			pace(ctx, p.client.Next, time.Now().Add(endless), func(now time.Time) error {
				p.link.Flush(now)
				p.advance(nil, now)
				_ = p.publish(now)
				m.live.touch(now)
				return p.client.Err()
			}, cancel)
			_ = p.client.Close(time.Now())
		})
	}
	m.show(ctx, out)
	wg.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// pace calls step whenever the next tick is due, until last or ctx ends.
func pace(ctx context.Context, next func() time.Time, last time.Time, step func(time.Time) error, fail context.CancelCauseFunc) {
	for ctx.Err() == nil {
		now := time.Now()
		if d := next().Sub(now); d > 0 {
			time.Sleep(min(d, 50*time.Millisecond))
			continue
		}
		if !now.Before(last) {
			return
		}
		if err := step(now); err != nil {
			fail(err)
			return
		}
	}
}
