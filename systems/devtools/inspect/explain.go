package inspect

import (
	"fmt"
	"strings"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/explain"
)

// explainAnswer is the response of /api/explain: why the server sent an entity to a client, or did not. Sentence is
// the explanation in words; the other fields are the data behind it.
type explainAnswer struct {
	Client   uint32 `json:"client"`
	Entity   uint32 `json:"entity"`
	Asked    uint32 `json:"asked"` // tick in the request
	Newest   uint32 `json:"newest"`
	Tick     uint32 `json:"tick"` // tick that the response explains
	Send     uint32 `json:"send"`
	Sentence string `json:"sentence"`
	Reason   string `json:"reason"`

	State   uint32  `json:"state"`
	Age     int     `json:"age"`
	Second  bool    `json:"second"`
	Own     bool    `json:"own"`
	OwnTold bool    `json:"ownTold"`
	Gained  float64 `json:"gained"`
	Last    float64 `json:"last"`
	Allowed int     `json:"allowed"`

	Parts []partAnswer `json:"parts,omitempty"`
}

// partAnswer is the result of one part of the interest.
type partAnswer struct {
	Part string `json:"part"`
	Said string `json:"said"`
}

// explanation formats the response about a decision.
func explanation(d *explain.Decision, k *systems.Knowledge, asked, newest uint32, c *systems.ServerConfig) explainAnswer {
	a := explainAnswer{
		Client: k.Client, Entity: uint32(k.Entity), Asked: asked, Newest: newest, Tick: d.Tick, Send: d.Send,
		Sentence: decisionText(d, k, asked, newest, c), Reason: d.Reason.String(),
		State: d.State, Age: d.Age, Second: d.Second, Own: d.Own, OwnTold: d.OwnTold,
		Gained: number(d.Gained), Last: number(d.Last), Allowed: d.Allowed,
	}
	for i := range d.Parts {
		p := &d.Parts[i]
		a.Parts = append(a.Parts, partAnswer{p.Operand, partText(p)})
	}
	for i := range d.Untold {
		u := &d.Untold[i]
		a.Sentence += " Its interest hides the component " + u.Component + "."
		for k := range u.Parts {
			a.Parts = append(a.Parts, partAnswer{u.Component + ": " + u.Parts[k].Operand, partText(&u.Parts[k])})
		}
	}
	return a
}

// partText describes the result of one part of the interest.
func partText(p *explain.Part) string {
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

// decisionText describes a decision in words.
func decisionText(d *explain.Decision, k *systems.Knowledge, asked, newest uint32, c *systems.ServerConfig) string {
	at := fmt.Sprintf("At tick %d", d.Tick)
	if d.Send == 0 {
		at = "Before the first send"
	}
	switch {
	case d.Reason == explain.Everywhere, k.Everywhere:
		at = "Now"
	case d.Send == 0 || d.Tick == asked:
	case asked >= newest:
		at = fmt.Sprintf("At tick %d, the newest send,", d.Tick)
	default:
		at = fmt.Sprintf("At tick %d, the recorded send nearest to tick %d,", d.Tick, asked)
	}
	text := at + " " + reasonText(d, c.Snapshots.SendRate)
	switch {
	case !d.Own || k.Everywhere:
	case d.OwnTold:
		text += " The client owns the entity: its predicted and owner-only components were sent, too."
	case d.Allowed > 0:
		text += " The client owns the entity: its predicted and owner-only components had no changes, or did not fit."
	default:
		text += " The client owns the entity."
	}
	return text
}

// reasonText describes the reason of a decision. It continues a sentence that starts with the time.
func reasonText(d *explain.Decision, rate int) string {
	switch d.Reason {
	case explain.Told:
		var how string
		switch {
		case d.Age < 0:
			how = "; the baseline was not recorded, because nobody had asked yet"
		case d.Age == 0:
			how = " in full, because the client had acknowledged no baseline"
		case d.Second:
			how = fmt.Sprintf(" as the difference from the prediction of two sends, the newer one %s older", formatSends(d.Age, rate))
		default:
			how = fmt.Sprintf(" as the difference from the state %s older", formatSends(d.Age, rate))
		}
		if back := d.Send - d.State; back > 0 {
			return fmt.Sprintf("the entity was sent%s. It was part of the initial state of the client, of %s before.", how, formatSends(int(back), rate))
		}
		return fmt.Sprintf("the entity was sent%s.", how)
	case explain.Waits:
		if d.Allowed == 0 {
			return fmt.Sprintf("the entity waited: the changes did not fit the snapshot, and other entities had priority. It has gained %.3g since it was sent.", d.Gained)
		}
		return fmt.Sprintf("the entity waited: the changes did not fit the snapshot of %d bytes, and other entities had priority. It had gained %.3g since it was sent; the last entity that was sent had gained %.3g.", d.Allowed, d.Gained, d.Last)
	case explain.Hidden:
		var no []string
		for i := range d.Parts {
			if p := &d.Parts[i]; p.Asked && !p.Silent && !p.Sees {
				no = append(no, p.Operand+strings.TrimPrefix(partText(p), "no"))
			}
		}
		if len(no) == 0 {
			return "the interest hid the entity from the client."
		}
		return "the interest hid the entity from the client, by " + strings.Join(no, ", and by ") + "."
	case explain.TooBig:
		return "the entity was left out: it fits no snapshot of the client. Make its components smaller or the budget larger."
	case explain.Joining:
		return "the client was joining, and other parts of its initial state were sent first."
	case explain.Current:
		return "there was nothing new: the client had acknowledged this state."
	case explain.Absent:
		return "there was no such entity."
	case explain.Everywhere:
		return "every peer simulates everything: the client receives all inputs and no state."
	}
	return "the reason is unknown: no remembered packet had the entity, and reasons are recorded only after a request. Ask again for a later tick."
}

// formatSends formats a number of sends and their duration.
func formatSends(n, rate int) string {
	if n == 1 {
		return fmt.Sprintf("1 send (%d ms)", 1000/max(rate, 1))
	}
	return fmt.Sprintf("%d sends (%d ms)", n, 1000*n/max(rate, 1))
}
