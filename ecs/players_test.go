package ecs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// badge is a login.
type badge struct {
	Team  uint8 `net:"1..4"`
	Ready bool
	_     [3]byte
}

// nothing is the function of a Join that does nothing.
func nothing[T any](*ecs.World, uint32, *T) {}

// Join, Leave and commands change the lines and the hash of the protocol, which peers compare.
func TestPlayersArePartOfTheProtocol(t *testing.T) {
	lines := func(add ...part) []string { return bare("club", add...).Lines()[len(bare("club").Lines()):] }
	if bare("club").Hash() == bare("club", func(p *ecs.Protocol) { ecs.Join(p, nothing[badge]) }).Hash() {
		t.Error("the hash does not tell who comes")
	}
	join := func(p *ecs.Protocol) { ecs.Join(p, nothing[badge]) }
	leave := func(p *ecs.Protocol) { p.Leave(func(*ecs.World, uint32) {}) }
	for want, got := range map[string][]string{
		"":              lines(),
		"join struct{}": lines(func(p *ecs.Protocol) { ecs.Join(p, nothing[struct{}]) }),
		"leave":         lines(leave),
		"join badge{Team uint8 1..4; Ready bool},leave": lines(leave, join),
		"leave,command badge{Team uint8 1..4; Ready bool},command struct{}": lines(leave,
			func(p *ecs.Protocol) { ecs.Command(p, nothing[badge]) }, func(p *ecs.Protocol) { ecs.Command(p, nothing[struct{}]) }),
	} {
		if strings.Join(got, ",") != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Wrong code does not start.
func TestPlayersAdvice(t *testing.T) {
	type huge struct {
		Words [65]uint32 `net:"raw"`
	}
	type wrong struct{ At *int }
	used := bare("club")
	ecs.NewWorld(used, ecs.Config{})
	twice := bare("club")
	ecs.Join(twice, nothing[badge])
	twice.Leave(func(*ecs.World, uint32) {})
	full := bare("club")
	many(full)
	for word, f := range map[string]func(){
		"Command[ecs_test.wrong]":                  func() { ecs.Command(bare("club"), nothing[wrong]) },
		"Command[ecs_test.huge]: 260 bytes":        func() { ecs.Command(bare("club"), nothing[huge]) },
		"Command[ecs_test.badge] needs a function": func() { ecs.Command[badge](bare("club"), nil) },
		"Command after a world uses":               func() { ecs.Command(used, nothing[badge]) },
		"Command[ecs_test.nth[":                    func() { many(full) },
		"at most 64 kinds of commands":             func() { ecs.Command(full, nothing[badge]) },
		"260 bytes are more than 256":              func() { ecs.Join(bare("club"), nothing[huge]) },
		"Join[ecs_test.wrong]":                     func() { ecs.Join(bare("club"), nothing[wrong]) },
		"needs a function":                         func() { ecs.Join[badge](bare("club"), nil) },
		"Leave needs a function":                   func() { bare("club").Leave(nil) },
		"has a Join already":                       func() { ecs.Join(twice, nothing[struct{}]) },
		"one Leave":                                func() { twice.Leave(func(*ecs.World, uint32) {}) },
		"Join after a world uses":                  func() { ecs.Join(used, nothing[badge]) },
		"Leave after a world uses":                 func() { used.Leave(func(*ecs.World, uint32) {}) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, word) {
					t.Errorf("panic %q, not with %q", got, word)
				}
			}()
			f()
		}()
	}
}

// The value is the one that was asked for, each time that the request is carried out, and the
// nearest to zero where none was.
func TestRequestsRunAgain(t *testing.T) {
	var got []badge
	p := bare("club")
	ecs.Join(p, func(_ *ecs.World, client uint32, v *badge) {
		got = append(got, *v)
		v.Team = 4 // which the next run does not hear of
	})
	w, r := ecs.NewWorld(p, ecs.Config{}), p.Players().Join
	asked := r.Schema.AppendRaw(nil, unsafe.Pointer(&badge{Team: 3, Ready: true}))
	r.Run(w, 1, asked)
	r.Run(w, 1, asked)
	r.Run(w, 1, nil)
	if want := []badge{{Team: 3, Ready: true}, {Team: 3, Ready: true}, {Team: 1}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// nth is a type for each T, by which many makes many.
type nth[T any] struct {
	N uint8 `net:"raw"`
}

// many registers the maximum number of commands.
func many(p *ecs.Protocol) {
	two[[1]bool](p)
	two[[2]bool](p)
}

func two[T any](p *ecs.Protocol)   { four[[1]T](p); four[[2]T](p) }
func four[T any](p *ecs.Protocol)  { eight[[1]T](p); eight[[2]T](p) }
func eight[T any](p *ecs.Protocol) { sixteen[[1]T](p); sixteen[[2]T](p) }
func sixteen[T any](p *ecs.Protocol) {
	last[[1]T](p)
	last[[2]T](p)
}

func last[T any](p *ecs.Protocol) {
	ecs.Command(p, nothing[nth[[1]T]])
	ecs.Command(p, nothing[nth[[2]T]])
}
