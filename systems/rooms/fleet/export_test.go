package fleet

// NewSharedQueue is for tests outside of the package.
var NewSharedQueue = newSharedQueue
