// Package login is what a client asks to be, on its way from its configuration to the protocol's [ecs.Join]: [Of] on a
// client, [Asker] and [Func] on a server.
package login
