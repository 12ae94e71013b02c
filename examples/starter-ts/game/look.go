package game

import "github.com/tactusgo/tactus/components"

// Colours are the names of the colours that players can choose. The page defines how they look.
var Colours = [...]string{"Blue", "Red", "Green", "Purple", "Orange", "Teal"}

// These rows of values are copies to read. [ecs.All] yields them on every peer.
type (
	seenPlayer struct {
		Owner  components.Owner
		Place  Place
		Player Player
	}
	seenStar struct {
		Place Place
		Star  Star
	}
)
