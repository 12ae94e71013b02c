package house

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// waits lists the folders whose tests wait in real time: what for, and after how long a test fails at the latest. All other tests use
// virtual time or package testing/synctest. A new wait needs sockets, a process, a disk or a thread of the kernel.
var waits = map[string]string{
	"examples":                                    "the documented commands: 2 min",
	"examples/arena":                              "rooms on sockets: 1 min",
	"examples/arena/wasm":                         "clients on WebSockets: 1 min",
	"examples/more/browsers":                      "Chromium: 3 min",
	"examples/more/domain":                        "certificates, processes, Chromium: 1 min",
	"examples/more/first":                         "processes: 2 min",
	"examples/more/persist":                       "processes, a disk: 1 min",
	"examples/more/webtransport":                  "Chromium: 1 min",
	"examples/rooms":                              "rooms on sockets: 20 s",
	"internal/bench/apart":                        "processes: 1 min",
	"internal/bench/ratio":                        "processor time that it compares: 1 s",
	"internal/bench/rooms":                        "rooms on sockets: 1 min",
	"internal/campaign":                           "a disk: 1 min",
	"internal/mmsg":                               "UDP, TCP: 20 s",
	"internal/streams":                            "TCP: 10 s",
	"internal/tools/newgame":                      "processes: 1 min",
	"netsys":                                      "UDP, threads: 10 s",
	"netsys/eventloop":                            "UDP, WebSockets: 20 s",
	"netsys/webtransport":                         "QUIC: 10 s",
	"netsys/websocket":                            "WebSockets: 20 s",
	"systems":                                     "UDP, threads: 20 s",
	"systems/devtools/operator":                   "HTTP: 20 s",
	"systems/devtools/runner":                     "HTTP, UDP: 1 min",
	"systems/devtools/runner/web":                 "rooms on sockets: 1 min",
	"systems/devtools/swarm":                      "sockets: 20 s",
	"systems/devtools/swarm/internal/manysockets": "sockets: 30 s",
	"systems/internal/matches":                    "a lock, UDP: 1 min",
	"systems/recording/broadcast":                 "a thread: 10 s",
	"systems/rooms":                               "sockets, a disk: 20 s",
	"systems/rooms/fleet":                         "processes: 1 min",
	"systems/rooms/fleet/agones":                  "HTTP: 20 s",
	"systems/rooms/fleet/natsdir":                 "NATS: 1 min",
	"systems/rooms/serve":                         "sockets, signals: 30 s",
	"systems/rooms/web":                           "HTTP: 20 s",
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
		if used[dir] = true; waits[dir] == "" {
			t.Errorf("%s waits in real time: use virtual time or package synctest, or add the folder to the list in waits_test.go", name)
		}
	}
	for dir := range waits {
		if !used[dir] {
			t.Errorf("the tests of %s no longer wait in real time: take it out of the list", dir)
		}
	}
}
