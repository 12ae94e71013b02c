package names

import (
	"strings"
	"unicode"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Text is a name of at most 16 bytes.
type Text = components.Text[[16]byte]

// Named is the name of a player. It is empty until the player chooses one. The join handler of a world spawns it with the
// player.
type Named struct{ Name Text }

// Rename is the command that changes a player's name.
type Rename struct{ Name Text }

// Add adds [Named] and [Rename] to a protocol.
func Add(p *ecs.Protocol) {
	ecs.Replicate[Named](p, 0)
	ecs.Command(p, rename)
}

// rename executes the command. It removes unprintable characters and ignores a name that is then empty.
func rename(w *ecs.World, client uint32, r *Rename) {
	name := Printable(r.Name.String())
	if name == "" {
		return
	}
	for _, p := range ecs.EachOf[struct{ Who *Named }](w, client) {
		p.Who.Name.Set(name)
	}
}

// Printable returns s without unprintable characters and without surrounding space.
func Printable(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, s))
}
