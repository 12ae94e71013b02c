package outcome

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
)

// ErrSaved is wrapped by the errors of [Log.ReadOpen].
var ErrSaved = errors.New("outcome: these outcomes cannot be read")

var errCut = fmt.Errorf("%w: they are cut off or too long", ErrSaved)

// Open outcomes in a save. All numbers are uvarints; a text is its length and its bytes:
//
//	begun | kinds n | each: type | fields | outcomes n | each:
//	    ID | tick | NetID | owner, input and number of the SpawnKey | 1 if withdrawn | values
//
// fields is the text of fieldsOf; a value is a uvarint of its bits.

// AppendOpen appends the outcomes that are not final, for a save. Call it between ticks. It returns an error if a type of
// them contains pointers.
func (l *Log) AppendOpen(dst []byte) ([]byte, error) {
	dst = codec.AppendUvarint(dst, l.stats.Begun)
	n := 0
	for _, k := range l.kinds {
		if k.open() > 0 {
			n++
		}
	}
	dst = codec.AppendUvarint(dst, uint64(n))
	var err error
	for _, k := range l.kinds {
		if k.open() > 0 {
			if dst, err = k.appendOpen(dst); err != nil {
				return nil, err
			}
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
	n := r.Uvarint()
	if n > uint64(r.Len()) {
		return errCut
	}
	for range n {
		name, fields := readText(&r), readText(&r)
		var k anyKind
		for t, x := range l.byType {
			if t.String() == name {
				k = x
			}
		}
		switch {
		case r.Err() != nil:
		case k == nil:
			return fmt.Errorf("%w: nothing handles %s", ErrSaved, name)
		case k.fields() != fields:
			return fmt.Errorf("%w: %s has the fields %q here and %q in the save", ErrSaved, name, k.fields(), fields)
		default:
			add, err := k.readOpen(&r, begun)
			if err != nil {
				return fmt.Errorf("%w: %s: %w", ErrSaved, name, err)
			}
			adds = append(adds, add)
		}
	}
	if r.Err() != nil || r.Len() > 0 {
		return errCut
	}
	for _, add := range adds {
		add()
	}
	l.stats.Begun = max(l.stats.Begun, begun)
	return nil
}

func appendText(dst []byte, text string) []byte {
	return append(codec.AppendUvarint(dst, uint64(len(text))), text...)
}

func readText(r *codec.ByteReader) string {
	return string(r.Next(int(min(r.Uvarint(), uint64(r.Len()+1)))))
}

// savedLeaf is a number or a bool of a type.
type savedLeaf struct {
	offset uintptr
	typ    reflect.Type
}

// leavesOf appends the leaves of a type without pointers, and writes their names and kinds to text.
func leavesOf(to []savedLeaf, t reflect.Type, path string, offset uintptr, text *strings.Builder) []savedLeaf {
	switch t.Kind() {
	case reflect.Struct:
		for f := range t.Fields() {
			if f.Name != "_" {
				to = leavesOf(to, f.Type, path+"."+f.Name, offset+f.Offset, text)
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			to = leavesOf(to, t.Elem(), fmt.Sprintf("%s[%d]", path, i), offset+uintptr(i)*t.Elem().Size(), text)
		}
	default:
		fmt.Fprintf(text, "%s %s ", path, t.Kind())
		to = append(to, savedLeaf{offset, t})
	}
	return to
}

func (k *kind[T]) leaves() ([]savedLeaf, string) {
	var text strings.Builder
	leaves := leavesOf(nil, reflect.TypeFor[T](), "", 0, &text)
	return leaves, text.String()
}

func (k *kind[T]) fields() string {
	if schema.CheckPlain(reflect.TypeFor[T]()) != nil {
		return ""
	}
	_, text := k.leaves()
	return text
}

func (k *kind[T]) appendOpen(dst []byte) ([]byte, error) {
	t := reflect.TypeFor[T]()
	if err := schema.CheckPlain(t); err != nil {
		return nil, fmt.Errorf("outcome: %s cannot be saved: %w", t, err)
	}
	leaves, text := k.leaves()
	dst = appendText(appendText(dst, t.String()), text)
	dst = codec.AppendUvarint(dst, uint64(len(k.entries)))
	for i := range k.entries {
		e := &k.entries[i]
		s, ended := e.Subject, uint64(0)
		s.resolve(k.log.world)
		if e.state == withdrawn {
			ended = 1
		}
		for _, v := range []uint64{e.ID, uint64(e.Tick), uint64(s.NetID), uint64(s.Key.Owner), uint64(s.Key.Input), uint64(s.Key.Nth), ended} {
			dst = codec.AppendUvarint(dst, v)
		}
		for _, l := range leaves {
			v := reflect.NewAt(l.typ, unsafe.Add(unsafe.Pointer(&e.Value), l.offset)).Elem()
			switch {
			case v.Kind() == reflect.Bool:
				b := uint64(0)
				if v.Bool() {
					b = 1
				}
				dst = codec.AppendUvarint(dst, b)
			case v.CanInt():
				dst = codec.AppendUvarint(dst, uint64(v.Int()))
			case v.CanUint():
				dst = codec.AppendUvarint(dst, v.Uint())
			case v.CanFloat():
				dst = codec.AppendUvarint(dst, math.Float64bits(v.Float()))
			default:
				return nil, fmt.Errorf("outcome: %s cannot be saved: it has a %s", t, v.Kind())
			}
		}
	}
	return dst, nil
}

func (k *kind[T]) readOpen(r *codec.ByteReader, begun uint64) (add func(), err error) {
	leaves, _ := k.leaves()
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
		if v[6] > 1 || e.ID > begun || len(entries) >= k.log.limit || r.Err() != nil {
			return nil, codec.ErrMalformed
		}
		if v[6] == 1 {
			e.state = withdrawn
		}
		for _, l := range leaves {
			x, bits := reflect.NewAt(l.typ, unsafe.Add(unsafe.Pointer(&e.Value), l.offset)).Elem(), r.Uvarint()
			switch {
			case x.Kind() == reflect.Bool:
				x.SetBool(bits != 0)
			case x.CanInt():
				x.SetInt(int64(bits))
			case x.CanUint():
				x.SetUint(bits)
			case x.CanFloat():
				x.SetFloat(math.Float64frombits(bits))
			}
		}
		e.Subject.resolve(k.log.world)
		if n := len(entries); n > 0 && (entries[n-1].Tick > e.Tick || entries[n-1].Tick == e.Tick && entries[n-1].Subject.compare(&e.Subject) > 0) {
			return nil, codec.ErrMalformed
		}
		entries = append(entries, e)
	}
	return func() { k.entries = entries }, nil
}
