// Package roll lists members in the order in which they were added, and removes any member in constant time.
//
//   - Create a list: [New]. Each member stores its own index, which the list updates.
//   - Add and remove members: [Roll.Add], [Roll.Remove].
//   - Iterate: [Roll.All].
package roll
