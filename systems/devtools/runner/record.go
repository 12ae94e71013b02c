package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/recording"
)

// record records a server's match if -record is set.
func (o *Options) record(s *systems.Server) error {
	if o.files.record == nil {
		return nil
	}
	return s.Record(o.files.record, 0)
}

// spectator returns the configuration of a client that watches.
func (g *Game) spectator(o *Options) systems.ClientConfig {
	c := systems.ClientConfig{Models: g.Presets}
	if g.Client != nil {
		g.Client(o, &c)
	}
	return c
}

// watchRecording draws a frame of the match for a spectator of the recording, and records the hash of the frame.
func (m *match) watchRecording(now time.Time) {
	to, feed := m.o.files.record, m.o.files.feed
	if to == nil || to.Ended() || !feed.Begun() {
		return
	}
	var err error
	if m.spectator == nil {
		if m.spectator, err = systems.Watch(feed, m.game.Protocol(&m.o), m.game.spectator(&m.o)); err != nil {
			m.o.files.log.Error("the recording is not watched", "error", err)
			feed.Stop()
			return
		}
	}
	if err = m.spectator.Play(now.Sub(to.Began())); err == nil && m.spectator.Client().World() != nil {
		to.Check(now, m.spectator.Client().View().Hash())
	}
}

// ReplayReport is the report of -headless -replay.
type ReplayReport struct {
	// Duration is the length of the recording in seconds.
	Duration float64 `json:"duration_s"`
	// Frames is the number of frames that were compared with those of a spectator of the recorded match.
	Frames int `json:"frames"`
	// Equal reports whether all of them show the same, by the hash of the view. It is false without frames.
	Equal bool `json:"equal"`
	// Differs is the time of the first frame that shows something else, in seconds.
	Differs float64 `json:"differs_s,omitempty"`
	// Protocol and Model are those of the recorded match.
	Protocol string `json:"protocol"`
	Model    string `json:"model"`
	// Seek is the longest time that going to one of 20 places took, in milliseconds.
	Seek float64 `json:"seek_ms"`
}

// replayHeadless plays the recording of -replay as fast as the machine allows.
func replayHeadless(ctx context.Context, game Game, o Options, progress io.Writer) (*ReplayReport, error) {
	r, err := recording.OpenFile(o.Replay)
	if err != nil {
		return nil, err
	}
	report, err := playRecording(ctx, game, o, r, progress)
	return report, errors.Join(err, r.Close())
}

func playRecording(ctx context.Context, game Game, o Options, r *recording.Reader, progress io.Writer) (*ReplayReport, error) {
	replay, err := either(o, func(o *Options) (*systems.Replay, error) {
		return systems.NewReplay(r, game.Protocol(o), game.spectator(o))
	})
	if errors.Is(err, netsys.ErrSchema) {
		err = fmt.Errorf("%w, and with the flags of the recorded match", err)
	}
	if err != nil {
		return nil, fmt.Errorf("replay %s: %w", o.Replay, err)
	}
	report := &ReplayReport{Duration: r.Duration().Seconds(), Protocol: r.Header().Protocol, Model: r.Header().Model, Equal: true}
	var checks []recording.Record
	if err := r.All(func(x *recording.Record) bool {
		if x.Kind == recording.Check {
			checks = append(checks, *x)
		}
		return ctx.Err() == nil
	}); err != nil {
		return nil, err
	}
	tell := progressEvery(progress, time.Time{}, time.Time{}.Add(r.Duration()))
	for _, x := range checks {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := replay.Play(x.At); err != nil {
			return nil, fmt.Errorf("replay %s: %w", o.Replay, err)
		}
		tell(time.Time{}.Add(x.At))
		if report.Frames++; report.Equal && replay.Client().View().Hash() != x.Hash {
			report.Equal, report.Differs = false, x.At.Seconds()
		}
	}
	report.Equal = report.Equal && report.Frames > 0
	const places = 20
	for i := range places {
		begin := time.Now()
		if err := replay.Seek(r.Duration() * time.Duration(i*7%places) / places); err != nil {
			return nil, fmt.Errorf("replay %s: %w", o.Replay, err)
		}
		report.Seek = max(report.Seek, float64(time.Since(begin).Microseconds())/1000)
	}
	return report, nil
}

// either calls f with the options, and if it fails, with the other value of -headless: some worlds have other rules without a screen.
func either[T any](o Options, f func(o *Options) (T, error)) (T, error) {
	x, err := f(&o)
	if err != nil {
		o.Headless = !o.Headless
		if other, e := f(&o); e == nil {
			return other, nil
		}
	}
	return x, err
}

// print writes a report as text.
func (r *ReplayReport) print(out io.Writer) error {
	_, err := fmt.Fprintf(out, "%s, %s, %.1f s; %d frames, all equal %v; a seek took at most %.1f ms\n", r.Protocol, r.Model, r.Duration, r.Frames, r.Equal, r.Seek)
	return err
}
