package frames

import (
	"reflect"
	"unsafe"

	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/ecs"
)

// clampLog logs each component field with a value outside its range once. It is used only when a column had such a
// value, so that other worlds pay nothing.
type clampLog struct {
	logger logging.Logger
	logged [][]bool // by replicated component and field; nil: none of its fields was logged
	left   []int    // fields not logged, if logged is not nil
	value  []uint64 // room for one component
}

func newClampLog(comps []*ecs.Component, l logging.Logger) clampLog {
	n := len(comps)
	return clampLog{logger: l, logged: make([][]bool, n), left: make([]int, n)}
}

// logColumn checks the column of a component in which a value was clamped.
func (l *clampLog) logColumn(comp *ecs.Component, t ecs.Table) {
	k, s := comp.Replicated(), comp.Schema
	if l.logged[k] == nil {
		l.logged[k], l.left[k] = make([]bool, len(s.Fields)), len(s.Fields)
	}
	for from := 0; from < len(t.Entities) && l.left[k] > 0; from++ {
		row, _ := s.FirstClamped(unsafe.Add(t.Column(comp), uintptr(from)*s.Size), len(t.Entities)-from)
		if row < 0 {
			return
		}
		from += row
		l.logRow(comp, unsafe.Add(t.Column(comp), uintptr(from)*s.Size), uint32(t.NetIDs[from]))
	}
}

// logRow logs the fields of one component that were not logged before. To test each field alone, it copies the
// field into a valid copy of the component.
func (l *clampLog) logRow(comp *ecs.Component, p unsafe.Pointer, id uint32) {
	k, s := comp.Replicated(), comp.Schema
	l.value = reuse.Longer(l.value, int(s.Size+7)/8)
	sound := unsafe.Pointer(&l.value[0])
	whole := unsafe.Slice((*byte)(sound), s.Size)
	copy(whole, unsafe.Slice((*byte)(p), s.Size))
	s.Snap(sound)
	for i := range s.Fields {
		f := &s.Fields[i]
		if l.logged[k][i] {
			continue
		}
		at := whole[f.Offset : f.Offset+kindSize(f.Kind)]
		var kept [8]byte
		copy(kept[:], at)
		copy(at, unsafe.Slice((*byte)(unsafe.Add(p, f.Offset)), len(at)))
		if row, _ := s.FirstClamped(sound, 1); row == 0 {
			l.logged[k][i] = true
			l.left[k]--
			l.logger.Warn("value outside its range was clamped; more in this field are only counted",
				"component", comp.Name, "field", f.Path, "value", s.Format(i, p), "entity", id)
		}
		copy(at, kept[:])
	}
}

func kindSize(k reflect.Kind) uintptr {
	switch k {
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return 1
	case reflect.Int16, reflect.Uint16:
		return 2
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return 4
	}
	return 8
}
