package runner

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// run plays a match with the given options and returns its report. It prints progress to progress.
func run(ctx context.Context, world World, o Options, progress io.Writer) (*Report, error) {
	var m *match
	var err error
	if o.Virtual {
		if m, err = newVirtual(world, o); err == nil {
			err = m.playVirtual(ctx, progress)
		}
	} else {
		if m, err = newReal(ctx, world, o, "127.0.0.1:0"); err == nil {
			if m.inspector, err = world.openInspector(ctx, &m.o, m.server, progress); err != nil {
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
	m.clean()
	for _, p := range m.players {
		p.end()
		p.release()
	}
	return m.play(ctx, end.Add(m.o.closing()), nil)
}

// play advances the server and the bots in the order in which their ticks are due, until end.
func (m *match) play(ctx context.Context, end time.Time, progress io.Writer) error {
	report := progressEvery(progress, m.start, end)
	bots := queue(slices.Clone(m.players))
	heap.Init(&bots)
	for {
		next, bot := m.server.Next(), false
		if t := bots[0].client.Next(); t.Before(next) {
			next, bot = t, true
		}
		if !next.Before(end.Add(-m.o.tickLength() / 2)) {
			return nil
		}
		if !bot {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			report(next)
			m.watch.serve(m, next)
			continue
		}
		p := bots[0]
		p.advance(m, next)
		if p.client.Err() != nil {
			return fmt.Errorf("bot %d: %w", p.n, p.client.Err())
		}
		heap.Fix(&bots, 0)
	}
}

// queue is a heap of bots by the time of their next tick. Bots with equal times keep the order of their numbers.
type queue []*player

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	if c := q[i].client.Next().Compare(q[j].client.Next()); c != 0 {
		return c < 0
	}
	return q[i].n < q[j].n
}

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(any)     { panic("runner: Push is not used") }
func (q *queue) Pop() any     { panic("runner: Pop is not used") }

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
				m.clean()
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
					m.tell(p)
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
	_ = m.close()
	return err
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

// tell passes the causes of a bot's corrections to the inspector. Thin bots have none.
func (m *match) tell(p *player) {
	if id := p.id.Load(); m.inspector != nil && !m.o.thin && id != 0 {
		m.inspector.Report(id, p.client.Causes())
	}
}
