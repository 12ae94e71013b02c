package systems

import (
	"github.com/tactusgo/tactus/systems/internal/deterministic"
	"github.com/tactusgo/tactus/systems/internal/ownership"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/internal/sessions"
	"github.com/tactusgo/tactus/systems/serverapply"
	"github.com/tactusgo/tactus/systems/snapshot"
)

// peer is what the server knows of one client.
type peer struct {
	*sessions.Client
	inputs   *serverapply.Client
	relayed  *deterministic.Member // nil where snapshots are sent
	owned    *ownership.Values
	report   *report.Client   // nil: own state always travels
	snapshot *snapshot.Client // nil where no snapshots are sent
}
