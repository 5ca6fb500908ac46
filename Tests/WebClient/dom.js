// What the modules ask of a page when they are loaded, so that their pure parts run without one.

globalThis.document = {querySelector: () => null}
globalThis.addEventListener = () => {}
globalThis.sessionStorage = {getItem: () => null}
