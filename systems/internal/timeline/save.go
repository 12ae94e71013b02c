package timeline

import "github.com/tactusgo/tactus/systems/internal/commands"

// Input is the input of a player for a tick.
type Input struct {
	Tick  uint32
	Words []int32
}

// AppendInputs appends to dst the input of a player that the next tick may repeat, and its inputs for the next tick and later
// ones that have arrived, by tick.
func (t *Timeline) AppendInputs(dst []Input, player uint32) []Input {
	p := t.player(player)
	if p == nil {
		return dst
	}
	if words, at, held := t.Held(player, t.Next()); held {
		dst = append(dst, Input{at, append([]int32(nil), words...)})
	}
	for tick := t.now; tick <= t.now+int64(t.config.Early); tick++ {
		if p.at(tick) == inputKnown {
			dst = append(dst, Input{uint32(tick), append([]int32(nil), p.words(p.real, tick)...)})
		}
	}
	return dst
}

// Resume is [Timeline.Adopt] with the inputs of [Timeline.AppendInputs]. kept is called for each later input that the
// timeline accepts. Inputs of another length are left out.
func (t *Timeline) Resume(player, first uint32, inputs []Input, kept func(Input)) error {
	var words []int32
	at := uint32(0)
	if len(inputs) > 0 && inputs[0].Tick < t.Next() {
		if len(inputs[0].Words) == t.table.Words {
			words, at = inputs[0].Words, inputs[0].Tick
		}
		inputs = inputs[1:]
	}
	if err := t.Adopt(player, first, words, at); err != nil {
		return err
	}
	for _, in := range inputs {
		if len(in.Words) == t.table.Words && t.Put(player, in.Tick, in.Words) == InTime {
			kept(in)
		}
	}
	return nil
}

// AppendPending appends to dst the leaves and commands of the next tick and later ones, in running order. Joins are not
// included: see [Timeline.AppendPresences].
func (t *Timeline) AppendPending(dst []commands.Entry) []commands.Entry {
	return t.log.AppendPending(dst, t.Next())
}

// Recorder records the inputs and commands with which a tick was simulated.
type Recorder interface {
	// Entry records a join, a leave or a command. It is called in the order in which they ran.
	Entry(e commands.Entry)
	// Hold records the input of a player and its sequence number.
	Hold(player, sequence uint32, words []int32)
}

// Describe calls r for the inputs and commands with which a tick of the window was last simulated. The tick may be the one that is
// being simulated.
func (t *Timeline) Describe(tick uint32, r Recorder) {
	t.log.Describe(tick, r)
	for _, p := range t.players {
		if p.spanAt(int64(tick)) != nil {
			r.Hold(p.id, tick, p.words(p.used, int64(tick)))
		}
	}
}

// HashBefore returns the hash of the world before a tick of the window, as [ecs.World.Hash] returned it then.
func (t *Timeline) HashBefore(tick uint32) uint64 { return t.hashAfter(int64(tick) - 1) }
