// What the modules ask of a page when they are loaded, so that their pure parts run without one.

globalThis.document = {querySelector: () => null, addEventListener: () => {}}
// No pause after an interruption.
globalThis.window = {addEventListener: (type, resolve) => type === 'online' && resolve()}
globalThis.addEventListener = () => {}
globalThis.sessionStorage = {getItem: () => null}
