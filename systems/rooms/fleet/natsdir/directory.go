package natsdir

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
	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

const (
	// operationHeader and operationDelete mark a deletion, as key-value buckets of NATS do.
	operationHeader, operationDelete = "KV-Operation", "DEL"
	// leaseHeader has the lease of a record in milliseconds.
	leaseHeader = "Tactus-Lease"
	// tombstoneTTL is how long the stream keeps deletion markers. Processes read the whole stream again more often than that.
	tombstoneTTL = 15 * time.Minute
	// probeKey is removed to learn whether writes work.
	probeKey = "fleet.probe"
	// maxAnswering is how many requests a handler answers at a time.
	maxAnswering = 64
)

// Directory is a fleet.Directory in NATS: [Open] opens one. Its methods may be called from any goroutine. Records are in a
// JetStream stream, requests are NATS requests. In addition to what fleet.Directory says: errors that wrap
// rooms.ErrUnavailable are [Refused], except those of Request and Handle. List and Watch serve the received records, which may be
// some milliseconds old but never older than those that Load and Save have returned. Load asks the stream's leader, and answers from
// memory while there is none.
type Directory struct {
	config Config
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	cache  *cache
	heard  atomic.Pointer[time.Time] // when the last change was received, by config.Now
	// incomplete is until when processes write the records of an emptied store again; nil: there was no such store.
	incomplete atomic.Pointer[time.Time]
	health     health
	reread     chan struct{} // read the whole stream again
	closed     context.Context
	stop       context.CancelFunc
	all        sync.WaitGroup

	// used by the goroutine that follows the stream
	created   time.Time // when the stream was created
	keepUntil time.Time // records of a former stream stay until then
	consumer  string    // the name of the consumer of the last read; "": it is deleted
}

var _ fleet.Directory = (*Directory)(nil)

// Load implements fleet.Directory.
func (d *Directory) Load(ctx context.Context, key string) (fleet.Record, error) {
	if fleet.CheckRecord(key, nil) != nil {
		return fleet.Record{}, fleet.ErrAbsent
	}
	err := errQuiet
	if _, quiet := d.health.down(d.config.Now()); !quiet {
		if _, err = d.get(ctx, key); err == nil {
			if r, ok := d.cache.load(key); ok {
				return r, nil
			}
			return fleet.Record{}, fleet.ErrAbsent
		}
	}
	err = d.refused(ctx, err) // it is noted for leases, too
	if r, ok := d.cache.load(key); ok {
		return r, nil
	}
	return fleet.Record{}, err
}

// fresh returns a record as NATS has it now, where Load returns the newest known one if NATS does not answer.
func (d *Directory) fresh(ctx context.Context, key string) (fleet.Record, error) {
	if _, err := d.get(ctx, key); err != nil {
		return fleet.Record{}, d.refused(ctx, err)
	}
	if r, ok := d.cache.load(key); ok {
		return r, nil
	}
	return fleet.Record{}, fleet.ErrAbsent
}

var errQuiet = errors.New("no answer a moment ago")

// Save implements fleet.Directory.
func (d *Directory) Save(ctx context.Context, key string, value []byte, revision uint64, lease time.Duration) (uint64, error) {
	if err := fleet.CheckRecord(key, value); err != nil {
		return 0, err
	}
	m := nats.NewMsg(d.subject(key))
	m.Data = append([]byte(nil), value...)
	if lease > 0 {
		m.Header.Set(leaseHeader, strconv.FormatInt((lease+time.Millisecond-1).Milliseconds(), 10))
	}
	over := revision
	if revision == 0 {
		over = d.cache.tombstone(key)
	}
	for {
		done, err := d.publish(ctx, m, over)
		if err == nil {
			d.cache.update(fleet.Record{Key: key, Value: m.Data, Revision: done}, lease, d.config.Now())
			return done, nil
		}
		if !isConflict(err) {
			return 0, d.refused(ctx, err)
		}
		tombstone, err := d.get(ctx, key) // so that the next Load sees the conflicting record
		if err != nil {
			return 0, d.refused(ctx, err)
		}
		if _, is := d.cache.load(key); is || revision != 0 || tombstone == over {
			return 0, fleet.ErrConflict
		}
		over = tombstone
	}
}

// Remove implements fleet.Directory.
func (d *Directory) Remove(ctx context.Context, key string, revision uint64) error {
	if fleet.CheckRecord(key, nil) != nil {
		return nil
	}
	if revision != 0 {
		done, err := d.publish(ctx, d.deletion(key), revision)
		if err == nil {
			d.cache.update(fleet.Record{Key: key, Revision: done, Gone: true}, 0, d.config.Now())
			return nil
		}
		if !isConflict(err) {
			return d.refused(ctx, err)
		}
	}
	if _, err := d.get(ctx, key); err != nil {
		return d.refused(ctx, err)
	}
	if _, is := d.cache.load(key); is {
		return fleet.ErrConflict
	}
	return nil
}

// List implements fleet.Directory.
func (d *Directory) List(_ context.Context, prefix string) ([]fleet.Record, error) {
	return d.cache.list(prefix), nil
}

// Watch implements fleet.Directory. Close closes the channel, too.
func (d *Directory) Watch(ctx context.Context, prefix string) (<-chan fleet.Record, error) {
	ctx, stop := context.WithCancel(ctx)
	context.AfterFunc(d.closed, stop)
	return d.cache.watch(ctx, prefix), nil
}

// requestSubject returns the subject of requests to an address.
func (d *Directory) requestSubject(address string) string {
	return "tactus." + d.config.Bucket + ".request." + address
}

// Request implements fleet.Directory by a request of core NATS: it needs a connection, and no leader of the stream.
func (d *Directory) Request(ctx context.Context, address string, request []byte) ([]byte, error) {
	if len(request) > fleet.MaxRequestBytes || fleet.CheckRecord(address, nil) != nil {
		return nil, fmt.Errorf("natsdir: a request of %d bytes to %.80q is not allowed", len(request), address)
	}
	m, err := d.conn.RequestWithContext(ctx, d.requestSubject(address), request)
	switch {
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, nats.ErrConnectionClosed):
		return nil, fmt.Errorf("%w: %w", fleet.ErrNoHandler, d.explain(err))
	case err != nil:
		return nil, fmt.Errorf("%w: %w", rooms.ErrUnavailable, err)
	}
	return m.Data, nil
}

// Handle implements fleet.Directory by a subscription of core NATS.
func (d *Directory) Handle(address string, answer func(ctx context.Context, request []byte) []byte) (stop func(), err error) {
	if fleet.CheckRecord(address, nil) != nil {
		return nil, fmt.Errorf("natsdir: the address %.80q is not allowed", address)
	}
	ctx, cancel := context.WithCancel(d.closed)
	answering := make(chan struct{}, maxAnswering)
	s, err := d.conn.Subscribe(d.requestSubject(address), func(m *nats.Msg) {
		select {
		case answering <- struct{}{}:
		case <-ctx.Done():
			return
		}
		go func() {
			defer func() { <-answering }()
			_ = m.Respond(answer(ctx, m.Data)) // otherwise the other process gets a timeout
		}()
	})
	if err != nil {
		cancel()
		return nil, fmt.Errorf("%w: %w", rooms.ErrUnavailable, err)
	}
	return func() {
		cancel()
		_ = s.Unsubscribe()
	}, nil
}

// noteHeard notes that a change was received.
func (d *Directory) noteHeard() {
	now := d.config.Now()
	d.heard.Store(&now)
}

// Age returns the time since this process last received a change of the directory, or read all of it: rooms.Membership.Age.
func (d *Directory) Age() time.Duration {
	return max(d.config.Now().Sub(*d.heard.Load()), 0)
}

// subject returns the subject of a key.
func (d *Directory) subject(key string) string { return "$KV." + d.config.Bucket + "." + key }

// deletion returns the message that deletes a key.
func (d *Directory) deletion(key string) *nats.Msg {
	m := nats.NewMsg(d.subject(key))
	m.Header.Set(operationHeader, operationDelete)
	m.Header.Set(jetstream.MsgTTLHeader, tombstoneTTL.String())
	return m
}

// publish writes a message over the message of that revision, 0 for none. See isConflict and refused for its error.
func (d *Directory) publish(ctx context.Context, m *nats.Msg, over uint64) (uint64, error) {
	base, _ := d.cache.bounds()
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
	d.writable()
	return base + ack.Sequence, nil
}

// get asks the leader for a record and updates the cache. If the record was deleted, tombstone is the revision of its deletion, as
// far as the stream knows it.
func (d *Directory) get(ctx context.Context, key string) (tombstone uint64, err error) {
	ctx, stop := context.WithTimeout(ctx, d.config.Patience)
	defer stop()
	before, _ := d.cache.load(key)
	base, _ := d.cache.bounds()
	m, err := d.stream.GetLastMsgForSubject(ctx, d.subject(key))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		if before.Revision != 0 { // a removed record leaves a deletion marker: the store was emptied
			d.lost()
			d.cache.update(fleet.Record{Key: key, Revision: before.Revision, Gone: true}, 0, d.config.Now())
		}
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	d.receive(m.Subject, m.Header, m.Data, base+m.Sequence)
	if m.Header.Get(operationHeader) != "" {
		return base + m.Sequence, nil
	}
	return 0, nil
}

// lost notes that the store has lost records.
func (d *Directory) lost() {
	until := time.Now().Add(formerStreamTimeout)
	d.incomplete.Store(&until)
}

// Incomplete reports whether the store has lost its records and processes may still write them again. Meanwhile the absence of a
// record says nothing.
func (d *Directory) Incomplete() bool {
	until := d.incomplete.Load()
	return until != nil && time.Now().Before(*until)
}

// receive updates the cache by a message of the stream, and returns its key.
func (d *Directory) receive(subject string, h nats.Header, data []byte, revision uint64) (key string) {
	key, ok := strings.CutPrefix(subject, d.subject(""))
	if !ok || fleet.CheckRecord(key, data) != nil {
		return "" // no directory wrote it
	}
	r, lease := fleet.Record{Key: key, Value: data, Revision: revision}, time.Duration(0)
	if h.Get(operationHeader) != "" {
		r.Value, r.Gone = nil, true
	} else if ms, err := strconv.ParseUint(h.Get(leaseHeader), 10, 31); err == nil {
		lease = time.Duration(ms) * time.Millisecond
	}
	d.cache.update(r, lease, d.config.Now())
	return key
}

// writable notes that a write has succeeded. If writes failed before, all leases restart.
func (d *Directory) writable() {
	if d.health.worked() {
		d.cache.restartLeases(d.config.Now())
		d.config.Logger.Info("natsdir: the directory takes writes again")
	}
}

// refused returns the error of an operation that was not answered.
func (d *Directory) refused(ctx context.Context, err error) error {
	if ctx.Err() != nil { // the caller gave up, which says nothing about the directory
		return &Refused{Since: d.config.Now(), Again: againInterval, Err: ctx.Err()}
	}
	if err == errQuiet {
		return &Refused{Since: d.config.Now(), Again: againInterval, Err: err}
	}
	return d.down(d.explain(err))
}

// down notes that the directory does not answer, and logs it the first time.
func (d *Directory) down(err error) *Refused {
	r, first := d.health.refused(d.config.Now(), fmt.Errorf("NATS: %w", err))
	if first {
		d.config.Logger.Warn("natsdir: the directory does not answer", "error", err)
	}
	return r
}

// errNoServer is the error of requests while there is no connection.
var errNoServer = errors.New("no connection to a server")

// explain replaces the error of an operation without a connection. The client of NATS reports it as one that exceeds the limit of
// the outbound buffer, because there is no buffer for operations that wait for a connection.
func (d *Directory) explain(err error) error {
	if !errors.Is(err, nats.ErrReconnectBufExceeded) {
		return err
	}
	if last := d.conn.LastError(); last != nil {
		return fmt.Errorf("%w: %w", errNoServer, last)
	}
	return errNoServer
}
