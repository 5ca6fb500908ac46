// Where each level was left, for this tab: going back and reloading lead to the same rows.

const KEPT = 200

function stored() {
  try {
    return new Map(JSON.parse(sessionStorage.getItem('positions') ?? '[]'))
  } catch {
    return new Map()
  }
}

const all = stored()

export const positions = {
  get: target => all.get(target),
  set(target, position) {
    all.delete(target)
    all.set(target, position)
    while (all.size > KEPT) all.delete(all.keys().next().value)
  },
  store: () => sessionStorage.setItem('positions', JSON.stringify([...all])),
}

addEventListener('pagehide', positions.store)
