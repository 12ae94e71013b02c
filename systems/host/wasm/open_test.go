package wasm

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/host"
)

// A time in milliseconds is converted to the nanosecond. An invalid one becomes the zero time, which calls refuse.
func TestTimeOf(t *testing.T) {
	for _, c := range []struct {
		ms   float64
		want time.Time
	}{
		{1795435200000, time.Unix(1795435200, 0)},
		{1795435200000.5, time.Unix(1795435200, 500_000)},
		{1795435200016.25, time.Unix(1795435200, 16_250_000)},
		{-1.5, time.Unix(0, -1_500_000)},
		{math.NaN(), time.Time{}}, {math.Inf(1), time.Time{}}, {math.Inf(-1), time.Time{}}, {1e15, time.Time{}}, {-1e15, time.Time{}},
	} {
		if got := timeOf(c.ms); !got.Equal(c.want) {
			t.Errorf("%v is %v, want %v", c.ms, got, c.want)
		}
	}
}

// A host has the configuration that the page passes to open.
func TestOpenTakesWhatIsGiven(t *testing.T) {
	m := newMatch(t)
	server := []byte(m.at.String())
	open := func(login []byte, who float64, flags int32) int32 {
		t.Helper()
		size := int32(-1)
		if login != nil {
			size = int32(len(login))
		}
		m.put(append(append([]byte{}, server...), login...)...)
		n := m.module.open(ms(m.now), int32(len(server)), 0, size, who, flags|insecure)
		if n == 0 {
			t.Fatal(m.text())
		}
		m.until("it has joined", func() bool {
			m.module.frame(n, ms(m.now))
			return m.stat(n, func(s *host.Stats) float64 { return s.Own }) > 0
		})
		return n
	}
	var ada tag
	ada.Name.Set("Ada")
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&ada)), unsafe.Sizeof(ada))
	n := open(bytes, 42, smooth)
	names := map[string]int{}
	for _, x := range ecs.All[struct {
		Owner components.Owner
		Tag   tag
	}](m.servers[0].World()) {
		names[x.Tag.Name.String()]++
	}
	if names["Ada"] != 1 {
		t.Errorf("the names are %v", names)
	}
	again := open(nil, 42, 0) // the same player
	m.until("the first is replaced", func() bool { return host.Reason(m.module.end(n)) == host.Replaced })
	if other := open(nil, 1, 0); m.module.end(again) != 0 || m.module.end(other) != 0 {
		t.Error("another player replaces this one")
	}
	// Between two ticks the one that draws smoothly has moved.
	moved := func(flags int32) bool {
		n := open(nil, 0, flags)
		x := func(at time.Time) float32 {
			if m.module.frame(n, ms(at)) == nil {
				t.Fatal(m.text())
			}
			for _, table := range m.module.hosts[n-1].Tables() {
				place := ecs.ComponentOf[components.Position](m.module.protocol).Replicated()
				if table.Simulated && table.Columns[place] != nil {
					return (*components.Position)(table.Columns[place]).X
				}
			}
			t.Fatal("nothing of its own is drawn")
			return 0
		}
		m.module.input(n, m.input(keys{DX: 1}))
		m.frame()
		m.frame()
		first := x(m.now.Add(time.Millisecond))
		return x(m.now.Add(11*time.Millisecond)) != first
	}
	if !moved(smooth) || moved(0) {
		t.Error("the flag to draw between ticks does nothing, or is not asked")
	}
}

// The whole buffer can be used, and frames reuse their memory.
func TestModuleMemory(t *testing.T) {
	m := newMatch(t)
	n := m.join(smooth)
	if r := m.module.grow(maxBuffer); len(r) != maxBuffer {
		t.Fatalf("a room of %d", len(r))
	}
	if _, err := m.module.slice(0, maxBuffer); err != nil {
		t.Error(err)
	}
	if _, err := m.module.slice(1, maxBuffer); err == nil {
		t.Error("more than there is was given")
	}
	at := &m.module.grow(0)[0]
	if m.module.grow(100); at != &m.module.grow(0)[0] {
		t.Error("a smaller room is another one")
	}
	block := &m.module.frame(n, ms(m.now))[0]
	if allocs := testing.AllocsPerRun(50, func() {
		if b := m.module.frame(n, ms(m.now)); &b[0] != block {
			t.Error("the block has moved")
		}
	}); allocs != 0 {
		t.Errorf("%v allocations a frame", allocs)
	}
}
