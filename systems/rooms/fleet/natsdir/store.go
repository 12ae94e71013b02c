package natsdir

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

const (
	// savePrefix is the prefix of the records of a directory that have the epoch of the newest save of a room.
	savePrefix = "save."
	// earlierPrefix is the prefix of the records that have the epochs of the earlier saves of a room: see earlier.
	earlierPrefix = "saves."
	// saveTTL is how long the store keeps a save that is not replaced, because no process has claimed its room.
	saveTTL = 30 * 24 * time.Hour
	// loadTries is how often a save is read again that was replaced meanwhile.
	loadTries = 3
	// keptSuffix is the suffix of the objects that Keep makes.
	keptSuffix = ".kept"
)

// errSaves is the error for a stream of saves that is not one.
var errSaves = errors.New("the stream of saves has another configuration: set Bucket to another name")

// errNoBucket is the error of reading saves while there is no bucket: NATS has lost it, and no process has saved a room since.
var errNoBucket = errors.New("NATS has lost its saves, and no process has written one since")

// store is an object store with one object for each room and epoch. The record of a room in the directory has the epoch of the
// newest object. Writers raise it by compare-and-set, so that an object of a lower epoch is never read by Get.
type store struct {
	directory *Directory
	bucket    string

	mu     sync.Mutex
	opened bucket // zero: it is opened by the next operation
}

// bucket is the object store, and its stream.
type bucket struct {
	stream  jetstream.Stream
	objects jetstream.ObjectStore
}

// Store returns a store for rooms.Config.Store in an object store of the directory's servers, and creates it if there is none: a
// rooms.Archive. A save that is not replaced for 30 days is removed. If NATS loses the object store, the next save creates it again.
func (d *Directory) Store(ctx context.Context) (rooms.Store, error) {
	s := &store{directory: d, bucket: d.config.Bucket + "-saves"}
	ctx, stop := context.WithTimeout(ctx, 5*d.config.Patience)
	defer stop()
	if err := s.ensure(ctx); err != nil {
		return nil, fmt.Errorf("natsdir: the store of saves cannot be opened: %w", d.explain(err))
	}
	return s, nil
}

// streamName returns the name of the stream of the objects.
func (s *store) streamName() string { return "OBJ_" + s.bucket }

// ensure creates the bucket if there is none.
func (s *store) ensure(ctx context.Context) error {
	d := s.directory
	stream, err := d.js.Stream(ctx, s.streamName())
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = d.js.CreateStream(ctx, jetstream.StreamConfig{
			Name: s.streamName(), Subjects: []string{"$O." + s.bucket + ".C.>", "$O." + s.bucket + ".M.>"}, Discard: jetstream.DiscardNew,
			Storage: jetstream.FileStorage, Replicas: d.config.Replicas, AllowRollup: true, MaxAge: saveTTL,
		})
	}
	if err == nil && stream.CachedInfo().Config.AllowDirect { // a replica could answer with a replaced save
		err = fmt.Errorf("%w: %w", ErrConfig, errSaves)
	}
	return err
}

// use calls f with the bucket. If there is none, it calls lost, which may create it, and f again.
func (s *store) use(ctx context.Context, f func(b bucket) error, lost func() error) error {
	s.mu.Lock()
	b := s.opened
	s.mu.Unlock()
	err := errNoBucket
	if b.stream != nil {
		err = f(b)
	}
	if !missing(err) {
		return err
	}
	b, err = s.open(ctx)
	if err == errNoBucket {
		if err = lost(); err == nil {
			b, err = s.open(ctx)
		}
	}
	s.mu.Lock()
	s.opened = b
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return f(b)
}

// open opens the bucket. The error is errNoBucket if there is none.
func (s *store) open(ctx context.Context) (b bucket, err error) {
	stream, err := s.directory.js.Stream(ctx, s.streamName())
	if err == nil {
		b.objects, err = s.directory.js.ObjectStore(ctx, s.bucket)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) {
		err = errNoBucket
	}
	if err != nil {
		return bucket{}, err
	}
	b.stream = stream
	return b, nil
}

// missing reports whether the reason of an error may be that there is no bucket.
func missing(err error) bool {
	for _, x := range []error{errNoBucket, jetstream.ErrStreamNotFound, jetstream.ErrBucketNotFound, jetstream.ErrNoStreamResponse, nats.ErrNoResponders} {
		if errors.Is(err, x) {
			return true
		}
	}
	return false
}

// stays leaves a lost bucket as it is.
func stays() error { return errNoBucket }

// object returns the name of the object of a save.
func object(room rooms.ID, epoch uint64) string {
	return room.String() + "." + strconv.FormatUint(epoch, 10)
}

// epoch returns the epoch of the newest save of a room, 0 if there is none, and the revision of its record.
func (s *store) epoch(ctx context.Context, room rooms.ID) (epoch, revision uint64, err error) {
	return s.epochBy(ctx, s.directory.Load, room)
}

func (s *store) epochBy(ctx context.Context, load func(context.Context, string) (fleet.Record, error), room rooms.ID) (epoch, revision uint64, err error) {
	r, err := load(ctx, savePrefix+room.String())
	if errors.Is(err, fleet.ErrAbsent) {
		return 0, 0, nil
	}
	if err == nil {
		epoch, err = strconv.ParseUint(string(r.Value), 10, 64)
	}
	return epoch, r.Revision, err
}

// earlier has the epochs of the saves of a room other than the newest one, and of those that are kept: text of decimal numbers with
// spaces, each with a K if it is kept.
type earlier map[uint64]bool

func parseEarlier(text string) earlier {
	e := make(earlier)
	for x := range strings.FieldsSeq(text) {
		number, kept := strings.CutSuffix(x, "K")
		if epoch, err := strconv.ParseUint(number, 10, 64); err == nil { // others are of a later version
			e[epoch] = kept
		}
	}
	return e
}

func (e earlier) String() string {
	var all []string
	for _, epoch := range slices.Backward(slices.Sorted(maps.Keys(e))) {
		all = append(all, strconv.FormatUint(epoch, 10)+map[bool]string{true: "K"}[e[epoch]])
	}
	return strings.Join(all, " ")
}

// earlier returns the earlier saves of a room, and the revision of their record.
func (s *store) earlier(ctx context.Context, room rooms.ID) (e earlier, revision uint64, err error) {
	r, err := s.directory.Load(ctx, earlierPrefix+room.String())
	if errors.Is(err, fleet.ErrAbsent) {
		err = nil
	}
	return parseEarlier(string(r.Value)), r.Revision, err
}

// change changes the record of the earlier saves of a room.
func (s *store) change(ctx context.Context, room rooms.ID, f func(e earlier)) error {
	for {
		e, revision, err := s.earlier(ctx, room)
		if err != nil {
			return err
		}
		was := e.String()
		f(e)
		key := earlierPrefix + room.String()
		switch {
		case e.String() == was:
			return nil
		case len(e) == 0:
			err = s.directory.Remove(ctx, key, revision)
		default:
			_, err = s.directory.Save(ctx, key, []byte(e.String()), revision, 0)
		}
		if !errors.Is(err, fleet.ErrConflict) {
			return err
		}
	}
}

// raise makes the object of an epoch the newest save of a room. The record must be in NATS, which may have lost it: a process that starts
// later does not know it otherwise.
func (s *store) raise(ctx context.Context, room rooms.ID, epoch uint64) error {
	for {
		was, revision, err := s.epochBy(ctx, s.directory.fresh, room)
		switch {
		case err != nil || was == epoch:
			return err
		case was > epoch:
			return fmt.Errorf("%w: %d", rooms.ErrStale, was)
		case was != 0:
			if err = s.change(ctx, room, func(e earlier) { e[was] = e[was] }); err != nil {
				return err
			}
		}
		_, err = s.directory.Save(ctx, savePrefix+room.String(), strconv.AppendUint(nil, epoch, 10), revision, 0)
		if !errors.Is(err, fleet.ErrConflict) {
			return err
		}
	}
}

// Put implements rooms.Store.
func (s *store) Put(ctx context.Context, room rooms.ID, epoch uint64, data []byte) error {
	was, _, err := s.epoch(ctx, room)
	if err == nil && was > epoch {
		return fmt.Errorf("%w: %d", rooms.ErrStale, was)
	}
	if err == nil {
		err = s.write(ctx, object(room, epoch), data)
	}
	if err == nil {
		err = s.raise(ctx, room, epoch)
	}
	return s.failed(err)
}

// write writes an object. It creates the bucket again if NATS has lost it.
func (s *store) write(ctx context.Context, name string, data []byte) error {
	return s.use(ctx, func(b bucket) error {
		_, err := b.objects.PutBytes(ctx, name, data)
		return err
	}, func() error {
		s.directory.config.Logger.Warn("natsdir: the store of saves is gone and is created again: rooms are saved anew", "bucket", s.bucket)
		return s.ensure(ctx)
	})
}

// Get implements rooms.Store.
func (s *store) Get(ctx context.Context, room rooms.ID) (data []byte, err error) {
	for range loadTries {
		epoch, _, unread := s.epoch(ctx, room)
		switch {
		case unread != nil:
			return nil, s.failed(unread)
		case epoch == 0:
			return nil, rooms.ErrNoSave
		}
		if data, err = s.read(ctx, object(room, epoch)); err == nil {
			return data, nil
		}
	}
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, rooms.ErrNoSave
	}
	return nil, s.failed(err)
}

// read reads an object.
func (s *store) read(ctx context.Context, name string) (data []byte, err error) {
	ctx, stop := context.WithTimeout(ctx, 3*s.directory.config.Patience) // the chunks of a replaced object do not come
	defer stop()
	err = s.use(ctx, func(b bucket) error {
		x, err := b.objects.Get(ctx, name)
		if err != nil {
			return err
		}
		defer x.Close()
		data, err = io.ReadAll(io.LimitReader(x, rooms.MaxSave+1))
		if err == nil && len(data) > rooms.MaxSave {
			err = fmt.Errorf("it has more than %d bytes", rooms.MaxSave)
		}
		if err == nil {
			err = x.Error()
		}
		return err
	}, stays)
	return data, err
}

// Delete implements rooms.Store.
func (s *store) Delete(ctx context.Context, room rooms.ID, epoch uint64) error {
	was, revision, err := s.epoch(ctx, room)
	if err != nil || was == 0 || was > epoch {
		return s.failed(err)
	}
	all, _, err := s.earlier(ctx, room)
	if err == nil {
		err = s.directory.Remove(ctx, savePrefix+room.String(), revision)
	}
	if errors.Is(err, fleet.ErrConflict) { // a process with a higher epoch
		return nil
	}
	all[was] = all[was]
	for n := range all {
		if err == nil {
			err = s.remove(ctx, object(room, n))
		}
	}
	if err == nil {
		err = s.change(ctx, room, func(e earlier) { maps.DeleteFunc(e, func(_ uint64, kept bool) bool { return !kept }) })
	}
	return s.failed(err)
}

// List implements rooms.Archive.
func (s *store) List(ctx context.Context, room rooms.ID) (list []rooms.SaveEntry, err error) {
	ids := []rooms.ID{room}
	if room == 0 {
		ids = s.rooms()
	}
	for _, id := range ids {
		newest, _, err := s.epoch(ctx, id)
		if err != nil {
			return list, s.failed(err)
		}
		all, _, err := s.earlier(ctx, id)
		if err != nil {
			return list, s.failed(err)
		}
		if newest != 0 {
			all[newest] = all[newest]
		}
		for _, epoch := range slices.Backward(slices.Sorted(maps.Keys(all))) {
			var info *jetstream.ObjectInfo
			err := s.use(ctx, func(b bucket) (err error) {
				info, err = b.objects.GetInfo(ctx, object(id, epoch))
				if errors.Is(err, jetstream.ErrObjectNotFound) && all[epoch] {
					info, err = b.objects.GetInfo(ctx, object(id, epoch)+keptSuffix)
				}
				return err
			}, stays)
			switch {
			case errors.Is(err, jetstream.ErrObjectNotFound), err == errNoBucket: // its time is over, or NATS has lost it
			case err != nil:
				return list, s.failed(err)
			default:
				list = append(list, rooms.SaveEntry{Room: id, Epoch: epoch, Kept: all[epoch], Bytes: int64(info.Size), Written: info.ModTime})
			}
		}
	}
	return list, nil
}

// rooms returns the rooms that have saves, in order.
func (s *store) rooms() []rooms.ID {
	ids := make(map[rooms.ID]bool)
	for _, prefix := range []string{savePrefix, earlierPrefix} {
		for _, r := range s.directory.cache.list(prefix) {
			if id, err := rooms.ParseID(strings.TrimPrefix(r.Key, prefix)); err == nil {
				ids[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// Read implements rooms.Archive.
func (s *store) Read(ctx context.Context, room rooms.ID, epoch uint64) ([]byte, error) {
	data, err := s.read(ctx, object(room, epoch))
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		data, err = s.read(ctx, object(room, epoch)+keptSuffix)
	}
	if errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, errNoBucket) {
		return nil, fmt.Errorf("%w under epoch %d", rooms.ErrNoSave, epoch)
	}
	return data, s.failed(err)
}

// Keep implements rooms.Archive.
func (s *store) Keep(ctx context.Context, room rooms.ID, epoch uint64) error {
	data, err := s.Read(ctx, room, epoch)
	if err != nil {
		return err
	}
	if err = s.write(ctx, object(room, epoch)+keptSuffix, data); err == nil {
		err = s.change(ctx, room, func(e earlier) { e[epoch] = true })
	}
	return s.failed(err)
}

// Remove implements rooms.Archive.
func (s *store) Remove(ctx context.Context, room rooms.ID, epoch uint64) error {
	newest, revision, err := s.epoch(ctx, room)
	if err == nil && newest == epoch {
		if err = s.directory.Remove(ctx, savePrefix+room.String(), revision); errors.Is(err, fleet.ErrConflict) {
			err = nil // a process with a higher epoch
		}
	}
	for _, suffix := range []string{"", keptSuffix} {
		if err == nil {
			err = s.remove(ctx, object(room, epoch)+suffix)
		}
	}
	if err == nil {
		err = s.change(ctx, room, func(e earlier) { delete(e, epoch) })
	}
	return s.failed(err)
}

// remove removes the messages of an object. ObjectStore.Delete would leave one for each object.
func (s *store) remove(ctx context.Context, name string) error {
	err := s.use(ctx, func(b bucket) error {
		info, err := b.objects.GetInfo(ctx, name)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return nil
		}
		purge := func(subject string) error {
			return b.stream.Purge(ctx, jetstream.WithPurgeSubject("$O."+s.bucket+"."+subject))
		}
		if err == nil {
			err = purge("M." + base64.URLEncoding.EncodeToString([]byte(name)))
		}
		if err == nil {
			err = purge("C." + info.NUID)
		}
		return err
	}, stays)
	if err == errNoBucket {
		return nil
	}
	return err
}

// failed returns the error of an operation that has failed.
func (s *store) failed(err error) error {
	if err == nil || errors.Is(err, rooms.ErrStale) || errors.Is(err, rooms.ErrUnavailable) {
		return err
	}
	return fmt.Errorf("natsdir: saves in bucket %s: %w", s.bucket, s.directory.explain(err))
}
