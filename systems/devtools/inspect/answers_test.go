package inspect

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/reconcile"
)

func TestStatus(t *testing.T) {
	m := newMatch(t, yardConfig(1, 2), Config{})
	var a statusAnswer
	m.get("/api/status", &a)
	if a.Protocol != "plaza/1" || a.Policies != "LocalSync" || a.Clients != 2 || a.Entities != posts+2 || a.TickRate != 60 || a.SendRate != 60 {
		t.Errorf("%+v", a)
	}
	if a.Tick == 0 || a.Tick > m.Server.Tick() || a.BytesOut == 0 || a.BytesIn == 0 {
		t.Errorf("tick %d, %d bytes out, %d in", a.Tick, a.BytesOut, a.BytesIn)
	}
	w := a.Wakeups
	sum := uint64(0)
	for _, n := range w.Counts {
		sum += n
	}
	if len(w.Counts) != len(w.Bounds)+1 || sum != w.Count || w.Count == 0 || w.Median <= 0 || w.P99 < w.Median || w.Most < w.P99 || len(w.Recent) == 0 {
		t.Errorf("%+v", w)
	}
	paths := map[string]systemLine{}
	for _, s := range a.Systems {
		paths[strings.Join(s.Path, "/")] = s
	}
	for _, path := range []string{"Before/Receive", "OnTick/ServerApply", "OnTick/Simulate/walk", "OnTick/Authority/count", "After/Snapshot", "After/Send"} {
		s, ok := paths[path]
		if !ok || s.Runs != w.Count || s.Sum < s.Most || s.Most <= 0 {
			t.Errorf("%s: %+v", path, s)
		}
	}
	at := slices.IndexFunc(a.Counters, func(c counter) bool { return c.Name == "Inputs.Consumed" })
	if at < 0 || a.Counters[at].Value == 0 {
		t.Errorf("no inputs in %v", a.Counters)
	}
}

func TestClients(t *testing.T) {
	c := yardConfig(1, 2)
	c.Server.Snapshots.Budget = 400
	m := newMatch(t, c, Config{})
	var a struct {
		Tick    uint32
		Clients []clientLine
	}
	m.get("/api/clients", &a)
	if len(a.Clients) != 2 {
		t.Fatalf("%+v", a)
	}
	for _, k := range a.Clients {
		if k.ID == 0 || k.RTT < 40 || k.RTT > 200 || k.Budget != 400 || k.Allowed != 200 && k.Allowed != 400 || k.Joining || k.Consumed == 0 || k.BytesOut == 0 || k.Address == "" {
			t.Errorf("%+v", k)
		}
	}
}

func TestTraffic(t *testing.T) {
	m := newMatch(t, yardConfig(1, 2), Config{})
	var a trafficAnswer
	m.get("/api/traffic", &a)
	if a.Measured || m.x.lease.on {
		t.Error("it measures by archetype, which nobody asked for")
	}
	sum := 0.0
	for _, p := range a.Snapshots.Parts {
		sum += p.Sent
		inner := 0.0
		for _, f := range p.Parts {
			inner += f.Sent
		}
		if len(p.Parts) > 0 && math.Abs(inner-p.Sent) > 1e-6*p.Sent+1e-9 {
			t.Errorf("%s has %v, its fields %v", p.Name, p.Sent, inner)
		}
	}
	if a.Snapshots.Sent == 0 || math.Abs(sum-a.Snapshots.Sent) > 0.01*a.Snapshots.Sent {
		t.Errorf("parts are %v of %v", sum, a.Snapshots.Sent)
	}
	m.get("/api/traffic?archetypes=1", nil)
	m.RunTicks(60)
	m.get("/api/traffic?archetypes=1", &a)
	if !a.Measured || len(a.Archetypes) != 2 || a.Archetypes[0].Entities+a.Archetypes[1].Entities != posts+2 {
		t.Fatalf("%+v", a.Archetypes)
	}
	for _, g := range a.Archetypes {
		if g.Encoded <= 0 || !slices.Contains(g.Components, "Place") {
			t.Errorf("%+v", g)
		}
	}
	m.x.lease.until = 0 // nobody looks any more
	m.RunTicks(1)
	if m.x.lease.on {
		t.Error("it goes on measuring")
	}
}

func TestEntities(t *testing.T) {
	m := newMatch(t, yardConfig(1, 2), Config{})
	var seen []components.NetID
	for path := "/api/entities?limit=30"; ; {
		var a entitiesAnswer
		m.get(path, &a)
		if a.Total != posts+2 || len(a.Entities) > 30 {
			t.Fatalf("%d of %d", len(a.Entities), a.Total)
		}
		for _, e := range a.Entities {
			seen = append(seen, e.ID)
		}
		if a.Next == 0 {
			break
		}
		path = fmt.Sprintf("/api/entities?limit=30&after=%d", a.Next)
	}
	if len(seen) != posts+2 || !slices.IsSorted(seen) || len(slices.Compact(seen)) != posts+2 {
		t.Errorf("%d entities: %v", len(seen), seen)
	}
	var a entitiesAnswer
	if m.get("/api/entities?component=Tint&limit=200", &a); len(a.Entities) != posts {
		t.Errorf("%d have a tint", len(a.Entities))
	}
	id := m.Clients[0].ID()
	if m.get(fmt.Sprintf("/api/entities?owner=%d", id), &a); len(a.Entities) != 1 || a.Entities[0].Owner != id {
		t.Errorf("client %d owns %+v", id, a.Entities)
	}
	own := a.Entities[0].ID
	if m.get("/api/entities?owner=0&limit=200", &a); len(a.Entities) != posts {
		t.Errorf("the server has %d", len(a.Entities))
	}
	if w := m.do(request("/api/entities?component=nothing", nil)); w.Code != http.StatusNotFound {
		t.Errorf("%d", w.Code)
	}

	var e struct {
		Tick uint32
		entityLine
	}
	m.get(fmt.Sprintf("/api/entity?id=%d", own), &e)
	values := map[string]string{}
	local := ""
	for _, c := range e.Components {
		if c.Local {
			local = c.Name
		}
		for _, f := range c.Fields {
			values[c.Name+"."+f.Path] = f.Value
		}
	}
	if e.Owner != id || values["Owner.Client"] != fmt.Sprint(id) || values["Place.X"] == "" || local != "mood" {
		t.Errorf("%+v: %v", e, values)
	}
	if _, ok := values["Push.DX"]; !ok {
		t.Errorf("no input in %v", values)
	}
	for path, code := range map[string]int{"/api/entity": 400, "/api/entity?id=99999": 404, "/api/entity?id=x": 400, "/api/entity?what=1": 400} {
		if w := m.do(request(path, nil)); w.Code != code {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// A wake-up searches a bounded number of entities. Further wake-ups search the rest.
func TestSearchIsBounded(t *testing.T) {
	w := ecs.NewWorld(yard(), ecs.Config{})
	const many = 2*rowsPerTick + 100
	for n := range many {
		if n%3 == 0 {
			w.Spawn(testgame.Place{}, testgame.Tint{})
		} else {
			w.Spawn(testgame.Place{}, components.Owner{Client: uint32(n % 3)})
		}
	}
	f := search{query: query{limit: 10, owned: true, owner: 2}}
	steps, seen := 0, 0
	for more := true; more; steps++ {
		more = f.step(w)
		if f.seen-seen > rowsPerTick {
			t.Fatalf("%d in a step", f.seen-seen)
		}
		seen = f.seen
		f.trim()
	}
	if steps < 3 || f.seen != many || f.total != many/3 || len(f.found) != 11 {
		t.Errorf("%d steps, %d seen, %d of %d found, %d kept", steps, f.seen, f.total, many/3, len(f.found))
	}
}

func TestKnows(t *testing.T) {
	m := newMatch(t, yardConfig(1, 2), Config{})
	var k knowsAnswer
	m.get("/api/knows?client=1&entity=1", &k)
	if !k.Exists || k.Held == 0 || k.Held > k.Send || k.Sent == 0 || k.Baseline == 0 || k.Own || len(k.Why) < 3 || k.SendRate != 60 {
		t.Errorf("%+v", k)
	}
	for path, code := range map[string]int{"/api/knows": 400, "/api/knows?client=1": 400, "/api/knows?client=9&entity=1": 404} {
		if w := m.do(request(path, nil)); w.Code != code {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	m.get("/api/knows?client=1&entity=9999", &k)
	if k.Exists || !strings.Contains(k.Why[0], "newest send does not have") {
		t.Errorf("%+v", k)
	}
	c := yardConfig(1, 2)
	c.Server.Model = policy.Rollback{}
	m = newMatch(t, c, Config{})
	m.get("/api/knows?client=1&entity=1", &k)
	if !k.Everywhere || !k.Exists || len(k.Why) != 2 {
		t.Errorf("under rollback: %+v", k)
	}
	for _, path := range []string{"/api/status", "/api/clients", "/api/traffic?archetypes=1", "/api/entities", "/metrics"} {
		m.get(path, nil)
	}
}

func TestBlame(t *testing.T) {
	m := newMatch(t, yardConfig(1, 1), Config{})
	row := reconcile.Cause{Component: "Place", Field: "X", Corrections: 2, Times: 2, Mean: 0.5, Largest: 1, Tick: 7}
	bad := row
	bad.Mean = math.NaN()
	long := row
	long.Field = strings.Repeat("x", mostName+1)
	m.x.Report(1, reconcile.Causes{Corrections: 9, Rows: []reconcile.Cause{row}})
	m.x.Report(1, reconcile.Causes{Corrections: 2, Rows: []reconcile.Cause{bad, row, long}})
	m.x.Report(2, reconcile.Causes{Corrections: 4, Rows: []reconcile.Cause{row}})
	many := reconcile.Causes{Rows: make([]reconcile.Cause, reconcile.MaxCauses+9)}
	for id := range uint32(2 * mostReports) {
		m.x.Report(100+id, many)
	}
	if n := len(m.x.causeTables.tables); n != mostReports || len(m.x.causeTables.tables[100].Rows) != reconcile.MaxCauses {
		t.Errorf("%d tables, of %d rows", n, len(m.x.causeTables.tables[100].Rows))
	}
	var a causesAnswer
	m.get("/api/blame", &a)
	if a.Corrections != 6 || len(a.Rows) != 2 || a.Rows[0].Corrections != 4 || a.Clients[0].Client != 1 || a.Clients[0].Corrections != 2 {
		t.Errorf("%+v", a.Rows)
	}
}

func TestProfiles(t *testing.T) {
	m := newMatch(t, yardConfig(1, 1), Config{})
	if w := m.do(request("/debug/pprof/", nil)); !strings.Contains(w.Body.String(), "heap") {
		t.Errorf("%s", w.Body)
	}
	for path, code := range map[string]int{
		"/debug/pprof/heap": 200, "/debug/pprof/goroutine?debug=1": 200, "/debug/pprof/cmdline": 404, "/debug/pprof/nothing": 404,
		"/debug/pprof/heap?seconds=1": 200, "/debug/pprof/heap?seconds=60": 200, "/debug/pprof/heap?seconds=61": 400, "/debug/pprof/heap?seconds=-1": 400,
		"/debug/pprof/profile?seconds=0": 400, "/debug/pprof/profile?seconds=61": 400, "/debug/pprof/trace?seconds=x": 400,
	} {
		if w := m.do(request(path, nil)); w.Code != code || code == 200 && w.Body.Len() == 0 {
			t.Errorf("%s: %d, %d bytes", path, w.Code, w.Body.Len())
		}
	}
}
