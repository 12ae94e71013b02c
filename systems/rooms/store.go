package rooms

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/save"
)

// Store keeps the newest save of each room. [NewFileStore] keeps saves in a folder, package natsdir in NATS. Both are an [Archive].
// Any goroutine may call its methods, which may wait.
type Store interface {
	// Put replaces the save that a room has under an epoch, in one step. The first epoch is 1. The error wraps [ErrStale] if there
	// is a save of a higher epoch, which stays.
	Put(ctx context.Context, room ID, epoch uint64, data []byte) error
	// Get returns the save with the highest epoch, of at most [MaxSave] bytes. The error wraps [ErrNoSave] if there is none.
	Get(ctx context.Context, room ID) ([]byte, error)
	// Delete removes the saves of a room, unless one has a higher epoch. Saves that are kept stay.
	Delete(ctx context.Context, room ID, epoch uint64) error
}

// Archive is a [Store] in which the saves of earlier epochs stay when Put stores one of a higher epoch. The server removes them when
// there are more than [Config].Saves. Each process that continues a room has an epoch of its own.
type Archive interface {
	Store
	// List returns the saves of a room, or of all rooms for the room 0: by room, the highest epoch first.
	List(ctx context.Context, room ID) ([]SaveEntry, error)
	// Read returns the save of a room under an epoch, like Get.
	Read(ctx context.Context, room ID, epoch uint64) ([]byte, error)
	// Keep keeps a copy of a save until Remove, or for 30 days. The error wraps [ErrNoSave] if there is no such save.
	Keep(ctx context.Context, room ID, epoch uint64) error
	// Remove removes one save, and its copy. It does nothing if there is none.
	Remove(ctx context.Context, room ID, epoch uint64) error
}

// SaveEntry describes a save in an [Archive].
type SaveEntry struct {
	Room  ID
	Epoch uint64
	// Kept reports that the save stays until it is removed: see [Archive].Keep.
	Kept bool
	// Bytes is the size.
	Bytes int64
	// Written is when the save was written.
	Written time.Time
}

// compare orders the entries of List.
func (e SaveEntry) compare(other SaveEntry) int {
	return cmp.Or(cmp.Compare(e.Room, other.Room), cmp.Compare(other.Epoch, e.Epoch))
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
	// keptSuffix is the suffix of the copies that Keep makes.
	keptSuffix = ".kept"
	// saveAge is how long a save stays that is not replaced: that of a room that nobody continues.
	saveAge = 30 * 24 * time.Hour
)

// NewFileStore returns an [Archive] in a folder, and creates the folder. The processes of a fleet may share the folder. NewFileStore
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
		for _, suffix := range []string{fileStoreSuffix, keptSuffix} {
			if whole, _, cut := strings.Cut(name, suffix+"."); cut && strings.HasSuffix(name, ".tmp") {
				name = whole + suffix
			}
		}
		_, _, _, is := parseFileName(name)
		info, gone := f.Info()
		if is && gone == nil && info.ModTime().Before(before) {
			if gone = os.Remove(filepath.Join(folder, f.Name())); !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}
	return err
}

// parseFileName returns the room and the epoch of the file of a save, and whether Keep made it.
func parseFileName(name string) (room string, epoch uint64, kept, ok bool) {
	room, rest, _ := strings.Cut(name, ".")
	number, ok := strings.CutSuffix(rest, fileStoreSuffix)
	if !ok {
		number, ok = strings.CutSuffix(rest, keptSuffix)
		kept = ok
	}
	epoch, err := strconv.ParseUint(number, 10, 64)
	return room, epoch, kept, ok && err == nil
}

// file returns the name of the file of a save.
func (f fileStore) file(room ID, epoch uint64, suffix string) string {
	return filepath.Join(f.folder, room.String()+"."+strconv.FormatUint(epoch, 10)+suffix)
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
		if id, n, kept, ok := parseFileName(name); ok && !kept && id == room.String() {
			all, highest = append(all, n), max(highest, n)
		}
	}
	return all, highest, err
}

// Put implements [Store].
func (f fileStore) Put(_ context.Context, room ID, epoch uint64, data []byte) error {
	_, highest, err := f.epochs(room)
	if err == nil && highest <= epoch {
		if err = save.Replace(f.file(room, epoch, fileStoreSuffix), data); err == nil {
			_, highest, err = f.epochs(room)
		}
	}
	if err == nil && highest > epoch {
		err = fmt.Errorf("%w: %d", ErrStale, highest)
	}
	return err
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
		data, err := readFile(f.file(room, highest, fileStoreSuffix))
		if !errors.Is(err, fs.ErrNotExist) { // otherwise another process has just replaced or removed it
			return data, err
		}
	}
}

// Delete implements [Store].
func (f fileStore) Delete(_ context.Context, room ID, epoch uint64) error {
	all, highest, err := f.epochs(room)
	if err != nil || highest > epoch {
		return err
	}
	for _, n := range all {
		err = errors.Join(err, f.removeFile(room, n, fileStoreSuffix))
	}
	return err
}

// removeFile removes a file, if there is one.
func (f fileStore) removeFile(room ID, epoch uint64, suffix string) error {
	err := os.Remove(f.file(room, epoch, suffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// List implements [Archive].
func (f fileStore) List(_ context.Context, room ID) (list []SaveEntry, err error) {
	files, err := os.ReadDir(f.folder)
	type of struct {
		room  ID
		epoch uint64
	}
	at := make(map[of]int)
	for _, x := range files {
		name, epoch, kept, is := parseFileName(x.Name())
		id, unnamed := ParseID(name)
		if !is || unnamed != nil || room != 0 && id != room {
			continue
		}
		info, gone := x.Info()
		if gone != nil {
			continue
		}
		e := SaveEntry{Room: id, Epoch: epoch, Kept: kept, Bytes: info.Size(), Written: info.ModTime()}
		if n, listed := at[of{id, epoch}]; !listed {
			at[of{id, epoch}] = len(list)
			list = append(list, e)
		} else if list[n].Kept = true; !kept {
			e.Kept = true
			list[n] = e
		}
	}
	slices.SortFunc(list, SaveEntry.compare)
	return list, err
}

// Read implements [Archive].
func (f fileStore) Read(_ context.Context, room ID, epoch uint64) ([]byte, error) {
	data, err := readFile(f.file(room, epoch, fileStoreSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = readFile(f.file(room, epoch, keptSuffix))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w under epoch %d", ErrNoSave, epoch)
	}
	return data, err
}

// Keep implements [Archive].
func (f fileStore) Keep(ctx context.Context, room ID, epoch uint64) error {
	data, err := f.Read(ctx, room, epoch)
	if err != nil {
		return err
	}
	return save.Replace(f.file(room, epoch, keptSuffix), data)
}

// Remove implements [Archive].
func (f fileStore) Remove(_ context.Context, room ID, epoch uint64) error {
	return errors.Join(f.removeFile(room, epoch, fileStoreSuffix), f.removeFile(room, epoch, keptSuffix))
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
