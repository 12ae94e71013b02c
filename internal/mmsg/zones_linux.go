package mmsg

import (
	"net"
	"strconv"
)

// zones translates and caches the zones of link-local IPv6 addresses: the kernel uses interface numbers, netip uses names.
type zones struct {
	names map[uint32]string
	ids   map[string]uint32
}

// id returns the interface number of a zone, given as a name or a number; 0 for an empty or unknown zone.
func (z *zones) id(name string) uint32 {
	if name == "" {
		return 0
	}
	if id, ok := z.ids[name]; ok {
		return id
	}
	if ifi, err := net.InterfaceByName(name); err == nil {
		z.remember(uint32(ifi.Index), name)
		return uint32(ifi.Index)
	}
	id, _ := strconv.ParseUint(name, 10, 32)
	return uint32(id)
}

// name returns the name of an interface, or its number if it has no name; empty for 0.
func (z *zones) name(id uint32) string {
	if id == 0 {
		return ""
	}
	if name, ok := z.names[id]; ok {
		return name
	}
	name := strconv.FormatUint(uint64(id), 10)
	if ifi, err := net.InterfaceByIndex(int(id)); err == nil {
		name = ifi.Name
	}
	z.remember(id, name)
	return name
}

// remember caches a zone. Callers pass only interfaces known to the kernel, so that peers cannot grow the cache.
func (z *zones) remember(id uint32, name string) {
	if z.names == nil {
		z.names, z.ids = make(map[uint32]string), make(map[string]uint32)
	}
	z.names[id], z.ids[name] = name, id
}

// ZoneID returns the interface number of a zone, given as a name or a number; 0 for an empty or unknown zone.
func ZoneID(name string) uint32 { return new(zones).id(name) }
