package mmsg

import (
	"net"
	"strconv"
)

// zones translates the zones of link-local IPv6 addresses: interface numbers to the kernel, names in netip.
// It remembers what it looked up.
type zones struct {
	names map[uint32]string
	ids   map[string]uint32
}

// id is the number of a zone that is an interface's name or a number; 0 for none.
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

// name is the name of an interface, or its number when it has none; empty for 0.
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

// remember keeps only interfaces, numbered by the kernel, so that peers cannot make it grow.
func (z *zones) remember(id uint32, name string) {
	if z.names == nil {
		z.names, z.ids = make(map[uint32]string), make(map[string]uint32)
	}
	z.names[id], z.ids[name] = name, id
}

// ZoneID is the number of a zone that is an interface's name or a number; 0 for none.
func ZoneID(name string) uint32 { return new(zones).id(name) }

// ZoneName is the name of an interface, or its number when it has none; empty for 0.
func ZoneName(id uint32) string { return new(zones).name(id) }
