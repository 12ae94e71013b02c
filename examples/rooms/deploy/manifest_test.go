package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/agones"
)

// manifest is a file of YAML, as far as manifests need that: keys, texts and lists, by indentation of two. Values are by
// path, such as spec.ports[0].name.
type manifest struct {
	t      *testing.T
	name   string
	lines  []string
	at     int // of lines
	values map[string]string
}

var entry = regexp.MustCompile(`^([A-Za-z][\w.-]*):(?: (\S.*))?$`)

// load reads a manifest, and fails where it is none.
func load(t *testing.T, name string) *manifest {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m := &manifest{t: t, name: name, lines: strings.Split(strings.TrimSuffix(string(b), "\n"), "\n"), values: make(map[string]string)}
	m.block(0, "")
	if m.at < len(m.lines) {
		m.bad("too far to the right")
	}
	return m
}

func (m *manifest) bad(why string) { m.t.Fatalf("%s:%d: %s", m.name, m.at+1, why) }

// next is the indentation and the text of the next line that is no comment, -1 at the end.
func (m *manifest) next() (indent int, text string) {
	for ; m.at < len(m.lines); m.at++ {
		line := m.lines[m.at]
		text := strings.TrimLeft(line, " ")
		switch {
		case strings.HasPrefix(text, "#"):
			continue
		case text == "" || strings.ContainsAny(line, "\t\r") || strings.HasSuffix(line, " ") || (len(line)-len(text))%2 != 0:
			m.bad("no line of a manifest")
		}
		return len(line) - len(text), text
	}
	return -1, ""
}

// block reads what stands under a path.
func (m *manifest) block(indent int, path string) {
	list := false
	for items := 0; ; items++ {
		is, text := m.next()
		if is != indent {
			return
		}
		if rest, ok := strings.CutPrefix(text, "- "); ok {
			list = true
			m.lines[m.at] = strings.Repeat(" ", indent+2) + rest
			m.block(indent+2, fmt.Sprintf("%s[%d]", path, items))
			continue
		}
		found := entry.FindStringSubmatch(text)
		if found == nil || list {
			m.bad("neither a key nor an item of the list")
		}
		key := strings.TrimPrefix(path+"."+found[1], ".")
		if _, twice := m.values[key]; twice {
			m.bad("said twice")
		}
		m.at++
		m.values[key] = strings.Trim(found[2], `"`)
		if found[2] == "" {
			if is, _ := m.next(); is != indent+2 {
				m.bad("the key before has no value")
			}
			m.block(indent+2, key)
		}
	}
}

// says compares values.
func (m *manifest) says(all map[string]string) {
	m.t.Helper()
	for path, want := range all {
		if got, ok := m.values[path]; !ok || got != want {
			m.t.Errorf("%s: %s is %q, want %q", m.name, path, got, want)
		}
	}
}

// number is a value.
func (m *manifest) number(path string) int {
	m.t.Helper()
	n, err := strconv.Atoi(m.values[path])
	if err != nil {
		m.t.Errorf("%s: %s: %v", m.name, path, err)
	}
	return n
}

// The manifests name the counters, lists, ports and limits that the program has, and the program has the time that it needs.
func TestManifests(t *testing.T) {
	m := load(t, "fleet.yaml")
	game, seats := "spec.template.spec.ports[0]", "spec.template.spec.ports[1]"
	pod := "spec.template.spec.template.spec"
	m.says(map[string]string{
		"apiVersion": "agones.dev/v1", "kind": "Fleet",
		"spec.priorities[0].type": "Counter", "spec.priorities[0].key": agones.Rooms,
		"spec.allocationOverflow.labels." + agones.Drain: "true",
		game + ".name": gamePort, game + ".containerPort": "7777", game + ".protocol": "UDP",
		seats + ".containerPort": "8080", seats + ".protocol": "TCP",
		"spec.template.spec.counters." + agones.Rooms + ".count":      "0",
		"spec.template.spec.counters." + agones.Rooms + ".capacity":   strconv.Itoa(maxRooms),
		"spec.template.spec.counters." + agones.Players + ".count":    "0",
		"spec.template.spec.counters." + agones.Players + ".capacity": strconv.Itoa(maxRooms * capacity),
		"spec.template.spec.lists." + agones.Rooms + ".capacity":      strconv.Itoa(maxRooms),
		"spec.template.spec.lists." + agones.Players + ".capacity":    strconv.Itoa(maxRooms * capacity),
		pod + ".containers[0].env[0].name":                            secretName,
		pod + ".containers[0].env[1].name":                            "GOMEMLIMIT",
	})
	for _, container := range []string{game + ".container", seats + ".container", pod + ".containers[0].name"} {
		m.says(map[string]string{container: m.values["spec.template.spec.container"]})
	}
	if grace := time.Duration(m.number(pod+".terminationGracePeriodSeconds")) * time.Second; grace < longest+time.Minute {
		t.Errorf("a pod is killed after %v, and a drain may take %v", grace, longest)
	}
	if period := m.number("spec.template.spec.health.periodSeconds"); period < 5 {
		t.Errorf("a sign of life is asked for every %d s, and told every 2 s", period)
	}
	limit, _ := strings.CutSuffix(m.values[pod+".containers[0].resources.limits.memory"], "Mi")
	soft, _ := strings.CutSuffix(m.values[pod+".containers[0].env[1].value"], "MiB")
	hard, err := strconv.Atoi(limit)
	goes, err2 := strconv.Atoi(soft)
	if err != nil || err2 != nil || goes > hard*95/100 || goes < hard*85/100 {
		t.Errorf("GOMEMLIMIT %s of %s", soft, limit)
	}

	a := load(t, "autoscaler.yaml")
	a.says(map[string]string{
		"apiVersion": "autoscaling.agones.dev/v1", "kind": "FleetAutoscaler",
		"spec.fleetName": m.values["metadata.name"], "spec.policy.type": "Counter", "spec.policy.counter.key": agones.Rooms,
	})
	buffer, least, most := a.number("spec.policy.counter.bufferSize"), a.number("spec.policy.counter.minCapacity"), a.number("spec.policy.counter.maxCapacity")
	if buffer < 1 || least < buffer || most < least || most%maxRooms != 0 || least < m.number("spec.replicas")*maxRooms {
		t.Errorf("the fleet grows from %d to %d rooms with %d of them free", least, most, buffer)
	}
}

// The container file starts the program that is here, with flags that it has and ports that the manifest opens.
func TestContainerfile(t *testing.T) {
	b, err := os.ReadFile("Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, want := range []string{
		"golang:" + regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(mod))[1] + " AS build\n",
		"-o /out/deploy ./examples/rooms/deploy\n", "EXPOSE 7777/udp 8080\n", "STOPSIGNAL SIGTERM\n", "USER 65532:65532\n",
		`ENTRYPOINT ["/deploy", "-listen", "0.0.0.0:7777", "-http", "0.0.0.0:8080"]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	for _, flag := range regexp.MustCompile(`"-(\w+)", "0`).FindAllStringSubmatch(text, -1) {
		if !strings.Contains(string(code), `flag.String("`+flag[1]+`"`) {
			t.Errorf("the program has no flag %s", flag[1])
		}
	}
}
