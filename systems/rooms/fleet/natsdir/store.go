package natsdir

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
)

const (
	// savePrefix is the prefix of the records of a directory that have the epoch of the newest save of a room.
	savePrefix = "save."
	// saveTTL is how long the store keeps a save that is not replaced, because no process has claimed its room.
	saveTTL = 30 * 24 * time.Hour
	// loadTries is how often a save is read again that was replaced meanwhile.
	loadTries = 3
)

// errSaves is the error for a stream of saves that is not one.
var errSaves = errors.New("the stream of saves has another configuration: set Bucket to another name")

// store is an object store with one object for each room and epoch. The record of a room in the directory has the epoch of the
// newest object. Writers raise it by compare-and-set, so that an object of a lower epoch is never read.
type store struct {
	directory *Directory
	bucket    string
	stream    jetstream.Stream // of the objects
	objects   jetstream.ObjectStore
}

// Store returns a store for rooms.Config.Store in an object store of the directory's servers, and creates it if there is none. A
// save that is not replaced for 30 days is removed.
func (d *Directory) Store(ctx context.Context) (rooms.Store, error) {
	bucket := d.config.Bucket + "-saves"
	want := jetstream.StreamConfig{
		Name: "OBJ_" + bucket, Subjects: []string{"$O." + bucket + ".C.>", "$O." + bucket + ".M.>"}, Discard: jetstream.DiscardNew,
		Storage: jetstream.FileStorage, Replicas: d.config.Replicas, AllowRollup: true, MaxAge: saveTTL,
	}
	ctx, stop := context.WithTimeout(ctx, 5*d.config.Patience)
	defer stop()
	stream, err := d.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = d.js.CreateStream(ctx, want)
	}
	var objects jetstream.ObjectStore
	if err == nil {
		objects, err = d.js.ObjectStore(ctx, bucket)
	}
	if err == nil && stream.CachedInfo().Config.AllowDirect { // a replica could answer with a replaced save
		err = fmt.Errorf("%w: %w", ErrConfig, errSaves)
	}
	if err != nil {
		return nil, fmt.Errorf("natsdir: the store of saves cannot be opened: %w", d.explain(err))
	}
	return &store{d, bucket, stream, objects}, nil
}

// object returns the name of the object of a save.
func object(room rooms.ID, epoch uint64) string {
	return room.String() + "." + strconv.FormatUint(epoch, 10)
}

// epoch returns the epoch of the newest save of a room, 0 if there is none, and the revision of its record.
func (s *store) epoch(ctx context.Context, room rooms.ID) (epoch, revision uint64, err error) {
	r, err := s.directory.Load(ctx, savePrefix+room.String())
	if errors.Is(err, fleet.ErrAbsent) {
		return 0, 0, nil
	}
	if err == nil {
		epoch, err = strconv.ParseUint(string(r.Value), 10, 64)
	}
	return epoch, r.Revision, err
}

// raise makes the object of an epoch the newest save of a room.
func (s *store) raise(ctx context.Context, room rooms.ID, epoch uint64) error {
	for {
		was, revision, err := s.epoch(ctx, room)
		switch {
		case err != nil || was == epoch:
			return err
		case was > epoch:
			_ = s.remove(ctx, room, epoch) // it was written too late, and is never read
			return fmt.Errorf("%w: %d", rooms.ErrStale, was)
		}
		_, err = s.directory.Save(ctx, savePrefix+room.String(), strconv.AppendUint(nil, epoch, 10), revision, 0)
		if errors.Is(err, fleet.ErrConflict) {
			continue
		}
		if err == nil && was != 0 {
			_ = s.remove(ctx, room, was) // otherwise it goes after saveTTL
		}
		return err
	}
}

// Put implements rooms.Store.
func (s *store) Put(ctx context.Context, room rooms.ID, epoch uint64, data []byte) error {
	was, _, err := s.epoch(ctx, room)
	if err == nil && was > epoch {
		return fmt.Errorf("%w: %d", rooms.ErrStale, was)
	}
	if err == nil {
		_, err = s.objects.PutBytes(ctx, object(room, epoch), data)
	}
	if err == nil {
		err = s.raise(ctx, room, epoch)
	}
	return s.failed(err)
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
func (s *store) read(ctx context.Context, name string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, 3*s.directory.config.Patience) // the chunks of a replaced object do not come
	defer stop()
	x, err := s.objects.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	data, err := io.ReadAll(io.LimitReader(x, rooms.MaxSave+1))
	if err == nil && len(data) > rooms.MaxSave {
		err = fmt.Errorf("it has more than %d bytes", rooms.MaxSave)
	}
	if err == nil {
		err = x.Error()
	}
	return data, err
}

// Delete implements rooms.Store.
func (s *store) Delete(ctx context.Context, room rooms.ID, epoch uint64) error {
	was, revision, err := s.epoch(ctx, room)
	if err != nil || was == 0 || was > epoch {
		return s.failed(err)
	}
	err = s.directory.Remove(ctx, savePrefix+room.String(), revision)
	if errors.Is(err, fleet.ErrConflict) { // a process with a higher epoch
		return nil
	}
	if err == nil {
		err = s.remove(ctx, room, was)
	}
	return s.failed(err)
}

// remove removes the messages of an object. ObjectStore.Delete would leave one for each object.
func (s *store) remove(ctx context.Context, room rooms.ID, epoch uint64) error {
	name := object(room, epoch)
	info, err := s.objects.GetInfo(ctx, name)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil
	}
	if err == nil {
		err = s.purge(ctx, "M."+base64.URLEncoding.EncodeToString([]byte(name)))
	}
	if err == nil {
		err = s.purge(ctx, "C."+info.NUID)
	}
	return err
}

func (s *store) purge(ctx context.Context, subject string) error {
	return s.stream.Purge(ctx, jetstream.WithPurgeSubject("$O."+s.bucket+"."+subject))
}

// failed returns the error of an operation that has failed.
func (s *store) failed(err error) error {
	if err == nil || errors.Is(err, rooms.ErrStale) || errors.Is(err, rooms.ErrUnavailable) {
		return err
	}
	return fmt.Errorf("natsdir: saves in bucket %s: %w", s.bucket, s.directory.explain(err))
}
