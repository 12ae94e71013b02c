// Package testgame contains the games that tests of the packages below systems play. It imports only ecs and
// components, so that the tests of all these packages and of package systems can import it. No
// product code does. A test adds its own components, inputs and systems to one of the games.
//
//   - [Stage]: entities with a heading, and no systems.
//   - [Plaza]: pawns move according to their owners' inputs, and fire. [Grounds] is its protocol without inputs, for a
//     test with other inputs or none.
//   - [Soldiers]: every peer simulates everything. Players walk and shoot, shots fly and wound,
//     and rocks appear and disappear.
package testgame
