package agones

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	// idleInterval is how long to wait if nothing is due.
	idleInterval = 100 * time.Millisecond
	// healthInterval is how often health is reported. By default Agones waits for 5 s.
	healthInterval = 2 * time.Second
	// gameServerInterval is how often the GameServer is read.
	gameServerInterval = 5 * time.Second
	// stateInterval is the least time between two changes of the state.
	stateInterval = time.Second
	// counterInterval is the least time between two changes of a counter.
	counterInterval = time.Second
	// leastPause and mostPause limit how long to wait before a failed call is repeated.
	leastPause = 250 * time.Millisecond
	mostPause  = 8 * time.Second
	// leaveTries is how often Shutdown is tried in the end.
	leaveTries = 3
)

// States that a process asks for, as the paths are called.
const (
	ready    = "/ready"
	allocate = "/allocate"
	shutdown = "/shutdown"
)

// agent reports a server to Agones. Time is an argument.
type agent struct {
	caller
	config    Config
	server    *rooms.Server
	sleep     func(ctx context.Context, d time.Duration) error
	duties    []*duty
	state     string // the newest state that was reported; "": none
	drained   bool   // Agones has drained the process
	gameState *gameServer
}

// duty is a repeated call.
type duty struct {
	name  string
	every time.Duration
	// do makes the call, and reports whether there was anything to do.
	do    func(ctx context.Context) (did bool, err error)
	due   time.Time
	pause time.Duration // before the next try; 0: it did not fail
}

func newAgent(c Config, s *rooms.Server) *agent {
	a := &agent{caller: newCaller(c.Port), config: c, server: s, sleep: sleep}
	a.duties = []*duty{ // the most urgent first
		{name: "health", every: healthInterval, do: a.health},
		{name: "state", every: stateInterval, do: a.reportState},
		{name: "gameserver", every: gameServerInterval, do: a.readGameServer},
		{name: "counter " + Rooms, every: counterInterval, do: func(ctx context.Context) (bool, error) {
			return a.count(ctx, Rooms, len(s.Rooms()), c.Rooms)
		}},
		{name: "counter " + Players, every: counterInterval, do: func(ctx context.Context) (bool, error) {
			return a.count(ctx, Players, seated(s), c.Players)
		}},
	}
	return a
}

// step does the most urgent duty that is due, and returns how long to wait for the next one.
func (a *agent) step(ctx context.Context, now time.Time) time.Duration {
	for _, d := range a.duties {
		if now.Before(d.due) {
			continue
		}
		did, err := d.do(ctx)
		if !did {
			continue
		}
		a.reschedule(ctx, d, now, err)
		return 0
	}
	return idleInterval
}

// reschedule plans the next call of a duty, and logs when calls start or stop failing.
func (a *agent) reschedule(ctx context.Context, d *duty, now time.Time, err error) {
	switch {
	case err == nil && d.pause > 0:
		a.config.Logger.Info("calls to agones succeed again", "duty", d.name)
		fallthrough
	case err == nil:
		d.due, d.pause = now.Add(d.every), 0
		return
	case d.pause == 0 && ctx.Err() == nil:
		a.config.Logger.Warn("a call to agones failed; it is repeated", "duty", d.name, "error", err)
	}
	most := mostPause
	if d.every == healthInterval {
		most = healthInterval
	}
	d.pause = min(max(2*d.pause, leastPause), most)
	d.due = now.Add(d.pause)
}

// health reports that the process lives.
func (a *agent) health(ctx context.Context) (bool, error) {
	return true, a.call(ctx, http.MethodPost, "/health", nothing{}, nil)
}

// reportState requests the right state: Ready first, because Agones accepts no other state before.
func (a *agent) reportState(ctx context.Context) (bool, error) {
	want := ready
	select {
	case <-a.server.Drained():
		want = shutdown
	default:
		if a.state != "" && (a.server.Draining() || seated(a.server) > 0) {
			want = allocate
		}
	}
	if want == a.state || a.state == shutdown {
		return false, nil
	}
	err := a.call(ctx, http.MethodPost, want, nothing{}, nil)
	if err == nil {
		a.state = want
	}
	return true, err
}

// readGameServer reads the GameServer, and drains the process if that demands it.
func (a *agent) readGameServer(ctx context.Context) (bool, error) {
	g, err := a.gameServer(ctx)
	if err != nil {
		return true, err
	}
	if a.gameState == nil {
		for _, name := range []string{Rooms, Players} {
			if _, declared := g.Status.Counters[name]; !declared {
				a.config.Logger.Info("the manifest declares no counter of that name", "name", name)
			}
		}
	}
	a.gameState = g
	if g.drains() && !a.drained {
		a.drained = true
		a.config.Logger.Info("draining, because agones says so", "state", g.Status.State)
		a.server.Drain()
	}
	if g.Status.State == "Ready" && a.state == allocate {
		a.state = ready // another program changed the state, or it was lost: report it again
	}
	return true, nil
}

// count updates a counter that the manifest declares. A process that drains has no free capacity.
func (a *agent) count(ctx context.Context, name string, n, capacity int) (bool, error) {
	if a.gameState == nil {
		return false, nil
	}
	is, declared := a.gameState.Status.Counters[name]
	var body struct {
		Count    string `json:"count"`
		Capacity string `json:"capacity,omitempty"`
	}
	body.Count = strconv.Itoa(n)
	switch {
	case a.server.Draining():
		body.Capacity = body.Count
	case capacity > 0:
		body.Capacity = strconv.Itoa(max(capacity, n))
	}
	if !declared || string(is.Count) == body.Count && (body.Capacity == "" || string(is.Capacity) == body.Capacity) {
		return false, nil
	}
	if err := a.call(ctx, http.MethodPatch, "/v1beta1/counters/"+name, body, nil); err != nil {
		return true, err
	}
	is.Count = json.Number(body.Count)
	if body.Capacity != "" {
		is.Capacity = json.Number(body.Capacity)
	}
	a.gameState.Status.Counters[name] = is
	return true, nil
}

// leave reports that the process ends.
func (a *agent) leave(ctx context.Context) {
	for range leaveTries {
		if a.state == "" || a.state == shutdown {
			break
		}
		if a.call(ctx, http.MethodPost, shutdown, nothing{}, nil) == nil {
			a.state = shutdown
		} else {
			_ = a.sleep(ctx, leastPause)
		}
	}
	a.http.CloseIdleConnections()
}

// seated returns the number of seats that are not free.
func seated(s *rooms.Server) (n int) {
	for _, r := range s.Rooms() {
		i := r.Info()
		n += i.Capacity - i.Free()
	}
	return n
}
