package runner

import (
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems"
)

// The block has a line for each component that took something, its fields with the
// largest first, and shares of all that was sent between two readings.
func TestTrafficBlock(t *testing.T) {
	component := func(name string, x, y float64) systems.ComponentTraffic {
		return systems.ComponentTraffic{Name: name, Bytes: systems.TrafficBytes{Sent: x + y}, Fields: []systems.FieldTraffic{
			{Path: "X", Bytes: systems.TrafficBytes{Sent: x}}, {Path: "Y", Bytes: systems.TrafficBytes{Sent: y}}}}
	}
	before := reading{sent: systems.Traffic{Bytes: 1000, Headers: 100, Heads: 100, Own: 100,
		Presence: systems.TrafficBytes{Sent: 100}, Components: []systems.ComponentTraffic{component("Position", 400, 200)}}}
	now := reading{server: systems.ServerStats{Updates: 20}, sent: systems.Traffic{Bytes: 3000, Headers: 300, Heads: 200, Own: 200,
		Presence: systems.TrafficBytes{Sent: 200}, Components: []systems.ComponentTraffic{
			component("Position", 500, 900), component("Silent", 0, 0), component("AVeryLongNameIndeed", 700, 0)}}}
	var out strings.Builder
	now.traffic(&out, before, 2)
	want := `snapshots      1000 B/s   share   contents, 100.0 bytes per update
  Position      400    40.0 %   Y 350, X 50
  AVeryLongN…   350    35.0 %   X 350
  own state      50     5.0 %   
  presence       50     5.0 %   the list of entities and their changes
  headers       150    15.0 %   messages 100, blocks 50

`
	if got := out.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestFieldsFitALine(t *testing.T) {
	var fields []part
	for range 40 {
		fields = append(fields, part{name: "Slots[3].Count", bytes: 7})
	}
	if s := formatFields(fields); len(s) > fieldsWidth+10 || !strings.HasSuffix(s, "…") {
		t.Errorf("%q", s)
	}
}
