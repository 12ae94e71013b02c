package clients

import (
	"bytes"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems/host"
)

// A view is that of the host: the same memory, with the same values.
func TestView(t *testing.T) {
	m := newMatch(t)
	n, other := m.open(1), m.open(2)
	in := game.Action{Buttons: game.Left}
	if code := m.SetInput(n, bytesOf(&in)); code != OK {
		t.Fatal(code)
	}
	m.play(time.Second, nil, n, other)
	var first, last components.Position
	rows, news := 0, 0
	m.play(time.Second, func(v *View) {
		x := m.seats[n&255-1].client
		if v != x.view {
			return
		}
		at, ok := m.own(v)
		if !ok {
			t.Fatalf("no own row at tick %v", v.Stats.Tick)
		}
		if last = at; first == (components.Position{}) {
			first = at
		}
		rows = 0
		for i := range v.tables() {
			table, is := v.tables()[i], x.Host.Tables()[i]
			rows += int(table.Rows)
			if table.Mask != is.Mask || int(table.Rows) != is.Rows || (table.Simulated == 1) != is.Simulated ||
				table.IDs != unsafe.SliceData(is.NetIDs) || table.Handles != unsafe.SliceData(is.Handles) || table.Columns != unsafe.SliceData(is.Columns) {
				t.Fatalf("table %d is %+v, of the host %+v", i, table, is)
			}
		}
		singles := 0
		for i, p := range unsafe.Slice(v.Singles, v.Columns) {
			if p != x.Host.Single(i) {
				t.Fatalf("single %d", i)
			}
			if p != nil {
				singles++
			}
		}
		if singles != 2 || v.Generation != x.Host.Generation() || int(v.Columns) != len(m.protocol.Replicated()) || int(v.StatsCount) != len(host.StatNames()) {
			t.Fatalf("%d singles, %+v", singles, v)
		}
		news += int(v.NewsCount)
	}, n, other)
	if rows < 22 || first.X-last.X < 50 {
		t.Errorf("%d rows, from %v to %v", rows, first, last)
	}
	if m.Next(n) <= m.at() || m.Next(n) > m.at()+int64(time.Second) {
		t.Errorf("the next tick is at %d, it is %d", m.Next(n), m.at())
	}
}

// C receives each message with its value, and a notice for each new row.
func TestNews(t *testing.T) {
	m := newMatch(t)
	n := m.open(1)
	came, said := 0, ""
	each := func(v *View) {
		for _, x := range unsafe.Slice(v.News, v.NewsCount) {
			value := unsafe.Slice(v.Values, v.ValuesSize)[x.At : x.At+x.Size]
			switch x.Kind {
			case host.NewsCame:
				came++
			case host.NewsMessage:
				var s game.Said
				if copy(bytesOf(&s), value); int(x.Size) == len(bytesOf(&s)) && x.Which == 1 {
					said += s.Text.String()
				}
			}
		}
	}
	m.play(time.Second, each, n)
	var s game.Say
	s.Text.Set("hello")
	if code := m.Send(n, 0, bytesOf(&s)); code != OK {
		t.Fatal(code)
	}
	m.play(time.Second, each, n)
	if came < 21 || said != "hello" {
		t.Errorf("%d came, and %q was said", came, said)
	}
}

// The end of a session is told, and its newest frame stays.
func TestEnd(t *testing.T) {
	m := newMatch(t)
	n := m.open(1)
	m.play(time.Second, nil, n)
	if err := m.server.Close(m.now); err != nil {
		t.Fatal(err)
	}
	if m.play(time.Second/2, nil, n); m.Advance(n, m.at()) != int32(Ended) || m.End(n) != int32(host.Closing) {
		t.Errorf("advance %d, end %d", m.Advance(n, m.at()), m.End(n))
	}
	if text := m.Text(n); !bytes.Contains(text[:], []byte("clos")) {
		t.Errorf("%q", text[:])
	}
	v := m.Frame(n, m.at())
	if v == nil {
		t.Fatal("no frame")
	}
	if _, ok := m.own(v); !ok {
		t.Error("nobody is left in it")
	}
	if m.Advance(n, 5) != int32(Time) {
		t.Error("after the end any time will do")
	}
}

// Texts are cut where a letter ends, and always end.
func TestSay(t *testing.T) {
	for _, x := range []struct{ say, want string }{{"", ""}, {"abc", "abc"}, {"abcdefg", "abcdefg"}, {"abcdefgh", "abcdefg"}, {"abcdefä", "abcdef"}, {"ääää", "äää"}} {
		to := bytes.Repeat([]byte{'x'}, 8)
		if Say(to, x.say); string(to[:bytes.IndexByte(to, 0)]) != x.want {
			t.Errorf("%q is %q", x.say, to)
		}
	}
}

// Goroutines that call for one client wait for each other, and one may close it meanwhile.
func TestConcurrent(t *testing.T) {
	m := newMatch(t)
	n := m.open(1)
	in := game.Action{}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := range 200 {
				m.SetInput(n, bytesOf(&in))
				m.Advance(n, 0)
				m.Frame(n, 0)
				m.End(n)
				m.Lines()
				if i == 3 && j == 150 {
					m.Close(n)
				}
			}
		})
	}
	all.Wait()
	if m.End(n) != int32(NoClient) {
		t.Error("it is still there")
	}
}

// A thin client plays and predicts nothing.
func TestThinClient(t *testing.T) {
	m := newMatch(t)
	thin, err := m.Open(Options{Server: "x", Player: 1, Flags: Insecure | ThinClient | BetweenTicks, Now: m.at()})
	if err != nil {
		t.Fatal(err)
	}
	in := game.Action{Buttons: game.Left}
	m.SetInput(thin, bytesOf(&in))
	m.play(time.Second, nil, thin)
	first, simulated := 0.0, 0
	m.play(time.Second, func(v *View) {
		for _, t := range v.tables() {
			simulated += int(t.Simulated)
		}
		at, ok := m.own(v)
		if first == 0 && ok {
			first = float64(at.X)
		}
	}, thin)
	v := m.Frame(thin, m.at())
	if at, ok := m.own(v); !ok || simulated != 0 || first-float64(at.X) < 50 {
		t.Errorf("from %v to %v, %d tables are simulated", first, at, simulated)
	}
	full := m.open(2)
	m.play(time.Second, func(v *View) {
		for _, t := range v.tables() {
			simulated += int(t.Simulated)
		}
	}, full)
	if simulated == 0 {
		t.Error("nothing is simulated by who predicts")
	}
}
