package operator

import (
	"os"
	"regexp"
	"testing"
)

// Each series that an alert or the dashboard uses is a series of this package.
func TestAlertsNameSeries(t *testing.T) {
	source, err := os.ReadFile("metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, name := range regexp.MustCompile(`"(?:tactus_)?([a-z_]+)"`).FindAllSubmatch(source, -1) {
		known[string(name[1])] = true
	}
	used := map[string]bool{}
	for _, file := range []string{"alerts.yaml", "grafana.json"} {
		b, err := os.ReadFile("../../../examples/more/fleet/deploy/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`\btactus_([a-z_]+?)(_bucket|_sum)?\b`).FindAllSubmatch(b, -1) {
			if used[string(name[1])] = true; !known[string(name[1])] {
				t.Errorf("%s uses tactus_%s", file, name[1])
			}
		}
	}
	for _, name := range []string{"transport_failed", "accept_errors_total", "directory_panics_total", "room_panics_total"} {
		if !used[name] {
			t.Errorf("nothing alerts for tactus_%s", name)
		}
	}
}
