// Package faulty is a directory of a fleet with faults by a seed and in virtual time, for tests.
package faulty
