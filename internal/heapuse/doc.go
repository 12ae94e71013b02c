// Package heapuse tells, for tests, which memory in use was allocated by which functions, exactly.
//
//   - Begin before anything of interest is made: [Begin].
//   - Bytes in use that were allocated under some functions, and by whom: [Profile.Under].
package heapuse
