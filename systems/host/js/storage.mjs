// The storages of the browser. Where it forbids them, as in a sandboxed frame, memory replaces them until the page is closed.

function open(kind) {
  const memory = new Map();
  return {
    getItem(key) {
      if (memory.has(key)) return memory.get(key);
      try {
        return globalThis[kind].getItem(key);
      } catch {
        return null;
      }
    },
    setItem(key, value) {
      try {
        globalThis[kind].setItem(key, value);
        memory.delete(key);
      } catch {
        memory.set(key, String(value));
      }
    },
    removeItem(key) {
      memory.delete(key);
      try {
        globalThis[kind].removeItem(key);
      } catch { /* memory had it */ }
    },
  };
}

export const storage = Object.freeze({ session: open('sessionStorage'), local: open('localStorage') });
