package runner

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems"
)

// files are the opened files of -record and -trained.
type files struct {
	record  io.Writer      // of the server; nil: no recording
	trained *delta.Trained // of server and bots; nil: built-in statistics
	log     *slog.Logger   // warnings of the server and of one bot; nil: none
}

// open opens the files of the flags. It returns a function that ends the recording.
func (f *files) open(o *Options, stderr io.Writer) (end func() error, err error) {
	end = func() error { return nil }
	f.log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if o.Trained != "" {
		b, err := os.ReadFile(o.Trained)
		if err != nil {
			return end, fmt.Errorf("-trained: pass a file that codec/train wrote: %w", err)
		}
		f.trained = systems.LoadTrained(b, f.log)
	}
	if o.Record == "" {
		return end, nil
	}
	file, err := os.Create(o.Record)
	if err != nil {
		return end, fmt.Errorf("-record: pass the name of a writable file: %w", err)
	}
	out := bufio.NewWriterSize(file, 1<<16)
	f.record = out
	return func() error { return errors.Join(out.Flush(), file.Close()) }, nil
}
