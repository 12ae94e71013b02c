package inspect

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/snapshot"
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
	// Parts are the answers of the parts of the interest that hides the entity, or components of it.
	Parts []partAnswer `json:"parts,omitempty"`
}

// partAnswer is the answer of one part of the interest.
type partAnswer struct {
	Part string `json:"part"`
	Said string `json:"said"`
}

// knowledge answers /api/knows.
func (x *Inspector) knowledge(ctx context.Context, q query) (any, error) {
	if q.client == 0 || q.entity == 0 {
		return nil, fmt.Errorf("%w: give client=N and entity=ID", errQuery)
	}
	var k systems.Knowledge
	var tick uint32
	var ok bool
	err := x.runInWakeup(ctx, func(s *systems.Server) {
		tick = s.Tick()
		k, ok = s.Knowledge(q.client, q.entity)
	})
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("%w: client %d", errNone, q.client)
	}
	return knowsAnswer{
		Client: k.Client, Entity: uint32(k.Entity), Tick: tick, SendRate: numberedRate(&x.serverConfig),
		Everywhere: k.Everywhere, Exists: k.Exists, Own: k.Own, Hidden: k.Hidden, TooBig: k.TooBig,
		Joining: k.Joining, OverBudget: k.OverBudget,
		Send: k.Send, Held: k.Held, Baseline: k.Baseline, Second: k.Second, Sent: k.Sent, Open: k.Unacknowledged,
		OwnHeld: k.OwnHeld, OwnSent: k.OwnSent, Priority: number(k.Priority), Gained: number(k.Gained),
		Budget: k.Budget, Allowed: k.Allowed, Why: describeKnowledge(&k, &x.serverConfig), Parts: describeInterest(&k),
	}, nil
}

// describeInterest describes what hides an entity or its components.
func describeInterest(k *systems.Knowledge) (all []partAnswer) {
	for i := range k.HiddenBy {
		all = append(all, partAnswer{k.HiddenBy[i].Operand, partText(&k.HiddenBy[i])})
	}
	for i := range k.HiddenComponents {
		c := &k.HiddenComponents[i]
		for j := range c.Parts {
			all = append(all, partAnswer{c.Component + ": " + c.Parts[j].Operand, partText(&c.Parts[j])})
		}
	}
	return all
}

// partText describes the answer of one part of the interest.
func partText(p *snapshot.InterestPart) string {
	switch {
	case p.Silent:
		return "does not apply to this entity"
	case !p.Asked:
		return "not evaluated: the other parts decided"
	case p.Radius > 0 && p.Distance < 0:
		return "no: the client has never had a position"
	case p.Radius > 0 && p.Sees:
		return fmt.Sprintf("yes: its piece is %.4g away", p.Distance)
	case p.Radius > 0:
		return fmt.Sprintf("no: its piece is %.4g away, and becomes visible at %.4g", p.Distance, p.Radius)
	case p.Sees:
		return "yes"
	}
	return "no"
}

// number returns v, or 0 if JSON cannot encode it. Games choose priorities, so they can be infinite or NaN.
func number(v float32) float64 {
	if !finite(float64(v)) {
		return 0
	}
	return float64(v)
}

// numberedRate returns the number of times a second at which there can be a send.
func numberedRate(c *systems.ServerConfig) int {
	return cmp.Or(c.Snapshots.SendRate, c.TickRate/max(c.WakeEvery, 1), 1)
}

// describeKnowledge describes in sentences which state of an entity a client has.
func describeKnowledge(k *systems.Knowledge, c *systems.ServerConfig) (all []string) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	ago := func(send uint32) string {
		if send >= k.Send {
			return "the newest send"
		}
		return fmt.Sprintf("the send %d before the newest, %d ms earlier", k.Send-send, 1000*int(k.Send-send)/numberedRate(c))
	}
	switch {
	case k.Everywhere && !k.Exists:
		say("The newest tick has no such entity: it was never spawned, or it was despawned.")
		return all
	case k.Everywhere && k.Joining:
		say("The client is joining: it receives the whole world once, with this entity, and then the inputs of all players.")
		return all
	case k.Everywhere:
		say("Every peer simulates everything: the client receives all inputs and no state.")
		say("Priority, baselines and budgets do not apply.")
		return all
	case !k.Exists:
		say("The newest send does not have the entity: it was never spawned, it was despawned, or it is new.")
		return all
	case k.Hidden:
		var by []string
		for i := range k.HiddenBy {
			if p := &k.HiddenBy[i]; p.Asked && !p.Silent && !p.Sees {
				by = append(by, p.Operand+strings.TrimPrefix(partText(p), "no"))
			}
		}
		if len(by) == 0 {
			say("The interest hides the entity from this client.")
		} else {
			say("The interest hides the entity from this client, by %s.", strings.Join(by, ", and by "))
		}
		return all
	case k.TooBig:
		say("The entity fits no snapshot of %d bytes and is left out for a while: make its components smaller or the budget larger.", k.Budget)
	}
	for i := range k.HiddenComponents {
		say("Its interest hides the component %s.", k.HiddenComponents[i].Component)
	}
	if k.Joining {
		say("The client is joining: it has not acknowledged its initial state.")
	}
	switch {
	case k.Held == 0 && k.Sent == 0:
		say("The server has not sent the entity to the client.")
	case k.Held == 0:
		say("The server sent the entity with %s. The client has acknowledged no state of it.", ago(k.Sent))
	case k.Held == k.Send:
		say("The client has acknowledged the newest send.")
	default:
		say("The client has acknowledged the state of %s.", ago(k.Held))
	}
	if k.Sent > 0 && k.Unacknowledged > 0 {
		say("The server last sent the entity with %s; %d packets with newer states are not acknowledged.", ago(k.Sent), k.Unacknowledged)
	}
	switch {
	case k.Baseline > 0 && k.Second:
		say("The next snapshot has the difference from the prediction of two sends, the newer one %s.", ago(k.Baseline))
	case k.Baseline > 0:
		say("The next snapshot has the difference from %s.", ago(k.Baseline))
	default:
		say("The next snapshot has the full state, because the client has acknowledged no baseline.")
	}
	switch {
	case k.OverBudget && k.Sent < k.Send && k.Held < k.Send:
		say("Snapshots of %d bytes do not hold everything, and the newest one has no new state of the entity: it waits, or nothing changed. It gains priority %.3g per send, and has gained %.3g since it was sent.", k.Allowed, k.Priority, k.Gained)
	case k.OverBudget:
		say("Snapshots exceed the budget: the entity gains priority %.3g per send, and has gained %.3g since it was sent.", k.Priority, k.Gained)
	default:
		say("All changes fit snapshots of %d bytes, so priority has no effect.", k.Allowed)
	}
	switch {
	case k.Own && policy.TraitsOf(c.Model).Reports:
		say("The client owns the entity. It receives predicted components while a correction is open, and owner-only components when they change. It has acknowledged %s.", orNothing(k.OwnHeld, ago))
	case k.Own && k.OwnHeld > 0:
		say("The client owns the entity. It has acknowledged the predicted and owner-only components of %s.", ago(k.OwnHeld))
	case k.Own:
		say("The client owns the entity. It has acknowledged no predicted or owner-only components.")
	}
	return all
}

// orNothing describes the acknowledged owner state.
func orNothing(send uint32, ago func(uint32) string) string {
	if send == 0 {
		return "none of these"
	}
	return "those of " + ago(send)
}
