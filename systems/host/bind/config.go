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

// ErrBind is wrapped by errors of [Write] and [Check] about what cannot be bound; the text says what to write instead.
var ErrBind = errors.New("bind")

// Config says what to bind.
type Config struct {
	// Folder is where the files go; it must exist. Default (""): the working directory, which in go generate is that of
	// the file with the directive.
	Folder string
	// Name is that of the files, and in C what all names begin with: lower-case letters, digits and _, a letter first.
	// Required.
	Name string
	// Protocol is what server and clients agree on. Required.
	Protocol *ecs.Protocol
	// Book has what hosts are told and send, as in host.Config. Default (nil): nothing.
	Book *host.Book
	// Enums name values. Default (nil): they are numbers.
	Enums []Enum
}

// Enum gives names to the values of fields.
type Enum struct {
	// Name is what the enum is called, such as "Mood".
	Name string
	// Fields are those that hold it: their type and path, without the indices of arrays and lists, as "Bag.Slots.Mood".
	Fields []string
	// Values are the names. A field with the tag "enum N" needs one for each of 0..N−1; for flags and other integers they
	// are bits or marks, as many as there are.
	Values []Value
}

// Value is a number with a name.
type Value struct {
	// Name is what it is called, such as "Calm".
	Name string
	// Number is the value in memory.
	Number int64
}

// file is one that is written.
type file struct {
	name string
	text []byte
}

var simpleName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// files makes all files.
func (c *Config) files() ([]file, error) {
	switch {
	case !simpleName.MatchString(c.Name):
		return nil, fmt.Errorf("%w: Config.Name is %q: use lower-case letters, digits and _, as in arena", ErrBind, c.Name)
	case c.Protocol == nil:
		return nil, fmt.Errorf("%w: no Config.Protocol: give the one that server and clients use", ErrBind)
	}
	m, err := newModel(c)
	if err != nil {
		return nil, err
	}
	return []file{{c.Name + ".mjs", m.script()}, {c.Name + ".d.ts", types(m)}, {c.Name + ".d.mts", forward(m)}, {c.Name + ".h", header(m)}}, nil
}

// Write writes the bindings; a file that has these bytes stays as it is. Errors wrap [ErrBind], or are of the file system.
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

// Check reports whether [Write] would change nothing: the error names the first file that it would, and wraps [ErrBind].
// It is for a test of the game, so that nobody forgets go generate.
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
			return fmt.Errorf("%w: %s is not of this protocol: run go generate, and commit what it writes", ErrBind, path)
		}
	}
	return nil
}
