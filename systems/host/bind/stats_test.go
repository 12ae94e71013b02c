package bind

import (
	"testing"

	"github.com/tactusgo/tactus/systems/host"
)

// Every number of the statistics has a comment in the types.
func TestStatDocs(t *testing.T) {
	for _, name := range host.StatNames() {
		if statDocs[name] == "" {
			t.Errorf("%s has none", name)
		}
	}
	if len(statDocs) != len(host.StatNames()) {
		t.Errorf("%d comments for %d numbers", len(statDocs), len(host.StatNames()))
	}
}
