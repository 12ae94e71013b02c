// Helpers for elements of the page.

/** Returns the element of the page that has an id. */
export const element = <E extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as E;

/** Makes an element with attributes and children. Attributes with the value false are left out. */
export function make<K extends keyof HTMLElementTagNameMap>(kind: K, attributes: Readonly<Record<string, string | boolean>> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) if (value !== false) e.setAttribute(name, value === true ? '' : value);
  e.append(...children);
  return e;
}

/** Writes a text if it has changed, and reports whether it has. */
export function write(e: HTMLElement, text: string): boolean {
  if (e.textContent === text) return false;
  e.textContent = text;
  return true;
}

/** Reads a value that the browser keeps, or the fallback if it keeps none. */
export function kept(name: string, fallback: string): string {
  try {
    return localStorage.getItem(name) ?? fallback;
  } catch {
    return fallback; // the browser forbids it
  }
}

/** Keeps a value for the next visit. */
export function keep(name: string, value: string) {
  try {
    localStorage.setItem(name, value);
  } catch { /* the browser forbids it */ }
}

/** Reads what the tab keeps over a reload. */
export function keptInTab<T>(key: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

/** Keeps a value for the tab; null forgets it. */
export function keepInTab(key: string, value: unknown) {
  try {
    if (value === null) sessionStorage.removeItem(key); else sessionStorage.setItem(key, JSON.stringify(value));
  } catch { /* the browser forbids it */ }
}

/** Reports whether the player asked for less motion. */
export const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
