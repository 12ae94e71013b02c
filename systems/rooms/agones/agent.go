package agones

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	// lookTime is between looks at the server.
	lookTime = 100 * time.Millisecond
	// healthTime is between signs of life: by default Agones waits for 5 s.
	healthTime = 2 * time.Second
	// askTime is between questions about how the process stands.
	askTime = 5 * time.Second
	// stateTime is the least time between two changes of the state.
	stateTime = time.Second
	// countTime and listTime are the least times between two changes of a counter, and of a list.
	countTime = time.Second
	listTime  = 2 * time.Second
	// leastPause and mostPause are after how long what failed is tried again.
	leastPause = 250 * time.Millisecond
	mostPause  = 8 * time.Second
	// listMost is how many values a list of Agones may have.
	listMost = 1000
	// leaveTries is how often it is told that the process goes.
	leaveTries = 3
)

// States that a process asks for, as the paths are called.
const (
	ready    = "/ready"
	allocate = "/allocate"
	shutdown = "/shutdown"
)

// agent tells Agones about a server. Time is an argument.
type agent struct {
	caller
	config  Config
	server  *rooms.Server
	sleep   func(ctx context.Context, d time.Duration) error
	duties  []*duty
	state   string // that was asked for last; "": none
	drained bool   // Agones has asked for it
	stands  *gameServer
}

// duty is something to do again and again.
type duty struct {
	name  string
	every time.Duration
	// do does it, and says whether there was something to do.
	do    func(ctx context.Context) (did bool, err error)
	due   time.Time
	pause time.Duration // since it fails; 0: it does not
}

func newAgent(c Config, s *rooms.Server) *agent {
	a := &agent{caller: newCaller(c.Port), config: c, server: s, sleep: sleep}
	a.duties = []*duty{ // by how urgent they are
		{name: "health", every: healthTime, do: a.health},
		{name: "state", every: stateTime, do: a.tell},
		{name: "gameserver", every: askTime, do: a.ask},
		{name: "counter " + Rooms, every: countTime, do: func(ctx context.Context) (bool, error) {
			return a.count(ctx, Rooms, len(s.Rooms()), c.Rooms)
		}},
		{name: "counter " + Players, every: countTime, do: func(ctx context.Context) (bool, error) {
			return a.count(ctx, Players, seated(s), c.Players)
		}},
		{name: "list " + Rooms, every: listTime, do: func(ctx context.Context) (bool, error) { return a.list(ctx, Rooms, roomIDs(s)) }},
		{name: "list " + Players, every: listTime, do: func(ctx context.Context) (bool, error) { return a.list(ctx, Players, playerIDs(s)) }},
	}
	return a
}

// step does the most urgent thing that is due, and says after how long the next may be.
func (a *agent) step(ctx context.Context, now time.Time) time.Duration {
	for _, d := range a.duties {
		if now.Before(d.due) {
			continue
		}
		did, err := d.do(ctx)
		if !did {
			continue
		}
		a.settle(ctx, d, now, err)
		return 0
	}
	return lookTime
}

// settle notes what came of a duty, and says when it changes.
func (a *agent) settle(ctx context.Context, d *duty, now time.Time, err error) {
	switch {
	case err == nil && d.pause > 0:
		a.config.Logger.Info("agones takes it again", "duty", d.name)
		fallthrough
	case err == nil:
		d.due, d.pause = now.Add(d.every), 0
		return
	case d.pause == 0 && ctx.Err() == nil:
		a.config.Logger.Warn("agones does not take it; it is tried again", "duty", d.name, "error", err)
	}
	most := mostPause
	if d.every == healthTime {
		most = healthTime
	}
	d.pause = min(max(2*d.pause, leastPause), most)
	d.due = now.Add(d.pause)
}

// health says that the process lives.
func (a *agent) health(ctx context.Context) (bool, error) {
	return true, a.call(ctx, http.MethodPost, "/health", nothing{}, nil)
}

// tell asks for the state that is right: first of all for ready, as nothing else is taken before.
func (a *agent) tell(ctx context.Context) (bool, error) {
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

// ask learns how the process stands with Agones.
func (a *agent) ask(ctx context.Context) (bool, error) {
	g, err := a.gameServer(ctx)
	if err != nil {
		return true, err
	}
	if a.stands == nil {
		for _, name := range []string{Rooms, Players} {
			_, counts := g.Status.Counters[name]
			_, lists := g.Status.Lists[name]
			if !counts && !lists {
				a.config.Logger.Info("the manifest declares neither a counter nor a list of that name", "name", name)
			}
		}
	}
	a.stands = g
	if g.drains() && !a.drained {
		a.drained = true
		a.config.Logger.Info("draining, because agones says so", "state", g.Status.State)
		a.server.Drain()
	}
	if g.Status.State == "Ready" && a.state == allocate {
		a.state = ready // somebody else made it so, or it was lost: ask again
	}
	return true, nil
}

// count brings a counter up to date that the manifest declares. A process that drains has room for no more than it has.
func (a *agent) count(ctx context.Context, name string, n, capacity int) (bool, error) {
	if a.stands == nil {
		return false, nil
	}
	is, declared := a.stands.Status.Counters[name]
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
	a.stands.Status.Counters[name] = is
	return true, nil
}

// list brings a list up to date that the manifest declares: its first thousand values.
func (a *agent) list(ctx context.Context, name string, values []string) (bool, error) {
	if a.stands == nil {
		return false, nil
	}
	is, declared := a.stands.Status.Lists[name]
	slices.Sort(values)
	values = slices.Compact(values)
	values = values[:min(len(values), listMost)]
	slices.Sort(is.Values)
	if !declared || slices.Equal(is.Values, values) {
		return false, nil
	}
	body := struct {
		Values []string `json:"values"`
	}{append([]string{}, values...)} // not null
	if err := a.call(ctx, http.MethodPatch, "/v1beta1/lists/"+name, body, nil); err != nil {
		return true, err
	}
	a.stands.Status.Lists[name] = list{values}
	return true, nil
}

// leave says that the process goes.
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
