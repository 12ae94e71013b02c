package bind

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/host"
)

// ErrBind is wrapped by errors of [Write] and [Check] about types that cannot be bound. The text says how to change the
// type.
var ErrBind = errors.New("bind")

// Config configures [Write] and [Check].
type Config struct {
	// Folder is the folder of the generated files. It must exist. Default (""): the working directory, which for go
	// generate is the folder of the file with the directive.
	Folder string
	// Name is the base name of the files and the prefix of all names in C: a lower-case letter, then lower-case letters,
	// digits and _. Required.
	Name string
	// Protocol is the protocol of the server and its clients. Required.
	Protocol *ecs.Protocol
	// Book lists the types of messages, events and outcomes, as in host.Config. Default (nil): none.
	Book *host.Book
	// Enums gives names to values. Default (nil): values are plain numbers.
	Enums []Enum
	// Header also writes a header for C. Default (false): no file NAME.h.
	Header bool
}

// Enum gives names to the values of fields.
type Enum struct {
	// Name is the name of the enum, such as "Mood".
	Name string
	// Fields lists the fields with these values: type and path without the indices of arrays and lists, as
	// "Bag.Slots.Mood".
	Fields []string
	// Values lists the names. A field with the tag "enum N" needs a name for each of 0..N−1. For flags and other integers,
	// any number of bits or values can have names.
	Values []Value
}

// Value is a number with a name.
type Value struct {
	// Name is the name of the value, such as "Calm".
	Name string
	// Number is the value in memory.
	Number int64
}

// file is one generated file.
type file struct {
	name string
	text []byte
}

var simpleName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// files generates all files.
func (c *Config) files() ([]file, error) {
	switch {
	case !simpleName.MatchString(c.Name):
		return nil, fmt.Errorf("%w: Config.Name is %q: use a lower-case letter, then lower-case letters, digits and _, as in arena", ErrBind, c.Name)
	case c.Protocol == nil:
		return nil, fmt.Errorf("%w: Config.Protocol is nil: set it to the protocol of server and clients", ErrBind)
	}
	m, err := newModel(c)
	if err != nil {
		return nil, err
	}
	list := []file{{c.Name + ".mjs", m.script()}, {c.Name + ".d.mts", types(m)}}
	if c.Header {
		list = append(list, file{c.Name + ".h", header(m)})
	}
	return list, nil
}

// Write writes the bindings. It does not touch a file that already has the same bytes. Errors wrap [ErrBind] or come from
// the file system.
func Write(c Config) error {
	files, err := c.files()
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(c.Folder, f.name)
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, f.text) {
			continue
		}
		if err := os.WriteFile(path, f.text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Check returns an error that wraps [ErrBind] and names the first file that [Write] would change. Call it in a test of the
// game to detect a forgotten go generate.
func Check(c Config) error {
	files, err := c.files()
	if err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(c.Folder, f.name)
		old, err := os.ReadFile(path)
		switch {
		case err != nil:
			return fmt.Errorf("%w: %w: run go generate", ErrBind, err)
		case !bytes.Equal(old, f.text):
			return fmt.Errorf("%w: %s does not match the protocol: run go generate and commit the result", ErrBind, path)
		}
	}
	return nil
}
