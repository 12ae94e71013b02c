package goods

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	mark    = "TG\x01"
	maxName = 64
	maxSize = 1 << 12
	// MaxItems is how many components a player carries.
	MaxItems = 32
	head     = len(mark) + 8 + 1 + 1
)

// ErrBundle is wrapped by the errors of [Parse].
var ErrBundle = errors.New("rooms: what is carried cannot be read")

// Bundle is what a player carries, little-endian:
//
//	"TG" │ version u8 │ passage u64 │ here u8 │ number of items u8 │ items: length u8 │ name │ shape u32 │ length u16 │ bytes
type Bundle struct {
	// Passage is the number of the record that says whose it is.
	Passage uint64
	// Here says that the record is in the memory of the process, and not in the directory.
	Here  bool
	Items []Item
}

// Item is a component.
type Item struct {
	Name  string
	shape uint32
	Bytes []byte
}

// Append appends the bundle.
func (b *Bundle) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(append(dst, mark...), b.Passage)
	here := byte(0)
	if b.Here {
		here = 1
	}
	dst = append(dst, here, byte(len(b.Items)))
	for _, x := range b.Items {
		dst = append(append(dst, byte(len(x.Name))), x.Name...)
		dst = binary.LittleEndian.AppendUint32(dst, x.shape)
		dst = append(binary.LittleEndian.AppendUint16(dst, uint16(len(x.Bytes))), x.Bytes...)
	}
	return dst
}

// Is reports whether bytes are meant to be a bundle: games carry their own with other beginnings.
func Is(b []byte) bool { return len(b) >= len(mark) && string(b[:len(mark)]) == mark }

// Parse reads what [Bundle.Append] wrote. Items alias b.
func Parse(b []byte) (x Bundle, err error) {
	if len(b) < head || !Is(b) || b[head-2] > 1 || b[head-1] > MaxItems {
		return x, fmt.Errorf("%w: %d bytes", ErrBundle, len(b))
	}
	x.Passage, x.Here = binary.LittleEndian.Uint64(b[len(mark):]), b[head-2] == 1
	n, rest := int(b[head-1]), b[head:]
	next := func(n int) (field []byte) {
		if n > len(rest) {
			err = fmt.Errorf("%w: it is cut off", ErrBundle)
			return make([]byte, n)
		}
		field, rest = rest[:n], rest[n:]
		return field
	}
	for range n {
		name := next(min(int(next(1)[0]), maxName))
		item := Item{Name: string(name), shape: binary.LittleEndian.Uint32(next(4))}
		size := int(binary.LittleEndian.Uint16(next(2)))
		if item.Bytes = next(min(size, maxSize)); err != nil {
			return Bundle{}, err
		}
		x.Items = append(x.Items, item)
	}
	if len(rest) > 0 {
		return Bundle{}, fmt.Errorf("%w: %d bytes behind it", ErrBundle, len(rest))
	}
	return x, nil
}

// Names are the components, for logs.
func (b *Bundle) Names() (all []string) {
	for _, x := range b.Items {
		all = append(all, x.Name)
	}
	return all
}
