// Helpers for elements of the page, and for what the browser keeps.
import { storage } from '@tactusgo/client';

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

/** Calls f when the player submits a form, also in a frame whose sandbox forbids to submit. Enter in a field clicks the button of the form. */
export function onSubmit(form: HTMLFormElement, f: () => void) {
  const submitted = (e: Event) => {
    e.preventDefault();
    f();
  };
  form.addEventListener('submit', submitted);
  form.addEventListener('click', (e) => { if ((e.target as Element).closest('button')?.type === 'submit') submitted(e); });
}

/** Reads a value that the browser keeps, or the fallback if it keeps none. */
export const kept = (name: string, fallback: string) => storage.local.getItem(name) ?? fallback;

/** Keeps a value for the next visit. */
export const keep = (name: string, value: string) => storage.local.setItem(name, value);

/** Reads what the tab keeps over a reload. */
export function keptInTab<T>(key: string): T | null {
  try {
    return JSON.parse(storage.session.getItem(key) ?? 'null') as T | null;
  } catch {
    return null; // something else has the key
  }
}

/** Keeps a value for the tab; null forgets it. */
export function keepInTab(key: string, value: unknown) {
  if (value === null) storage.session.removeItem(key); else storage.session.setItem(key, JSON.stringify(value));
}

/** Reports whether the player asked for less motion. */
export const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
