package game

import "github.com/tactusgo/tactus/systems/host"

// Book is what hosts of [CombatProtocol] are told and send: its bindings and its module have the same.
func (m *Messages) Book() *host.Book {
	b := &host.Book{}
	host.Message(b, m.Say)
	host.Message(b, m.Said)
	return b
}
