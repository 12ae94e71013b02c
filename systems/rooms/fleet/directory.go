package fleet

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	// operation and removed are a header of those that are gone, as key-value buckets of NATS have it.
	operation, removed = "KV-Operation", "DEL"
	// leaseHeader has the lease of a record in milliseconds.
	leaseHeader = "Tactus-Lease"
	// graveTime is how long the stream knows what is gone; who follows reads it anew more often.
	graveTime = 15 * time.Minute
	// probeKey is removed to learn whether writes work.
	probeKey = "fleet.probe"
)

// Directory is a rooms.Directory in NATS JetStream. It is made by [Open]. All its methods may be called from any
// goroutine. Besides what rooms.Directory says: errors that are rooms.ErrUnavailable are [Refused]; List and Watch tell
// what this process has heard, which may be some milliseconds old and never older than what it was told by Load and Save;
// Load asks the stream's leader, and answers from memory while there is none.
type Directory struct {
	config Config
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	known  *known
	heard  atomic.Int64 // when a change was last heard of, in nanoseconds since 1970 by config.Now
	health health
	anew   chan struct{} // follow anew
	made   time.Time     // when the stream that is followed was created; of the goroutine that follows
	settle time.Time     // until when records of a former stream stay; of the goroutine that follows
	ends   context.Context
	stop   context.CancelFunc
	all    sync.WaitGroup
}

var _ rooms.Directory = (*Directory)(nil)

// Load implements rooms.Directory.
func (d *Directory) Load(ctx context.Context, key string) (rooms.Record, error) {
	if rooms.CheckRecord(key, nil) != nil {
		return rooms.Record{}, rooms.ErrAbsent
	}
	err := errQuiet
	if _, quiet := d.health.down(d.config.Now()); !quiet {
		if _, err = d.get(ctx, key); err == nil {
			if r, ok := d.known.load(key); ok {
				return r, nil
			}
			return rooms.Record{}, rooms.ErrAbsent
		}
	}
	err = d.refused(ctx, err) // noted for leases, too
	if r, ok := d.known.load(key); ok {
		return r, nil
	}
	return rooms.Record{}, err
}

var errQuiet = errors.New("no answer a moment ago")

// Save implements rooms.Directory.
func (d *Directory) Save(ctx context.Context, key string, value []byte, revision uint64, lease time.Duration) (uint64, error) {
	if err := rooms.CheckRecord(key, value); err != nil {
		return 0, err
	}
	m := nats.NewMsg(d.subject(key))
	m.Data = append([]byte(nil), value...)
	if lease > 0 {
		m.Header.Set(leaseHeader, strconv.FormatInt((lease+time.Millisecond-1).Milliseconds(), 10))
	}
	over := revision
	if revision == 0 {
		over = d.known.buried(key)
	}
	for {
		done, err := d.put(ctx, m, over)
		if err == nil {
			d.known.hear(rooms.Record{Key: key, Value: m.Data, Revision: done}, lease, d.config.Now())
			return done, nil
		}
		if !conflict(err) {
			return 0, d.refused(ctx, err)
		}
		grave, err := d.get(ctx, key) // so that the next Load sees what was in the way
		if err != nil {
			return 0, d.refused(ctx, err)
		}
		if _, is := d.known.load(key); is || revision != 0 || grave == over {
			return 0, rooms.ErrConflict
		}
		over = grave
	}
}

// Remove implements rooms.Directory.
func (d *Directory) Remove(ctx context.Context, key string, revision uint64) error {
	if rooms.CheckRecord(key, nil) != nil {
		return nil
	}
	if revision != 0 {
		done, err := d.put(ctx, d.grave(key), revision)
		if err == nil {
			d.known.hear(rooms.Record{Key: key, Revision: done, Gone: true}, 0, d.config.Now())
			return nil
		}
		if !conflict(err) {
			return d.refused(ctx, err)
		}
	}
	if _, err := d.get(ctx, key); err != nil {
		return d.refused(ctx, err)
	}
	if _, is := d.known.load(key); is {
		return rooms.ErrConflict
	}
	return nil
}

// List implements rooms.Directory.
func (d *Directory) List(_ context.Context, prefix string) ([]rooms.Record, error) {
	return d.known.list(prefix), nil
}

// Watch implements rooms.Directory. The channel is closed by Close, too.
func (d *Directory) Watch(ctx context.Context, prefix string) (<-chan rooms.Record, error) {
	ctx, stop := context.WithCancel(ctx)
	context.AfterFunc(d.ends, stop)
	return d.known.watch(ctx, prefix), nil
}

// Age returns the time since this process last heard of a change in the directory, or read all of it: rooms.Membership has it.
func (d *Directory) Age() time.Duration {
	return max(d.config.Now().Sub(time.Unix(0, d.heard.Load())), 0)
}

// subject is the subject of a key.
func (d *Directory) subject(key string) string { return "$KV." + d.config.Bucket + "." + key }

// grave is the message that a key is gone.
func (d *Directory) grave(key string) *nats.Msg {
	m := nats.NewMsg(d.subject(key))
	m.Header.Set(operation, removed)
	m.Header.Set(jetstream.MsgTTLHeader, graveTime.String())
	return m
}

// put writes a message over the one of that revision, 0 for none. Its error is for conflict, or refused.
func (d *Directory) put(ctx context.Context, m *nats.Msg, over uint64) (uint64, error) {
	base, _ := d.known.bounds()
	switch {
	case over > base:
		over -= base
	case over != 0:
		return 0, errFormer
	}
	ctx, stop := context.WithTimeout(ctx, d.config.Patience)
	defer stop()
	ack, err := d.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(over), jetstream.WithExpectStream(d.stream.CachedInfo().Config.Name), jetstream.WithRetryAttempts(0))
	if err != nil {
		return 0, err
	}
	d.works()
	return base + ack.Sequence, nil
}

// get asks the leader for a record, and hears the answer. Where it is gone, grave is the revision with which it went, as
// far as the stream knows.
func (d *Directory) get(ctx context.Context, key string) (grave uint64, err error) {
	ctx, stop := context.WithTimeout(ctx, d.config.Patience)
	defer stop()
	before, _ := d.known.load(key)
	base, _ := d.known.bounds()
	m, err := d.stream.GetLastMsgForSubject(ctx, d.subject(key))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		if before.Revision != 0 {
			d.known.hear(rooms.Record{Key: key, Revision: before.Revision, Gone: true}, 0, d.config.Now())
		}
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	d.hear(m.Subject, m.Header, m.Data, base+m.Sequence)
	if m.Header.Get(operation) != "" {
		return base + m.Sequence, nil
	}
	return 0, nil
}

// hear hears of a message of the stream, and says of which key it is.
func (d *Directory) hear(subject string, h nats.Header, data []byte, revision uint64) (key string) {
	key, ok := strings.CutPrefix(subject, d.subject(""))
	if !ok || rooms.CheckRecord(key, data) != nil {
		return "" // somebody else writes here, what no directory does
	}
	r, lease := rooms.Record{Key: key, Value: data, Revision: revision}, time.Duration(0)
	if h.Get(operation) != "" {
		r.Value, r.Gone = nil, true
	} else if ms, err := strconv.ParseUint(h.Get(leaseHeader), 10, 31); err == nil {
		lease = time.Duration(ms) * time.Millisecond
	}
	d.known.hear(r, lease, d.config.Now())
	return key
}

// works notes that something was written: if nothing was before, leases begin again.
func (d *Directory) works() {
	if d.health.worked() {
		d.known.again(d.config.Now())
		d.config.Logger.Info("fleet: the directory takes writes again")
	}
}

// refused is the error for a request that was not answered.
func (d *Directory) refused(ctx context.Context, err error) error {
	if ctx.Err() != nil { // who asked has had no patience, which says nothing of the directory
		return &Refused{Since: d.config.Now(), Again: againTime, Err: ctx.Err()}
	}
	if err == errQuiet {
		return &Refused{Since: d.config.Now(), Again: againTime, Err: err}
	}
	return d.down(d.explain(err))
}

// down notes that the directory does not answer, and logs it the first time.
func (d *Directory) down(err error) *Refused {
	if down, _ := d.health.down(d.config.Now()); !down {
		d.config.Logger.Warn("fleet: the directory does not answer", "error", err)
	}
	return d.health.refused(d.config.Now(), fmt.Errorf("NATS: %w", err))
}

// errNoServer is the error of requests while there is no connection.
var errNoServer = errors.New("no connection to a server")

// explain replaces the error of a request that was made without a connection. The client of NATS reports such a request as
// one that exceeds the limit of its outbound buffer, because there is no buffer for requests that wait for a connection.
func (d *Directory) explain(err error) error {
	if !errors.Is(err, nats.ErrReconnectBufExceeded) {
		return err
	}
	if last := d.conn.LastError(); last != nil {
		return fmt.Errorf("%w: %w", errNoServer, last)
	}
	return errNoServer
}
