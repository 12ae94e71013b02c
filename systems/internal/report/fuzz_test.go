package report

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Arbitrary bytes as inputs with a report are refused or valid, and a valid report can be judged.
func FuzzReadReport(f *testing.F) {
	p := testgame.Plaza()
	table := p.Input().Schema
	w := spawned(p, 1)
	results := NewCoder(p)
	results.List(w, 1)
	m := wire.Input{Newest: 7, Count: 2, Words: make([]int32, 2*table.Words)}
	results.Write(w, &m.Report)
	writer := wire.NewInputCoder(table)
	writer.Reported = true
	f.Add(writer.Append(nil, &m, 0, nil))
	m.Report.Asks = true
	f.Add(writer.Append(nil, &m, 0, nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		coder, bases := wire.NewInputCoder(table), wire.NewInputBases(table.Words)
		coder.Reported = true
		base := wire.Input{Newest: 5, Count: 1, Words: make([]int32, table.Words)}
		coder.Start(base.Words)
		bases.Put(0, &base, coder.State)
		var m wire.Input
		if err := coder.Read(b, &m, 3, bases); err != nil {
			if !errors.Is(err, wire.ErrMessage) {
				t.Fatal(err)
			}
			return
		}
		if len(m.Report.Result) > wire.MaxResult+1 || m.Report.Echo >= wire.Corrections || m.Report.Asks && m.Report.Bits > 0 {
			t.Fatalf("%+v", m.Report)
		}
		results.List(w, 1)
		j := NewJudge(w)
		a := j.Join(1)
		a.Receive(9, 9, &m.Report)
		j.List()
		j.Compare(a, 9, true)
		if again := writer.Append(nil, &m, 3, nil); m.Report.Asks {
			var back wire.Input
			if err := coder.Read(again, &back, 3, bases); err != nil || fmt.Sprint(back) != fmt.Sprint(m) {
				t.Fatalf("%+v came back as %+v: %v", m, back, err)
			}
		}
	})
}
