package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// SavesUsage describes the arguments of [Saves].
const SavesUsage = `list [ROOM]                        lists the saves of all rooms, or of one
describe ROOM [EPOCH]              prints what is in the saves of a room
restore ROOM EPOCH [FOLDER]        makes a save the newest one of its room; FOLDER is a copy to take it from
copy FOLDER [ROOM]                 copies the newest save of all rooms, or of one, to a folder
remove ROOM EPOCH                  removes a save, and the copy that was kept of it
`

// errUsage is the error of other arguments.
var errUsage = errors.New("the arguments are one of these:\n" + strings.TrimSuffix(SavesUsage, "\n"))

// Saves runs a command of an operator on the saves of rooms: list, describe, restore, copy or remove. See [SavesUsage] for its
// arguments. It may run beside the processes with rooms. Give it to operators as a command of the game's server, with the store and
// the keys of that.
func Saves(ctx context.Context, s rooms.Saves, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	defer t.Flush()
	c := savesCommand{s, args[1:], t}
	n := len(c.args)
	switch {
	case args[0] == "list" && n <= 1:
		return c.list(ctx)
	case args[0] == "describe" && (n == 1 || n == 2):
		return c.describe(ctx)
	case args[0] == "restore" && (n == 2 || n == 3):
		return c.restore(ctx)
	case args[0] == "copy" && (n == 1 || n == 2):
		return c.copy(ctx)
	case args[0] == "remove" && n == 2:
		return c.remove(ctx)
	}
	return errUsage
}

// savesCommand is one command.
type savesCommand struct {
	saves rooms.Saves
	args  []string // after its name
	out   io.Writer
}

// room returns the room that argument i names, 0 if it is missing.
func (c *savesCommand) room(i int) (rooms.ID, error) {
	if i >= len(c.args) {
		return 0, nil
	}
	return rooms.ParseID(c.args[i])
}

// save returns the room and the epoch that the first two arguments name.
func (c *savesCommand) save() (room rooms.ID, epoch uint64, err error) {
	if room, err = c.room(0); err == nil {
		if epoch, err = strconv.ParseUint(c.args[1], 10, 64); err != nil {
			err = fmt.Errorf("epoch %.20q is not a number: list shows the epochs", c.args[1])
		}
	}
	return room, epoch, err
}

func (c *savesCommand) print(cells ...any) {
	for i, x := range cells {
		if i > 0 {
			_, _ = fmt.Fprint(c.out, "\t")
		}
		_, _ = fmt.Fprint(c.out, x)
	}
	_, _ = fmt.Fprintln(c.out)
}

func (c *savesCommand) list(ctx context.Context) error {
	room, err := c.room(0)
	if err != nil {
		return err
	}
	all, err := c.saves.Store.List(ctx, room)
	c.print("ROOM", "EPOCH", "WRITTEN", "BYTES", "")
	for _, e := range all {
		c.print(e.Room, e.Epoch, e.Written.UTC().Format(time.DateTime), e.Bytes, map[bool]string{true: "kept"}[e.Kept])
	}
	return err
}

func (c *savesCommand) describe(ctx context.Context) error {
	room, err := c.room(0)
	if err != nil {
		return err
	}
	all, err := c.saves.Store.List(ctx, room)
	if err != nil {
		return err
	}
	if len(c.args) == 2 {
		_, epoch, err := c.save()
		if err != nil {
			return err
		}
		all = []rooms.SaveEntry{{Room: room, Epoch: epoch}}
	}
	if len(all) == 0 {
		return fmt.Errorf("%w: %v", rooms.ErrNoSave, room)
	}
	c.print("EPOCH", "TICK", "KIND", "CODE", "PLAYERS", "WORLD", "PROCESS", "SCHEMA", "FLEET")
	for _, e := range all {
		x, err := c.saves.Describe(ctx, room, e.Epoch)
		switch {
		case errors.Is(err, rooms.ErrSave) && len(all) > 1:
			c.print(e.Epoch, err)
		case err != nil:
			return err
		default:
			c.print(e.Epoch, x.Tick, x.Kind, x.Code, len(x.Seats), x.World, none(x.Process), x.Schema, none(x.Fleet))
		}
	}
	return nil
}

// none returns a text, or a dash.
func none(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func (c *savesCommand) restore(ctx context.Context) error {
	room, epoch, err := c.save()
	from := c.saves
	if err == nil && len(c.args) == 3 {
		from.Store, err = folder(c.args[2])
	}
	if err != nil {
		return err
	}
	anew, err := from.Copy(ctx, c.saves, room, epoch)
	if err == nil {
		c.print(fmt.Sprintf("room %v continues from the save of epoch %d, which now has epoch %d", room, epoch, anew))
	}
	return err
}

// folder returns the store in a folder.
func folder(name string) (rooms.Archive, error) {
	s, err := rooms.NewFileStore(name)
	if err != nil {
		return nil, err
	}
	return s.(rooms.Archive), nil
}

func (c *savesCommand) copy(ctx context.Context) error {
	room, err := c.room(1)
	if err != nil {
		return err
	}
	to, err := folder(c.args[0])
	if err != nil {
		return err
	}
	all, err := c.saves.Store.List(ctx, room)
	if err != nil {
		return err
	}
	copied, last := 0, rooms.ID(0)
	for _, e := range all {
		if e.Room == last {
			continue
		}
		last = e.Room
		data, err := c.saves.Store.Read(ctx, e.Room, e.Epoch)
		if errors.Is(err, rooms.ErrNoSave) { // its room has ended meanwhile
			continue
		}
		if err == nil {
			err = to.Put(ctx, e.Room, e.Epoch, data)
		}
		if err != nil {
			return fmt.Errorf("room %v, epoch %d: %w", e.Room, e.Epoch, err)
		}
		copied++
	}
	c.print(fmt.Sprintf("copied %d saves to %s", copied, c.args[0]))
	return nil
}

func (c *savesCommand) remove(ctx context.Context) error {
	room, epoch, err := c.save()
	if err != nil {
		return err
	}
	return c.saves.Store.Remove(ctx, room, epoch)
}
