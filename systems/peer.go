package systems

import (
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/ownership"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/serverapply"
	"github.com/tactusgo/tactus/systems/snapshot"
)

// peer is what the server knows of one client.
type peer struct {
	id       uint32
	session  netsys.Session
	inputs   *serverapply.Client
	logged   notice.Once // what was logged of it
	limits   peerLimits
	liveness liveness
	relayed  peerRelayed
	owned    ownership.Values
	notices  notice.Queue
	report   *report.Client   // nil: own state always travels
	snapshot *snapshot.Client // nil where no snapshots are sent
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
