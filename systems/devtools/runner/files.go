package runner

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/recording"
	"github.com/tactusgo/tactus/systems/save"
)

// files are the opened files of -record, -samples, -trained and -load.
type files struct {
	load    []byte            // of the server; nil: a new world
	record  *recording.Writer // of the server; nil: no recording
	feed    *recording.Feed   // of record
	samples io.Writer         // of the server's snapshots; nil: none
	trained *delta.Trained    // of server and bots; nil: built-in statistics
	log     *slog.Logger      // warnings of the server and of one bot; nil: none
}

// open opens the files of the flags, and checks that the one of -save can be written. It returns a function that ends the recording.
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
	if o.Save != "" {
		if err = save.CheckFile(o.Save); err != nil {
			return end, err
		}
	}
	if o.Load != "" {
		if f.load, err = save.ReadFile(o.Load); err != nil {
			return end, err
		}
	}
	if o.Record != "" {
		f.feed = &recording.Feed{}
		if f.record, err = recording.Create(o.Record, recording.Config{Live: f.feed, Logger: f.log}); err != nil {
			return end, err
		}
		end = f.record.Close
	}
	if o.Samples == "" {
		return end, nil
	}
	file, err := os.Create(o.Samples)
	if err != nil {
		return end, fmt.Errorf("-samples: pass the name of a writable file: %w", err)
	}
	out, before := bufio.NewWriterSize(file, 1<<16), end
	f.samples = out
	return func() error { return errors.Join(out.Flush(), file.Close(), before()) }, nil
}

// save writes the file of -save, and the flight of the match that -record records. Sessions may be closed.
func (o *Options) save(s *systems.Server) error {
	saved := write(o.Save, s.Save, save.WriteFile)
	if o.Record == "" {
		return saved
	}
	flown := write(o.Record+flightSuffix, func() func() ([]byte, error) { return s.SaveFlight("end of the match") }, save.Replace)
	if errors.Is(flown, systems.ErrFlight) {
		flown = nil // keepFlight has logged why there is none
	}
	return errors.Join(saved, flown)
}

// write writes what capture encodes to a file, if it has a name.
func write(file string, capture func() func() ([]byte, error), to func(file string, data []byte) error) error {
	if file == "" {
		return nil
	}
	data, err := capture()()
	if err != nil {
		return fmt.Errorf("save %s: %w", file, err)
	}
	return to(file, data)
}

// flightSuffix is added to the name of a recording for the file of its flight.
const flightSuffix = ".flight"

// keepFlight makes the server keep the flight of a match that -record records, if the model allows it.
func (o *Options) keepFlight(c *systems.ServerConfig) {
	_, rewinds := c.Model.(policy.ServerRewind)
	switch {
	case o.Record == "":
	case rewinds && c.LagComp != nil:
		o.files.log.Warn("-record writes no flight, and -rerun cannot simulate the match again: see systems.ServerConfig.Flight about LagComp under ServerRewind")
	default:
		c.Flight = &systems.Flight{File: o.Record + flightSuffix, Length: 10 * time.Minute, MaxBytes: 64 << 20}
	}
}

// loadError names the file of -load in an error about its contents.
func (o *Options) loadError(err error) error {
	if errors.Is(err, systems.ErrLoad) {
		return fmt.Errorf("load %s: %w", o.Load, err)
	}
	return err
}
