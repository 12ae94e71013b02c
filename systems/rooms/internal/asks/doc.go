// Package asks has the records by which one process asks another one for seats: it knows no directory and no clock.
//
//   - Write and read what is asked: [Batch], [ParseBatch]; what came of it: [Answers], [ParseAnswers].
//   - Name a record: [Key], [Prefix].
//   - Put as many asks into a record as fit: [Batch.Add].
//
// Whoever writes to a directory is believed, and still everything that is read is bounded here, or where it is used.
package asks
