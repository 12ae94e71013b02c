package crowd

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
)

// Options holds the flags of a benchmark.
type Options struct {
	Rooms, Players, Hz, Seconds int
	// Joins is the number of visitors per second who compete for the free seats: one per room.
	Joins int
	// Warmup is how long the players play before the measurement. Default (0): 3 s.
	Warmup time.Duration
	// Apart reserves the last processor for the processes with rooms, if the system supports it.
	Apart bool
	// JSON prints JSON.
	JSON bool
	// Troubles lists faults, one per room: see [Trouble]. Default (""): none.
	Troubles string
	trouble  *Trouble // created by Kind
	// Overload configures the servers of the rooms. By default they refuse new players above a load of 85 %.
	Overload systems.Overload
	// Profile is the folder for CPU profiles of processes with rooms. Default (""): none.
	Profile string
}

// Register defines the flags.
func (o *Options) Register(fs *flag.FlagSet) {
	fs.IntVar(&o.Rooms, "rooms", 200, "how many rooms")
	fs.IntVar(&o.Players, "players", 10, "how many players play in a room, all the time")
	fs.IntVar(&o.Hz, "hz", 20, "ticks and snapshots a second")
	fs.IntVar(&o.Seconds, "seconds", 20, "how long to measure")
	fs.IntVar(&o.Joins, "joins", 0, "how many players a second ask for a seat while the others play; each room has one for them")
	fs.BoolVar(&o.Apart, "apart", true, "give the rooms the last processor, and the players the others; where the system cannot, they share all")
	fs.BoolVar(&o.JSON, "json", false, "print JSON")
	fs.StringVar(&o.Troubles, "trouble", "", "what goes wrong in rooms of their own while the others play: some of panic,loop,gib")
	fs.StringVar(&o.Profile, "profile", "", "where the processes with rooms write a profile of their processors; its name is added to that")
}

// Validate returns an error for values out of range.
func (o *Options) Validate() error {
	var errs []error
	for _, x := range []struct {
		name           string
		n, least, most int
	}{{"rooms", o.Rooms, 1, 10000}, {"players", o.Players, 1, 1000}, {"hz", o.Hz, 1, 1000}, {"seconds", o.Seconds, 1, 3600}, {"joins", o.Joins, 0, 10000}} {
		if x.n < x.least || x.n > x.most {
			errs = append(errs, fmt.Errorf("-%s %d is not in %d..%d", x.name, x.n, x.least, x.most))
		}
	}
	if _, err := newTrouble(o.Troubles); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Told is the rooms.Config.Told of the process with rooms.
func (o *Options) Told(n rooms.Notice) { o.trouble.recordNotice(n) }

// Args returns the flags of a process with rooms.
func (o *Options) Args() []string {
	args := []string{"-serve", "-profile=" + o.Profile, "-trouble=" + o.Troubles}
	for _, x := range []struct {
		name string
		n    int
	}{{"rooms", o.Rooms}, {"players", o.Players}, {"hz", o.Hz}, {"seconds", o.Seconds}, {"joins", o.Joins}} {
		args = append(args, "-"+x.name+"="+strconv.Itoa(x.n))
	}
	return args
}

// Capacity returns the number of seats per room.
func (o *Options) Capacity() int {
	if o.Joins > 0 {
		return o.Players + 1
	}
	return o.Players
}

// kind is the name of the kind of rooms.
const kind = "field"

// Kind returns the kind of room that plays the game, with the requested faults.
func (o *Options) Kind() rooms.Kind {
	o.trouble, _ = newTrouble(o.Troubles) // checked by Validate
	return rooms.Kind{
		Set:  o.trouble.set,
		Name: kind, Protocol: Field, Capacity: o.Capacity(), Linger: -1,
		Server: systems.ServerConfig{TickRate: o.Hz, Overload: o.Overload, Snapshots: systems.Snapshots{SendRate: o.Hz}},
	}
}
