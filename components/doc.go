// Package components holds the plain data that worlds share: who an entity is
// on the network, who owns it, and where it is and how it moves.
//
//   - Identity on the wire: [NetID].
//   - Ownership: [Owner].
//   - How a client treats an entity: [Predicted], [Interpolated].
//   - Motion in the plane: [Position], [Velocity], [Heading]; jumps: [Teleports].
//   - Vital signs: [Health].
//   - Parts to make components of: [Text], [List], and [NetID] for references to
//     other entities, tagged "ref".
//
// Components are data without behaviour and free of pointers; a text and a list
// only keep their own bounds. The ranges and steps in the struct tags are
// defaults: a game that needs others gives them at registration, with
// ecs.ReplicateFields.
package components
