package rooms

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	bundleMark   = "TG\x01"
	maxCarryName = 64
	maxCarrySize = 1 << 12
	// maxCarryItems is the maximum number of components that a player carries.
	maxCarryItems = 32
	bundleHead    = len(bundleMark) + 8 + 1 + 1
)

// errBundle is wrapped by the errors of [parseBundle].
var errBundle = errors.New("rooms: the carried components cannot be decoded")

// bundle holds the components that a player carries. Its encoding is little-endian:
//
//	"TG" │ version u8 │ transfer u64 │ local u8 │ number of items u8 │ items: length u8 │ name │ shape u32 │ length u16 │ bytes
type bundle struct {
	// transfer is the number of the transfer record that decides which room has the items.
	transfer uint64
	// local reports that the record is in the memory of the process and not in the directory.
	local bool
	items []carriedItem
}

// carriedItem is a component with its value.
type carriedItem struct {
	name  string
	shape uint32
	value []byte
}

// appendTo appends the bytes of the bundle.
func (b *bundle) appendTo(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(append(dst, bundleMark...), b.transfer)
	here := byte(0)
	if b.local {
		here = 1
	}
	dst = append(dst, here, byte(len(b.items)))
	for _, x := range b.items {
		dst = append(append(dst, byte(len(x.name))), x.name...)
		dst = binary.LittleEndian.AppendUint32(dst, x.shape)
		dst = append(binary.LittleEndian.AppendUint16(dst, uint16(len(x.value))), x.value...)
	}
	return dst
}

// isBundle reports whether bytes start like a bundle.
func isBundle(b []byte) bool {
	return len(b) >= len(bundleMark) && string(b[:len(bundleMark)]) == bundleMark
}

// parseBundle parses the result of [bundle.appendTo]. The items alias b. The error wraps errBundle.
func parseBundle(b []byte) (x bundle, err error) {
	if len(b) < bundleHead || !isBundle(b) || b[bundleHead-2] > 1 || b[bundleHead-1] > maxCarryItems {
		return x, fmt.Errorf("%w: %d bytes", errBundle, len(b))
	}
	x.transfer, x.local = binary.LittleEndian.Uint64(b[len(bundleMark):]), b[bundleHead-2] == 1
	n, rest := int(b[bundleHead-1]), b[bundleHead:]
	next := func(n int) (field []byte) {
		if n > len(rest) {
			err = fmt.Errorf("%w: it is cut off", errBundle)
			return make([]byte, n)
		}
		field, rest = rest[:n], rest[n:]
		return field
	}
	for range n {
		name := next(min(int(next(1)[0]), maxCarryName))
		item := carriedItem{name: string(name), shape: binary.LittleEndian.Uint32(next(4))}
		size := int(binary.LittleEndian.Uint16(next(2)))
		if item.value = next(min(size, maxCarrySize)); err != nil {
			return bundle{}, err
		}
		x.items = append(x.items, item)
	}
	if len(rest) > 0 {
		return bundle{}, fmt.Errorf("%w: %d bytes behind it", errBundle, len(rest))
	}
	return x, nil
}
