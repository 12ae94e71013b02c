package house

import (
	"path"
	"regexp"
	"strings"
	"testing"
	"time"
)

// waits lists the folders whose tests wait in real time: what for, and after how long a test fails at the latest. All other tests use
// virtual time or package testing/synctest. A new wait needs sockets, a process, a disk or a thread of the kernel.
var waits = map[string]struct {
	what string
	most time.Duration
}{
	"examples":                                    {"the documented commands", 2 * time.Minute},
	"examples/arena":                              {"rooms on sockets", time.Minute},
	"examples/arena/wasm":                         {"clients on WebSockets", time.Minute},
	"examples/more/browsers":                      {"Chromium", 3 * time.Minute},
	"examples/more/domain":                        {"certificates, processes", time.Minute},
	"examples/more/first":                         {"processes", 2 * time.Minute},
	"examples/more/persist":                       {"processes, a disk", time.Minute},
	"examples/more/webtransport":                  {"Chromium", time.Minute},
	"examples/rooms":                              {"rooms on sockets", 20 * time.Second},
	"internal/bench/apart":                        {"processes", time.Minute},
	"internal/bench/ratio":                        {"processor time that it compares", time.Second},
	"internal/bench/rooms":                        {"rooms on sockets", time.Minute},
	"internal/campaign":                           {"a disk", time.Minute},
	"internal/mmsg":                               {"UDP, TCP", 20 * time.Second},
	"internal/streams":                            {"TCP", 10 * time.Second},
	"internal/tools/newgame":                      {"processes", time.Minute},
	"netsys":                                      {"UDP, threads", 10 * time.Second},
	"netsys/eventloop":                            {"UDP, WebSockets", 20 * time.Second},
	"netsys/webtransport":                         {"QUIC", 10 * time.Second},
	"netsys/websocket":                            {"WebSockets", 20 * time.Second},
	"systems":                                     {"UDP, threads", 20 * time.Second},
	"systems/devtools/operator":                   {"HTTP", 20 * time.Second},
	"systems/devtools/runner":                     {"HTTP, UDP", time.Minute},
	"systems/devtools/swarm":                      {"sockets", 20 * time.Second},
	"systems/devtools/swarm/internal/manysockets": {"sockets", 30 * time.Second},
	"systems/internal/matches":                    {"a lock, UDP", time.Minute},
	"systems/recording/broadcast":                 {"a thread", 10 * time.Second},
	"systems/rooms":                               {"sockets, a disk", 20 * time.Second},
	"systems/rooms/fleet":                         {"processes", time.Minute},
	"systems/rooms/fleet/agones":                  {"HTTP", 20 * time.Second},
	"systems/rooms/fleet/natsdir":                 {"NATS", time.Minute},
	"systems/rooms/serve":                         {"sockets, signals", 30 * time.Second},
	"systems/rooms/web":                           {"HTTP", 20 * time.Second},
}

var waiting = regexp.MustCompile(`\btime\.(Sleep|After|NewTimer|NewTicker|Tick|AfterFunc)\(`)

func TestWaitsInRealTimeAreListed(t *testing.T) {
	used := map[string]bool{}
	for _, name := range files(t, isGo) {
		src := string(read(t, name))
		if !strings.HasSuffix(name, "_test.go") || !waiting.MatchString(src) || strings.Contains(src, `"testing/synctest"`) {
			continue
		}
		dir := path.Dir(name)
		if used[dir] = true; waits[dir].what == "" {
			t.Errorf("%s waits in real time: use virtual time or package synctest, or add the folder to the list in waits_test.go", name)
		}
	}
	for dir := range waits {
		if !used[dir] {
			t.Errorf("the tests of %s no longer wait in real time: take it out of the list", dir)
		}
	}
}
