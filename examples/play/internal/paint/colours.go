package paint

// Tint is a colour with alpha, 0 to 1, not multiplied.
type Tint struct{ R, G, B, A float32 }

// RGB returns the colour 0xRRGGBB.
func RGB(hex uint32) Tint {
	return Tint{float32(hex>>16&255) / 255, float32(hex>>8&255) / 255, float32(hex&255) / 255, 1}
}

// Fade returns t with its alpha multiplied by a.
func (t Tint) Fade(a float64) Tint { t.A *= float32(a); return t }

// Toward returns the mix of t and o. f is the share of o, 0 to 1.
func (t Tint) Toward(o Tint, f float64) Tint {
	k := float32(f)
	return Tint{t.R + (o.R-t.R)*k, t.G + (o.G-t.G)*k, t.B + (o.B-t.B)*k, t.A + (o.A-t.A)*k}
}

// Colours that all worlds share: bright things on a dark ground.
var (
	White      = RGB(0xffffff)
	Black      = RGB(0x04070d)
	Background = RGB(0x060912) // beyond the world
	Floor      = RGB(0x0d1426)
	GridLine   = RGB(0x1b2746)
	Wall       = RGB(0x4d6bd6)
	Own        = RGB(0x4fe3ff) // the player's own entities
	Muted      = RGB(0x8fa2d6) // lesser text
	Bad        = RGB(0xff5d6c)
	Good       = RGB(0x5fe08c)
	Fair       = RGB(0xffc85a)
	Glass      = Tint{0.035, 0.06, 0.125, 0.78} // below text
)

// players are the colours of other players.
var players = [...]Tint{
	RGB(0xff7a59), RGB(0xffc23d), RGB(0x9be15d), RGB(0xff5f9e), RGB(0xc58bff), RGB(0xffa14a), RGB(0x6ea8ff), RGB(0xe8e06a),
	RGB(0x3fd6a3), RGB(0xff8ad1),
}

// Of returns the colour of a client's entities. self is the client of this player.
func Of(client, self uint32) Tint {
	if client != 0 && client == self {
		return Own
	}
	return players[client%uint32(len(players))]
}
