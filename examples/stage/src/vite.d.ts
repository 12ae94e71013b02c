/** Bytes of the modules, by world: what comes compressed does not say how long it becomes. vite.config.ts defines it. */
declare const MODULES: Readonly<Record<string, number>>;
