package pages

import "github.com/tactusgo/tactus/systems/runner/web"

// Others are all worlds with a page, for web.Config.Others. Their ports are ten apart.
func Others() []web.Other {
	return []web.Other{
		{Name: "arena", GamePort: 7777, Command: "go run ./examples/arena"},
		{Name: "custom", GamePort: 7787, Command: "go run ./examples/custom"},
		{Name: "platformer", GamePort: 7797, Command: "go run ./examples/platformer"},
		{Name: "snake", GamePort: 7807, Command: "go run ./examples/snake"},
		{Name: "snowball", GamePort: 7817, Command: "go run ./examples/snowball"},
		{Name: "duel", GamePort: 7827, Command: "go run ./examples/duel"},
		{Name: "physics", GamePort: 7837, Command: "go -C examples/physics run ."},
	}
}
