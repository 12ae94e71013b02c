package outcome

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
)

// ErrSaved is wrapped by the errors of [Log.ReadOpen].
var ErrSaved = errors.New("outcome: these outcomes cannot be read")

// Open outcomes in a save. All numbers are uvarints; a text is its length and its bytes:
//
//	begun | types n | each: type | fields | outcomes n | each:
//	    ID | tick | NetID | owner, input and number of the SpawnKey | 1 if withdrawn | values
//
// fields is the text of appendLeaves; values are as they lie in memory.

// AppendOpen appends the outcomes that are not final, for a save. Call it between ticks. It returns an error if a type of
// them contains pointers.
func (l *Log) AppendOpen(dst []byte) ([]byte, error) {
	open := slices.DeleteFunc(slices.Clone(l.kinds), func(k anyKind) bool { return k.open() == 0 })
	dst = codec.AppendUvarint(codec.AppendUvarint(dst, l.stats.Begun), uint64(len(open)))
	for _, k := range open {
		var err error
		if dst, err = k.appendOpen(dst); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// ReadOpen adds the outcomes that AppendOpen wrote, with their IDs, to a log whose types are registered. A subject without a
// NetID becomes the world. ReadOpen returns an error that wraps [ErrSaved], and adds nothing, if the bytes are damaged, or if
// the fields of a type have changed or nobody handles it.
func (l *Log) ReadOpen(src []byte) error {
	var r codec.ByteReader
	r.Reset(src)
	begun := r.Uvarint()
	var adds []func()
	for n := r.Uvarint(); n > 0 && r.Err() == nil; n-- {
		name, fields := string(r.Bytes()), string(r.Bytes())
		if r.Err() != nil {
			break
		}
		var k anyKind
		for t, x := range l.byType {
			if t.String() == name {
				k = x
			}
		}
		if k == nil {
			return fmt.Errorf("%w: nothing handles %s", ErrSaved, name)
		}
		add, err := k.readOpen(&r, fields, begun)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrSaved, name, err)
		}
		adds = append(adds, add)
	}
	if r.Err() != nil || r.Len() > 0 {
		return fmt.Errorf("%w: they are cut off or too long", ErrSaved)
	}
	for _, add := range adds {
		add()
	}
	l.stats.Begun = max(l.stats.Begun, begun)
	return nil
}

// savedLeaf is a number or a bool of a type.
type savedLeaf struct {
	offset uintptr
	typ    reflect.Type
}

// appendLeaves appends the leaves of a type without pointers, and writes their names, kinds and sizes to text.
func appendLeaves(to []savedLeaf, t reflect.Type, path string, offset uintptr, text *strings.Builder) []savedLeaf {
	switch t.Kind() {
	case reflect.Struct:
		for f := range t.Fields() {
			if f.Name != "_" {
				to = appendLeaves(to, f.Type, path+"."+f.Name, offset+f.Offset, text)
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			to = appendLeaves(to, t.Elem(), fmt.Sprintf("%s[%d]", path, i), offset+uintptr(i)*t.Elem().Size(), text)
		}
	default:
		fmt.Fprintf(text, "%s %s %d ", path, t.Kind(), t.Size())
		to = append(to, savedLeaf{offset, t})
	}
	return to
}

// memory returns the bytes of a leaf of the value at p.
func (l *savedLeaf) memory(p unsafe.Pointer) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(p, l.offset)), l.typ.Size())
}

// leaves returns the leaves of T and the text of their names. It returns an error if T contains pointers.
func (k *kind[T]) leaves() ([]savedLeaf, string, error) {
	t := reflect.TypeFor[T]()
	if err := schema.CheckPlain(t); err != nil {
		return nil, "", fmt.Errorf("outcome: %s cannot be saved: %w", t, err)
	}
	var text strings.Builder
	leaves := appendLeaves(nil, t, "", 0, &text)
	return leaves, text.String(), nil
}

func (k *kind[T]) appendOpen(dst []byte) ([]byte, error) {
	leaves, text, err := k.leaves()
	if err != nil {
		return nil, err
	}
	dst = codec.AppendBytes(codec.AppendBytes(dst, reflect.TypeFor[T]().String()), text)
	dst = codec.AppendUvarint(dst, uint64(len(k.entries)))
	for i := range k.entries {
		e := &k.entries[i]
		s, ended := e.Subject, uint64(0)
		s.resolve(k.log.world)
		if e.state == withdrawn || e.state == discarded {
			ended = 1
		}
		for _, v := range []uint64{e.ID, uint64(e.Tick), uint64(s.NetID), uint64(s.Key.Owner), uint64(s.Key.Input), uint64(s.Key.Nth), ended} {
			dst = codec.AppendUvarint(dst, v)
		}
		for _, l := range leaves {
			dst = append(dst, l.memory(unsafe.Pointer(&e.Value))...)
		}
	}
	return dst, nil
}

func (k *kind[T]) readOpen(r *codec.ByteReader, fields string, begun uint64) (add func(), err error) {
	leaves, text, err := k.leaves()
	if err != nil {
		return nil, err
	}
	if text != fields {
		return nil, fmt.Errorf("it has the fields %q here and %q in the save", text, fields)
	}
	var entries []entry[T]
	n := r.Uvarint()
	if n > uint64(r.Len()/7) {
		return nil, codec.ErrMalformed
	}
	for range n {
		var v [7]uint64
		for i := range v {
			v[i] = r.Uvarint()
			if i > 0 && v[i] > math.MaxUint32 {
				return nil, codec.ErrMalformed
			}
		}
		e := entry[T]{}
		e.ID, e.Tick, e.Subject.NetID = v[0], uint32(v[1]), components.NetID(v[2])
		e.Subject.Key.Owner, e.Subject.Key.Input, e.Subject.Key.Nth = uint32(v[3]), uint32(v[4]), uint16(v[5])
		if v[6] > 1 || e.ID > begun || len(entries) >= k.log.limit {
			return nil, codec.ErrMalformed
		}
		if v[6] == 1 {
			e.state = withdrawn
		}
		for _, l := range leaves {
			value := r.Next(int(l.typ.Size()))
			if r.Err() != nil || l.typ.Kind() == reflect.Bool && value[0] > 1 {
				return nil, codec.ErrMalformed
			}
			copy(l.memory(unsafe.Pointer(&e.Value)), value)
		}
		e.Subject.resolve(k.log.world)
		if n := len(entries); n > 0 && (entries[n-1].Tick > e.Tick || entries[n-1].Tick == e.Tick && entries[n-1].Subject.compare(&e.Subject) > 0) {
			return nil, codec.ErrMalformed
		}
		entries = append(entries, e)
	}
	return func() { k.entries = entries }, nil
}
