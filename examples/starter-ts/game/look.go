package game

import "github.com/tactusgo/tactus/components"

// Colours are the names of those that players can have. What they look like is the page's business.
var Colours = [...]string{"Blue", "Red", "Green", "Purple", "Orange", "Teal"}

// seen are the rows of what there is to look at: values, which [ecs.All] yields on every peer.
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
