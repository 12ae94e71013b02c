package save

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tactusgo/tactus/codec/compression"
)

// MaxSize is the maximum size of a save in bytes, compressed and not.
const MaxSize = 1 << 28

// ErrFile is wrapped by errors about bytes that are not a whole save.
var ErrFile = errors.New("not a save, or damaged")

// WriteFile writes a save to a file. It writes and syncs a temporary file in the same directory and renames it, so that the
// file has the old or the new contents whenever the process or the machine stops. Errors name the file.
func WriteFile(name string, data []byte) error {
	if len(data) > MaxSize {
		return fmt.Errorf("save %s: %d bytes are more than %d", name, len(data), MaxSize)
	}
	return Replace(name, compression.Compress(data))
}

// Replace replaces a file with other contents as [WriteFile] does, without compressing them.
func Replace(name string, contents []byte) error {
	if err := replace(name, contents); err != nil {
		return fmt.Errorf("save %s: %w", name, reason(err))
	}
	return nil
}

// CheckFile returns an error if [WriteFile] cannot write a file of that name. Call it before a match, whose save would
// otherwise be lost. It changes no file.
func CheckFile(name string) error {
	f, err := createTemp(name)
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", name, reason(err))
	}
	return nil
}

// createTemp creates a temporary file in the directory of a file.
func createTemp(name string) (*os.File, error) {
	if there, err := os.Stat(name); err == nil && there.IsDir() {
		return nil, errors.New("it is a directory")
	}
	return os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
}

// replace replaces a file in one step.
func replace(name string, contents []byte) error {
	f, err := createTemp(name)
	if err != nil {
		return err
	}
	if _, err = f.Write(contents); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	dir, err := os.Open(filepath.Dir(name)) // the new name
	if err != nil {
		return err
	}
	_ = dir.Sync() // not every file system can
	return dir.Close()
}

// ReadFile returns the save in a file. Errors name the file, and wrap [ErrFile] if it is not a whole save. The file may be
// untrusted.
func ReadFile(name string) ([]byte, error) {
	data, err := read(name)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", name, reason(err))
	}
	return data, nil
}

func read(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, err
	}
	if len(b) > MaxSize {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrFile, MaxSize)
	}
	data, err := compression.Decompress(b, MaxSize)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	return data, nil
}

// reason returns an error without the operation and the name of the temporary file.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
