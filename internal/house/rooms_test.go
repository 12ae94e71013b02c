package house

import (
	"slices"
	"strings"
	"testing"
)

// rooms says what each package below systems may import of the others, in its product code:
// data flows one way through them, and what must come back is a hook that the façade, package
// systems itself, puts in. A package that is not there yet may stand here.
var rooms = map[string]string{
	// the six systems
	"inputgather": "internal/inflight internal/wire internal/clock internal/timeline",
	"predict":     "inputgather internal/mirror internal/wire internal/clock internal/timeline",
	"reconcile":   "inputgather predict internal/mirror internal/report internal/wire internal/clock internal/timeline",
	"interpolate": "predict lagcomp internal/mirror internal/wire internal/clock internal/timeline",
	"serverapply": "internal/notice internal/wire internal/clock internal/timeline",
	"snapshot":    "internal/baseline internal/traffic internal/report internal/inflight internal/wire internal/clock internal/timeline",

	// what games import beside them
	"policy": "", "event": "", "outcome": "", "lagcomp": "",

	// what they stand on
	"internal/wire":     "policy",
	"internal/clock":    "internal/wire",
	"internal/inflight": "",
	"internal/timeline": "",
	"internal/mirror":   "internal/wire internal/clock internal/timeline",
	"internal/baseline": "internal/inflight internal/wire",
	"internal/traffic":  "internal/wire",
	"internal/report":   "internal/wire",
	"internal/notice":   "internal/wire",
	"internal/differ":   "internal/wire",

	"internal/ownership":     "internal/notice internal/wire",
	"internal/sessions":      "internal/notice internal/wire internal/clock internal/timeline",
	"internal/relay":         "internal/inflight internal/timeline internal/wire",
	"internal/deterministic": "inputgather interpolate internal/relay internal/timeline internal/wire internal/clock",
}

// overRooms are the packages that may import any room: the façade, which puts them together, and
// what looks at it from outside.
var overRooms = []string{"systems", "systems/inspect", "systems/overlay", "systems/systemstest"}

func TestRoomsOfSystems(t *testing.T) {
	g := load(t)
	for pkg, n := range g {
		room, below := strings.CutPrefix(pkg, "systems/")
		if !below || slices.Contains(overRooms, pkg) {
			continue
		}
		may, known := rooms[room]
		if !known {
			t.Errorf("%s has no row in rooms: say what it may import of the others, and where it is drawn in docs/architecture.md", pkg)
			continue
		}
		for to := range n.imports {
			if other, ok := strings.CutPrefix(to, "systems"); ok && !slices.Contains(strings.Fields(may), strings.TrimPrefix(other, "/")) {
				t.Errorf("%s imports %s; of ours below systems it may import: %s. Where data must come back, give it a hook", pkg, to, orNothing(strings.Fields(may)))
			}
		}
	}
	for _, pkg := range overRooms[1:] {
		if n := g["systems"]; n != nil && n.imports[pkg] != "" {
			t.Errorf("systems imports %s, which looks at it from outside", pkg)
		}
	}
}
