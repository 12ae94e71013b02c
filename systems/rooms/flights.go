package rooms

import (
	"fmt"
	"path/filepath"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/save"
)

// keepFlight makes the room keep its flight, if Config.Flights is set.
func (r *Room) keepFlight(c *systems.ServerConfig) {
	folder := r.server.config.Flights
	if folder == "" {
		return
	}
	f := systems.Flight{}
	if c.Flight != nil {
		f = *c.Flight
	}
	f.File = filepath.Join(folder, fmt.Sprintf("%s-%v.flight", r.kind.Name, r.about.id))
	f.Written = func(_ string, err error) { r.notify(Notice{Event: RoomFlight, Err: err}) }
	r.flight, c.Flight = f.File, &f
}

// WriteFlight writes the flight of the room to a file in Config.Flights, and returns its name. Hooks and systems of the room must
// not call it. The error wraps [ErrConfig] without Config.Flights, or is that of [Room.Do], of systems.Server.SaveFlight or of
// the file.
func (r *Room) WriteFlight(reason string) (file string, err error) {
	if r.flight == "" {
		return "", fmt.Errorf("%w: Room.WriteFlight needs Flights", ErrConfig)
	}
	var encode func() ([]byte, error)
	if err = r.Do(func(s *systems.Server) { encode = s.SaveFlight(reason) }); err != nil {
		return "", err
	}
	data, err := encode()
	if err == nil {
		err = save.Replace(r.flight, data)
	}
	r.notify(Notice{Event: RoomFlight, Err: err})
	return r.flight, err
}
