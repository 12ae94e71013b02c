package natsdir

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

// openInterval is how often to try again after a failure to open or follow the stream.
const openInterval = 200 * time.Millisecond

// openLogInterval is how often the log repeats that a directory cannot be opened.
const openLogInterval = 10 * time.Second

// Open opens a directory, creates its bucket if there is none, and returns when it has read all records. It tries again until ctx
// ends, because servers may start later, and logs the reason. The error wraps [ErrConfig] if trying again does not help.
func Open(ctx context.Context, c Config) (*Directory, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.filled()
	d := &Directory{config: c, cache: newCache(), reread: make(chan struct{}, 1)}
	d.closed, d.stop = context.WithCancel(context.Background())
	again := func(*nats.Conn) { d.reconnected() }
	options := append(c.options(), nats.ReconnectHandler(again), nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
		if err != nil && d.closed.Err() == nil {
			d.down(fmt.Errorf("%w: %w", errNoServer, err))
		}
	}))
	var logged time.Time
	for tries := 1; ; tries++ {
		err := d.open(ctx, options)
		if err == nil {
			break
		}
		if errors.Is(err, ErrConfig) {
			d.Close()
			return nil, err
		}
		if now := time.Now(); now.Sub(logged) >= openLogInterval {
			logged = now
			c.Logger.Warn("natsdir: the directory cannot be opened; trying again", "servers", c.hosts(), "tries", tries, "error", d.explain(err))
		}
		select {
		case <-ctx.Done():
			d.Close()
			return nil, fmt.Errorf("natsdir: the directory cannot be opened: %w", errors.Join(ctx.Err(), d.explain(err)))
		case <-time.After(openInterval):
		}
	}
	ready := make(chan struct{})
	d.all.Go(func() { d.follow(ready) })
	select {
	case <-ctx.Done():
		d.Close()
		return nil, fmt.Errorf("natsdir: the directory cannot be read: %w", ctx.Err())
	case <-ready:
	}
	d.all.Go(d.expireLeases)
	return d, nil
}

// open connects, and finds or creates the stream.
func (d *Directory) open(ctx context.Context, options []nats.Option) (err error) {
	c := d.config
	if d.conn == nil {
		if d.conn, err = nats.Connect(strings.Join(c.urls(), ","), options...); err != nil {
			d.conn = nil
			if errors.Is(err, nats.ErrAuthorization) {
				err = fmt.Errorf("%w: the servers refuse these credentials: %w", ErrConfig, err)
			}
			return err
		}
	}
	if d.js, err = jetstream.New(d.conn); err != nil {
		return err
	}
	ask, stop := context.WithTimeout(ctx, 5*c.Patience)
	defer stop()
	if d.stream, err = d.ensureStream(ask); err != nil {
		return err
	}
	_, err = d.conn.Subscribe("$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED."+d.stream.CachedInfo().Config.Name, func(*nats.Msg) { d.reconnected() })
	return err
}

// ensureStream returns the stream of the bucket, and creates it if there is none.
func (d *Directory) ensureStream(ctx context.Context) (jetstream.Stream, error) {
	c := d.config
	want := jetstream.StreamConfig{
		Name: "KV_" + c.Bucket, Subjects: []string{d.subject(">")}, MaxMsgsPerSubject: 1, MaxMsgSize: fleet.MaxValueBytes + 4096,
		Discard: jetstream.DiscardNew, Storage: jetstream.FileStorage, Replicas: c.Replicas, AllowMsgTTL: true,
		DenyDelete: true, AllowRollup: true, MaxBytes: maxBytes,
	}
	stream, err := d.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = d.js.CreateStream(ctx, want)
	}
	if err != nil {
		return nil, err
	}
	if have := stream.CachedInfo().Config; have.MaxMsgsPerSubject != 1 || !have.AllowMsgTTL || have.AllowDirect || len(have.Subjects) != 1 || have.Subjects[0] != want.Subjects[0] {
		return nil, fmt.Errorf("%w: bucket %q exists with another configuration: set Bucket to another name", ErrConfig, c.Bucket)
	}
	return stream, nil
}

// maxBytes is the largest size of a bucket. Then writes are refused.
const maxBytes = 64 << 20

// reconnected is called when writes may have failed for a while: all leases restart, so that their owners can renew them.
func (d *Directory) reconnected() {
	d.cache.restartLeases(d.config.Now())
	d.readAgain()
}

// readAgain makes the directory read the whole stream again.
func (d *Directory) readAgain() {
	select {
	case d.reread <- struct{}{}:
	default:
	}
}

// Close closes all watches, handlers and the connection. Records stay until their leases expire.
func (d *Directory) Close() {
	d.stop()
	if d.conn != nil {
		d.conn.Close() // pending operations fail
	}
	d.all.Wait()
}
