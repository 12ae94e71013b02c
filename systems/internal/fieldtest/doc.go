// Package fieldtest has the matches that the tests of package systems and of the packages below it play. Only tests
// import it.
//
//   - Field (field.go): players walk by their inputs, drifters move back and forth. [ProtocolWith] adds parts, [Config]
//     returns a match, [Start] starts it.
//   - Pitch (pitch.go): the field with balls that players kick.
//   - Gallery (gallery.go): the field with guns that spawn bullets.
//   - Guard room (guardroom.go): posts whose owner changes.
//   - [Puppet] is a client whose messages are written by the test.
//
// The functions of watch.go record and compare what servers and clients simulate and draw. Package testgame has smaller
// worlds for the internal tests of packages that package systems imports.
package fieldtest
