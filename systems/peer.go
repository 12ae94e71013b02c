package systems

import (
	"time"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/ownership"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/serverapply"
)

// peer is what the server knows of one client.
type peer struct {
	id        uint32
	session   netsys.Session
	inputs    *serverapply.Client
	logged    notice.Once // what was logged of it
	limits    peerLimits
	liveness  liveness
	relayed   peerRelayed
	owned     ownership.Values
	notices   notice.Queue
	report    *report.Client // nil: own state always travels
	snap      peerSnapshot
	own       peerOwn
	contest   peerContest
	join      peerJoin
	baselines *baseline.Client // nil where no snapshots are sent
}

// peerLimits is what a client may make the server do.
type peerLimits struct {
	flooded   uint64 // messages that were not read
	messages  int    // read in this wake-up
	heard     int    // likewise, of channels
	malformed int    // in all
}

// liveness is whether a client hears us.
type liveness struct {
	unacked bool          // something was sent since the last acknowledgement
	silence time.Duration // for which that has been so
	deaf    bool          // too long
}

// peerRelayed is what a player's earlier sessions have counted.
type peerRelayed struct {
	counted relay.Inputs
	rewrote uint64
}

// peerSnapshot is the snapshot of this tick.
type peerSnapshot struct {
	model *delta.Model // of the world's blocks
	told  told
	queue []queued // packets, handed to the session by Send
	send  uint32   // whose they are
}

// peerOwn is what travels to the owner alone.
type peerOwn struct {
	slots  []ownSlot
	frames [baseline.OwnKept]ownFrame
}

// peerContest is who goes first where there is no room for all.
type peerContest struct {
	budget          int // bytes of a snapshot
	over            bool
	starved         bool          // own state left no room for anything else: it is left out next
	big             bool          // an entity was left out because no snapshot has room for it
	accruedPriority [][64]float32 // what entities have gained in the competition for room
	ownAccrued      [][64]float32
}

// peerJoin is the state with which a client joins.
type peerJoin struct {
	state  joining
	at     uint32 // send in which it began
	stream *join  // while it streams
	send   uint32 // newest send that the client was to join with
}

// told is what the last control part of a header said, as far as changes call for
// another one.
type told struct {
	any   bool
	epoch uint8
	depth uint8
	shift int16
}

// queued is a packet that waits for Send.
type queued struct {
	bytes []byte
	holds []baseline.Block
}
