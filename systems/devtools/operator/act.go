package operator

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/internal/allowance"
	"github.com/tactusgo/tactus/internal/hostname"
	"github.com/tactusgo/tactus/systems/devtools/inspect"
	"github.com/tactusgo/tactus/systems/rooms"
)

// actor performs the operators' actions.
type actor struct {
	server    *rooms.Server
	config    Config
	tokens    [][sha256.Size]byte            // of Config.Operators, in the same order
	addresses *allowance.Limiter[netip.Addr] // for requests without a valid token
	operators *allowance.Limiter[string]
}

func newActor(s *rooms.Server, c Config) *actor {
	a := &actor{
		server: s, config: c,
		addresses: allowance.New[netip.Addr](c.PerMinute, max(c.PerMinute/6, 1)),
		operators: allowance.New[string](c.PerMinute, max(c.PerMinute/6, 1)),
	}
	for _, o := range c.Operators {
		a.tokens = append(a.tokens, sha256.Sum256([]byte(o.Token)))
	}
	return a
}

// action is an action of operators.
type action struct {
	room bool // acts on a room; else on the process
	read func(w http.ResponseWriter, r *http.Request) (order, error)
	// do performs the action and returns an optional note.
	do func(a *actor, r *rooms.Room, o order, who string) (note string, err error)
}

// actions are the actions by name. The paths of room actions are below the path of the room.
var actions = map[string]action{
	"lock":      {true, read[EmptyBody], func(_ *actor, r *rooms.Room, _ order, _ string) (string, error) { r.Lock(); return "", nil }},
	"unlock":    {true, read[EmptyBody], func(_ *actor, r *rooms.Room, _ order, _ string) (string, error) { r.Unlock(); return "", nil }},
	"drain":     {true, read[EmptyBody], func(_ *actor, r *rooms.Room, _ order, _ string) (string, error) { r.Drain(); return "", nil }},
	"end":       {true, read[EndBody], end},
	"kick":      {true, read[PlayerBody], func(_ *actor, r *rooms.Room, o order, _ string) (string, error) { return "", r.Kick(o.player) }},
	"ban":       {true, read[PlayerBody], func(_ *actor, r *rooms.Room, o order, _ string) (string, error) { r.Ban(o.player); return "", nil }},
	"broadcast": {true, read[BroadcastBody], broadcast},
	"flight":    {true, read[EmptyBody], flight},
	"drain all": {false, read[DrainBody], drain},
	"check":     {false, read[EmptyBody], func(_ *actor, _ *rooms.Room, _ order, who string) (string, error) { return who, nil }},
}

// Messages to an operator whose request is refused.
const (
	adviseOff    = "Nobody may act here: give operator.Config some Operators, such as of operator.ParseOperators(os.Getenv(\"OPERATORS\")) with OPERATORS=\"ada=TOKEN\"."
	adviseBearer = "Show the token of an operator as Authorization: Bearer TOKEN; nothing else counts."
	adviseQuery  = "An action takes nothing in its address: send the token in the header Authorization, and the rest as JSON."
	adviseOften  = "Too many actions: try again later."
)

// errEndedBy is wrapped by the reason of a room that an operator ended.
var errEndedBy = errors.New("operator: ended")

func end(_ *actor, r *rooms.Room, o order, who string) (string, error) {
	why := fmt.Errorf("%w by %s", errEndedBy, who)
	if o.text != "" {
		why = fmt.Errorf("%w: %s", why, o.text)
	}
	stuck := r.Info().Stuck > 0
	r.End(why)
	if stuck {
		return "The room is stuck. It closes when its current tick ends, or else when the process ends.", nil
	}
	return "", nil
}

func broadcast(a *actor, r *rooms.Room, o order, _ string) (string, error) {
	if a.config.Broadcast == nil {
		return "", fail("off", "This game says nothing to its players: give operator.Config a Broadcast.")
	}
	if r.Info().Stuck > 0 {
		return "", rooms.ErrStuck
	}
	return "", a.config.Broadcast(r, o.text)
}

func flight(_ *actor, r *rooms.Room, _ order, who string) (string, error) {
	file, err := r.WriteFlight("by " + who)
	if errors.Is(err, rooms.ErrConfig) {
		return "", fail("off", "This room keeps no flight: give rooms.Config a folder for Flights.")
	}
	if err != nil {
		return "", err
	}
	return "Written to " + file + ". Rerun it with the same build.", nil
}

func drain(a *actor, _ *rooms.Room, o order, _ string) (string, error) {
	if o.process != a.server.Process() {
		return "", fail("process", "This is another process than the one that you mean: it is "+a.server.Process()+".")
	}
	a.server.Drain()
	return "", nil
}

// parsePath returns the action and room of a path, or empty strings for an unknown path.
func parsePath(path string) (name string, id string) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch {
	case len(parts) == 3 && parts[0] == "room" && actions[parts[2]].room:
		return parts[2], parts[1]
	case path == "/drain":
		return "drain all", ""
	case path == "/check":
		return "check", ""
	}
	return "", ""
}

// entry returns the audit entry of a request, without its outcome.
func (a *actor) entry(r *http.Request) Entry {
	name, id := parsePath(r.URL.Path)
	e := Entry{At: time.Now().UTC(), From: a.from(r), What: name}
	if name == "" {
		e.What = "unknown"
	}
	if n, err := rooms.ParseID(id); err == nil {
		e.Room = n
		if room := a.server.Room(n); room != nil {
			e.Kind = room.Kind()
		}
	}
	return e
}

// refused logs a request that the gate refused.
func (a *actor) refused(r *http.Request, advice string) {
	e := a.entry(r)
	e.Outcome, e.Code, e.Detail = Refused, "forbidden", advice
	a.config.Audit.refused(e, a.network(r))
}

// proxies returns the trusted proxies: the X-Forwarded-For of other senders is ignored.
func (a *actor) proxies() hostname.Guard { return hostname.Guard{Proxies: a.config.TrustedProxies} }

// from returns the address of the client that sent a request, for the audit log.
func (a *actor) from(r *http.Request) string {
	if remote, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && a.proxies().Proxied(remote.Addr()) {
		if client, err := a.proxies().Client(r); err == nil {
			return client.String()
		}
	}
	return r.RemoteAddr
}

// network returns the network under which a request is counted.
func (a *actor) network(r *http.Request) netip.Addr {
	client, err := a.proxies().Client(r)
	if err != nil {
		return netip.Addr{}
	}
	return hostname.Network(client)
}

// ServeHTTP performs or refuses a request that passed the gate, and logs the outcome.
func (a *actor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	limit := http.NewResponseController(w)
	_ = limit.SetReadDeadline(time.Now().Add(10 * time.Second)) // not every connection has a deadline
	e := a.entry(r)
	who, f := a.who(r)
	if f != nil {
		e.Outcome, e.Code, e.Detail = Refused, f.Code, f.Message
		a.config.Audit.refused(e, a.network(r))
		refuse(w, f)
		return
	}
	e.Who = who
	note, err := a.act(w, r, &e)
	if err != nil {
		f := failureOf(err)
		if e.Outcome = Refused; f.Code == "failed" || f.Code == "busy" {
			e.Outcome = Failed
		}
		e.Code = f.Code
		if e.Detail != "" {
			e.Detail += ": "
		}
		e.Detail += f.Message
		a.config.Audit.acted(e)
		refuse(w, f)
		return
	}
	e.Outcome = Done
	a.config.Audit.acted(e)
	reply(w, http.StatusOK, Success{Outcome: Done, Operator: who, Note: note})
}

// Success is the body of the answer to a performed action.
type Success struct {
	// Outcome is always done.
	Outcome string `json:"outcome"`
	// Operator is the owner of the token.
	Operator string `json:"operator"`
	// Note is an additional message for people.
	Note string `json:"note,omitempty"`
}

// who returns the name of the operator whose token the request contains. The token is checked before the rate limit: only
// requests without a valid token use up the allowance of their address, so nobody locks out the operators behind the same
// proxy.
func (a *actor) who(r *http.Request) (string, *Failure) {
	shown, ok := inspect.Bearer(r)
	sum := sha256.Sum256([]byte(shown))
	found := -1
	for i := range a.tokens { // all of them: the duration reveals nothing
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], a.tokens[i][:]), i, found)
	}
	valid := ok && found >= 0
	if !valid {
		if wait := a.addresses.Take(a.network(r), 1, time.Now()); wait > 0 {
			return "", &Failure{"limited", adviseOften, wait}
		}
	}
	switch {
	case len(a.tokens) == 0:
		return "", fail("off", adviseOff)
	case r.URL.RawQuery != "":
		return "", fail("bad_query", adviseQuery)
	case !valid:
		return "", fail("unauthorized", adviseBearer)
	}
	return a.config.Operators[found].Name, nil
}

// act performs the action.
func (a *actor) act(w http.ResponseWriter, r *http.Request, e *Entry) (note string, err error) {
	if wait := a.operators.Take(e.Who, 1, time.Now()); wait > 0 {
		return "", &Failure{"limited", adviseOften, wait}
	}
	name, id := parsePath(r.URL.Path)
	x, ok := actions[name]
	if !ok {
		return "", fail("no_path", "There is no such action.")
	}
	o, err := x.read(w, r)
	if err != nil {
		return "", err
	}
	e.Detail = o.text
	if o.player != 0 {
		e.Player = strconv.FormatUint(o.player, 10)
	}
	var room *rooms.Room
	if x.room {
		if room = a.server.Room(e.Room); id == "" || e.Room == 0 || room == nil {
			return "", fail("no_room", "There is no such room here: it may have ended.")
		}
		if room.Info().State == rooms.Ended {
			return "", rooms.ErrEnded
		}
	}
	defer func() {
		if v := recover(); v != nil { // in the game's Broadcast
			err = fmt.Errorf("a panic: %v", v)
		}
	}()
	return x.do(a, room, o, e.Who)
}
