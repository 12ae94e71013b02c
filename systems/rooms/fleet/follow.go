package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	// anewTime is how long one follows before all is read anew: less than the stream remembers what is gone.
	anewTime = 5 * time.Minute
	// sweepTime is between two looks at leases.
	sweepTime = 250 * time.Millisecond
	// beatTime is how often who follows hears from the server; after two that do not come it asks anew.
	beatTime = 500 * time.Millisecond
	// settleTime is how long the records of a former stream stay known, counted from when this process finds another one in
	// its place. By then the processes that own them have written them again.
	settleTime = 5 * time.Second
)

// follow hears what happens until the directory is closed. Ready is closed when it has heard first what is there.
func (d *Directory) follow(ready chan<- struct{}) {
	for d.ends.Err() == nil {
		ctx, stop := context.WithTimeout(d.ends, anewTime)
		heard := func() {
			if ready != nil {
				close(ready)
				ready = nil
			}
		}
		err := d.read(ctx, heard)
		stop()
		if err != nil && d.ends.Err() == nil {
			d.config.Logger.Debug("fleet: following anew", "error", err)
			select {
			case <-d.ends.Done():
			case <-time.After(openTime):
			}
		}
		d.known.forget(d.config.Now().Add(-graveTime))
	}
}

// read reads all that there is, calls heard, and goes on with what happens, until ctx ends or all is to be read anew.
func (d *Directory) read(ctx context.Context, heard func()) error {
	ask, stop := context.WithTimeout(ctx, d.config.Patience)
	defer stop()
	// Not an ordered one: that begins anew by itself, waits long where nobody answers, and does not hear of Stop meanwhile.
	consumer, err := d.stream.CreateConsumer(ask, jetstream.ConsumerConfig{
		AckPolicy: jetstream.AckNonePolicy, DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy, FilterSubjects: []string{d.subject(">")},
		InactiveThreshold: time.Minute, MemoryStorage: true, Replicas: 1,
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if _, err = d.ensureStream(ask); err == nil {
			err = errors.New("the stream was gone, and is there again")
		}
	}
	if err != nil {
		return err
	}
	if err := d.compare(ask); err != nil {
		return err
	}
	before := d.known.list("")
	base, _ := d.known.bounds()
	messages, err := consumer.Messages(jetstream.PullExpiry(4*beatTime), jetstream.PullHeartbeat(beatTime))
	if err != nil {
		return err
	}
	ctx, done := context.WithCancel(ctx)
	defer done()
	go func() {
		select {
		case <-ctx.Done():
		case <-d.anew:
			done()
		}
	}()
	defer messages.Stop()
	pending := consumer.CachedInfo().NumPending
	seen := make(map[string]bool)
	all := func() {
		if !time.Now().Before(d.settle) {
			d.missed(ctx, before, seen)
		}
		seen = nil
		d.heard.Store(d.config.Now().UnixNano())
		heard()
	}
	if pending == 0 {
		all()
	}
	for next := uint64(1); ; next++ {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		about, err := m.Metadata()
		if err != nil {
			return err
		}
		if about.Sequence.Consumer != next {
			return fmt.Errorf("message %d came in place of %d", about.Sequence.Consumer, next)
		}
		d.heard.Store(d.config.Now().UnixNano())
		key := d.hear(m.Subject(), m.Headers(), m.Data(), base+about.Sequence.Stream)
		if seen == nil {
			continue
		}
		seen[key] = true
		if pending--; pending == 0 || about.NumPending == 0 {
			all()
		}
	}
}

// compare compares the stream with the one that was followed before. A stream that was created later, or that has lost its
// newest records, is another one: its store was emptied, or restored from a copy.
func (d *Directory) compare(ctx context.Context) error {
	base, newest := d.known.bounds()
	stream, err := d.js.Stream(ctx, d.stream.CachedInfo().Config.Name)
	if err != nil {
		return err
	}
	is := stream.CachedInfo()
	former := d.made
	d.made = is.Created
	if former.IsZero() || former.Equal(is.Created) && base+is.State.LastSeq >= newest {
		return nil
	}
	d.config.Logger.Warn("fleet: the store of the directory was emptied or replaced: processes write their records again", "created", is.Created, "before", former)
	d.known.restart()
	d.settle = time.Now().Add(settleTime)
	time.AfterFunc(settleTime, d.readAgain)
	return nil
}

// missed asks for the records that were known and that reading all has not shown.
func (d *Directory) missed(ctx context.Context, before []rooms.Record, seen map[string]bool) {
	for _, r := range before {
		if seen[r.Key] {
			continue
		}
		if _, err := d.get(ctx, r.Key); err != nil {
			return // what does not answer is read anew
		}
	}
}

// sweep removes what has run out until the directory is closed.
func (d *Directory) sweep() {
	t := time.NewTicker(sweepTime)
	defer t.Stop()
	for {
		select {
		case <-d.ends.Done():
			return
		case <-t.C:
			d.expire(d.ends)
		}
	}
}

// expire removes the records whose leases have run out. After a time in which writes were refused, leases begin again
// first.
func (d *Directory) expire(ctx context.Context) {
	if down, quiet := d.health.down(d.config.Now()); quiet {
		return
	} else if down {
		if err := d.probe(ctx); err != nil {
			_ = d.refused(ctx, err)
			return
		}
	}
	for _, r := range d.known.over(d.config.Now()) {
		switch err := d.Remove(ctx, r.Key, r.Revision); {
		case errors.Is(err, rooms.ErrUnavailable):
			return
		case err == nil:
			d.config.Logger.Info("fleet: a lease has run out", "key", r.Key)
		}
	}
}

// probe writes something that changes nothing, to learn whether writes work.
func (d *Directory) probe(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, d.config.Patience)
	defer stop()
	_, err := d.js.PublishMsg(ctx, d.grave(probeKey), jetstream.WithRetryAttempts(0))
	if err == nil {
		d.works()
	}
	return err
}
