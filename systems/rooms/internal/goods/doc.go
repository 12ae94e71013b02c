// Package goods is what players carry from room to room: components, as bytes between servers.
//
//   - Name a component that can be carried: [Of]. Check it against a protocol: [Component.Check]; against what another kind
//     of room calls the same: [Component.Suits].
//   - Take components off an entity, and give them to one: [Set.Lift], [Set.Give].
//   - Write and read what goes along with a reservation: [Bundle.Append], [Parse].
//   - Say whether a room has all the components of a bundle: [Set.Takes].
package goods
