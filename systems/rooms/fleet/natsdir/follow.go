package natsdir

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

const (
	// rereadInterval is how often the whole stream is read again: more often than deletion markers expire.
	rereadInterval = 5 * time.Minute
	// expireInterval is how often leases are checked.
	expireInterval = 250 * time.Millisecond
	// heartbeatInterval is how often the server sends a heartbeat. After two that do not come, the stream is read again.
	heartbeatInterval = 500 * time.Millisecond
	// formerStreamTimeout is how long the records of a former stream stay in the cache, from the time at which this process finds
	// another stream in its place. By then the processes that own the records have written them again.
	formerStreamTimeout = 5 * time.Second
)

// follow follows the stream until the directory is closed. It closes ready when it has read the whole stream once.
func (d *Directory) follow(ready chan<- struct{}) {
	for d.closed.Err() == nil {
		ctx, stop := context.WithTimeout(d.closed, rereadInterval)
		heard := func() {
			if ready != nil {
				close(ready)
				ready = nil
			}
		}
		err := d.read(ctx, heard)
		stop()
		if err != nil && d.closed.Err() == nil {
			d.config.Logger.Debug("natsdir: the stream is read again", "error", err)
			select {
			case <-d.closed.Done():
			case <-time.After(openInterval):
			}
		}
		d.cache.forget(d.config.Now().Add(-tombstoneTTL))
	}
}

// read reads the whole stream, calls heard, and follows the changes until ctx ends or the stream is to be read again.
func (d *Directory) read(ctx context.Context, heard func()) error {
	ask, stop := context.WithTimeout(ctx, d.config.Patience)
	defer stop()
	d.deleteConsumer(ask)
	// An ordered consumer would restart by itself, wait long if no server answers, and ignore Stop meanwhile.
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
	d.consumer = consumer.CachedInfo().Name
	if err := d.compare(ask); err != nil {
		return err
	}
	before := d.cache.list("")
	base, _ := d.cache.bounds()
	messages, err := consumer.Messages(jetstream.PullExpiry(4*heartbeatInterval), jetstream.PullHeartbeat(heartbeatInterval))
	if err != nil {
		return err
	}
	ctx, done := context.WithCancel(ctx)
	defer done()
	go func() {
		select {
		case <-ctx.Done():
		case <-d.reread:
			done()
		}
	}()
	defer messages.Stop()
	pending := consumer.CachedInfo().NumPending
	seen := make(map[string]bool)
	all := func() {
		if !time.Now().Before(d.keepUntil) {
			d.readMissing(ctx, before, seen)
		}
		seen = nil
		d.noteHeard()
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
		d.noteHeard()
		key := d.receive(m.Subject(), m.Headers(), m.Data(), base+about.Sequence.Stream)
		if seen == nil {
			continue
		}
		seen[key] = true
		if pending--; pending == 0 || about.NumPending == 0 {
			all()
		}
	}
}

// deleteConsumer deletes the consumer of the last read. Otherwise it would stay for its InactiveThreshold, and consumers would pile up
// while connections come and go.
func (d *Directory) deleteConsumer(ctx context.Context) {
	if d.consumer == "" {
		return
	}
	err := d.stream.DeleteConsumer(ctx, d.consumer)
	if err == nil || errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		d.consumer = "" // otherwise before the next read, or by its threshold
	}
}

// compare compares the stream with the stream that was followed before. A stream that was created later, or that has lost its
// newest records, is another one: its store was emptied, or restored from a copy.
func (d *Directory) compare(ctx context.Context) error {
	base, newest := d.cache.bounds()
	stream, err := d.js.Stream(ctx, d.stream.CachedInfo().Config.Name)
	if err != nil {
		return err
	}
	is := stream.CachedInfo()
	former := d.created
	d.created = is.Created
	if former.IsZero() || former.Equal(is.Created) && base+is.State.LastSeq >= newest {
		return nil
	}
	d.config.Logger.Warn("natsdir: the store of the directory was emptied or replaced: processes write their records again", "created", is.Created, "before", former)
	d.lost()
	d.cache.restart()
	d.keepUntil = time.Now().Add(formerStreamTimeout)
	time.AfterFunc(formerStreamTimeout, d.readAgain)
	return nil
}

// readMissing asks for the cached records that reading the whole stream has not shown.
func (d *Directory) readMissing(ctx context.Context, before []fleet.Record, seen map[string]bool) {
	for _, r := range before {
		if seen[r.Key] {
			continue
		}
		if _, err := d.get(ctx, r.Key); err != nil {
			return // the stream is read again
		}
	}
}

// expireLeases removes expired records until the directory is closed.
func (d *Directory) expireLeases() {
	t := time.NewTicker(expireInterval)
	defer t.Stop()
	for {
		select {
		case <-d.closed.Done():
			return
		case <-t.C:
			d.expire(d.closed)
		}
	}
}

// expire removes the records whose leases have expired. If writes failed before, it only probes whether they work again: then all
// leases restart. A TTL of NATS is not used for leases, because it also counts while no process can renew a record.
func (d *Directory) expire(ctx context.Context) {
	if down, quiet := d.health.down(d.config.Now()); quiet {
		return
	} else if down {
		if err := d.probe(ctx); err != nil {
			_ = d.refused(ctx, err)
			return
		}
	}
	for _, r := range d.cache.expired(d.config.Now()) {
		switch err := d.Remove(ctx, r.Key, r.Revision); {
		case errors.Is(err, rooms.ErrUnavailable):
			return
		case err == nil:
			d.config.Logger.Info("natsdir: a lease has expired", "key", r.Key)
		}
	}
}

// probe writes a message that changes nothing, to learn whether writes work.
func (d *Directory) probe(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, d.config.Patience)
	defer stop()
	_, err := d.js.PublishMsg(ctx, d.deletion(probeKey), jetstream.WithRetryAttempts(0))
	if err == nil {
		d.writable()
	}
	return err
}
