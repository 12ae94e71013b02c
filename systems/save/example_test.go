package save_test

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/save"
)

// Version 1 of a game.
type Hull struct {
	Health int16 `net:"0..100"`
}

func version1() *ecs.Protocol {
	p := ecs.NewProtocol("tanks/1")
	ecs.Replicate[Hull](p, 0)
	return p
}

// Version 2 renames the component and its field, widens the field, and adds another one.
type Armour struct {
	_     struct{} `save:"was Hull"`
	Left  int32    `net:"0..5000" save:"was Health"`
	Spare uint8    `net:"0..9" save:"default 2"`
}

func version2() *ecs.Protocol {
	p := ecs.NewProtocol("tanks/2")
	ecs.Replicate[Armour](p, 0)
	return p
}

func transport() netsys.Wire {
	return netsys.NewNetwork().Node(netip.MustParseAddrPort("127.0.0.1:7777"))
}

// saveServer saves a running server. Encoding and writing need not wait for the next tick: another goroutine can do them.
func saveServer(s *systems.Server, file string) error {
	data, err := s.Save()()
	if err != nil {
		return err
	}
	return save.WriteFile(file, data)
}

// loadServer creates a server that continues a saved one.
func loadServer(wire netsys.Wire, p *ecs.Protocol, file string) (*systems.Server, error) {
	data, err := save.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return systems.NewServer(wire, p, systems.ServerConfig{Load: data})
}

func Example() {
	dir, err := os.MkdirTemp("", "save")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "tanks.save")

	s, err := systems.NewServer(transport(), version1(), systems.ServerConfig{})
	if err != nil {
		panic(err)
	}
	tank := s.World().Spawn(Hull{Health: 80})
	if err := saveServer(s, file); err != nil {
		panic(err)
	}

	s, err = loadServer(transport(), version2(), file)
	if err != nil {
		panic(err)
	}
	a := ecs.Get[Armour](s.World(), tank)
	fmt.Println(a.Left, a.Spare)
	// Output: 80 2
}
