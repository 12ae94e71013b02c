package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// run plays a match with the given options and returns its report. It prints progress to progress.
func run(ctx context.Context, game Game, o Options, progress io.Writer) (*Report, error) {
	var m *match
	var err error
	if o.Virtual {
		if m, err = newVirtual(game, o); err == nil {
			err = errors.Join(m.playVirtual(ctx, progress), m.o.save(m.server))
		}
	} else {
		if m, err = newReal(ctx, game, o, "127.0.0.1:0"); err == nil {
			if m.inspector, err = game.openInspector(ctx, &m.o, m.server, progress); err != nil {
				return nil, errors.Join(err, m.close())
			}
			err = m.playReal(ctx, progress)
		}
	}
	if err != nil {
		return nil, err
	}
	return m.report(), nil
}

// playVirtual plays the match in virtual time, as fast as the machine allows.
func (m *match) playVirtual(ctx context.Context, progress io.Writer) error {
	end := m.start.Add(m.o.Duration)
	if err := m.play(ctx, end, progress); err != nil {
		return err
	}
	m.watch.finish(m)
	m.removeLinkConditions()
	for _, p := range m.players {
		p.end()
		p.release()
	}
	return m.play(ctx, end.Add(m.o.closing()), nil)
}

// play plays the match in virtual time until end.
func (m *match) play(ctx context.Context, end time.Time, progress io.Writer) error {
	report := progressEvery(progress, m.start, end)
	end = end.Add(-m.o.tickLength() / 2)
	for now := m.virtual.Now(); now.Before(end); now = m.virtual.Now() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		report(now)
		m.virtual.Run(min(end.Sub(now), m.o.tickLength()))
		for _, p := range m.players {
			if err := p.client.Err(); err != nil {
				return fmt.Errorf("bot %d: %w", p.n, err)
			}
		}
	}
	return nil
}

// progressEvery returns a function that prints a line every two seconds of real time.
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

// playReal plays the match in real time, with one goroutine for the server and one per client, until the match or ctx ends.
func (m *match) playReal(ctx context.Context, progress io.Writer) error {
	end := m.start.Add(m.o.Duration)
	last := end.Add(m.o.closing())
	report := progressEvery(progress, m.start, end)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	wg.Go(func() {
		pace(ctx, m.server.Next, last, func(now time.Time) error {
			if !m.watch.done && !now.Before(end) {
				m.watch.finish(m)
				m.removeLinkConditions()
			}
			m.watch.serve(m, now)
			report(now)
			m.live.publish(now, m.server)
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
					m.reportCauses(p)
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
		m.watch.finish(m)
		for _, p := range m.players {
			p.end()
		}
	}
	failed := m.o.save(m.server)
	_ = m.close()
	return cmp.Or(failed, err) // err may be the end of ctx, with which a match ends as usual
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

// reportCauses passes the causes of a bot's corrections to the inspector. Thin bots have none.
func (m *match) reportCauses(p *player) {
	if id := p.id.Load(); m.inspector != nil && !m.o.thin && id != 0 {
		m.inspector.Report(id, p.client.Causes())
	}
}
