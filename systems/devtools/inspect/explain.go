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
		a.Sentence += " It is not told the component " + u.Component + ", by its interest."
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
		return "nothing of this entity"
	case !p.Asked:
		return "not asked: the others had settled it"
	case p.Radius > 0 && p.Distance < 0:
		return "no: the client has never had a place"
	case p.Radius > 0 && p.Sees:
		return fmt.Sprintf("yes: its piece is %.4g away", p.Distance)
	case p.Radius > 0:
		return fmt.Sprintf("no: its piece is %.4g away, and comes into sight at %.4g", p.Distance, p.Radius)
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
		at = fmt.Sprintf("At tick %d, of what is kept the send nearest to tick %d,", d.Tick, asked)
	}
	text := at + " " + reasonText(d, c.Snapshots.SendRate)
	switch {
	case !d.Own || k.Everywhere:
	case d.OwnTold:
		text += " It is the client's own: what it predicts of it, and what is for it alone, went beside the rest."
	case d.Allowed > 0:
		text += " It is the client's own: of what it predicts, and what is for it alone, there was nothing to tell, or no room."
	default:
		text += " It is the client's own."
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
			how = "; from which baseline is not kept of sends before somebody asked"
		case d.Age == 0:
			how = " in full: there was no send that the client was known to hold it from"
		case d.Second:
			how = fmt.Sprintf(" as the difference from what two sends predict, the newer %s older", sends(d.Age, rate))
		default:
			how = fmt.Sprintf(" as the difference from the state %s older", sends(d.Age, rate))
		}
		if back := d.Send - d.State; back > 0 {
			return fmt.Sprintf("the client was told of it%s. That was part of the state that it joins with, of %s before.", how, sends(int(back), rate))
		}
		return fmt.Sprintf("the client was told of it%s.", how)
	case explain.Waits:
		if d.Allowed == 0 {
			return fmt.Sprintf("it waited: the snapshot did not hold all, and others went first. It has gained %.3g since it was told of.", d.Gained)
		}
		return fmt.Sprintf("it waited: the snapshot of %d bytes did not hold all, and others went first. It had gained %.3g since it was told of; the last that was told of had gained %.3g.", d.Allowed, d.Gained, d.Last)
	case explain.Hidden:
		var no []string
		for i := range d.Parts {
			if p := &d.Parts[i]; p.Asked && !p.Silent && !p.Sees {
				no = append(no, p.Operand+strings.TrimPrefix(partText(p), "no"))
			}
		}
		if len(no) == 0 {
			return "interest kept it from the client."
		}
		return "interest kept it from the client, by " + strings.Join(no, ", and by ") + "."
	case explain.TooBig:
		return "it was left out: it fits no snapshot of the client. Make its components smaller, or the budget larger."
	case explain.Joining:
		return "the client was joining, and other parts of the state that it joins with went first."
	case explain.Current:
		return "there was nothing new: the client is known to hold it as it was, and others went first."
	case explain.Absent:
		return "there was no such entity."
	case explain.Everywhere:
		return "every peer simulates everything: the client knows it because it knows all inputs, and is sent no state."
	}
	return "it is not known: no packet that is remembered told of it, and why not is kept only from when somebody asks. Ask again for a tick from now on."
}

// sends formats a number of sends and their duration.
func sends(n, rate int) string {
	if n == 1 {
		return fmt.Sprintf("1 send (%d ms)", 1000/max(rate, 1))
	}
	return fmt.Sprintf("%d sends (%d ms)", n, 1000*n/max(rate, 1))
}
