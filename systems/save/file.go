package save

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// MaxSize is the maximum size of a save in bytes, compressed and not.
const MaxSize = 1 << 28

// ErrFile is wrapped by errors about bytes that are not a whole save.
var ErrFile = errors.New("not a save, or damaged")

// encoder compresses all saves of the process, one after the other, so that many of them need little memory.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(maxWindow/2))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})

// maxWindow is the largest window of a frame in bytes: the memory that decompressing takes beside the data.
const maxWindow = 8 << 20

// Compress returns data, at least one byte, as a zstd frame with a checksum. Several goroutines may call it.
func Compress(data []byte) []byte { return encoder().EncodeAll(data, nil) }

// Decompress returns the data of the output of [Compress]. Its error wraps [ErrFile]. frame may be untrusted: the data have
// at most [MaxSize] bytes.
func Decompress(frame []byte) ([]byte, error) {
	var h zstd.Header
	if err := h.Decode(frame); err != nil || h.Skippable || !h.HasCheckSum {
		return nil, fmt.Errorf("%w: it is not a zstd frame with a checksum", ErrFile)
	}
	d, err := zstd.NewReader(bytes.NewReader(frame), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(MaxSize), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	defer d.Close()
	data, err := io.ReadAll(io.LimitReader(d, MaxSize+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	case len(data) > MaxSize:
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrFile, MaxSize)
	}
	return data, nil
}

// WriteFile writes a save to a file. It writes and syncs a temporary file in the same directory and renames it, so that the
// file has the old or the new contents whenever the process or the machine stops. Errors name the file.
func WriteFile(name string, data []byte) (err error) {
	if len(data) > MaxSize {
		return fmt.Errorf("save %s: %d bytes are more than %d", name, len(data), MaxSize)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("save %s: %w", name, reason(err))
		}
	}()
	dir, base := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, base+".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(Compress(data))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	d, err := os.Open(dir) // the new name
	if err != nil {
		return err
	}
	_ = d.Sync() // not every file system can
	return d.Close()
}

// ReadFile returns the save in a file. Errors name the file, and wrap [ErrFile] if it is not a whole save. The file may be
// untrusted.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", name, reason(err))
	}
	defer f.Close()
	frame, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", name, reason(err))
	}
	if len(frame) > MaxSize {
		return nil, fmt.Errorf("load %s: %w: it has more than %d bytes", name, ErrFile, MaxSize)
	}
	data, err := Decompress(frame)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", name, err)
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
