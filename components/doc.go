// Package components provides the basic components and value types of a game world: the identity and owner of an entity,
// its place and its motion.
//
//   - Network identity: [NetID].
//   - Ownership: [Owner].
//   - How a client treats an entity: [Predicted], [Interpolated].
//   - Motion in the plane: [Position], [Velocity], [Heading]. Jumps: [Teleports].
//   - Hit points: [Health].
//   - Field types for your own components: [Text], [List], and [NetID] with the tag "ref" for references to entities.
//
// Components contain no pointers. They have no behaviour, except that Text and List keep their bounds. The ranges and steps
// in the struct tags are defaults: register a component with ecs.ReplicateFields to use different ranges and steps.
package components
