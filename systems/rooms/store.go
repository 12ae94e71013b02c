package rooms

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/save"
)

// Store keeps the newest save of each room. [NewFileStore] keeps saves in a folder, package natsdir in NATS. Any goroutine may
// call its methods, which may wait.
type Store interface {
	// Put replaces the save of a room in one step. The first epoch is 1. The error wraps [ErrStale] if there is a save of a higher
	// epoch, which stays.
	Put(ctx context.Context, room ID, epoch uint64, data []byte) error
	// Get returns the save with the highest epoch, of at most [MaxSave] bytes. The error wraps [ErrNoSave] if there is none.
	Get(ctx context.Context, room ID) ([]byte, error)
	// Delete removes the save of a room, unless it has a higher epoch.
	Delete(ctx context.Context, room ID, epoch uint64) error
}

// MaxSave is the maximum size of the save of a room in bytes.
const MaxSave = save.MaxSize

// Errors of stores.
var (
	// ErrStale: the store has a save of a higher epoch: another process has claimed the room.
	ErrStale = errors.New("rooms: another process has saved the room under a higher epoch")
	// ErrNoSave: the store has no save of the room.
	ErrNoSave = errors.New("rooms: the room has no save")
)

// fileStore is a folder with a file for each room. The name of a file contains the epoch, so that several processes can write
// to one folder without a lock: a file of a lower epoch does not replace one of a higher epoch, and Get ignores it.
type fileStore struct{ folder string }

const (
	fileStoreSuffix = ".save"
	// saveAge is how long a save stays that is not replaced: that of a room that nobody continues.
	saveAge = 30 * 24 * time.Hour
)

// NewFileStore returns a [Store] in a folder, and creates the folder. The processes of a fleet may share the folder. NewFileStore
// removes saves that were written more than 30 days ago. The error names the folder and the reason.
func NewFileStore(folder string) (Store, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if err := save.CheckFile(filepath.Join(folder, "check")); err != nil {
		return nil, err
	}
	return fileStore{folder}, removeOld(folder, time.Now().Add(-saveAge))
}

// removeOld removes the saves that were written before a time, and the files of writes that a crash has cut off.
func removeOld(folder string, before time.Time) error {
	files, err := os.ReadDir(folder)
	for _, f := range files {
		name := f.Name()
		if whole, _, cut := strings.Cut(name, fileStoreSuffix+"."); cut && strings.HasSuffix(name, ".tmp") {
			name = whole + fileStoreSuffix
		}
		_, _, is := parseFileName(name)
		info, gone := f.Info()
		if is && gone == nil && info.ModTime().Before(before) {
			if gone = os.Remove(filepath.Join(folder, f.Name())); !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}
	return err
}

// parseFileName returns the room and the epoch of the file of a save.
func parseFileName(name string) (room string, epoch uint64, ok bool) {
	room, rest, _ := strings.Cut(name, ".")
	number, ok := strings.CutSuffix(rest, fileStoreSuffix)
	epoch, err := strconv.ParseUint(number, 10, 64)
	return room, epoch, ok && err == nil
}

// file returns the name of the file of a save.
func (f fileStore) file(room ID, epoch uint64) string {
	return filepath.Join(f.folder, room.String()+"."+strconv.FormatUint(epoch, 10)+fileStoreSuffix)
}

// epochs returns the epochs of the saves of a room, and the highest one.
func (f fileStore) epochs(room ID) (all []uint64, highest uint64, err error) {
	d, err := os.Open(f.folder)
	if err != nil {
		return nil, 0, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	for _, name := range names {
		if id, n, ok := parseFileName(name); ok && id == room.String() {
			all, highest = append(all, n), max(highest, n)
		}
	}
	return all, highest, err
}

// Put implements [Store].
func (f fileStore) Put(_ context.Context, room ID, epoch uint64, data []byte) error {
	_, highest, err := f.epochs(room)
	if err == nil && highest <= epoch {
		if err = save.Replace(f.file(room, epoch), data); err == nil {
			highest, err = f.remove(room, epoch-1)
		}
	}
	if err == nil && highest > epoch {
		err = fmt.Errorf("%w: %d", ErrStale, highest)
	}
	return err
}

// remove removes the saves of a room up to an epoch, and returns the highest epoch that there was.
func (f fileStore) remove(room ID, epoch uint64) (highest uint64, err error) {
	all, highest, err := f.epochs(room)
	for _, n := range all {
		if n <= epoch {
			if gone := os.Remove(f.file(room, n)); !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}
	return highest, err
}

// Get implements [Store].
func (f fileStore) Get(_ context.Context, room ID) ([]byte, error) {
	for {
		all, highest, err := f.epochs(room)
		if err == nil && len(all) == 0 {
			err = ErrNoSave
		}
		if err != nil {
			return nil, err
		}
		data, err := readFile(f.file(room, highest))
		if !errors.Is(err, fs.ErrNotExist) { // otherwise another process has just replaced or removed it
			return data, err
		}
	}
}

// readFile returns the contents of a file of at most MaxSave bytes.
func readFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, MaxSave+1))
	if err == nil && len(data) > MaxSave {
		err = fmt.Errorf("%s has more than %d bytes", name, MaxSave)
	}
	return data, err
}

// Delete implements [Store].
func (f fileStore) Delete(_ context.Context, room ID, epoch uint64) error {
	_, err := f.remove(room, epoch)
	return err
}
