package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tactusgo/tactus/systems/rooms"
)

// openTime is between two tries to open a directory.
const openTime = 200 * time.Millisecond

// openLogInterval is between two log lines about a directory that cannot be opened.
const openLogInterval = 10 * time.Second

// Open opens a directory, makes its bucket where there is none, and returns when it has heard what is there. It tries
// until ctx ends, and logs why it must: servers may start after it. Errors wrap [ErrConfig] where trying again is of no use.
func Open(ctx context.Context, c Config) (*Directory, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.filled()
	d := &Directory{config: c, known: newKnown(), anew: make(chan struct{}, 1)}
	d.ends, d.stop = context.WithCancel(context.Background())
	again := func(*nats.Conn) { d.reconnected() }
	options := append(c.options(), nats.ReconnectHandler(again), nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
		if err != nil && d.ends.Err() == nil {
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
			c.Logger.Warn("fleet: the directory cannot be opened; trying again", "servers", c.hosts(), "tries", tries, "error", d.explain(err))
		}
		select {
		case <-ctx.Done():
			d.Close()
			return nil, fmt.Errorf("fleet: the directory cannot be opened: %w", errors.Join(ctx.Err(), d.explain(err)))
		case <-time.After(openTime):
		}
	}
	ready := make(chan struct{})
	d.all.Go(func() { d.follow(ready) })
	select {
	case <-ctx.Done():
		d.Close()
		return nil, fmt.Errorf("fleet: the directory does not say what is there: %w", ctx.Err())
	case <-ready:
	}
	d.all.Go(d.sweep)
	return d, nil
}

// open connects, and finds the stream or makes it.
func (d *Directory) open(ctx context.Context, options []nats.Option) (err error) {
	c := d.config
	if d.conn == nil {
		if d.conn, err = nats.Connect(strings.Join(c.urls(), ","), options...); err != nil {
			d.conn = nil
			if errors.Is(err, nats.ErrAuthorization) {
				err = fmt.Errorf("%w: the servers do not take these credentials: %w", ErrConfig, err)
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

// ensureStream returns the stream of the bucket, and creates it where there is none.
func (d *Directory) ensureStream(ctx context.Context) (jetstream.Stream, error) {
	c := d.config
	want := jetstream.StreamConfig{
		Name: "KV_" + c.Bucket, Subjects: []string{d.subject(">")}, MaxMsgsPerSubject: 1, MaxMsgSize: rooms.MaxValueBytes + 4096,
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
		return nil, fmt.Errorf("%w: bucket %q was made by somebody else, who wanted other things of it: write another name in Bucket", ErrConfig, c.Bucket)
	}
	return stream, nil
}

// maxBytes is how large a bucket becomes, after which writes are refused.
const maxBytes = 64 << 20

// reconnected is called when writes may not have worked for a while: whoever could not renew a lease gets the time to.
func (d *Directory) reconnected() {
	d.known.again(d.config.Now())
	d.readAgain()
}

// readAgain makes the directory read everything again.
func (d *Directory) readAgain() {
	select {
	case d.anew <- struct{}{}:
	default:
	}
}

// Close ends all watching, and the connection. What was written stays until its lease ends.
func (d *Directory) Close() {
	d.stop()
	if d.conn != nil {
		d.conn.Close() // who waits for an answer gets none
	}
	d.all.Wait()
}
