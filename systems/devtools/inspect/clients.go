package inspect

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// clientLine is a client in /api/clients.
type clientLine struct {
	ID      uint32 `json:"id"`
	Address string `json:"address"`

	// of its session
	RTT      float64 `json:"rttMs"`
	MinRTT   float64 `json:"minRttMs"`
	Jitter   float64 `json:"jitterMs"`
	LossIn   float64 `json:"lossIn"` // shares from 0 to 1
	LossOut  float64 `json:"lossOut"`
	BytesIn  uint64  `json:"bytesIn"`
	BytesOut uint64  `json:"bytesOut"`

	// Seen is the delay from an input of this client to the screen of the others, on the average.
	Seen delayLine `json:"seenMs"`

	// snapshots
	SendRate   float64 `json:"sendRate"` // a second; 0: none
	Budget     int     `json:"budget"`   // bytes of a snapshot
	Allowed    int     `json:"allowed"`
	OverBudget bool    `json:"overBudget"`
	Joining    bool    `json:"joining"`
	Correcting bool    `json:"correcting"`

	// of its inputs
	Lead      int     `json:"lead"` // ticks by which the client's clock leads the server's
	LastInput uint32  `json:"lastInput"`
	Waiting   int     `json:"waiting"`
	MeanDepth float64 `json:"meanDepth"`
	Consumed  uint64  `json:"consumed"`
	Missing   uint64  `json:"missing"`
	Late      uint64  `json:"late"`
	Rewrote   uint64  `json:"rewrote"` // late inputs for which the server rewound
	Rejected  uint64  `json:"rejected"`
	Refused   uint64  `json:"refused"` // refused by the game
	Fast      uint64  `json:"fast"`

	Views     uint64 `json:"views"` // views of lag compensation
	Clamped   uint64 `json:"viewsClamped"`
	Malformed uint64 `json:"malformed"`
	Flooded   uint64 `json:"flooded"`
}

// delayLine holds the parts of a delay between two screens that a server knows, in milliseconds: see [systems.Delay]. Down is the mean of
// the other clients. The server does not know what others draw: drawn assumes one interval between snapshots and a tick.
type delayLine struct {
	Up      float64 `json:"up"`
	Waiting float64 `json:"waiting"`
	Tick    float64 `json:"tick"`
	Send    float64 `json:"send"`
	Down    float64 `json:"down"`
	Drawn   float64 `json:"drawn"`
}

// interval returns the time from one snapshot of a client to the next, in milliseconds. It is 0 for a client that simulates everything.
func (c *clientLine) interval() float64 {
	if c.SendRate == 0 {
		return 0
	}
	return 1000 / c.SendRate
}

// drawn returns how far in the past a client is assumed to draw others, in milliseconds.
func (c *clientLine) drawn(tick float64) float64 {
	if c.SendRate == 0 {
		return 0
	}
	return c.interval() + tick
}

// delays populates the delays between the screens of clients.
func delays(all []clientLine, tickRate int) {
	tick, down, drawn := 1000/float64(tickRate), 0.0, 0.0
	for i := range all {
		down, drawn = down+all[i].RTT/2, drawn+all[i].drawn(tick)
	}
	others := float64(max(len(all)-1, 1))
	for i := range all {
		c := &all[i]
		c.Seen = delayLine{
			Up: c.RTT / 2, Waiting: float64(c.Waiting) * tick, Tick: tick / 2, Send: max(c.interval()-tick, 0) / 2,
			Down: max(down-c.RTT/2, 0) / others, Drawn: max(drawn-c.drawn(tick), 0) / others,
		}
	}
}

func (x *Inspector) clients(ctx context.Context, _ query) (any, error) {
	var all []systems.ClientStatus
	var views []lagcomp.Stats // one per client, if lag compensation is on
	var tick uint32
	var now time.Duration
	compensates := false
	err := x.runInWakeup(ctx, func(s *systems.Server) {
		now, tick = x.timings.clock(), s.Tick()
		l := s.LagComp()
		compensates = l != nil
		for c := range s.Clients {
			all = append(all, c)
			if compensates {
				views = append(views, l.StatsOf(c.ID))
			}
		}
	})
	a := clientsAnswer{Tick: tick, Seconds: now.Seconds(), Clients: make([]clientLine, 0, len(all))}
	t := policy.TraitsOf(x.serverConfig.Model)
	a.Snapshots, a.Rewinds = !t.RelaysInputs, t.Rewinds
	a.LagComp = compensates
	for i := range all {
		l := clientOf(&all[i])
		if a.LagComp {
			v := &views[i]
			l.Views, l.Clamped = v.Views, v.Ahead+v.Old+v.Backwards
		}
		a.Clients = append(a.Clients, l)
	}
	delays(a.Clients, x.serverConfig.TickRate)
	return a, err
}

// clientsAnswer is the response of /api/clients. Figures that do not apply under the server's policies are 0:
// Snapshots says whether budgets apply, Rewinds whether inputs can rewrite history, LagComp whether lag compensation
// is on.
type clientsAnswer struct {
	Tick      uint32       `json:"tick"`
	Seconds   float64      `json:"seconds"` // since the inspector was attached
	Snapshots bool         `json:"snapshots"`
	Rewinds   bool         `json:"rewinds"`
	LagComp   bool         `json:"lagComp"`
	Clients   []clientLine `json:"clients"`
}

func clientOf(c *systems.ClientStatus) clientLine {
	return clientLine{
		ID: c.ID, Address: c.Address.String(),
		RTT: micros(c.Session.RTT) / 1000, MinRTT: micros(c.Session.MinRTT) / 1000, Jitter: micros(c.Session.Jitter) / 1000,
		LossIn: c.Session.LossIn, LossOut: c.Session.LossOut,
		BytesIn: c.Session.BytesIn, BytesOut: c.Session.BytesOut,
		SendRate: c.SendRate, Budget: c.Budget, Allowed: c.Allowed, OverBudget: c.OverBudget, Joining: c.Joining, Correcting: c.Correcting,
		Lead: c.Lead, LastInput: c.LastInput, Waiting: c.Waiting,
		MeanDepth: float64(c.Inputs.Depth) / float64(max(c.Inputs.Ticks, 1)),
		Consumed:  c.Inputs.Consumed, Missing: c.Inputs.Missing, Late: c.Inputs.Late, Refused: c.Inputs.Refused,
		Rewrote: c.Inputs.Rewrote, Rejected: c.Inputs.Rejected, Fast: c.Inputs.Fast,
		Malformed: c.Malformed, Flooded: c.Flooded,
	}
}

// causeTables stores the latest table that each client reported.
type causeTables struct {
	mu     sync.Mutex
	tables map[uint32]reconcile.Causes
}

// mostReports is the maximum number of clients with a stored table.
const mostReports = 1024

// Report stores the causes of a client's corrections: the result of [systems.Client.Causes] of a bot in this process,
// or a table that a client sent in a message of the game. It replaces the previous report of the client. Report may
// be called from any goroutine, and the table may be untrusted: at most reconcile.MaxCauses rows and 1024 clients are
// stored, and rows with invalid numbers or overlong names are dropped.
func (x *Inspector) Report(client uint32, t reconcile.Causes) {
	rows := make([]reconcile.Cause, 0, min(len(t.Rows), reconcile.MaxCauses))
	for _, r := range t.Rows[:min(len(t.Rows), reconcile.MaxCauses)] {
		if sound(r.Component) && sound(r.Field) && finite(r.Largest) && finite(r.Mean) && finite(r.Share) {
			rows = append(rows, r)
		}
	}
	t.Rows = rows
	x.causeTables.mu.Lock()
	defer x.causeTables.mu.Unlock()
	if x.causeTables.tables == nil {
		x.causeTables.tables = map[uint32]reconcile.Causes{}
	}
	if _, known := x.causeTables.tables[client]; known || len(x.causeTables.tables) < mostReports {
		x.causeTables.tables[client] = t
	}
}

func sound(name string) bool { return len(name) <= mostName && utf8.ValidString(name) }
func finite(v float64) bool  { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// causesAnswer is the response of /api/blame: the sum over all clients, and the number of corrections of each.
type causesAnswer struct {
	Corrections uint64            `json:"corrections"`
	Rows        []reconcile.Cause `json:"rows"`
	Clients     []causesLine      `json:"clients"`
}

type causesLine struct {
	Client      uint32 `json:"client"`
	Corrections uint64 `json:"corrections"`
}

func (x *Inspector) causes(context.Context, query) (any, error) {
	x.causeTables.mu.Lock()
	defer x.causeTables.mu.Unlock()
	a := causesAnswer{Rows: []reconcile.Cause{}, Clients: []causesLine{}}
	var sum reconcile.Causes
	for id, t := range x.causeTables.tables {
		a.Clients = append(a.Clients, causesLine{id, t.Corrections})
	}
	slices.SortFunc(a.Clients, func(a, b causesLine) int { return cmp.Compare(a.Client, b.Client) })
	for _, c := range a.Clients {
		sum = sum.Add(x.causeTables.tables[c.Client])
	}
	a.Corrections = sum.Corrections
	a.Rows = append(a.Rows, sum.Rows...)
	return a, nil
}
