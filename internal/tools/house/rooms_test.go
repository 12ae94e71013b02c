package house

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// common are the packages that every package below may import in addition to its row: messages, clocks, and inputs by tick.
const common = "internal/wire internal/clock internal/timeline"

// rooms says what each package below systems may import of the others, in its product code:
// data flows one way through them, and what must come back is a hook that the façade, package
// systems itself, puts in.
var rooms = map[string]string{
	// the six systems
	"inputgather": "internal/inflight",
	"predict":     "inputgather internal/mirror",
	"reconcile":   "predict internal/mirror internal/report",
	"interpolate": "lagcomp policy internal/mirror",
	"serverapply": "internal/notice internal/commands internal/saved",
	"snapshot":    "internal/inflight internal/traffic internal/report internal/interest",

	// what they stand on
	"internal/mirror":   "",
	"internal/traffic":  "",
	"internal/report":   "",
	"internal/notice":   "",
	"internal/sessions": "internal/notice",
	"internal/commands": "internal/notice",
	"internal/relay":    "policy internal/inflight internal/commands internal/saved",

	// both ends, compared for tests
	"internal/difference": "snapshot reconcile internal/mirror",
}

// floors say it of what stands below the rooms, and of what games import beside the six: these
// may import no more than that.
var floors = map[string]string{
	"policy": "", "event": "", "outcome": "", "lagcomp": "",

	"internal/wire":     "policy",
	"internal/clock":    "internal/wire",
	"internal/inflight": "",
	"internal/timeline": "internal/commands",
	"internal/overload": "",
	"internal/interest": "",
	"internal/travel":   "",

	// what a save has beside the world, and the files of saves
	"internal/saved": "internal/timeline", "save": "",

	// the files of recordings
	"recording": "", "recording/broadcast": "recording",

	// what happened, by tick, and the files of flights
	"internal/flight": "internal/commands",

	// matching knows rooms by their seats, and neither network nor clock: it runs in virtual time
	"rooms/match": "rooms",

	// a process from its main: signals, and what runs beside the rooms
	"rooms/serve": "rooms",

	// HTTP is over rooms, and matches who waits: whoever serves no HTTP links none of it
	"rooms/web": "rooms rooms/match",

	// only tests import it: those of all rooms play its games
	"internal/testgame": "",
}

// allowed returns the imports that a package may have, and whether it has a row.
func allowed(room string) (may []string, known bool) {
	if row, ok := rooms[room]; ok {
		return strings.Fields(row + " " + common), true
	}
	row, known := floors[room]
	return strings.Fields(row), known
}

// overRooms are the packages that may import any of the others: package systems, which assembles them, and packages that
// inspect or run it.
var overRooms = []string{"systems", "systems/host", "systems/host/bind", "systems/host/wasm", "systems/devtools/inspect", "systems/internal/fieldtest", "systems/internal/matches", "systems/rooms", "systems/devtools/operator", "systems/rooms/roomstest", "systems/devtools/runner", "systems/devtools/runner/browser", "systems/devtools/runner/web", "systems/devtools/swarm", "systems/devtools/swarm/internal/manysockets", "systems/devtools/internal/tokens", "systems/systemstest"}

func TestRoomsOfSystems(t *testing.T) {
	g := load(t)
	for pkg, n := range g {
		room, below := strings.CutPrefix(pkg, "systems/")
		if !below || slices.Contains(overRooms, pkg) {
			continue
		}
		may, known := allowed(room)
		if !known {
			t.Errorf("%s has no row in rooms or floors: say what it may import of the others, and where it is drawn in docs/architecture.md", pkg)
			continue
		}
		for to := range n.imports {
			if other, ok := strings.CutPrefix(to, "systems"); ok && !slices.Contains(may, strings.TrimPrefix(other, "/")) {
				t.Errorf("%s imports %s; of ours below systems it may import: %s. Where data must come back, give it a hook", pkg, to, orNothing(may))
			}
		}
	}
	for _, pkg := range overRooms[1:] {
		if n := g["systems"]; n != nil && n.imports[pkg] != "" {
			t.Errorf("systems imports %s, which looks at it, or runs it, from outside", pkg)
		}
	}
}

// Every import that a row allows is used. A commit that needs another one adds it to the row.
func TestRowsOfRoomsAreUsed(t *testing.T) {
	g := load(t)
	for _, table := range []map[string]string{rooms, floors} {
		for room, row := range table {
			n := g["systems/"+room]
			if n == nil {
				t.Errorf("%s has a row and is no package", room)
				continue
			}
			for to := range strings.FieldsSeq(row) {
				if n.imports["systems/"+to] == "" {
					t.Errorf("systems/%s does not import systems/%s: take it out of its row", room, to)
				}
			}
		}
	}
}

// six are the systems that the netcode is.
var six = []string{"inputgather", "predict", "reconcile", "interpolate", "serverapply", "snapshot"}

// Each of the six is a folder with a type System that runs in a schedule, and whose documentation says what it reads and
// writes.
func TestTheSixSystems(t *testing.T) {
	runs := regexp.MustCompile(`(?m)^func \(\w+ \*System\) Run\(\w* ?\*ecs\.World\)`)
	for _, room := range six {
		var code strings.Builder
		for _, name := range files(t, func(name string) bool {
			return path.Dir(name) == "systems/"+room && isGo(name) && !strings.HasSuffix(name, "_test.go")
		}) {
			code.Write(read(t, name))
		}
		text := code.String()
		for what, there := range map[string]bool{
			"no type System":              strings.Contains(text, "\ntype System struct"),
			"no func New":                 strings.Contains(text, "\nfunc New("),
			"System has no Run":           runs.MatchString(text),
			"does not say what it reads":  strings.Contains(text, "The package reads "),
			"does not say what it writes": strings.Contains(text, "writes "),
		} {
			if !there {
				t.Errorf("systems/%s: %s", room, what)
			}
		}
	}
}
