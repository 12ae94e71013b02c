package inspect

import (
	"context"
	"fmt"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/explain"
	"github.com/tactusgo/tactus/systems/policy"
)

// knowsAnswer is the response of /api/knows. Sends are numbers of the server's sends, 0 for none. Why describes the
// same in words, the most important fact first.
type knowsAnswer struct {
	Client     uint32   `json:"client"`
	Entity     uint32   `json:"entity"`
	Tick       uint32   `json:"tick"`
	SendRate   int      `json:"sendRate"`
	Everywhere bool     `json:"everywhere"`
	Exists     bool     `json:"exists"`
	Own        bool     `json:"own"`
	Hidden     bool     `json:"hidden"`
	TooBig     bool     `json:"tooBig"`
	Joining    bool     `json:"joining"`
	OverBudget bool     `json:"overBudget"`
	Send       uint32   `json:"send"`
	Held       uint32   `json:"held"`
	Baseline   uint32   `json:"baseline"`
	Second     bool     `json:"second"`
	Sent       uint32   `json:"sent"`
	Open       int      `json:"unacknowledged"`
	OwnHeld    uint32   `json:"ownHeld"`
	OwnSent    uint32   `json:"ownSent"`
	Priority   float64  `json:"priority"`
	Gained     float64  `json:"gained"`
	Budget     int      `json:"budget"`
	Allowed    int      `json:"allowed"`
	Why        []string `json:"why"`
}

func (x *Inspector) knows(ctx context.Context, q query) (any, error) {
	if q.client == 0 || q.entity == 0 {
		return nil, fmt.Errorf("%w: client=N and entity=ID say of whom and what", errQuery)
	}
	var k systems.Knowledge
	var tick uint32
	var ok bool
	err := x.ask(ctx, func(s *systems.Server) {
		tick = s.Tick()
		k, ok = s.Baseline(q.client, q.entity)
	})
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("%w: client %d", errNone, q.client)
	}
	return knowsAnswer{
		Client: k.Client, Entity: uint32(k.Entity), Tick: tick, SendRate: x.serverConfig.Snapshots.SendRate,
		Everywhere: k.Everywhere, Exists: k.Exists, Own: k.Own, Hidden: k.Hidden, TooBig: k.TooBig,
		Joining: k.Joining, OverBudget: k.OverBudget,
		Send: k.Send, Held: k.Held, Baseline: k.Baseline, Second: k.Second, Sent: k.Sent, Open: k.Unacknowledged,
		OwnHeld: k.OwnHeld, OwnSent: k.OwnSent, Priority: number(k.Priority), Gained: number(k.Gained),
		Budget: k.Budget, Allowed: k.Allowed, Why: why(&k, &x.serverConfig),
	}, nil
}

func (x *Inspector) explain(ctx context.Context, q query) (any, error) {
	if q.client == 0 || q.entity == 0 {
		return nil, fmt.Errorf("%w: client=N and entity=ID say of whom and what, and tick=T when", errQuery)
	}
	var k systems.Knowledge
	var d explain.Decision
	var newest uint32
	var ok bool
	err := x.ask(ctx, func(s *systems.Server) {
		if newest = s.Tick(); !q.ticked {
			q.tick = newest
		}
		if k, ok = s.Baseline(q.client, q.entity); ok {
			d = k.Explain(q.tick)
		}
	})
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("%w: client %d", errNone, q.client)
	}
	return explanation(&d, &k, q.tick, newest, &x.serverConfig), nil
}

// number returns v, or 0 if JSON cannot encode it. Games choose priorities, so they can be infinite or NaN.
func number(v float32) float64 {
	if !finite(float64(v)) {
		return 0
	}
	return float64(v)
}

// why describes in words what a client has of an entity.
func why(k *systems.Knowledge, c *systems.ServerConfig) (all []string) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	ago := func(send uint32) string {
		if send >= k.Send {
			return "the newest send"
		}
		return fmt.Sprintf("the send %d before the newest, %d ms earlier", k.Send-send, 1000*int(k.Send-send)/max(c.Snapshots.SendRate, 1))
	}
	switch {
	case k.Everywhere && !k.Exists:
		say("There is no such entity in the newest tick: it never was, or is gone.")
		return all
	case k.Everywhere && k.Joining:
		say("The client is joining: it is sent the whole state of the world once, with this entity, and then the inputs of all players.")
		return all
	case k.Everywhere:
		say("Every peer simulates everything: the client knows it because it knows all inputs, and is sent no state.")
		say("Priority, baselines and budgets do not apply.")
		return all
	case !k.Exists:
		say("It is not in the newest send: it never was, is gone, or is yet to be sent.")
		return all
	case k.Hidden:
		say("Interest keeps it from this client: nothing of it is sent.")
		return all
	case k.TooBig:
		say("It fits no snapshot of %d bytes, and is left out for a while: make its components smaller or the budget larger.", k.Budget)
	}
	if k.Joining {
		say("The client is joining: it has not acknowledged the state that it joins with.")
	}
	switch {
	case k.Held == 0 && k.Sent == 0:
		say("The client has not been told of it.")
	case k.Held == 0:
		say("It went out with %s, and the client has acknowledged none of it.", ago(k.Sent))
	case k.Held == k.Send:
		say("The client has acknowledged the newest send.")
	default:
		say("The client has acknowledged its state as of %s.", ago(k.Held))
	}
	if k.Sent > 0 && k.Unacknowledged > 0 {
		say("It went out last with %s; %d packets that tell of newer states are not acknowledged.", ago(k.Sent), k.Unacknowledged)
	}
	switch {
	case k.Baseline > 0 && k.Second:
		say("The next snapshot tells how it differs from what two sends predict, the newer of them %s.", ago(k.Baseline))
	case k.Baseline > 0:
		say("The next snapshot tells how it differs from %s.", ago(k.Baseline))
	default:
		say("The next snapshot tells it in full: there is no send that the client is known to hold it from.")
	}
	if k.OverBudget {
		say("Snapshots do not hold everything: with each send it gains %.3g, and has gained %.3g since it was told of.", k.Priority, k.Gained)
	} else {
		say("Snapshots of %d bytes hold all there is to tell: priority plays no part.", k.Allowed)
	}
	switch {
	case k.Own && policy.TraitsOf(c.Model).Reports:
		say("The client owns it: of what it predicts it is told while a correction is open, and of what is for it alone when that changes; it has acknowledged %s.", orNothing(k.OwnHeld, ago))
	case k.Own && k.OwnHeld > 0:
		say("The client owns it; of what it predicts, and what is for it alone, it has acknowledged %s.", ago(k.OwnHeld))
	case k.Own:
		say("The client owns it, and has acknowledged nothing of what it predicts or what is for it alone.")
	}
	return all
}

func orNothing(send uint32, ago func(uint32) string) string {
	if send == 0 {
		return "nothing of that"
	}
	return "that of " + ago(send)
}
