// Package roll lists members in the order in which they came, of whom any may go at once.
//
//   - Make a list: [New]. Each member keeps its own place, a number that the list writes.
//   - One comes or goes: [Roll.Add], [Roll.Remove]. Neither takes longer where there are more.
//   - Walk those who are there: [Roll.All].
package roll
